"""`Model`: the base class of models, and how it adapts requests to what a model supports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from itertools import pairwise
from types import TracebackType
from typing import Any, ClassVar, Final, Generic, NoReturn, cast, get_args

from typing_extensions import Self, TypeVar

from .._contracts.model import ModelRequestContext, ModelRequestParameters, RequestedModel
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UnsupportedRequestError, UserError
from ..messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    ToolReturnPart,
    well_formed_part,
)
from ..native_tools import AbstractNativeTool, ToolSearchTool
from ..profiles import (
    DEFAULT_PROFILE,
    ModelProfile,
    ModelProfileSpec,
    ToolAdditionMode,
    ToolDeferralMode,
    merge_profile,
)
from ..providers import DEPRECATED_NAMES, Provider
from ..settings import (
    CacheSetting,
    ModelSettings,
    ThinkingEffort,
    cache_choice,
    duration_of,
    fitting_retention,
    merge_model_settings,
)
from ..usage import RequestUsage
from ._request_tools import adapted_tools
from ._streaming.streamed import StreamedResponse
from ._system_tags import with_tagged_prompts

ClientT = TypeVar('ClientT', default=Any)
"""The type of the client of a model's provider."""


_NOT_SET: Final = object()
"""Stands for a setting that is absent, since settings may be `None`."""


class NoBatches:
    """The interface of batches, requests that a provider answers hours later, for models that do not have them.

    No model of stead has them. Programs that offer batches ask a model first, and models that have them override all of this.
    """

    @property
    def batch_max_requests(self) -> int | None:
        """The most requests in a batch; `None` if there are no batches or no limit."""
        return None

    @property
    def batch_max_bytes(self) -> int | None:
        """The most bytes in a batch; `None` if there are no batches or no limit."""
        return None

    def _no_batches(self) -> NoReturn:
        raise UnsupportedRequestError(f'{type(self).__name__} does not support batches of requests. Use `request`.')

    def batch_request_size(self, request: Any) -> int:
        """Return the bytes of an encoded request in a batch.

        Raises:
            UnsupportedRequestError: The model has no batches, as for all methods here. It is a `NotImplementedError`.
        """
        self._no_batches()

    async def batch_encode(self, request: Any) -> Any:
        """Return a request in the form of a batch; errors as `batch_request_size`."""
        self._no_batches()

    def batch_decode(self, result: Any, request: Any) -> Any:
        """Return the response for a result of a batch; errors as `batch_request_size`."""
        self._no_batches()

    async def batch_create(self, requests: Sequence[Any]) -> Any:
        """Send a batch; errors as `batch_request_size`."""
        self._no_batches()

    async def batch_status(self, batch: Any) -> Any:
        """Return how far a batch is; errors as `batch_request_size`."""
        self._no_batches()

    async def batch_results(self, batch: Any) -> Any:
        """Return the results of a batch; errors as `batch_request_size`."""
        self._no_batches()

    async def batch_cancel(self, batch: Any) -> Any:
        """Cancel a batch; errors as `batch_request_size`."""
        self._no_batches()


