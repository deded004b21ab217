"""`WrapperAgent`: the base class of agents that change something about another agent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, cast

from typing_extensions import Self, Unpack

from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._kit.json_schema import JsonSchema
from .._kit.option_signatures import with_options
from .._kit.unset import UNSET
from ..messages import ModelMessage, SystemPromptPart, UserContent
from ..models import KnownModelName, Model
from ..run import AgentRun
from ..settings import ModelSettings
from ..usage import RunUsage
from . import _rare_options as rare
from ._options import EventStreamHandler, RunOptions
from .abstract import AbstractAgent


class WrapperAgent(AbstractAgent[AgentDepsT, OutputDataT]):
    """An agent that delegates everything to another one; subclasses override what is to be different."""

    def __init__(self, wrapped: AbstractAgent[AgentDepsT, OutputDataT]) -> None:
        self.wrapped = wrapped

    @property
    def model(self) -> Model | str | None:
        """The model of the wrapped agent."""
        return self.wrapped.model

    @property
    def name(self) -> str | None:
        """The name of the wrapped agent."""
        return self.wrapped.name

    @name.setter
    def name(self, value: str | None) -> None:
        self.wrapped.name = value

    @property
    def description(self) -> str | None:
        """The description of the wrapped agent."""
        return self.wrapped.description

    @description.setter
    def description(self, value: str | None) -> None:
        self.wrapped.description = value

    @property
    def deps_type(self) -> type:
        """The type of the dependencies."""
        return self.wrapped.deps_type

    @property
    def output_type(self) -> OutputSpec[OutputDataT]:
        """The type of the output."""
        return self.wrapped.output_type

    @property
    def toolsets(self) -> Sequence[AbstractToolset[AgentDepsT]]:
        """The toolsets of the wrapped agent."""
        return self.wrapped.toolsets

    @property
    def event_stream_handler(self) -> EventStreamHandler[AgentDepsT] | None:
        """The event handler of the wrapped agent."""
        return self.wrapped.event_stream_handler

    @property
    def root_capability(self) -> AbstractCapability[AgentDepsT] | None:
        """The combined capability of the wrapped agent."""
        return self.wrapped.root_capability

    @property
    def validation_context(self) -> object:
        """That of the wrapped agent."""
        return self.wrapped.validation_context

    def output_json_schema(self, output_type: OutputSpec[Any] | None = None) -> JsonSchema:
        """Return the JSON schema of the output; see `AbstractAgent.output_json_schema`."""
        return self.wrapped.output_json_schema(output_type)

    @with_options()
    def iter(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> AbstractAsyncContextManager[AgentRun[AgentDepsT, Any]]:
        """Step through a run of the wrapped agent. All other ways to run the agent call this method."""
        return self.wrapped.iter(user_prompt, output_type=output_type, **options)

    @with_options(UNSET)
    def override(self, **options: Unpack[rare.OverrideOptions[AgentDepsT]]) -> AbstractContextManager[None]:
        """Return a context manager that replaces parts of the wrapped agent inside its block."""
        return self.wrapped.override(**options)

    async def system_prompt_parts(
        self,
        *,
        deps: AgentDepsT = cast(Any, None),
        model: Model | KnownModelName | str | None = None,
        message_history: Sequence[ModelMessage] | None = None,
        prompt: str | Sequence[UserContent] | None = None,
        usage: RunUsage | None = None,
        model_settings: ModelSettings | None = None,
    ) -> list[SystemPromptPart]:
        """Return the system prompt parts that a run of the wrapped agent would begin with."""
        return await self.wrapped.system_prompt_parts(
            deps=deps,
            model=model,
            message_history=message_history,
            prompt=prompt,
            usage=usage,
            model_settings=model_settings,
        )

    async def __aenter__(self) -> Self:
        await self.wrapped.__aenter__()
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        return await self.wrapped.__aexit__(*args)
