"""`Model`: what all models share, above all how a request is fitted to what a model can do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from types import TracebackType
from typing import Any, Generic, get_args

from typing_extensions import Self, TypeVar

from .._contracts.model import AbstractModel, ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UserError
from ..messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
)
from ..native_tools import AbstractNativeTool, ToolSearchTool
from ..profiles import DEFAULT_PROFILE, ModelProfile, ModelProfileSpec
from ..settings import ModelSettings, ThinkingEffort, merge_model_settings
from ..usage import RequestUsage

ClientT = TypeVar('ClientT', default=Any)
_NOT_SET: Any = object()  # a setting may be `None`


class Model(AbstractModel, Generic[ClientT]):
    """A model: it turns messages into a response. Subclasses say `model_name` and `system`, and send a `request`."""

    _profile: ModelProfileSpec | None = None
    _settings: ModelSettings | None = None
    _prepared: Any = None

    def __init__(self, *, settings: ModelSettings | None = None, profile: ModelProfileSpec | None = None) -> None:
        """Build a model.

        Args:
            settings: Settings for all requests; those of agents and runs go over them.
            profile: What the model can do; known models need none.
        """
        self._settings = settings
        self._profile = profile

    async def __aenter__(self) -> Self:
        """Open what the model needs for several requests."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close what was opened."""
        return None

    @property
    def provider(self) -> Any | None:
        """The provider, with its client."""
        return None

    @property
    def settings(self) -> ModelSettings | None:
        """Settings for all requests."""
        return self._settings

    @property
    def model_id(self) -> str:
        """Provider and name, as `infer_model` takes them."""
        return f'{self.system}:{self.model_name}'

    @property
    def label(self) -> str:
        """The name of the model for people."""
        return label_of(self.model_name)

    @property
    def base_url(self) -> str | None:
        """The URL that requests go to."""
        return None

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do: as its profile says, less the native tools that the class cannot send."""
        given = self._profile
        if callable(given):
            given = given(self.model_name)
        profile = given if given is not None else DEFAULT_PROFILE
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
        """Return the native tools that the class can send; the old name of `supported_native_tools`."""
        return cls.supported_native_tools()

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[Any]:
        """Send a request and stream the response; arguments and errors as `request`."""
        raise UserError(f'{type(self).__name__} cannot stream. Use `run` rather than `run_stream` with it.')
        yield

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the tokens that a request would cost, as the provider counts them.

        Raises:
            NotImplementedError: The provider does not say.
        """
        raise NotImplementedError(f'{type(self).__name__} cannot count tokens before a request.')

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        """Return a summary of messages that the provider makes.

        Raises:
            NotImplementedError: The provider makes none.
        """
        raise NotImplementedError(f'{type(self).__name__} cannot compact messages.')

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Return parameters fitted to the model: with the schemas rewritten as the profile says."""
        transformer = self.profile.json_schema_transformer
        if transformer is None:
            return model_request_parameters

        def fitted(tool: ToolDefinition) -> ToolDefinition:
            walker: Any = transformer(tool.parameters_json_schema, strict=tool.strict)
            schema = walker.walk()
            strict = walker.is_strict_compatible if tool.strict is None else tool.strict
            return replace(tool, parameters_json_schema=schema, strict=strict)

        output = model_request_parameters.output_object
        if output is not None:
            walker: Any = transformer(output.json_schema, strict=output.strict)
            schema = walker.walk()
            strict = walker.is_strict_compatible if output.strict is None else output.strict
            output = replace(output, json_schema=schema, strict=strict)
        return replace(
            model_request_parameters,
            function_tools=[fitted(tool) for tool in model_request_parameters.function_tools],
            output_tools=[fitted(tool) for tool in model_request_parameters.output_tools],
            output_object=output,
        )

    def prepare_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return messages fitted to the model; the list itself, and the messages in it, are not changed.

        System prompts after the first request become user prompts in `<system>` tags, unless the profile of the model
        says that it takes them anywhere. A model that fits more begins with this.
        """
        if self.profile.supports_inline_system_prompts:
            return messages
        fitted = messages
        first = next((index for index, message in enumerate(messages) if isinstance(message, ModelRequest)), 0)
        for index in range(first + 1, len(messages)):
            message = messages[index]
            if isinstance(message, ModelRequest) and any(isinstance(part, SystemPromptPart) for part in message.parts):
                if fitted is messages:
                    fitted = list(messages)
                fitted[index] = replace(message, parts=[_as_user_prompt(part) for part in message.parts])
        return fitted

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Merge the settings of the model in, and fit the parameters to it; implementations of `request` begin with it.

        The setting `thinking` is not among those returned: it goes into the parameters, as far as the model can think.

        Raises:
            UserError: The model cannot do what is asked.
        """
        settings = merge_model_settings(self.settings, model_settings)
        thinking: Any = _NOT_SET
        if settings and 'thinking' in settings:
            settings = settings.copy()
            thinking = settings.pop('thinking')
            settings = settings or None
        cached = self._prepared
        if cached is not None and cached[0] is model_request_parameters and cached[1] == thinking:
            return settings, cached[2]
        prepared = fit_parameters(self, model_request_parameters, thinking)
        # The run passes the same object as long as nothing about it changes, which is what makes steps cheap.
        self._prepared = (model_request_parameters, thinking, prepared)
        return settings, prepared

    # Models of other packages call these two, by these names.

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


def instructions_of(messages: Sequence[ModelMessage], params: ModelRequestParameters | None) -> str | None:
    """Return the instructions of a request as one text, or `None` if there are none."""
    parts = instruction_parts_of(messages, params)
    return None if parts is None else InstructionPart.join(parts)


def instruction_parts_of(
    messages: Sequence[ModelMessage], params: ModelRequestParameters | None
) -> list[InstructionPart] | None:
    """Return the instructions of a request, or `None`: those of the parameters, else those of the last request.

    A request that only answers tool calls continues the one before it, and its instructions.
    """
    if params is not None and params.instruction_parts is not None:
        return params.instruction_parts or None
    continues = False
    for message in reversed(messages):
        if not isinstance(message, ModelRequest):
            continue
        if message.instructions is not None:
            return [InstructionPart(content=message.instructions)]
        if continues:
            break
        for part in message.parts:
            if not isinstance(part, (ToolReturnPart, RetryPromptPart)):
                return None
        continues = True
    return None


def _as_user_prompt(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, SystemPromptPart):
        return part
    return UserPromptPart(f'<system>{part.content}</system>', timestamp=part.timestamp)


def label_of(model_name: str) -> str:
    """Return the name of a model for people: `claude-3-5-sonnet` is `Claude 3.5 Sonnet`."""
    words = model_name.rpartition('/')[2].split('-')
    made = 'GPT' if words[0].lower() == 'gpt' else words[0].capitalize()
    for before, word in pairwise(words):
        version = all(part.replace('.', '').isdigit() for part in (before, word))
        made += ('.' if version else ' ') + word.capitalize()
    return made


def fit_parameters(
    model: Model[Any], params: ModelRequestParameters, thinking: Any = _NOT_SET
) -> ModelRequestParameters:
    """Return request parameters fitted to a model; those passed in are not changed.

    Raises:
        UserError: The model cannot do what is asked.
    """
    profile = model.profile
    changes: dict[str, Any] = {}
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
    changes.update(_fitted_tools(model, params))
    if changes:
        params = replace(params, **changes)
    if text := params.prompted_output_instructions:
        parts = [*(params.instruction_parts or []), InstructionPart(content=text)]
        params = replace(params, instruction_parts=InstructionPart.sorted(parts))
    return params


_THINKING_LEVELS: tuple[Any, ...] = (None, True, False, *get_args(ThinkingEffort))


def _can_think(profile: ModelProfile, level: Any) -> bool:
    """Return whether a model can be told to think as a setting says.

    Raises:
        UserError: The setting says nothing that there is.
    """
    if level not in _THINKING_LEVELS:
        raise UserError(f'The setting `thinking` is one of {list(_THINKING_LEVELS[1:])}, not {level!r}.')
    if profile.thinking_always_enabled:
        return level is not False
    return profile.supports_thinking


def _fitted_tools(model: Model[Any], params: ModelRequestParameters) -> dict[str, Any]:
    """Return the tools that change: those that native tools replace, deferred ones, and return schemas."""
    changes: dict[str, Any] = {}
    supported = tuple(model.profile.supported_native_tools)
    active: set[str] = set()
    replacing: set[str] = set()
    if params.native_tools:
        replaceable = {tool.unless_native for tool in params.function_tools if tool.unless_native}
        kept: list[AbstractNativeTool] = []
        refused: list[AbstractNativeTool] = []
        for tool in params.native_tools:
            if isinstance(tool, supported):
                kept.append(tool)
                active.add(tool.unique_id)
                if not (isinstance(tool, ToolSearchTool) and tool.strategy == 'custom'):  # it needs `search_tools`
                    replacing.add(tool.unique_id)
            elif not tool.optional and tool.unique_id not in replaceable:
                refused.append(tool)
        if refused:
            names = [type(tool).__name__ for tool in refused]
            known = sorted(tool_type.__name__ for tool_type in model.profile.supported_native_tools)
            raise UserError(
                f'The model {model.model_name!r} does not have the native tools {names}; it has {known}. '
                'Pair them with a local fallback (`NativeOrLocalTool(native=..., local=...)`), or use another model.'
            )
        if len(kept) != len(params.native_tools):
            changes['native_tools'] = kept
    tools: list[ToolDefinition] = []
    changed = False
    for tool in params.function_tools:
        if tool.unless_native is not None and tool.unless_native in replacing:
            changed = True
            continue
        if tool.with_native is not None and tool.with_native not in active and tool.defer_loading:
            changed = True
            continue
        fitted = _with_return_schema(model, tool)
        changed = changed or fitted is not tool
        tools.append(fitted)
    if changed:
        changes['function_tools'] = tools
        if active:
            _drop_idle_search(tools, changes, params)
    return changes


def _drop_idle_search(tools: list[ToolDefinition], changes: dict[str, Any], params: ModelRequestParameters) -> None:
    """Leave the native tool search out if all tools that it would search have been left out."""
    natives: list[AbstractNativeTool] = changes.get('native_tools', params.native_tools)
    idle = [tool for tool in natives if isinstance(tool, ToolSearchTool) and tool.optional]
    if idle and not any(tool.with_native == idle[0].unique_id for tool in tools):
        changes['native_tools'] = [tool for tool in natives if tool not in idle]


def _with_return_schema(model: Model[Any], tool: ToolDefinition) -> ToolDefinition:
    """Return a tool with its return schema where the model takes it: as a field, in the description, or not at all."""
    if tool.return_schema is None:
        return tool
    if not tool.include_return_schema or not tool.return_schema:  # `{}` says nothing
        silent = object.__new__(type(tool))  # as `replace`, which costs ten times as much for each of many tools
        silent.__dict__.update(tool.__dict__, return_schema=None)
        silent.__dict__.pop('function_signature', None)
        return silent
    if model.profile.supports_tool_return_schema:
        return tool
    import json

    text = f'Return schema:\n\n{json.dumps(tool.return_schema, indent=2)}'
    description = f'{tool.description}\n\n{text}' if tool.description else text
    return replace(tool, description=description, return_schema=None)
