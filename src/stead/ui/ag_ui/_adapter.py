"""A request of AG-UI, and the run that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Generic, Literal, cast

from ag_ui.core import BaseEvent, Message, RunAgentInput, Tool
from pydantic import ValidationError
from typing_extensions import Self

from ..._contracts.run_context import AgentDepsT
from ..._kit.json_types import JsonObject, as_dict
from ..._kit.sdk_types import StarletteRequest
from ...agent import AbstractAgent
from ...messages import ForceDownloadMode, ModelMessage
from ...output import OutputDataT
from ...tools import DeferredToolResults, ToolDefinition
from ...toolsets import AbstractToolset, ExternalToolset
from .._adapter import UIAdapter
from .._limits import check_items
from ._dump import dump_messages
from ._event_stream import AGUIEventStream
from ._interrupts import decisions_in
from ._load import load_messages, with_known_parts
from ._version import DEFAULT_AG_UI_VERSION, version_of


class _FrontendToolset(ExternalToolset[AgentDepsT]):
    """The tools that an interface offers and executes."""

    @property
    def label(self) -> str:
        """How errors name it."""
        return 'the AG-UI frontend tools'


@dataclass
class AGUIAdapter(
    UIAdapter[RunAgentInput, Message, BaseEvent, AgentDepsT, OutputDataT], Generic[AgentDepsT, OutputDataT]
):
    """An agent, and a request of AG-UI to it.

    In an application of Starlette or FastAPI, `dispatch_request` is all that is needed:

        async def run_agent(request):
            return await AGUIAdapter.dispatch_request(request, agent=agent)
    """

    _: KW_ONLY
    ag_ui_version: str = DEFAULT_AG_UI_VERSION
    """The version of the protocol that the interface speaks. Since 0.1.19 a run that waits for approvals ends with interrupts."""
    accept_edited_args: bool = False
    """Whether the answer to an interrupt may change the arguments of the call (`editedArgs`). They are validated again, but
    the interface chooses them, not the model."""

    @classmethod
    def build_run_input(cls, body: bytes) -> RunAgentInput:
        """Return the request in a body.

        Raises:
            ValidationError: The body is not a request of AG-UI.
            ValueError: It has more than `max_items` items.
        """
        check_items(body, 'messages', 'tools', 'context', 'resume', most=cls.max_items)
        try:
            return RunAgentInput.model_validate_json(body)
        except ValidationError:
            if (data := with_known_parts(body)) is None:
                raise
            return RunAgentInput.model_validate(data)

    @classmethod
    async def from_request(
        cls,
        request: StarletteRequest,
        *,
        agent: AbstractAgent[AgentDepsT, OutputDataT],
        ag_ui_version: str = DEFAULT_AG_UI_VERSION,
        preserve_file_data: bool = False,
        manage_system_prompt: Literal['server', 'client'] = 'server',
        allowed_file_url_schemes: frozenset[str] = frozenset({'http', 'https'}),
        allowed_file_url_force_download: frozenset[ForceDownloadMode] = frozenset(),
        **kwargs: Any,
    ) -> Self:
        """Return an adapter for a request of Starlette or FastAPI.

        Args:
            request: The request.
            agent: The agent.
            ag_ui_version: The version of the protocol that the interface speaks.
            preserve_file_data: See `UIAdapter`; likewise the next ones.
            manage_system_prompt: Whose system prompt is used.
            allowed_file_url_schemes: The schemes of the file URLs that are taken.
            allowed_file_url_force_download: The values of `force_download` that are taken.
            kwargs: Further fields of the adapter.

        Raises:
            ValidationError: The body is not a request of AG-UI.
            ValueError: It has more than `max_items` items.
        """
        return await super().from_request(
            request,
            agent=agent,
            preserve_file_data=preserve_file_data,
            manage_system_prompt=manage_system_prompt,
            allowed_file_url_schemes=allowed_file_url_schemes,
            allowed_file_url_force_download=allowed_file_url_force_download,
            ag_ui_version=ag_ui_version,
            **kwargs,
        )

    def build_event_stream(self) -> AGUIEventStream[AgentDepsT, OutputDataT]:
        """Return a new event stream for the request.

        Raises:
            UserError: `ag_ui_version` is not a version.
        """
        return AGUIEventStream(
            self.run_input,
            accept=self.accept,
            ag_ui_version=self.ag_ui_version,
            accept_edited_args=self.accept_edited_args,
        )

    @cached_property
    def messages(self) -> list[ModelMessage]:
        """The messages of the request, as messages of an agent; not sanitized."""
        return self.load_messages(self.run_input.messages, preserve_file_data=self.preserve_file_data)

    @cached_property
    def toolset(self) -> AbstractToolset[AgentDepsT] | None:
        """The tools of the request, which the interface executes: a call of one ends the run."""
        tools = cast('list[Tool] | None', self.run_input.tools)
        return _FrontendToolset([_definition(tool) for tool in tools]) if tools else None

    @cached_property
    def state(self) -> JsonObject | None:
        """The state of the request; `None` if it is empty."""
        return self.run_input.state or None

    @cached_property
    def conversation_id(self) -> str | None:
        """The id of the thread."""
        return self.run_input.thread_id

    @cached_property
    def deferred_tool_results(self) -> DeferredToolResults | None:
        """What the user decided about calls that wait: the answers to interrupts, `resume` in the request.

        An approval counts for the call that was asked about, with the same arguments; others are left out, with a warning.
        """
        return self._decisions([])

    def _decisions(self, trusted: list[ModelMessage]) -> DeferredToolResults | None:
        return decisions_in(self.run_input, [*trusted, *self.messages], self._asker, edits=self.accept_edited_args)

    @classmethod
    def load_messages(cls, messages: Sequence[Message], *, preserve_file_data: bool = False) -> list[ModelMessage]:
        """Return messages of AG-UI as messages of an agent.

        Args:
            messages: The messages.
            preserve_file_data: Whether files that `dump_messages` wrote as activities are read.

        Raises:
            ValueError: There is nothing but results without their calls, or a file cannot be read.
        """
        return load_messages(messages, preserve_file_data=preserve_file_data)

    @classmethod
    def dump_messages(
        cls,
        messages: Sequence[ModelMessage],
        *,
        ag_ui_version: str = DEFAULT_AG_UI_VERSION,
        preserve_file_data: bool = False,
    ) -> list[Message]:
        """Return messages of an agent as messages of AG-UI, with new ids.

        Args:
            messages: The messages.
            ag_ui_version: The version of the protocol that the interface speaks. Before 0.1.13 it has no thinking.
            preserve_file_data: Whether files of the model, and references to uploaded files, are written as activities.

        Raises:
            UserError: `ag_ui_version` is not a version.
            PydanticSerializationError: The result of a tool cannot be converted to JSON.
        """
        return dump_messages(messages, version_of(ag_ui_version), preserve_file_data=preserve_file_data)


def _definition(tool: Tool) -> ToolDefinition:
    schema = as_dict(cast(object, tool.parameters))
    return ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=schema)
