"""Wait for something from outside of a program, such as an answer of a person, that arrives by another way than a call returns.

`wait_for_external_event` hands a token to a function that asks, and waits. Code that gets the answer, such as a webhook,
passes it to `resolve_external_event` with the token. That holds for one process; `external_event_scope` lets something else
do the waiting.
"""

from __future__ import annotations

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any, Union

from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypeAlias

from ._kit import aio
from ._kit.json_types import JsonValue
from .exceptions import UserError

AskFunc: TypeAlias = Callable[[str], Union[Awaitable[object], object]]
"""A function that asks for an event, and says with which token to answer; it returns the answer if that is there at once."""


class ExternalEventError(Exception):
    """The event will not arrive: it took too long, or it was reported as failed."""


class ExternalEventWaiter(ABC):
    """Waits for events in another way than in the memory of this process; `external_event_scope` puts it to use."""

    @abstractmethod
    async def wait(
        self, name: str, *, ask: Callable[[str], Awaitable[JsonValue]], timeout: timedelta | None
    ) -> JsonValue:
        """Ask for an event, and wait until it arrives.

        Args:
            name: What is waited for, for people and logs.
            ask: Call it once with the token that the event is resolved with; it returns the payload if it is there at once.
            timeout: The longest time to wait; `None` for no limit.

        Returns:
            The payload of the event.

        Raises:
            ExternalEventError: The event will not arrive.
        """


class _WaiterInMemory(ExternalEventWaiter):
    """Waits for events that code of the same process resolves, in any of its threads."""

    def __init__(self) -> None:
        self._waits: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Future[JsonValue]]] = {}

    async def wait(
        self, name: str, *, ask: Callable[[str], Awaitable[JsonValue]], timeout: timedelta | None
    ) -> JsonValue:
        loop = aio.get_running_loop()
        # The token is all that an answer needs, and goes where others may read along: it must not be guessed.
        token, answer = token_urlsafe(24), loop.create_future()
        self._waits[token] = loop, answer

        async def asked() -> JsonValue:
            payload = await ask(token)
            return await answer if payload is None else payload

        try:
            if timeout is None:
                return await asked()
            return await aio.within(timeout.total_seconds(), asked())
        except aio.TimeLimitReached as error:
            raise ExternalEventError(f'No resolution arrived within {timeout}.') from error
        finally:
            self._waits.pop(token, None)
            answer.cancel()

    def end(self, token: str, settle: Callable[[asyncio.Future[JsonValue]], None]) -> None:
        """End the wait with a token.

        Raises:
            UserError: There is no such wait.
        """
        loop, answer = self._waits.pop(token, (None, None))
        if loop is None or answer is None or loop.is_closed():
            raise UserError(
                'No wait in this process has this token. It is wrong or belongs to another process, or the wait has ended: '
                'it was resolved, cancelled or took too long.'
            )
        loop.call_soon_threadsafe(lambda: answer.done() or settle(answer))


_in_memory = _WaiterInMemory()
_waiter: ContextVar[ExternalEventWaiter] = ContextVar('external_event_waiter', default=_in_memory)


@contextmanager
def external_event_scope(waiter: ExternalEventWaiter) -> Iterator[ExternalEventWaiter]:
    """Let something else wait for the events in this context.

    Args:
        waiter: What waits.
    """
    token = _waiter.set(waiter)
    try:
        yield waiter
    finally:
        _waiter.reset(token)


async def wait_for_external_event(name: str, *, ask: AskFunc, timeout: timedelta | None = None) -> JsonValue:
    """Ask for an event, and wait until it arrives.

    Args:
        name: What is waited for, for people and logs.
        ask: Asks for it, sync or async, with the token to resolve it with. What it returns is the payload, if it is not `None`.
        timeout: The longest time to wait, including the time that `ask` takes; `None` for no limit.

    Returns:
        The payload of the event, as JSON data.

    Raises:
        ExternalEventError: The event was reported as failed, or did not arrive in time.
        UserError: `timeout` is not a positive `timedelta`, or the payload has no JSON form.
    """
    if timeout is not None and not (isinstance(timeout, timedelta) and timeout > timedelta(0)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(f'`timeout` must be a positive `timedelta`, or `None` for no limit, not {timeout!r:.100}.')

    async def payload(token: str) -> JsonValue:
        value = ask(token)
        return _as_json(await value if inspect.isawaitable(value) else value)

    return await _waiter.get().wait(name, ask=payload, timeout=timeout)


def resolve_external_event(token: str, payload: object) -> None:
    """Pass an event to the code of this process that waits for it; from any thread.

    Args:
        token: The token of the wait.
        payload: What arrived: JSON data, or what can be turned into it.

    Raises:
        UserError: Nothing waits with this token, or the payload has no JSON form.
    """
    data = _as_json(payload)
    _in_memory.end(token, lambda answer: answer.set_result(data))


def fail_external_event(token: str, reason: str) -> None:
    """Tell the code of this process that waits for an event that it will not arrive; from any thread.

    Args:
        token: The token of the wait.
        reason: Why.

    Raises:
        UserError: Nothing waits with this token.
    """
    _in_memory.end(token, lambda answer: answer.set_exception(ExternalEventError(reason)))


def _as_json(payload: object) -> Any:
    try:
        return to_jsonable_python(payload)
    except (PydanticSerializationError, ValueError) as error:
        raise UserError(f'The payload of an external event must have a JSON form. {error}') from error


__all__ = (
    'ExternalEventError',
    'ExternalEventWaiter',
    'external_event_scope',
    'fail_external_event',
    'resolve_external_event',
    'wait_for_external_event',
)
