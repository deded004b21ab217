"""Runs of scripted agents that are interrupted, and what has to hold afterwards; the program of `test_endings.py`.

    python -m tests.trust.interruptions SEED COUNT [FIRST]

A case is a run by one of the entry points that is interrupted in one way, at one place. A place is a call or return of a
function, in the agent, in the framework or in the event loop, counted by the profiler of the interpreter; so there is no
place that cannot be hit. Errors are raised where a program's own functions are called. What threads do in between is up to the
system, so a case may be another one the next time. Nothing here depends on how long that takes: threads are waited for, and
only a case that takes minutes counts as one that hangs.
Prints a line for each thing that does not hold, and a line with the number of cases at the end.
"""

from __future__ import annotations

import asyncio
import faulthandler
import itertools
import json
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from stead import Agent, ModelMessage, ModelMessagesTypeAdapter, capture_run_messages
from stead._kit.aio import _loop_of_thread
from stead.capabilities import Hooks
from stead.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

NOT_EXECUTED = 'Tool not executed - the run was interrupted.'
MAY_HAVE_RUN = 'Tool result unknown - the run was interrupted while the tool was called, so it may have run.'
SCRIPT = [['a', 's', 'a', 'limited', 'limited'], ['seq', 'a', 's'], ['a']]
"""The tools that each response calls; the response after these is the answer."""


SYNC_PLACES = ('s0_1', 's1_2')
"""The calls of functions that run in threads: that one had no thread yet is not known."""


LONGEST = 240
"""Seconds after which a case hangs. It takes a hundredth of a second, and on a machine that is busy with other work much longer."""


class Ended(BaseException):
    """What the program's handler of SIGTERM raises."""


@dataclass
class Log:
    """What the tools really did."""

    begun: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    raised: set[str] = field(default_factory=set)
    sync: set[str] = field(default_factory=set)
    sent: list[list[ModelMessage]] = field(default_factory=list)


@dataclass
class Case:
    """One run, and how it is interrupted."""

    entry: str
    way: str
    place: int
    error: type[BaseException] = RuntimeError
    log: Log = field(default_factory=Log)
    events: int = 0
    points: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """Numbers of the places where errors can be raised; some are in threads, so that adding to a number would miss some."""
    interrupt: Callable[[Any], object] = lambda frame: None
    """Interrupts the thread, whose innermost frame it is given."""

    def point(self, call_id: str | None = None) -> None:
        """Raise the error here, if this is the place."""
        if self.way != 'error':
            return
        number = self.events = next(self.points)
        if number == self.place:
            if call_id is not None:
                self.log.raised.add(call_id)
            raise self.error('interrupted')

    def profile(self, frame: Any, event: str, arg: Any) -> None:
        self.events += 1
        if self.events == self.place or (self.way == 'twice' and self.events == self.place + 40):
            self.interrupt(frame)


