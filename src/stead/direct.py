"""Requests to models without an agent: one request, one response."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import Any

from ._contracts.model import ModelRequestParameters
from ._kit.aio import run_coroutine_sync
from .agent.for_all import FOR_ALL
from .messages import InstructionPart, ModelMessage, ModelRequest, ModelResponse, ModelResponseStreamEvent
from .models import KnownModelName, Model, StreamedResponse, infer_model
from .models.bounded import bounded_request, bounded_stream
from .models.instrumented import InstrumentationSettings, instrument_model
from .settings import ModelSettings
from .usage import RequestUsage

STREAM_INITIALIZATION_TIMEOUT = 30
"""The seconds that properties of a `StreamedResponseSync` wait for its response to start."""


async def model_request(
    model: Model[Any] | KnownModelName | str,
    messages: Sequence[ModelMessage],
    *,
    model_settings: ModelSettings | None = None,
    model_request_parameters: ModelRequestParameters | None = None,
    instrument: InstrumentationSettings | bool | None = None,
) -> ModelResponse:
    """Send a request to a model and return its response.

    Args:
        model: The model, or its name.
        messages: The conversation, which ends with a request.
        model_settings: Settings of the request.
        model_request_parameters: Tools, and the mode of output.
        instrument: Whether, or how, to trace the request; `None` means the default of agents.

    Raises:
        ModelAPIError: The provider cannot be reached, or returned an error.
        UnexpectedModelBehavior: The response is invalid.
    """
    return await bounded_request(
        _prepare_model(model, instrument),
        list(messages),
        model_settings,
        _with_instructions(model_request_parameters, messages),
    )


def model_request_sync(
    model: Model[Any] | KnownModelName | str,
    messages: Sequence[ModelMessage],
    *,
    model_settings: ModelSettings | None = None,
    model_request_parameters: ModelRequestParameters | None = None,
    instrument: InstrumentationSettings | bool | None = None,
) -> ModelResponse:
    """Send a request to a model and wait for its response; arguments and errors as `model_request`."""
    return run_coroutine_sync(
        model_request(
            model,
            messages,
            model_settings=model_settings,
            model_request_parameters=model_request_parameters,
            instrument=instrument,
        )
    )


def model_request_stream(
    model: Model[Any] | KnownModelName | str,
    messages: Sequence[ModelMessage],
    *,
    model_settings: ModelSettings | None = None,
    model_request_parameters: ModelRequestParameters | None = None,
    instrument: InstrumentationSettings | bool | None = None,
) -> AbstractAsyncContextManager[StreamedResponse]:
    """Return a context manager of the streamed response; arguments and errors as `model_request`."""
    return bounded_stream(
        _prepare_model(model, instrument),
        list(messages),
        model_settings,
        _with_instructions(model_request_parameters, messages),
    )


def model_request_stream_sync(
    model: Model[Any] | KnownModelName | str,
    messages: Sequence[ModelMessage],
    *,
    model_settings: ModelSettings | None = None,
    model_request_parameters: ModelRequestParameters | None = None,
    instrument: InstrumentationSettings | bool | None = None,
) -> StreamedResponseSync:
    """Return a context manager of the streamed response, for sync code.

    Arguments and errors as `model_request`.
    """
    return StreamedResponseSync(
        model_request_stream(
            model,
            messages,
            model_settings=model_settings,
            model_request_parameters=model_request_parameters,
            instrument=instrument,
        )
    )


def _with_instructions(
    parameters: ModelRequestParameters | None, messages: Sequence[ModelMessage]
) -> ModelRequestParameters:
    """Return the parameters with the last instructions of the conversation."""
    parameters = parameters or ModelRequestParameters()
    if parameters.instruction_parts is None:
        for message in reversed(messages):
            if isinstance(message, ModelRequest) and message.instructions is not None:
                return replace(parameters, instruction_parts=[InstructionPart(content=message.instructions)])
    return parameters


def _prepare_model(
    model: Model[Any] | KnownModelName | str, instrument: InstrumentationSettings | bool | None
) -> Model[Any]:
    """Return the model to ask; Braintrust replaces this function by its name, and `StreamedResponseSync._start_producer`."""
    inferred = infer_model(model)
    for capability in FOR_ALL.capabilities:  # an open cassette, for one
        inferred = capability.get_wrapper_model(inferred) or inferred
    if instrument is None:
        instrument = FOR_ALL.instrument
    return instrument_model(inferred, instrument) if instrument else inferred


_END = object()


@dataclass
class StreamedResponseSync:
    """A streamed response for sync code: enter it using `with`, and iterate over its events.

    A separate thread reads the response; it ends with the `with` block.
    """

    _async_stream_cm: AbstractAsyncContextManager[StreamedResponse]
    _queue: queue.Queue[Any] = field(default_factory=lambda: queue.Queue(), init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _stream_response: StreamedResponse | None = field(default=None, init=False)
    _exception: BaseException | None = field(default=None, init=False)
    _context_entered: bool = field(default=False, init=False)
    _stream_ready: threading.Event = field(default_factory=threading.Event, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _done: bool = field(default=False, init=False)

    def __enter__(self) -> StreamedResponseSync:
        self._context_entered = True
        self._start_producer()
        return self

    def _start_producer(self) -> None:
        self._thread = threading.Thread(target=self._async_producer, daemon=True)
        self._thread.start()

    def _async_producer(self) -> None:
        asyncio.run(self._read())

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    async def _read(self) -> None:
        try:
            async with self._async_stream_cm as stream:
                self._stream_response = stream
                self._stream_ready.set()
                async for event in stream:
                    self._queue.put(event)
                    if self._stop.is_set():
                        await stream.cancel()
                        break
        except BaseException as error:
            self._exception = error
        finally:
            self._stream_ready.set()
            self._queue.put(_END)

    def __iter__(self) -> Iterator[ModelResponseStreamEvent]:
        """Iterate over the events.

        Raises:
            RuntimeError: It was not entered using `with`.
            ModelAPIError: The stream broke.
        """
        self._check()
        while not self._done:
            event = self._queue.get()
            if event is _END:
                self._done = True
                if self._exception is not None:
                    raise self._exception
                return
            yield event

    def _check(self) -> None:
        if not self._context_entered:
            raise RuntimeError(
                'A StreamedResponseSync is a context manager: use it as `with model_request_stream_sync(...) as stream:`.'
            )

    def _stream(self) -> StreamedResponse:
        self._check()
        if not self._stream_ready.wait(STREAM_INITIALIZATION_TIMEOUT):
            raise RuntimeError(
                f'The response did not start within {STREAM_INITIALIZATION_TIMEOUT} seconds. Iterate over the stream to wait for '
                'it without a limit.'
            )
        if self._stream_response is None:
            raise self._exception or RuntimeError('The stream did not start.')
        return self._stream_response

    @property
    def response(self) -> ModelResponse:
        """The response as received so far."""
        return self._stream().get()

    @property
    def usage(self) -> RequestUsage:
        """The usage as known so far."""
        return self._stream().usage

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._stream().model_name

    @property
    def timestamp(self) -> datetime:
        """When the response started."""
        return self._stream().timestamp


__all__ = (
    'StreamedResponseSync',
    'model_request',
    'model_request_stream',
    'model_request_stream_sync',
    'model_request_sync',
)
