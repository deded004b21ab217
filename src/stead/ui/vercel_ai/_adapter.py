"""A request of the Vercel AI SDK, and the run that answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Generic, Literal

from pydantic import TypeAdapter
from typing_extensions import Self

from ..._contracts.run_context import AgentDepsT
from ..._kit.sdk_types import StarletteRequest
from ...agent import AbstractAgent
from ...messages import ForceDownloadMode, ModelMessage, listed, warn_of_request
from ...output import OutputDataT
from ...tools import DeferredToolResults, ToolDenied
from .._adapter import UIAdapter
from .._approvals import waiting_calls
from .._limits import check_items
from ._dump import dump_messages, stable_id
from ._event_stream import VercelAIEventStream
from ._load import load_messages
from .request_types import (
    DynamicToolApprovalRespondedPart,
    RequestData,
    ToolApprovalResponded,
    ToolApprovalRespondedPart,
    UIMessage,
)
from .response_types import BaseChunk

_REQUEST: TypeAdapter[RequestData] = TypeAdapter(RequestData)


@dataclass
class VercelAIAdapter(
    UIAdapter[RequestData, UIMessage, BaseChunk, AgentDepsT, OutputDataT], Generic[AgentDepsT, OutputDataT]
):
    """An agent, and a request of the Vercel AI SDK to it.

    In an application of Starlette or FastAPI, `dispatch_request` is all that is needed:

        async def chat(request):
            return await VercelAIAdapter.dispatch_request(request, agent=agent)
    """

    _: KW_ONLY
    sdk_version: Literal[5, 6] = 5
    """The version of the SDK. Since 6 it knows approvals."""
    server_message_id: str | None = None
    """The id of the message of the answer; without it the SDK makes one."""

    @classmethod
    def build_run_input(cls, body: bytes) -> RequestData:
        """Return the request in a body.

        Raises:
            ValidationError: The body is not a request of the SDK.
            ValueError: It has more than `max_items` items.
        """
        check_items(body, 'messages', most=cls.max_items)
        return _REQUEST.validate_json(body)

    @classmethod
    async def from_request(
        cls,
        request: StarletteRequest,
        *,
        agent: AbstractAgent[AgentDepsT, OutputDataT],
        sdk_version: Literal[5, 6] = 5,
        server_message_id: str | None = None,
        manage_system_prompt: Literal['server', 'client'] = 'server',
        allowed_file_url_schemes: frozenset[str] = frozenset({'http', 'https'}),
        allowed_file_url_force_download: frozenset[ForceDownloadMode] = frozenset(),
        preserve_file_data: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Return an adapter for a request of Starlette or FastAPI.

        Args:
            request: The request.
            agent: The agent.
            sdk_version: The version of the SDK.
            server_message_id: The id of the message of the answer.
            manage_system_prompt: See `UIAdapter`; likewise the next ones.
            allowed_file_url_schemes: The schemes of the file URLs that are taken.
            allowed_file_url_force_download: The values of `force_download` that are taken.
            preserve_file_data: Whether references to uploaded files are taken.
            kwargs: Further fields of the adapter.

        Raises:
            ValidationError: The body is not a request of the SDK.
            ValueError: It has more than `max_items` items.
        """
        return await super().from_request(
            request,
            agent=agent,
            sdk_version=sdk_version,
            server_message_id=server_message_id,
            manage_system_prompt=manage_system_prompt,
            allowed_file_url_schemes=allowed_file_url_schemes,
            allowed_file_url_force_download=allowed_file_url_force_download,
            preserve_file_data=preserve_file_data,
            **kwargs,
        )

    def build_event_stream(self) -> VercelAIEventStream[AgentDepsT, OutputDataT]:
        """Return a new event stream for the request."""
        return VercelAIEventStream(
            self.run_input,
            accept=self.accept,
            sdk_version=self.sdk_version,
            server_message_id=self.server_message_id,
        )

    @cached_property
    def messages(self) -> list[ModelMessage]:
        """The messages of the request, as messages of an agent; not sanitized."""
        return self.load_messages(self.run_input.messages)

    @cached_property
    def conversation_id(self) -> str | None:
        """The id of the chat."""
        return self.run_input.id

    @cached_property
    def deferred_tool_results(self) -> DeferredToolResults | None:
        """What the user decided about calls that wait for an approval, since version 6 of the SDK.

        An approval counts for the call that was asked about, with the same arguments; others are left out, with a warning.
        So are, without one, answers about calls that no longer wait: interfaces send all that was ever answered.
        """
        results = DeferredToolResults()
        refused: list[str] = []
        answers = list(self._answers()) if self.sdk_version >= 6 else []
        waiting = waiting_calls(self.messages) if answers else {}
        for part, answer in answers:
            id = part.tool_call_id
            if (call := waiting.get(id)) is None:
                continue
            was_asked = self._asker.was_asked(
                answer.id, call
            )  # the call that would be made: an older part can have the same id
            if not answer.approved:
                results.approvals[id] = ToolDenied(answer.reason) if answer.reason else False
            elif was_asked:
                results.approvals[id] = True
            else:
                refused.append(call.tool_name)
        if refused:
            warn_of_request(
                f'Approvals in the request were left out: those of {listed(refused)} do not belong to a question of this server '
                'about these calls. If several processes answer, set the same STEAD_APPROVAL_KEY for all of them.'
            )
        return results if results.approvals else None

    def _answers(
        self,
    ) -> Iterator[tuple[ToolApprovalRespondedPart | DynamicToolApprovalRespondedPart, ToolApprovalResponded]]:
        for message in self.run_input.messages:
            for part in message.parts if message.role == 'assistant' else ():
                if isinstance(part, (ToolApprovalRespondedPart, DynamicToolApprovalRespondedPart)):
                    if isinstance(part.approval, ToolApprovalResponded) and not part.provider_executed:
                        yield part, part.approval

    @classmethod
    def load_messages(cls, messages: Sequence[UIMessage]) -> list[ModelMessage]:
        """Return messages of the SDK as messages of an agent.

        Sources, steps and data of the application are left out.

        Raises:
            ValueError: A message has parts that it cannot have.
        """
        return load_messages(messages)

    @classmethod
    def dump_messages(
        cls,
        messages: Sequence[ModelMessage],
        *,
        generate_message_id: Callable[[ModelMessage, Literal['system', 'user', 'assistant'], int], str] | None = None,
        sdk_version: Literal[5, 6] = 5,
        audience: str = '',
    ) -> list[UIMessage]:
        """Return messages of an agent as messages of the SDK.

        Args:
            messages: The messages.
            generate_message_id: Makes the id of each message, from the message of the agent, the role and the index of the
                message; by default ids are random.
            sdk_version: The version of the SDK. Since 6 calls without a result ask for an approval.
            audience: Whom these questions are for: the `audience` of the adapter that gets the answers, which is the name of
                its agent by default.

        Raises:
            PydanticSerializationError: The result of a tool cannot be converted to JSON.
        """
        return dump_messages(messages, generate_message_id or stable_id, sdk_version, audience)
