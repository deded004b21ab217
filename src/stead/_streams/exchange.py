"""`StreamedExchange`: a model request whose response is streamed, from its opening until it is closed.

There is one for each request that is streamed. It decides when the connection, the hooks and the reader get their turn.

The reader. One reader at a time, in the task that opened the exchange: the program in its `with` block, or the handlers of
the run. Reading is what drives the stream; between two reads nothing happens, except that `ReadAhead` may wait for one
item in a task of its own, and it keeps that item for the next reader. So every way to read continues where the last one
stopped, and no event is lost or seen twice.

Where the hooks are. Hooks around a request expect a handler that returns a whole response, but the reader of the stream
stands outside of them. So they run in a task, `HeldOpen`, which is held in the handler until the reader is done: what comes
before the handler runs in `open_held`, what comes after it in `close`. Without such hooks there is no task. A hook may
call its handler again after the reader has left, for another response: that one is read to its end here, since it has
no reader. A hook that answers by itself leaves a stream without events, as in the reference API. Readers
of the events of a whole run, such as a handler or a page, get events for that response if a capability asks for it: see
`AgentStream.replay`.

When it breaks off. The part of a response that has arrived was paid for, and is kept:

    the reader leaves early, or cancels the stream    `close`: the hooks see the part that has arrived
    the stream fails                                  `fail`: the hooks see the error; one of them may recover with a response
    the reader fails                                  `fail` too, but a response of a hook does not answer that error
    the run is cancelled                              `fail`, which cancels the hooks where they wait, and waits for them

The connection is closed in each case, in the task that opened it, before the hooks after the handler run.

What is in the history when. Nothing here writes to it. The request is added before the exchange is opened, and the
response after it is closed, with one exception: the reader of an answer takes the response into the
run as soon as it is whole, so that a result that was read to its end is complete inside of its block. The loop does both,
once for each response. One that broke off, or that the reader of an answer left, is marked as `interrupted`, and dropped if
it broke off without a part. One that a program left early at `node.stream` stays `incomplete`; its calls are not run.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, _AsyncGeneratorContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from typing_extensions import TypeAlias

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._kit.around import reading
from .._kit.held import HeldOpen
from ..messages import ModelResponse
from ..models import StreamedResponse
from ..models.wrapper import CompletedStreamedResponse

RequestHandler: TypeAlias = Callable[[ModelRequestContext], Awaitable[ModelResponse]]
"""Sends a request and returns the response; hooks are wrapped around it."""
Connection: TypeAlias = AbstractAsyncContextManager[StreamedResponse]
"""What `Model.request_stream` returns."""
NodeT = TypeVar('NodeT')
StreamT = TypeVar('StreamT')


@dataclass
class StreamedExchange:
    """A request whose response is streamed; hooks around it are held open until its reader is done."""

    connect: Callable[[ModelRequestContext], Connection]
    """Sends a request, when what it returns is entered."""
    response: ModelResponse | None = None
    """What the model answered, before any hook saw it; `None` until the stream is closed."""
    is_answered: bool = field(default=False, init=False)
    """Whether a hook has answered, without asking the model."""
    _held: HeldOpen[None, ModelResponse] | None = field(default=None, init=False)
    _connection: Connection | None = field(default=None, init=False)
    _stream: StreamedResponse | None = field(default=None, init=False)

    async def open(self, request: ModelRequestContext) -> StreamedResponse:
        """Send a request that no hooks are around, and return the stream."""
        self._connection = self.connect(request)
        self._stream = await self._connection.__aenter__()
        return self._stream

    async def open_held(
        self,
        send: Callable[[RequestHandler], Coroutine[Any, Any, ModelResponse]],
        parameters: ModelRequestParameters,
    ) -> StreamedResponse:
        """Send the request through its hooks, and return the stream; one without events if a hook has answered.

        Args:
            send: Runs the hooks around a handler that sends the request.
            parameters: Those of the request.

        Raises:
            ModelRetry: A hook asks for another try.
        """
        held: HeldOpen[None, ModelResponse] = HeldOpen()
        self._held = held
        if not await held.open(lambda: send(self._receive)):
            self.is_answered = True
            self._stream = CompletedStreamedResponse(parameters, held.result)
        assert self._stream is not None, 'hooks wait with a stream'
        return self._stream

    async def _receive(self, request: ModelRequestContext) -> ModelResponse:
        """Send the request, inside of its hooks, and return the response when the reader is done with it."""
        assert self._held is not None, 'hooks are called from `open_held`'
        connection = self.connect(request)
        stream = await connection.__aenter__()
        if request.failed_attempts:
            stream.failed_attempts = request.failed_attempts + (stream.failed_attempts or [])
        try:
            if self._held.parked:  # a hook asks again, after the reader of the first stream
                async for _ in stream:
                    pass
            else:
                self._stream = stream
                await self._held.park()
        except BaseException as error:
            await _disconnect(connection, error)
            raise
        await connection.__aexit__(None, None, None)
        self.response = stream.get()
        return self.response

    async def close(self) -> ModelResponse | None:
        """End the request.

        Returns:
            The response as far as it was read, after the hooks; `None` if there are no hooks, so that it is what the
            stream says.

        Raises:
            ModelRetry: A hook asks for another try; `response` holds what it objects to.
        """
        if self._held is not None:
            return await self._held.close(None)
        assert self._connection is not None, 'only what was opened is closed'
        await self._connection.__aexit__(None, None, None)
        return None

    async def fail(self, error: BaseException) -> ModelResponse | None:
        """End the request because reading the stream failed; returns a response if a hook recovers, else `None`.

        Raises:
            ModelRetry: A hook asks for another try.
            Exception: What a hook raised in place of the error.
        """
        if self._held is not None:
            return await self._held.fail(error)
        assert self._connection is not None, 'only what was opened is closed'
        try:
            await _disconnect(self._connection, error)
        except BaseException as raised:
            if raised is not error:
                raise
        return None


def block_of_run(
    function: Callable[[NodeT, Any], AsyncIterator[StreamT]],
) -> Callable[[NodeT, Any], AbstractAsyncContextManager[StreamT]]:
    """Do what `asynccontextmanager` does for a node; what it calls is inside of the place and the budgets of its run."""

    @wraps(function)
    def block(node: NodeT, ctx: Any) -> AbstractAsyncContextManager[StreamT]:
        opened: Any = _AsyncGeneratorContextManager(function, (node, ctx), {})  # type: ignore[arg-type]
        return opened if ctx.deps.around is nullcontext else _inside(opened, ctx.deps)

    return block


@asynccontextmanager
async def _inside(block: AbstractAsyncContextManager[StreamT], deps: Any) -> AsyncGenerator[StreamT, None]:
    """Open and close a block inside of what is around its run. The reader of the block is not, but requests wait for it."""
    with deps.around():
        stream = await block.__aenter__()
    try:
        with nullcontext() if deps.ledger is None else reading(deps.ledger):
            yield stream
    except BaseException as error:
        with deps.around():
            if not await block.__aexit__(type(error), error, error.__traceback__):
                raise
    else:
        with deps.around():
            await block.__aexit__(None, None, None)


async def _disconnect(connection: Connection, error: BaseException) -> None:
    await connection.__aexit__(type(error), error, error.__traceback__)