def agent_for(case: Case) -> Agent[Any, str]:
    """Return an agent that calls the tools of the script, with hooks around everything."""
    log = case.log

    def calls(messages: list[ModelMessage]) -> list[tuple[str, str]] | None:
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step >= len(SCRIPT):
            return None
        return [(name, f's{step}_{place}') for place, name in enumerate(SCRIPT[step])]

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        log.sent.append(messages)
        case.point()
        await asyncio.sleep(0)
        if (due := calls(messages)) is None:
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(parts=[ToolCallPart(name, {'k': call_id}, call_id) for name, call_id in due])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        log.sent.append(messages)
        case.point()
        if (due := calls(messages)) is None:
            for piece in ('do', 'n', 'e'):
                await asyncio.sleep(0)
                yield piece
            return
        for place, (name, call_id) in enumerate(due):
            await asyncio.sleep(0)
            yield {place: DeltaToolCall(name, json.dumps({'k': call_id}), tool_call_id=call_id)}
        case.point()

    hooks: Hooks[Any] = Hooks()

    @hooks.on.before_tool_execute
    async def before(ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        case.point()
        await asyncio.sleep(0)
        return args

    @hooks.on.after_tool_execute
    async def after(ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        case.point()
        await asyncio.sleep(0)
        return result

    @hooks.on.before_model_request
    async def request(ctx: Any, request_context: Any) -> Any:
        case.point()
        await asyncio.sleep(0)
        return request_context

    hooked = case.place % 2 == 0 or case.way == 'error'
    agent: Agent[Any, str] = Agent(
        FunctionModel(answer, stream_function=stream), capabilities=[hooks] if hooked else [], max_concurrency=1
    )

    def begin(k: str) -> None:
        log.begun[k] += 1
        case.point(k)

    def finish(k: str) -> str:
        case.point(k)
        log.finished[k] += 1
        return f'result of {k}'

    async def a(k: str) -> str:
        begin(k)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return finish(k)

    def s(k: str) -> str:
        log.sync.add(k)
        begin(k)
        time.sleep(0.0003)
        return finish(k)

    agent.tool_plain(name='a')(a)
    agent.tool_plain(name='s')(s)
    agent.tool_plain(name='seq', sequential=True)(a)
    agent.tool_plain(name='limited', max_tool_concurrency=1)(a)

    @agent.output_validator
    async def validate(value: str) -> str:
        case.point()
        await asyncio.sleep(0)
        return value

    @agent.instructions
    def instructions() -> str:
        case.point()
        return 'Be brief.'

    return agent


# Entry points


async def by_run(agent: Agent[Any, str]) -> None:
    await agent.run('go')


async def by_handler(agent: Agent[Any, str]) -> None:
    async def handle(ctx: Any, events: Any) -> None:
        async for _ in events:
            pass

    await agent.run('go', event_stream_handler=handle)


async def by_iter(agent: Agent[Any, str]) -> None:
    async with agent.iter('go') as run:
        async for _ in run:
            pass


async def by_next(agent: Agent[Any, str]) -> None:
    async with agent.iter('go') as run:
        node: Any = run.next_node
        while not Agent.is_end_node(node):
            node = await run.next(node)


async def by_stream(agent: Agent[Any, str]) -> None:
    async with agent.run_stream('go') as result:
        async for _ in result.stream_text():
            pass


async def by_stream_to_end(agent: Agent[Any, str]) -> None:
    async with agent.run_stream('go', until='end') as result:
        await result.get_output()


async def by_events(agent: Agent[Any, str]) -> None:
    async with agent.run_stream_events('go') as events:
        async for _ in events:
            pass


def by_run_sync(agent: Agent[Any, str]) -> None:
    agent.run_sync('go')


def by_stream_sync(agent: Agent[Any, str]) -> None:
    with agent.run_stream_sync('go') as result:
        for _ in result.stream_text():
            pass


ASYNC = {
    'run': by_run,
    'handler': by_handler,
    'iter': by_iter,
    'next': by_next,
    'run_stream': by_stream,
    'to_end': by_stream_to_end,
    'events': by_events,
}
SYNC = {'run_sync': by_run_sync, 'run_stream_sync': by_stream_sync}


def raise_signal(number: int) -> Callable[[Any], object]:
    return lambda frame: signal.raise_signal(number)


def handle_signal(number: int) -> Callable[[Any], object]:
    """Return what calls the handler of a signal as the interpreter does, with the frame that the signal arrives in."""

    def handle(frame: Any) -> None:
        handler: Any = signal.getsignal(number)
        handler(number, frame)

    return handle


async def in_task(case: Case, agent: Agent[Any, str]) -> None:
    """Run an agent in a task, which is interrupted, and check that no other task is left."""
    from anyio import CancelScope

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    scope = CancelScope()
    case.interrupt = {
        'cancel': lambda frame: loop.call_soon(task.cancel),
        'timeout': lambda frame: loop.call_soon(scope.cancel),
        'SIGTERM': raise_signal(signal.SIGTERM),
    }.get(case.way, raise_signal(signal.SIGINT))
    if case.way == 'SIGTERM':
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    before = asyncio.all_tasks()
    try:
        with scope:
            if case.way != 'error':
                sys.setprofile(case.profile)
            await ASYNC[case.entry](agent)
    finally:
        sys.setprofile(None)
        if left := asyncio.all_tasks() - before:
            raise AssertionError(f'tasks are left: {left}')


def interrupted(case: Case) -> tuple[list[ModelMessage], BaseException | None]:
    """Run a case, and return the messages, and what it raised."""
    agent = agent_for(case)
    failure: BaseException | None = None
    with capture_run_messages() as messages:
        try:
            if case.entry in SYNC:
                case.interrupt = handle_signal(signal.SIGTERM if case.way == 'SIGTERM' else signal.SIGINT)
                if case.way != 'error':
                    sys.setprofile(case.profile)
                SYNC[case.entry](agent)
            else:
                asyncio.run(in_task(case, agent))
        except AssertionError:
            raise
        except BaseException as error:
            failure = error
        finally:
            sys.setprofile(None)
    return messages, failure


# What has to hold


def answers_of(messages: list[ModelMessage]) -> dict[str, list[str]]:
    answers: dict[str, list[str]] = {}
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, ToolReturnPart) or (isinstance(part, RetryPromptPart) and part.tool_name):
                answers.setdefault(part.tool_call_id, []).append(str(part.content))
    return answers


def calls_of(messages: list[ModelMessage]) -> list[str]:
    return [call.tool_call_id for m in messages if isinstance(m, ModelResponse) for call in m.tool_calls]


def wrong_history(log: Log, messages: list[ModelMessage], final: bool) -> list[str]:
    """Return what a history says that is not what happened.

    Args:
        log: What happened.
        messages: The history.
        final: Whether the conversation went on to its end, so that every call has an answer.
    """
    wrong: list[str] = []
    calls, answers = calls_of(messages), answers_of(messages)
    wrong += [f'{k} was called, and is not in the history' for k in log.begun if k not in calls]
    wrong += [f'{k} was run {n} times' for k, n in log.finished.items() if n > 1]
    for k in calls:
        contents, result = answers.get(k, []), f'result of {k}'
        if len(contents) > 1 or (final and not contents):
            wrong.append(f'{k} has the answers {contents}')
        elif log.finished[k] and k not in log.sync and contents != [result]:
            wrong.append(f'{k} returned, and its answer is {contents}')
        elif log.finished[k] and contents not in ([result], [MAY_HAVE_RUN]):
            wrong.append(f'{k} returned in a thread, and its answer is {contents}')
        elif log.begun[k] and not log.finished[k] and k not in log.raised and contents != [MAY_HAVE_RUN]:
            wrong.append(f'{k} had started, and its answer is {contents}')
        elif k in log.raised and not log.finished[k] and contents not in ([], [MAY_HAVE_RUN]):
            wrong.append(f'{k} raised, and its answer is {contents}')
        elif not log.begun[k] and contents not in (
            [],
            [NOT_EXECUTED],
            *([[MAY_HAVE_RUN]] if k.endswith(SYNC_PLACES) else []),
        ):
            wrong.append(f'{k} had not started, and its answer is {contents}')
    return wrong


def quiet() -> bool:
    """Wait until all threads of the case have ended."""
    deadline = time.monotonic() + LONGEST / 2
    while others := [thread for thread in threading.enumerate()[1:] if not thread.daemon]:
        others[0].join(deadline - time.monotonic())
        if time.monotonic() > deadline:
            return False
    return True


def check(case: Case, messages: list[ModelMessage], failure: BaseException | None, number: int) -> list[str]:
    """Return what does not hold after a case."""
    wrong: list[str] = []
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        wrong.append('the handler of SIGINT is another one')
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not quiet():
        wrong.append(f'threads are left: {threading.enumerate()}')
    owned = _loop_of_thread.owned
    if owned is not None and (left := asyncio.all_tasks(owned.loop)):
        wrong.append(f'tasks are left: {left}')
    if case.way == 'twice':
        return wrong
    log = case.log
    wrong += wrong_history(log, messages, final=False)
    error_messages = getattr(failure, 'messages', None)
    if case.way == 'error' and error_messages is not None and error_messages != messages:
        wrong.append(f'the error has {error_messages}, and captured is {messages}')
    loaded = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))
    goes_on = Case(case.entry, 'none', 0, log=log)
    prompt = 'go on' if not loaded or number % 2 else None
    result = asyncio.run(agent_for(goes_on).run(prompt, message_history=loaded))
    if result.output != 'done':
        wrong.append(f'it goes on to {result.output!r}')
    history = result.all_messages()
    wrong += wrong_history(log, history, final=True)
    return wrong