class AbstractModel(ABC):
    """What every kind of model says of itself, whatever it is asked: `Model` is the kind that agents ask.

    Use it to annotate and to recognize models. Subclasses implement `model_name` and `system`.
    """

    async def __aenter__(self) -> Self:
        """Open the resources that several requests share."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the resources."""
        return None

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name of the model."""

    @property
    @abstractmethod
    def system(self) -> str:
        """The provider, by the name that OpenTelemetry gives it."""

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

    @property
    def context_window(self) -> int | None:
        """How many tokens a request and its response may have together; `None` if that is not known.

        Models that have none in their profile are looked up in the tables of `genai-prices`, where that is installed.
        """
        from ._estimate import context_window_of

        return context_window_of(self.model_name, self.system, self.base_url)


class Model(NoBatches, AbstractModel, RequestedModel, Generic[ClientT]):
    """A language model. Subclasses implement `model_name`, `system` and `request`."""

    _profile: ModelProfileSpec | None = None
    _default_profile: ClassVar[ModelProfile] = DEFAULT_PROFILE
    """The profile of models without a provider."""
    _settings: ModelSettings | None = None
    _unsent_restrictions: ClassVar[frozenset[str]] = frozenset()
    """The restrictions of searching and fetching the web that the class cannot send."""
    _prepared: tuple[ModelRequestParameters, object, ModelProfile, ModelRequestParameters] | None = None
    """The latest request parameters with the settings `thinking` and `cache`, and the prepared parameters for them."""

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

    @property
    def provider(self) -> Provider[ClientT] | None:
        """The provider with its client, or `None` for models without one."""
        return None

    @property
    def settings(self) -> ModelSettings | None:
        """Settings for all requests."""
        return self._settings

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do: its profile, without the native tools that the class cannot send."""
        profile = self._profile
        if callable(profile):
            profile = profile(self.model_name)
        if profile is None:
            profile = DEFAULT_PROFILE
        elif not isinstance(profile, ModelProfile):  # values are over the profile that the model has by itself
            base = self.provider.model_profile(self.model_name) if self.provider is not None else None
            profile = cast(ModelProfile, merge_profile(base or self._default_profile, profile))
        supported = self.supported_native_tools() & profile.supported_native_tools
        return (
            profile
            if supported == profile.supported_native_tools
            else replace(profile, supported_native_tools=supported)
        )

    @property
    def canonical_system(self) -> str:
        """The vendor that made the API of the model, which may differ from who serves it."""
        return self.system if self.provider is None else self.provider.canonical_system

    @property
    def compatible_systems(self) -> frozenset[str]:
        """Other systems whose thinking and signatures the model accepts."""
        return frozenset() if self.provider is None else self.provider.compatible_systems

    def accepts_server_state(self, response: ModelResponse) -> bool:
        """Return whether ids in a response, which stand for what a provider stored, mean something to this model."""
        if response.provider_name != self.system:
            return False
        if (url := response.provider_url) is None or self.provider is None:
            return True
        return self.provider.shares_server_state_with(url)

    def accepts_stateless_artifacts(self, response: ModelResponse, part: ModelResponsePart | None = None) -> bool:
        """Return whether signatures and encrypted thinking in a response are of a vendor that this model belongs to.

        Args:
            response: The response.
            part: The part of it that has them. The provider that it names counts rather than that of the response.
        """
        origin = response.provider_name if part is None else getattr(part, 'provider_name', None)
        own = {self.system, self.canonical_system, *self.compatible_systems}
        return origin is not None and (origin in own or DEPRECATED_NAMES.get(origin) in own)

    @property
    def tool_deferral_mode(self) -> ToolDeferralMode | None:
        """Whether requests may have tools that the model does not see yet; `None` if they may not."""
        return 'with_tool_search' if ToolSearchTool in self.profile.supported_native_tools else None

    @property
    def tool_addition_mode(self) -> ToolAdditionMode | None:
        """How messages add tools to a conversation; `None` if they cannot."""
        return None

    def resolve_cache_retention(self, model_settings: ModelSettings | None) -> timedelta | None:
        """Return how long the provider keeps the prompt that the setting `cache` asks it to cache; `None` if it does not say.

        Raises:
            UserError: The setting is none of its values.
        """
        retention, _ = cache_choice((merge_model_settings(self.settings, model_settings) or {}).get('cache'))
        profile = self.profile
        if not retention or not profile.supports_cache:
            return None
        chosen = fitting_retention(retention, profile.supported_cache_retentions)
        return profile.default_cache_retention if isinstance(chosen, bool) else duration_of(chosen)

    def continuation_delay(self, response: ModelResponse) -> float | None:
        """Return the seconds to wait before a response that the provider suspended can be continued; `None` for none."""
        return None

    async def cancel_suspended_response(self, response: ModelResponse) -> None:
        """Tell the provider that a response that it suspended will not be continued; most providers need not know."""

    def unsupported_native_tool_settings(self, native_tool: AbstractNativeTool) -> frozenset[str]:
        """Return the names of the settings of a native tool that are set, but that the model cannot send."""
        return native_tool.restricting_settings & self._unsent_restrictions

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

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """Return messages adapted to the model, without changing the list or the messages in it.

        Args:
            messages: The messages.
            model_request_parameters: The parameters of the request, for subclasses that need them.

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
        caching = settings.get('cache') if settings else None
        cached, profile = self._prepared, self.profile
        if (
            cached is not None
            and cached[0] is model_request_parameters
            and cached[1] == (thinking, caching)
            and cached[2] is profile
        ):
            return settings, cached[3]
        prepared = adapt_parameters(self, model_request_parameters, thinking, caching)
        # A run passes the same object for as long as its tools do not change, so most steps skip the work.
        if type(self).customize_request_parameters.__module__.startswith('stead.'):  # rather than depend on anything
            self._prepared = (model_request_parameters, (thinking, caching), profile, prepared)
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
    model: Model, params: ModelRequestParameters, thinking: object = _NOT_SET, caching: CacheSetting | None = None
) -> ModelRequestParameters:
    """Return request parameters adapted to a model, without changing those passed in.

    Args:
        model: The model.
        params: The parameters.
        thinking: The setting `thinking`, if it is set.
        caching: The setting `cache`, if it is set.

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
    changes.update(_fitting_settings(profile, thinking, caching))
    about = f'The model {model.model_name!r}'
    changes.update(adapted_tools(params, profile, model.unsupported_native_tool_settings, about))
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


def _fitting_settings(profile: ModelProfile, thinking: object, caching: CacheSetting | None) -> dict[str, object]:
    """Return the settings `thinking` and `cache` as far as a model has them, the latter with the retention of its provider.

    Raises:
        UserError: One of them is none of its values.
    """
    fitting: dict[str, object] = {}
    if thinking is not _NOT_SET and _can_think(profile, thinking):
        fitting['thinking'] = thinking
    if caching is not None and profile.supports_cache:
        retention = fitting_retention(cache_choice(caching)[0], profile.supported_cache_retentions)
        fitting['cache'] = {**caching, 'retention': retention} if isinstance(caching, dict) else retention
    return fitting


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
