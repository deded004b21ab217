"""The interface of models, the parameters of a request, and the request as hooks see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, Union

import pydantic
from pydantic import AliasChoices
from typing_extensions import TypeAlias

from .._kit.deprecated import warn_deprecated
from .._kit.json_schema import with_schema
from .._kit.json_types import JsonObject
from .._kit.keywords import renamed
from .._kit.records import DataRecord, ShortRepr
from ..messages import InstructionPart, ModelMessage, ModelRequestAttempt, ModelResponse
from ..native_tools import AbstractNativeTool
from ..settings import CacheSetting, ModelSettings, ThinkingLevel
from .hooks import AnyAgent
from .output import OutputMode, OutputObjectDefinition, StructuredOutputMode
from .run_context import RunContextAgentDepsT
from .tool_definition import ToolDefinition

if TYPE_CHECKING:
    # Fields that hold a model have the type that users subclass and wrap, which is defined in a higher layer.
    from ..messages import UserContent
    from ..models._base import Model as Model
    from ..usage import RunUsage, UsageLimits


ToolVisibility: TypeAlias = Literal['visible', 'deferred', 'withheld', 'via_history']
"""How a model gets a function tool: with the others, hidden until it is found, not at all, or in a message."""
InstructionVisibility: TypeAlias = Literal['prefix', 'via_history']
"""Where a model gets an instruction: before the conversation, or in a message of it."""
WRITE_NEW = False
"""Whether fields of parameters that 1.x does not have are written where they are empty, and to spans at all."""
_LEFT_OUT = cache(lambda: pydantic.Field(exclude_if=lambda value: not value and not WRITE_NEW))
"""Makes the mark of those fields when annotations are read: what makes it is slow to import."""


@renamed(builtin_tools='native_tools')
@dataclass(repr=False, eq=False, kw_only=True)
class ModelRequestParameters(ShortRepr):
    """The part of a request apart from messages and settings: the tools, and how the output is asked for."""

    function_tools: list[ToolDefinition] = field(default_factory=lambda: [])
    """Tools that stead runs."""
    native_tools: Annotated[
        list[AbstractNativeTool], pydantic.Field(validation_alias=AliasChoices('native_tools', 'builtin_tools'))
    ] = field(default_factory=lambda: [])
    """Tools that the provider runs."""
    tool_visibility: Annotated[dict[str, ToolVisibility] | None, _LEFT_OUT()] = None
    """How the model gets each function tool; `None` before `resolve_request_tools` has decided it."""
    revealed_tool_names: Annotated[set[str], _LEFT_OUT()] = field(default_factory=lambda: set())
    """Deferred tools that the model has found."""
    introduced_tool_names: Annotated[set[str], _LEFT_OUT()] = field(default_factory=lambda: set())
    """Deferred tools that messages have told the model of."""
    deferred_capability_ids: Annotated[set[str], _LEFT_OUT()] = field(default_factory=lambda: set())
    """The capabilities that the model may load."""
    output_mode: OutputMode = 'text'
    """How the output is asked for; `'auto'` leaves it to the profile of the model."""
    output_object: OutputObjectDefinition | None = None
    """The schema of the output, for modes other than tools."""
    output_tools: list[ToolDefinition] = field(default_factory=lambda: [])
    """Output tools."""
    prompted_output_template: str | Literal[False] | None = None
    """The prompt that asks for the output, in which `{schema}` is replaced by the schema; `False` for no prompt."""
    allow_text_output: bool = True
    """Whether the model may respond with text."""
    allow_image_output: bool = False
    """Whether the model may respond with an image."""
    instruction_parts: list[InstructionPart] | None = None
    """The instructions, block by block."""
    instruction_visibility: Annotated[dict[str, InstructionVisibility] | None, _LEFT_OUT()] = None
    """Where the model gets the instructions that have a name."""
    thinking: ThinkingLevel | None = None
    """Whether the model thinks, or with how much effort, from the settings as far as the profile allows."""
    cache: Annotated[CacheSetting | None, _LEFT_OUT()] = None
    """How the prompt is cached, from the settings as far as the profile allows."""

    @property
    def builtin_tools(self) -> list[AbstractNativeTool]:
        """The old name of `native_tools`."""
        warn_deprecated('`ModelRequestParameters.builtin_tools` is an old name; use `native_tools`.')
        return self.native_tools

    @cached_property
    def tool_defs(self) -> dict[str, ToolDefinition]:
        """All tools by name."""
        return {tool.name: tool for tool in (*self.function_tools, *self.output_tools)}

    @cached_property
    def prompted_output_instructions(self) -> str | None:
        """The prompt that asks for the output, with the schema in it."""
        if not self.prompted_output_template or (output := self.output_object) is None:
            return None
        return with_schema(self.prompted_output_template, output.json_schema, output.name, output.description)

    def visibility_of(self, tool_name: str) -> ToolVisibility:
        """Return how the model gets a function tool."""
        if self.tool_visibility is not None and tool_name in self.tool_visibility:
            return self.tool_visibility[tool_name]
        tool = self.tool_defs.get(tool_name)
        return 'withheld' if tool is not None and tool.defer_loading else 'visible'

    def instruction_visibility_of(self, part: InstructionPart) -> InstructionVisibility:
        """Return where the model gets an instruction."""
        name = getattr(part, 'name', None)
        return 'prefix' if name is None else (self.instruction_visibility or {}).get(name, 'prefix')

    def with_default_output_mode(self, output_mode: StructuredOutputMode) -> ModelRequestParameters:
        """Return parameters with this mode in place of `'auto'`; any other mode is kept."""
        if self.output_mode != 'auto':
            return self
        return replace(self, output_mode=output_mode, allow_text_output=output_mode != 'tool')


_NEW = (
    'tool_visibility',
    'revealed_tool_names',
    'introduced_tool_names',
    'deferred_capability_ids',
    'instruction_visibility',
    'cache',
)


def written_fields(parameters: ModelRequestParameters) -> JsonObject:
    """Return the fields of parameters that spans have: those that 1.x does not have are left out unless `WRITE_NEW`."""
    unwritten = () if WRITE_NEW else _NEW
    return {item.name: getattr(parameters, item.name) for item in fields(parameters) if item.name not in unwritten}


CHANGEABLE = (('function_tools', 'output_tools', 'instruction_parts', 'output_object'), ('native_tools',))
"""The fields of the parameters that code which may change them in place gets copies of, as `own_copies` takes them.

