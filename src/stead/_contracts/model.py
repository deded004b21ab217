"""What goes in and out of a model: the interface, the parameters of a request, and the request that hooks see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from .._kit.json_schema import with_schema
from .._kit.records import repr_without_defaults
from ..messages import InstructionPart, ModelMessage, ModelResponse
from ..native_tools import AbstractNativeTool
from ..settings import ModelSettings, ThinkingLevel
from .output import OutputMode, OutputObjectDefinition, StructuredOutputMode
from .tool_definition import ToolDefinition

if TYPE_CHECKING:
    # Fields that hold a model are typed as what programs write and wrap; its behaviour lies above this room.
    from ..models._base import Model as Model


@dataclass(repr=False, kw_only=True)
class ModelRequestParameters:
    """What a request asks of a model besides the messages and settings: tools, and the form of the output."""

    function_tools: list[ToolDefinition] = field(default_factory=lambda: [])
    """Tools that stead runs."""
    native_tools: list[AbstractNativeTool] = field(default_factory=lambda: [])
    """Tools that the provider runs."""
    output_mode: OutputMode = 'text'
    """How the output is asked for; `'auto'` leaves it to the profile of the model."""
    output_object: OutputObjectDefinition | None = None
    """The schema of the output, for modes other than tools."""
    output_tools: list[ToolDefinition] = field(default_factory=lambda: [])
    """Tools that carry the output."""
    prompted_output_template: str | Literal[False] | None = None
    """The prompt that asks for the output; `{schema}` is replaced by the schema. `False` for none."""
    allow_text_output: bool = True
    """Whether the model may answer with text."""
    allow_image_output: bool = False
    """Whether the model may answer with an image."""
    instruction_parts: list[InstructionPart] | None = None
    """The instructions, block by block."""
    thinking: ThinkingLevel | None = None
    """Whether the model thinks, or how hard; as the settings say and the profile allows."""

    @property
    def builtin_tools(self) -> list[AbstractNativeTool]:
        """The old name of `native_tools`."""
        return self.native_tools

    @cached_property
    def tool_defs(self) -> dict[str, ToolDefinition]:
        """All tools by name."""
        return {tool.name: tool for tool in (*self.function_tools, *self.output_tools)}

    @cached_property
    def prompted_output_instructions(self) -> str | None:
        """The prompt that asks for the output, with the schema in it."""
        if not self.prompted_output_template or self.output_object is None:
            return None
        output = self.output_object
        return with_schema(self.prompted_output_template, output.json_schema, output.name, output.description)

    def with_default_output_mode(self, output_mode: StructuredOutputMode) -> ModelRequestParameters:
        """Return parameters with a mode in place of `'auto'`; other modes stay."""
        if self.output_mode != 'auto':
            return self
        return replace(self, output_mode=output_mode, allow_text_output=output_mode != 'tool')

    __repr__ = repr_without_defaults


@dataclass(kw_only=True)
class ModelRequestContext:
    """A request on its way to the model; hooks may change all of it."""

    model: Model[Any]
    """The model; another one may be put in its place."""
    messages: list[ModelMessage]
    """The messages."""
    model_settings: ModelSettings | None
    """The settings."""
    model_request_parameters: ModelRequestParameters
    """Tools and the form of the output."""


class AbstractModel(ABC):
    """What rooms below the models may ask of one; every model is a `Model`, which does the rest for all of them."""

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
            model_request_parameters: Tools and the form of the output, not yet fitted to the model.

        Raises:
            ModelAPIError: The provider cannot be reached.
            ModelHTTPError: The provider answered with an error.
        """