def cases(seed: int) -> Any:
    """Yield cases without end."""
    rng = random.Random(seed)
    most: dict[tuple[str, bool], int] = {}
    errors = [RuntimeError, StopAsyncIteration, StopIteration, KeyError, ValueError, asyncio.CancelledError, Ended]
    while True:
        entry = rng.choice([*ASYNC, *SYNC, *SYNC])  # the sync ones are where signals are ours to handle
        ways = ['SIGINT', 'SIGTERM', 'error'] + (['cancel', 'timeout'] if entry in ASYNC else ['SIGINT', 'twice'])
        way = rng.choice(ways)
        if (entry, way == 'error') not in most:
            measured = Case(entry, 'error' if way == 'error' else 'none', 0 if way == 'error' else -2)
            interrupted(measured)
            quiet()
            most[entry, way == 'error'] = measured.events
        place = rng.randint(1, most[entry, way == 'error'])
        yield Case(entry, way, place, rng.choice(errors))


def main(seed: int, count: int, first: int = 0) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.version_info < (3, 14):  # where there are policies, the first one is made here
        asyncio.get_event_loop_policy()
    import logging

    logging.disable()  # what asyncio says about a loop that was left at once
    failures, number = 0, first - 1
    for number, case in zip(range(count), cases(seed)):
        if number < first:
            continue
        faulthandler.dump_traceback_later(LONGEST, exit=True)  # from now on

        def end(*_: object) -> None:
            raise Ended

        signal.signal(signal.SIGTERM, end)
        try:
            with suppress(AssertionError) if case.way == 'twice' else suppress():
                messages, failure = interrupted(case)
            wrong = check(case, messages, failure, number)
        except BaseException:
            wrong = [traceback.format_exc()]
        if wrong:
            failures += 1
            print(
                f'{seed}/{number}: {case.entry}, {case.way} at {case.place} ({case.error.__name__}): {wrong}',
                flush=True,
            )
        if not quiet():  # each later case would wait for them
            break
    print(f'{number + 1 - first} interruptions, {failures} failures', flush=True)
    faulthandler.dump_traceback_later(LONGEST, exit=True)  # the process has to end, too


if __name__ == '__main__':
    main(*map(int, sys.argv[1:]))
