"""`Model`: the base class of models, and how it adapts requests to what a model supports."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from types import TracebackType
from typing import Any, Final, Generic, get_args

from typing_extensions import Self, TypeVar

from .._contracts.model import AbstractModel, ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UnsupportedRequestError, UserError
from ..messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    ToolReturnPart,
    well_formed_part,
)
from ..native_tools import AbstractNativeTool, ToolSearchTool
from ..profiles import DEFAULT_PROFILE, ModelProfile, ModelProfileSpec
from ..providers import Provider
from ..settings import ModelSettings, ThinkingEffort, merge_model_settings
from ..usage import RequestUsage
from ._streaming.streamed import StreamedResponse
from ._system_tags import with_tagged_prompts

ClientT = TypeVar('ClientT', default=Any)
"""The type of the client of a model's provider."""


_NOT_SET: Final = object()
"""Stands for a setting that is absent, since settings may be `None`."""


class Model(AbstractModel, Generic[ClientT]):
    """A language model. Subclasses implement `model_name`, `system` and `request`."""

    _profile: ModelProfileSpec | None = None
    _settings: ModelSettings | None = None
    _prepared: tuple[ModelRequestParameters, object, ModelProfile, ModelRequestParameters] | None = None
    """The latest request parameters with the setting `thinking`, and the prepared parameters for them."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls)
        if 'supported_builtin_tools' in own and 'supported_native_tools' not in own:  # the old name of it
            setattr(cls, 'supported_native_tools', own['supported_builtin_tools'])

    def __init__(self, *, settings: ModelSettings | None = None, profile: ModelProfileSpec | None = None) -> None:
        """Build a model.

        Args:
            settings: Settings for all requests; those of agents and runs take precedence.
            profile: What the model can do, or a function that returns it for the name of the model.
        """
        self._settings = settings
        self._profile = profile

    async def __aenter__(self) -> Self:
        """Open the resources that several requests share."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the resources."""
        return None

    @property
    def provider(self) -> Provider[ClientT] | None:
        """The provider with its client, or `None` for models without one."""
        return None

    @property
    def settings(self) -> ModelSettings | None:
        """Settings for all requests."""
        return self._settings

    @property
    def model_id(self) -> str:
        """The id of the model, `provider:name`, as `infer_model` accepts it."""
        return f'{self.system}:{self.model_name}'

    @property
    def label(self) -> str:
        """The display name of the model."""
        return label_of(self.model_name)

    @property
    def base_url(self) -> str | None:
        """The URL that requests go to, or `None` for models without one."""
        return None

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do: its profile, without the native tools that the class cannot send."""
        profile = self._profile
        if callable(profile):
            profile = profile(self.model_name)
        if profile is None:
            profile = DEFAULT_PROFILE
        supported = self.supported_native_tools() & profile.supported_native_tools
        return (
            profile
            if supported == profile.supported_native_tools
            else replace(profile, supported_native_tools=supported)
        )

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset()

    @classmethod
    def supported_builtin_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send; deprecated name of `supported_native_tools`."""
        return cls.supported_native_tools()

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Send a request, and stream the response; arguments and errors as `request`.

        Raises:
            UnsupportedRequestError: The model cannot stream; it is a `UserError` and a `NotImplementedError`.
        """
        raise UnsupportedRequestError(
            f'{type(self).__name__} cannot stream. Use `run` rather than `run_stream` with it.'
        )
        yield  # makes this a generator

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the tokens that a request would use, as the provider counts them; arguments as `request`.

        Raises:
            NotImplementedError: The provider cannot count tokens before a request.
        """
        raise NotImplementedError(f'{type(self).__name__} cannot count tokens before a request.')

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        """Return a summary of messages, as the provider writes it.

        Args:
            request_context: The messages, with the settings and parameters of the request.
            instructions: Instructions for the summary.

        Raises:
            NotImplementedError: The provider cannot summarize messages.
        """
        raise NotImplementedError(f'{type(self).__name__} cannot compact messages.')

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Return parameters whose schemas are transformed as the profile requires."""
        transformer = self.profile.json_schema_transformer
        if transformer is None:
            return model_request_parameters

        def transformed(tool: ToolDefinition) -> ToolDefinition:
            walker = transformer(tool.parameters_json_schema, strict=tool.strict)
            try:
                schema = walker.walk()
            except UserError as error:
                raise UserError(f'The parameters of tool {tool.name!r} cannot be sent to the model. {error}') from error
            strict = walker.is_strict_compatible if tool.strict is None else tool.strict
            return replace(tool, parameters_json_schema=schema, strict=strict)

        output = model_request_parameters.output_object
        if output is not None:
            walker = transformer(output.json_schema, strict=output.strict)
            schema = walker.walk()
            strict = walker.is_strict_compatible if output.strict is None else output.strict
            output = replace(output, json_schema=schema, strict=strict)
        return replace(
            model_request_parameters,
            function_tools=[transformed(tool) for tool in model_request_parameters.function_tools],
            output_tools=[transformed(tool) for tool in model_request_parameters.output_tools],
            output_object=output,
        )

    def prepare_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return messages adapted to the model, without changing the list or the messages in it.

        System prompts after the first request become user prompts in `<system>` tags, unless the profile says that the
        model accepts them anywhere. Such tags in other texts are then escaped. Subclasses that adapt more call this first.
        """
        return messages if self.profile.supports_inline_system_prompts else with_tagged_prompts(messages)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Return the settings merged with those of the model, and the parameters adapted to it.

        Implementations of `request` call this first. The setting `thinking` moves from the settings to the parameters, if
        the model can think.

        Raises:
            UserError: The model does not support something in the request.
        """
        settings = self.settings or model_settings
        if settings is not model_settings:
            settings = merge_model_settings(settings, model_settings)
        thinking: object = _NOT_SET
        if settings and 'thinking' in settings:
            settings = settings.copy()
            thinking = settings.pop('thinking')
            settings = settings or None
        cached, profile = self._prepared, self.profile
        if (
            cached is not None
            and cached[0] is model_request_parameters
            and cached[1] == thinking
            and cached[2] is profile
        ):
            return settings, cached[3]
        prepared = adapt_parameters(self, model_request_parameters, thinking)
        # A run passes the same object for as long as its tools do not change, so most steps skip the work.
        if type(self).customize_request_parameters.__module__.startswith('stead.'):  # rather than depend on anything
            self._prepared = (model_request_parameters, thinking, profile, prepared)
        return settings, prepared

    # Models in other packages call these two private methods, which is why they are here, and not only functions.

    @staticmethod
    def _get_instruction_parts(
        messages: Sequence[ModelMessage], model_request_parameters: ModelRequestParameters | None
    ) -> list[InstructionPart] | None:
        return instruction_parts_of(messages, model_request_parameters)

    @staticmethod
    def _get_instructions(
        messages: Sequence[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> str | None:
        return instructions_of(messages, model_request_parameters)


def instructions_of(
    messages: Sequence[ModelMessage], params: ModelRequestParameters | None, *, strip: bool = True
) -> str | None:
    """Return the instructions in the parameters, or else of the last request, as one text; `None` if there are none.

    A request with only tool results has the instructions of the request before it, which it continues.

    Args:
        messages: The messages.
        params: The parameters.
        strip: Whether a text of a request is returned without the white space around it.
    """
    if params is not None and params.instruction_parts is not None:
        return InstructionPart.join(params.instruction_parts) if params.instruction_parts else None
    continues = False
    for message in reversed(messages):
        if not isinstance(message, ModelRequest):
            continue
        if message.instructions is not None:
            return (message.instructions.strip() or None) if strip else message.instructions
        if continues:
            break
        for part in message.parts:
            if not isinstance(part, (ToolReturnPart, RetryPromptPart)):
                return None
        continues = True
    return None


def instruction_parts_of(
    messages: Sequence[ModelMessage], params: ModelRequestParameters | None
) -> list[InstructionPart] | None:
    """Return the instructions as parts; where they come from is as for `instructions_of`."""
    if params is not None and params.instruction_parts is not None:
        return params.instruction_parts or None
    text = instructions_of(messages, None, strip=False)
    return None if text is None else [InstructionPart(content=text)]


def label_of(model_name: str) -> str:
    """Return the display name of a model: `claude-3-5-sonnet` becomes `Claude 3.5 Sonnet`."""
    words = model_name.rpartition('/')[2].split('-')
    label = 'GPT' if words[0].lower() == 'gpt' else words[0].capitalize()
    for before, word in pairwise(words):
        version = all(part.replace('.', '').isdigit() for part in (before, word))
        label += ('.' if version else ' ') + word.capitalize()
    return label


def adapt_parameters(
    model: Model, params: ModelRequestParameters, thinking: object = _NOT_SET
) -> ModelRequestParameters:
    """Return request parameters adapted to a model, without changing those passed in.

    Args:
        model: The model.
        params: The parameters.
        thinking: The setting `thinking`, if it is set.

    Raises:
        UserError: The model does not support something in the parameters.
    """
    profile = model.profile
    changes: dict[str, object] = {}
    params = model.customize_request_parameters(params)
    if params.output_mode == 'auto':
        params = params.with_default_output_mode(profile.default_structured_output_mode)
    mode = params.output_mode
    if mode == 'native' and not profile.supports_json_schema_output:
        raise UserError(
            f'The model {model.model_name!r} does not support native structured output. '
            'Use `ToolOutput` or `PromptedOutput`.'
        )
    if mode == 'tool' and not profile.supports_tools:
        raise UserError(
            f'The model {model.model_name!r} does not support tool output. Use `NativeOutput` or `PromptedOutput`.'
        )
    if params.allow_image_output and not profile.supports_image_output:
        raise UserError(f'The model {model.model_name!r} does not support image output. Use one that does.')
    if mode not in ('tool', 'auto') and params.output_tools:
        changes['output_tools'] = []
    if mode not in ('native', 'prompted') and params.output_object is not None:
        changes['output_object'] = None
    template = params.prompted_output_template
    if mode == 'prompted' or (mode == 'native' and profile.native_output_requires_schema_in_instructions):
        template = profile.prompted_output_template if template is None else template
    elif mode != 'native' and template:
        template = None
    if template != params.prompted_output_template:
        changes['prompted_output_template'] = template
    if thinking is not _NOT_SET and _can_think(profile, thinking):
        changes['thinking'] = thinking
    changes.update(_adapted_tools(model, params))
    if changes:
        params = replace(params, **changes)
    if text := params.prompted_output_instructions:
        parts = [*(params.instruction_parts or []), InstructionPart(content=text)]
        params = replace(params, instruction_parts=InstructionPart.sorted(parts))
    return _well_formed_instructions(params)


def _well_formed_instructions(params: ModelRequestParameters) -> ModelRequestParameters:
    parts = params.instruction_parts
    if not parts or all(part.content.isascii() for part in parts):
        return params
    return replace(params, instruction_parts=[well_formed_part(part) for part in parts])


_THINKING_LEVELS: tuple[object, ...] = (None, True, False, *get_args(ThinkingEffort))


def _can_think(profile: ModelProfile, level: object) -> bool:
    """Return whether a model supports a value of the setting `thinking`.

    Raises:
        UserError: There is no such value.
    """
    if level not in _THINKING_LEVELS:
        raise UserError(f'The setting `thinking` must be one of {list(_THINKING_LEVELS[1:])}, not {level!r}.')
    if profile.thinking_always_enabled:
        return level is not False
    return profile.supports_thinking


def _adapted_tools(model: Model, params: ModelRequestParameters) -> dict[str, object]:
    """Return the fields of the parameters that change: native tools that the model lacks, and function tools.

    Function tools are left out if a native tool replaces them, or if they are hidden until a native search finds them and
    there is none. Others change if the model does not accept their return schema.
    """
    changes: dict[str, object] = {}
    native_tools = _supported_native_tools(model, params)
    active = {tool.unique_id for tool in native_tools}
    # A search with a strategy of the caller's own runs in the function `search_tools`, so it does not replace that.
    replacing = {
        tool.unique_id for tool in native_tools if not (isinstance(tool, ToolSearchTool) and tool.strategy == 'custom')
    }
    tools: list[ToolDefinition] = []
    changed = False
    for tool in params.function_tools:
        if tool.unless_native is not None and tool.unless_native in replacing:
            changed = True
            continue
        if tool.with_native is not None and tool.with_native not in active and tool.defer_loading:
            changed = True
            continue
        adapted = _with_return_schema(model, tool)
        changed = changed or adapted is not tool
        tools.append(adapted)
    if changed:
        changes['function_tools'] = tools
        if active:
            native_tools = _without_idle_search(native_tools, tools)
    if native_tools is not params.native_tools:
        changes['native_tools'] = native_tools
    return changes


def _supported_native_tools(model: Model, params: ModelRequestParameters) -> list[AbstractNativeTool]:
    """Return the native tools of a request that the model supports, each id once; the list itself if those are all.

    Raises:
        UserError: The model lacks one that is neither optional nor has a function to replace it.
    """
    if not params.native_tools:
        return params.native_tools
    # Of several with the same id the last is sent, in the place of the first; providers refuse both.
    tools = list({tool.unique_id: tool for tool in params.native_tools}.values())
    supported = tuple(model.profile.supported_native_tools)
    kept = [tool for tool in tools if isinstance(tool, supported)]
    if len(kept) == len(params.native_tools):
        return params.native_tools
    replaceable = {tool.unless_native for tool in params.function_tools if tool.unless_native}
    missing = [
        type(tool).__name__
        for tool in tools
        if not (isinstance(tool, supported) or tool.optional or tool.unique_id in replaceable)
    ]
    if missing:
        known = sorted(tool_type.__name__ for tool_type in model.profile.supported_native_tools)
        raise UserError(
            f'The model {model.model_name!r} does not support the native tools {missing}, only {known}. '
            'Pair them with a local fallback (`NativeOrLocalTool(native=..., local=...)`), or use another model.'
        )
    return kept


def _without_idle_search(
    native_tools: list[AbstractNativeTool], tools: list[ToolDefinition]
) -> list[AbstractNativeTool]:
    """Return native tools without an optional tool search, if all tools that it would search have been removed."""
    idle = [tool for tool in native_tools if isinstance(tool, ToolSearchTool) and tool.optional]
    if idle and not any(tool.with_native == idle[0].unique_id for tool in tools):
        return [tool for tool in native_tools if tool not in idle]
    return native_tools


def _with_return_schema(model: Model, tool: ToolDefinition) -> ToolDefinition:
    """Return a tool with its return schema where the model accepts it: in its field, in the description, or nowhere."""
    if tool.include_return_schema and not tool.return_schema:
        warnings.warn(
            f'The return schema of tool {tool.name!r} is to be sent to the model, but says nothing: its function has no '
            'return annotation, or one that allows anything. Annotate what it returns, or set '
            '`include_return_schema=False`.',
            UserWarning,
            stacklevel=2,
        )
    if tool.return_schema is None:
        return tool
    if not tool.include_return_schema or not tool.return_schema:  # `{}` says nothing
        # A copy as `replace` makes it, at a tenth of its cost: a request may have many tools. The cached signature
        # includes the return schema, and must be computed again.
        bare = object.__new__(type(tool))
        bare.__dict__.update(tool.__dict__, return_schema=None)
        bare.__dict__.pop('function_signature', None)
        return bare
    if model.profile.supports_tool_return_schema:
        return tool
    import json

    text = f'Return schema:\n\n{json.dumps(tool.return_schema, indent=2)}'
    description = f'{tool.description}\n\n{text}' if tool.description else text
    return replace(tool, description=description, return_schema=None)