Native tools are objects of the program, which may change them for good: only their list is copied.
"""


@dataclass(repr=False, eq=False, kw_only=True)
class ModelRequestContext(DataRecord):
    """A request to a model, every field of which hooks may change."""

    model: Model[Any]
    """The model; hooks may replace it."""
    messages: list[ModelMessage]
    """The messages."""
    model_settings: ModelSettings | None
    """The settings."""
    model_request_parameters: ModelRequestParameters
    """Tools, and how the output is asked for."""
    response_metadata: JsonObject | None = None
    """What the history says of the request in the metadata of its response, also of one that is streamed."""
    model_id: str | None = None
    """The name that the model was asked for by, if the program has names of its own for models."""
    streaming: bool = False
    """Whether the response is streamed."""
    attempt: int = 1
    """Which attempt to get a response for this step it is, from 1."""
    failed_attempts: list[ModelRequestAttempt] = field(default_factory=list[ModelRequestAttempt])
    """The attempts before, which the response of the model notes, also one that is streamed."""


class RequestedModel(ABC):
    """What lower layers know of models. `Model` is the base class of every model."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name of the model."""

    @property
    @abstractmethod
    def system(self) -> str:
        """The provider, by the name that OpenTelemetry gives it."""

    @abstractmethod
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request and return the response.

        Args:
            messages: The conversation, which ends with a request.
            model_settings: Settings, not yet merged with those of the model.
            model_request_parameters: Tools and output mode, not yet adapted to the model.

        Raises:
            ModelAPIError: The provider cannot be reached.
            ModelHTTPError: The provider responded with an error.
        """


async def sent(asked: ModelRequestContext) -> ModelResponse:
    """Send a request as it is, and return the response."""
    return await asked.model.request(asked.messages, asked.model_settings, asked.model_request_parameters)


# How capabilities choose a model


@dataclass(repr=False, eq=False, kw_only=True)
class ModelResolutionContext(DataRecord, Generic[RunContextAgentDepsT]):
    """What is known when a name becomes a model."""

    agent: AnyAgent
    """The agent that runs."""
    deps: RunContextAgentDepsT
    """Its dependencies."""


@dataclass(repr=False, eq=False, kw_only=True)
class ModelSelectionContext(ModelResolutionContext[RunContextAgentDepsT]):
    """What is known when the model of a step is chosen."""

    model: Model[Any] | None
    """The model so far: that of the last step, or what the run has otherwise; `None` if it has none."""
    run_step: int
    """The step, from 1 on."""
    prompt: str | Sequence[UserContent] | None = None
    """The prompt of the run."""
    messages: list[ModelMessage] = field(default_factory=lambda: [])
    """The conversation so far, with the request to send."""
    usage: RunUsage
    """What the run has used so far."""
    retry: int = 0
    """How many times the output was asked for again."""
    max_retries: int = 0
    """How many times that may be done."""
    usage_limits: UsageLimits | None = None
    """The limits of the run."""
    deadline: datetime | None = None
    """When the run is to have ended."""
    run_id: str | None = None
    """The id of the run."""
    conversation_id: str | None = None
    """The conversation that it belongs to."""


ModelSelection: TypeAlias = 'Union[Model[Any], str]'
"""A model, or its name."""
ModelSelector: TypeAlias = (
    'Callable[[ModelSelectionContext[RunContextAgentDepsT]], Union[ModelSelection, Awaitable[ModelSelection]]]'
)
"""A function that chooses the model of each step."""
AgentModel: TypeAlias = 'Union[ModelSelection, ModelSelector[RunContextAgentDepsT]]'
"""What a capability says about the model of a run."""
