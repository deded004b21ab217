"""`FunctionModel`: a model that calls a function, for tests and for custom models."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.model import CHANGEABLE, ModelRequestParameters
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit import deprecated
from .._kit.ids import now_utc
from .._kit.plain_copies import own_copies
from ..exceptions import UnsupportedRequestError, UserError
from ..messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    NativeToolReturnPart,
)
from ..native_tools import SUPPORTED_NATIVE_TOOLS, AbstractNativeTool
from ..profiles import ModelProfile, ModelProfileSpec
from ..settings import ModelSettings
from ..usage import RequestUsage
from ._base import Model, instructions_of
from ._estimate import OVERHEAD, Estimator, response_tokens, text_tokens
from ._streaming.streamed import StreamedResponse


@dataclass(frozen=True, kw_only=True)
class AgentInfo:
    """Information about the agent, for the function of a `FunctionModel`."""

    function_tools: list[ToolDefinition]
    """The function tools."""
    allow_text_output: bool
    """Whether text is a valid output."""
    output_tools: list[ToolDefinition]
    """The output tools."""
    model_settings: ModelSettings | None
    """The settings of the request."""
    model_request_parameters: ModelRequestParameters
    """The parameters of the request."""
    instructions: str | None
    """The instructions of the request."""

    def __getattr__(self, name: str) -> Any:
        """Copy what the function asks for and may change in place: other requests use the same objects."""
        state = vars(self)
        if name not in _COPIED or '_sent' not in state:
            raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}', name=name, obj=self)
        params, settings = state['_sent']
        own = own_copies(params, *CHANGEABLE)
        state['model_settings'] = None if settings is None else settings.copy()
        state['model_request_parameters'] = own
        state['function_tools'], state['output_tools'] = own.function_tools, own.output_tools
        return state[name]


_COPIED = ('function_tools', 'output_tools', 'model_settings', 'model_request_parameters')


@dataclass
class DeltaToolCall:
    """A piece of a tool call."""

    name: str | None = None
    """A piece of the name."""
    json_args: str | None = None
    """A piece of the arguments, as JSON text."""
    _: KW_ONLY
    tool_call_id: str | None = None
    """The id of the tool call."""


@dataclass(kw_only=True)
class DeltaThinkingPart:
    """A piece of thinking."""

    content: str | None = None
    """A piece of the text."""
    signature: str | None = None
    """The signature."""


DeltaToolCalls: TypeAlias = dict[int, DeltaToolCall]
"""Pieces of tool calls, by the index of the call in the response."""
DeltaThinkingCalls: TypeAlias = dict[int, DeltaThinkingPart]
"""Pieces of thinking, by the index of the part in the response."""
BuiltinToolCallsReturns: TypeAlias = dict[int, Union[NativeToolCallPart, NativeToolReturnPart]]
"""Native tool calls and returns, by the index of the part in the response."""
FunctionDef: TypeAlias = Callable[[list[ModelMessage], AgentInfo], Union[ModelResponse, Awaitable[ModelResponse]]]
"""A sync or async function that returns a response to messages."""
StreamFunctionDef: TypeAlias = Callable[
    [list[ModelMessage], AgentInfo],
    AsyncIterator[Union[str, DeltaToolCalls, DeltaThinkingCalls, BuiltinToolCallsReturns]],
]
"""A function that streams a response to messages, in pieces."""

_PROFILE = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)


@dataclass(init=False)
class FunctionModel(Model):
    """A model that calls a function for each request."""

    _default_profile = _PROFILE
    function: FunctionDef | None
    """The function for requests."""
    stream_function: StreamFunctionDef | None
    """The function for streamed requests."""
    _model_name: str = field(repr=False)
    _system: str = field(default='function', repr=False)

    def __init__(
        self,
        function: FunctionDef | None = None,
        *,
        stream_function: StreamFunctionDef | None = None,
        model_name: str | None = None,
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            function: The function for requests. A sync function runs in the event loop, so it should not block for long.
            stream_function: The function for streamed requests; by default, what `function` returns comes in pieces.
            model_name: The name of the model; by default built from the names of the functions.
            profile: What the model can do.
            settings: Settings for all requests.

        Raises:
            TypeError: There is neither a `function` nor a `stream_function`.
        """
        if function is None and stream_function is None:
            raise TypeError('`FunctionModel` needs a `function`, a `stream_function`, or both.')
        super().__init__(settings=settings, profile=profile or _PROFILE)
        self.function = function
        self.stream_function = stream_function
        self._model_name = model_name or f'function:{_name(function)}:{_name(stream_function)}'
        self._system = 'function'
        self._estimator = Estimator()

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """The provider."""
        return self._system

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return all native tools, since a function may support any of them."""
        return SUPPORTED_NATIVE_TOOLS

    def _info(
        self, messages: list[ModelMessage], settings: ModelSettings | None, params: ModelRequestParameters
    ) -> AgentInfo:
        info = object.__new__(AgentInfo)  # most functions ask for nothing that would have to be copied
        vars(info).update(
            allow_text_output=params.allow_text_output,
            instructions=instructions_of(messages, params),
            _sent=(params, settings),
        )
        return info

    def _cuts_responses(self) -> bool:
        """Return whether whole responses are streamed in pieces."""
        return deprecated.WHOLE_RESPONSES_STREAM

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Call the function; see `Model.request`.

        Raises:
            UserError: There is no `function`, or it did not return a `ModelResponse`.
        """
        settings, params = self.prepare_request(model_settings, model_request_parameters)
        if self.function is None:
            raise UnsupportedRequestError(
                'This `FunctionModel` has only a `stream_function`; give it a `function` to use `run`.'
            )
        answer = self.function(messages, self._info(messages, settings, params))
        response: object = answer
        if not isinstance(answer, ModelResponse):  # asked first, since `isawaitable` takes longer
            response = await answer if inspect.isawaitable(answer) else answer
        if not isinstance(response, ModelResponse):
            raise UserError(
                f'The function of {self._model_name!r} must return a `ModelResponse`, not {type(response).__name__}.'
            )
        response.model_name = self._model_name
        if not response.usage.has_values():
            response.usage = self._estimator.usage(messages, response.parts)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Call the function for streamed requests; see `Model.request_stream`.

        Without a `stream_function`, what `function` returns is streamed in pieces. With the alias that is an error, as
        programs of the mirrored interface expect.

        Raises:
            UserError: The function cannot be used, see `request`; or there is no `stream_function`, with the alias.
            ValueError: The function yields nothing.
        """
        settings, params = self.prepare_request(model_settings, model_request_parameters)
        if self.stream_function is None:
            if not self._cuts_responses():
                raise UnsupportedRequestError(
                    'This `FunctionModel` has only a `function`; give it a `stream_function` to stream.'
                )
            from .cut import CutResponse

            yield CutResponse(params, await self.request(messages, model_settings, model_request_parameters))
            return
        pieces = self.stream_function(messages, self._info(messages, settings, params)).__aiter__()
        try:
            first = await pieces.__anext__()
        except StopAsyncIteration:
            raise ValueError(
                f'The stream function of {self._model_name!r} yielded nothing; it must yield at least one piece.'
            ) from None
        response = FunctionStreamedResponse(
            model_request_parameters=params, _model_name=self._model_name, _first=first, _iter=pieces
        )
        response._usage = RequestUsage(input_tokens=OVERHEAD)  # the messages are not counted for streams
        try:
            yield response
        finally:
            close = getattr(pieces, 'aclose', None)
            if close is not None:
                await close()


def _name(function: object) -> str:
    return getattr(function, '__name__', type(function).__name__) if function is not None else ''


@dataclass
class FunctionStreamedResponse(StreamedResponse):
    """The streamed response of a `FunctionModel`."""

    _model_name: str = ''
    _first: Any = None
    """The first piece, if it was read to check that the stream is not empty."""
    _iter: Any = None
    """The pieces that follow."""
    _timestamp: datetime = field(default_factory=now_utc)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        take_text, usage = self._parts_manager.handle_text_delta, self._usage
        if self._first is not None:  # a subclass of another package has all pieces in `_iter`
            for event in self._handle(self._first):
                yield event
        async for item in self._iter:
            if isinstance(item, str):  # here, since a response may have thousands of them
                usage.output_tokens += text_tokens(item)
                for event in take_text(vendor_part_id='content', content=item):
                    yield event
            elif len(item) == 1 and isinstance(delta := item[index := next(iter(item))], DeltaToolCall):
                if (event := self._take_call(index, delta)) is not None:
                    yield event
            else:
                for event in self._handle(item):
                    yield event

    def _take_call(self, index: int, delta: DeltaToolCall) -> ModelResponseStreamEvent | None:
        """Add a piece of a tool call, and return its event if it has one."""
        if delta.json_args:
            self._usage.output_tokens += text_tokens(delta.json_args)
        return self._parts_manager.handle_tool_call_delta(
            vendor_part_id=index, tool_name=delta.name, args=delta.json_args, tool_call_id=delta.tool_call_id
        )

    def _handle(self, item: Any) -> Iterator[ModelResponseStreamEvent]:
        """Add what the function has yielded, and yield the events for it."""
        manager, usage = self._parts_manager, self._usage
        if isinstance(item, str):
            usage.output_tokens += text_tokens(item)
            yield from manager.handle_text_delta(vendor_part_id='content', content=item)
            return
        for index, delta in item.items():
            if isinstance(delta, DeltaToolCall):
                if (event := self._take_call(index, delta)) is not None:
                    yield event
            elif isinstance(delta, DeltaThinkingPart):
                if delta.content:
                    usage.output_tokens += text_tokens(delta.content)
                yield from manager.handle_thinking_delta(
                    vendor_part_id=index,
                    content=delta.content,
                    signature=delta.signature,
                    provider_name='function' if delta.signature else None,
                )
            else:
                # Streams do not count the token for the name of a call.
                usage.output_tokens += response_tokens([delta]) - isinstance(delta, NativeToolCallPart)
                yield manager.handle_part(vendor_part_id=index, part=delta)

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def provider_name(self) -> None:
        """There is no provider."""
        return None

    @property
    def provider_url(self) -> None:
        """There is no URL."""
        return None

    @property
    def timestamp(self) -> datetime:
        """When the response was created."""
        return self._timestamp
