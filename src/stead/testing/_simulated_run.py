"""`Life`: one run of a simulation, what disturbs it, and what must hold in it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering, WrapToolExecuteHandler
from .._contracts.facts import (
    CallAnswered,
    CallReturned,
    CallStarting,
    RequestReady,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
)
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.aio import within
from .._kit.short import short_repr
from ..exceptions import ModelConnectionError
from ..journal import Journal, RunFilter, RunInfo
from ..messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
)
from ..models import Model, ModelRequestParameters, StreamedResponse
from ..models.cut import read_through
from ..models.wrapper import WrapperModel
from ..settings import ModelSettings
from . import _faults as possible
from ._crash_story import MOST_PROCESSES, CrashScene, Outcome, Plot, Story, Way
from ._crash_watch import Deed

Disturbance: TypeAlias = Literal['none', 'cancel', 'timeout', 'leave', 'cut', 'model', 'tools', 'crash']
"""What disturbs a run: nothing but the order of events; it is cancelled; a time limit ends it; the reader leaves its stream; its
stream breaks off; a request fails; a tool fails; its process dies at a record."""
_STREAMS: tuple[Way, ...] = ('run_stream', 'run_stream_events')
_MODEL_FAULTS = {
    'times out': possible.timeout(0.5),
    'loses its connection': possible.connection_lost(),
    'is refused with status 429': possible.status(429, retry_after=1),
    'fails with status 500': possible.status(500),
    'has an empty response': possible.empty(),
    'has arguments that are cut off': possible.malformed_args(),
    'has a response that is cut off': possible.truncated(),
}
_TOOL_FAULTS = {
    'raises an error': possible.raises(RuntimeError('a fault of the simulation')),
    'takes an hour': possible.slow(3600),
    'returns what means nothing': possible.garbage(),
}


_MOST_TURNS = 100
"""How many turns of the loop a task may take to end after its run, without any wait."""


class Undisturbed(NamedTuple):
    """How a run goes that nothing disturbs."""

    outcome: Outcome
    turns: int
    seconds: float
    records: int
    requests: int
    events: int
    tools: list[str]
    """The tools that it calls, once for each call."""
    done: Counter[Deed]


class Planned(NamedTuple):
    """What happens to the run of a seed."""

    kind: Disturbance
    text: str = 'nothing disturbs it'
    at: float = 0
    """When: the turn of the loop, the second, the event, the request, the call or the record."""
    after: bool = False
    """Whether a process dies after the record, not before it."""
    fault: Any = None
    tool: str = ''

    @classmethod
    def draw(cls, rng: random.Random, kinds: Sequence[Disturbance], way: Way, usual: Undisturbed) -> Planned:
        """Draw what happens; what cannot happen to such a run is left out."""
        possible: list[Disturbance] = [
            kind
            for kind in kinds
            if not (kind == 'leave' and way == 'run')
            and not (kind == 'cut' and way not in _STREAMS)
            and not (kind == 'tools' and not usual.tools)
        ]
        kind: Disturbance = rng.choice(possible or ['none'])
        if kind == 'cancel':
            return cls(kind, 'it is cancelled', rng.randint(1, usual.turns))
        if kind == 'timeout':
            return cls(kind, 'a time limit ends it', rng.uniform(0, usual.seconds))
        if kind == 'leave':
            return cls(kind, 'its reader leaves', rng.randint(1, usual.events))
        if kind == 'cut':
            return cls(kind, 'its stream breaks off', rng.randint(0, usual.events))
        if kind == 'model':
            number, (text, fault) = rng.randint(1, usual.requests), rng.choice([*_MODEL_FAULTS.items()])
            return cls(kind, f'request {number} {text}', number, fault=fault)
        if kind == 'tools':
            call = rng.randrange(len(usual.tools))
            tool, (text, fault) = usual.tools[call], rng.choice([*_TOOL_FAULTS.items()])
            number = usual.tools[: call + 1].count(tool)
            return cls(kind, f'call {number} of {tool!r} {text}', number, fault=fault, tool=tool)
        if kind == 'crash':
            place, after = rng.randrange(usual.records), rng.random() < 0.5
            return cls(kind, f'its process dies {"after" if after else "before"} record {place + 1}', place, after)
        return cls('none')

    def faults(self) -> possible.Faults:
        """Return the capability that makes the fault."""
        before = int(self.at) - 1
        if self.kind == 'model':
            return possible.faults(model=[possible.fine()] * before + [self.fault], seed=before)
        return possible.faults(tools={self.tool: [possible.works()] * before + [self.fault]}, seed=before)


class ReaderLeft(Exception):
    """The reader of a run leaves it."""


class SimulatedStory(Story):
    """A story whose records are kept in memory and written at once, and whose reader may leave."""

    def __init__(self, plot: Plot, scene: CrashScene, planned: Planned) -> None:
        is_crash = planned.kind == 'crash'
        super().__init__(plot, scene, int(planned.at) if is_crash else None, after=planned.after, has_directory=False)
        self.dying.before_death = lambda: None  # what runs in the loop continues by itself
        self.dying.needs_thread = self.heir.needs_thread = False
        self.planned = planned
        self.events = 0
        """How many events or nodes a reader has seen."""

    async def runs(self, journal: Journal[object] | None = None) -> list[RunInfo]:
        """Return all runs, those inside of others, too."""
        return self.dying.inner.find(RunFilter(limit=10_000))

    def _seen(self) -> None:
        self.events += 1
        if self.planned.kind == 'leave' and self.events >= self.planned.at:
            raise ReaderLeft

    async def begin(self, agent: Any, **options: Any) -> Outcome:
        """Run the agent, as a reader who may leave."""
        way, prompt = self.plot.way, self.plot.prompt
        if self.planned.kind in ('model', 'tools'):
            options['capabilities'] = [*options['capabilities'], self.planned.faults()]
        if way == 'run_stream':
            async with agent.run_stream(prompt, **options) as stream:
                async for _ in stream.stream_response(debounce_by=None):
                    self._seen()
                return Outcome(await stream.get_output(), stream.usage, stream.all_messages())
        if way == 'run':
            return await super().begin(agent, **options)
        result: Any = None
        if way == 'iter':
            async with agent.iter(prompt, **options) as run:
                async for _ in run:
                    self._seen()
            result = run.result
        else:
            async with agent.run_stream_events(prompt, **options) as events:
                async for event in events:
                    self._seen()
                    result = getattr(event, 'result', result) if event.event_kind == 'agent_run_result' else result
        return Outcome(result.output, result.usage, result.all_messages())


class Life:
    """One run, from its beginning to its end, in one or several processes."""

    def __init__(self, plot: Plot, scene: CrashScene, planned: Planned) -> None:
        """Begin with nothing.

        Args:
            plot: What is run.
            scene: Where.
            planned: What happens to it.
        """
        self.planned = planned
        self.deps = plot.deps
        self.usual: Undisturbed | None = None
        self.wrong: list[str] = []
        """What does not hold."""
        self.error: BaseException | None = None
        """What the run failed with, in the last process."""
        self.story = SimulatedStory(plot, scene, planned)
        self.loop: Any = None
        """The loop in which it is lived."""
        self._facts: list[tuple[float, RunFact | str]] = []
        self._is_over = False
        self._pieces = 0
        self._is_disturbed = False
        self._first = (0, 0.0)

    # What happens

    async def live(self, loop: Any) -> Outcome | None:
        """Bring the run to its end, and check what must hold."""
        self.loop = loop
        own = asyncio.current_task()
        outcome: Outcome | None = None
        for process in range(MOST_PROCESSES):
            self._is_disturbed = not process and self.planned.kind != 'none'
            if process:
                self.note('another process continues it')
            try:
                outcome, self.error = await self._process(process), None
            except (Exception, asyncio.CancelledError) as error:
                if self._is_over:
                    raise
                self.error = error
                self.note(f'it ends with {type(error).__name__}: {str(error)[:200]}')
            if not process:
                self._first = loop.turns, loop.time()
            await self._settle(own, process)
            if outcome is not None or self.wrong or (self.error is not None and process):
                break
            if self.error is not None and not self._is_disturbed:
                break
        await self._check_end(outcome)
        return outcome

    async def _process(self, process: int) -> Outcome | None:
        story, planned = self.story, self.planned
        if process:
            return await asyncio.create_task(story.process(story.heir))
        if planned.kind == 'timeout':
            return await asyncio.create_task(_limited(planned.at, story.process(story.dying)))
        task = asyncio.create_task(story.process(story.dying))
        if planned.kind == 'cancel':
            self.loop.at_turn(self.loop.turns + int(planned.at), lambda: self._cancel(task))
        return await task

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        self.note('it is cancelled')
        task.cancel()

    async def wait(self) -> None:
        """Wait as long as the seed says."""
        rng = self.loop.rng
        await asyncio.sleep(rng.random() if rng.random() < 0.75 else 0)

    def cuts(self) -> bool:
        """Return whether a stream breaks off at its next piece."""
        self._pieces += 1
        return self._is_disturbed and self.planned.kind == 'cut' and self._pieces > self.planned.at

    # What must hold

    async def _settle(self, own: Any, process: int) -> None:
        """Check that a process leaves nothing behind."""
        is_dead = self.story.dying.is_dead and not process
        left = asyncio.all_tasks() - {own}
        for _ in range(_MOST_TURNS):  # `asyncio.gather` leaves what it has cancelled, which ends by itself
            if not left:
                break
            await asyncio.sleep(0)
            left = asyncio.all_tasks() - {own}
        if left:
            if is_dead:  # what a tool has started; a process that is dead does nothing more
                await asyncio.wait(left)
            else:
                names = sorted(getattr(task.get_coro(), '__qualname__', task.get_name()) for task in left)
                self.wrong.append(f'tasks are left: {", ".join(names)}')
        if not is_dead and (held := [run for run in await self.story.runs() if run.holder is not None]):
            self.wrong.append(f'the lease of run {held[0].agent!r} was not given back')

    async def _check_end(self, outcome: Outcome | None) -> None:
        watch, story, planned = self.story.watch, self.story, self.planned
        self.wrong += [
            f'call {key.key!r} of {watch.deeds[key].tool!r} ran again after it had returned'
            for key in watch.begun_again
            if watch.effects[key] == 'write'
        ]
        if self.usual is not None and planned.kind not in ('model', 'tools'):
            self.wrong += [
                f'{deed.tool}({deed.arguments}) was done {times} times, not {most}'
                for deed, times in watch.done.items()
                if times > (most := self.usual.done[deed]) > 0
            ]
        runs = await story.runs()
        root = next((run for run in runs if run.parent_id is None), None)
        if outcome is None:
            if self.usual is not None and planned.kind not in ('model', 'tools') and not self.wrong:
                self.wrong.append(f'the run does not come to its end: {self.error!r}')
            return
        self.wrong += [
            f'run {run.run_id!r} of {run.agent!r} is left as {run.status}' for run in runs if run.status != 'done'
        ]
        self.wrong += unsound(outcome.messages)
        if root is not None:
            state = await Journal[object](story.heir).state(root.run_id)
            if _data(state.message_history) != _data(outcome.messages):
                self.wrong.append('the history that is recorded is not that of the run')
            if state.usage != outcome.usage:
                self.wrong.append(f'the usage that is recorded is {state.usage}, not {outcome.usage}')
        if outcome.usage.requests_under_way:
            self.wrong.append('a request is reserved, and was never made')

    def as_usual(self, outcome: Outcome) -> Undisturbed:
        """Return how this run went, for those that are disturbed."""
        story, (turns, seconds) = self.story, self._first
        tools = [fact.call.tool_name for _, fact in self._facts if isinstance(fact, CallStarting)]
        return Undisturbed(
            outcome,
            turns,
            seconds,
            story.dying.appended,
            story.watch.requests,
            max(story.events, 1),
            tools,
            story.watch.done,
        )

    # What is told of it

    def note(self, fact: RunFact | str) -> None:
        """Note what happens."""
        if not self._is_over:
            self._facts.append((self.loop.time(), fact))

    def hangs(self) -> None:
        """Note that the run waits, and that nothing will wake it; what happens from here on is not part of it."""
        returned = {id(fact.call) for _, fact in self._facts if isinstance(fact, CallReturned)}
        started = [
            fact.call for _, fact in self._facts if isinstance(fact, CallStarting) and id(fact.call) not in returned
        ]
        calls = ', '.join(f'{call.tool_name}({call.args_as_json_str()})' for call in started)
        self.wrong = [
            f'the run waits for something that never happens; calls that have not returned: {calls or "none"}'
        ]
        self._is_over = True

    def trace(self) -> list[str]:
        """Return what happened, a line each."""
        head = f'{0:8.3f}  the run begins, by `{self.story.plot.way}`; {self.planned.text}'
        lines = [f'{at:8.3f}  {text}' for at, fact in self._facts if (text := _line_of(fact)) is not None]
        return [head, *lines]


async def _limited(seconds: float, work: Any) -> Any:
    return await within(seconds, work)


def _data(messages: list[ModelMessage]) -> bytes:
    return ModelMessagesTypeAdapter.dump_json(messages)


def _line_of(fact: RunFact | str) -> str | None:
    """Return what a fact says, in a line; `None` if it is of no interest."""
    if isinstance(fact, str):
        return fact
    if isinstance(fact, RequestReady):
        return f'request {fact.step} is sent'
    if isinstance(fact, ResponseTaken) and fact.messages and isinstance(last := fact.messages[-1], ModelResponse):
        shown = [
            f'{part.tool_name}({part.args_as_json_str()})' if isinstance(part, ToolCallPart) else part.part_kind
            for part in last.parts
        ]
        return f'the response: {", ".join(shown) or "empty"}'
    if isinstance(fact, CallStarting):
        return f'{fact.call.tool_name}({fact.call.args_as_json_str()}) starts'
    if isinstance(fact, CallReturned):
        return f'{fact.call.tool_name}({fact.call.args_as_json_str()}) returns {short_repr(fact.result)}'
    if isinstance(fact, CallAnswered) and isinstance(fact.answer, RetryPromptPart):
        return f'{fact.call.tool_name} is to be called again'
    if isinstance(fact, RunEnded):
        return f'the run is {fact.how}'
    return 'an agent begins' if isinstance(fact, RunBegan) else None


def unsound(messages: list[ModelMessage]) -> list[str]:
    """Return what is wrong with a history: calls and their answers belong together, and each call has one answer."""
    wrong: list[str] = []
    open_calls: Counter[str] = Counter()
    for number, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            wrong += [f'message {number}: call {call_id!r} before it has no answer' for call_id in open_calls]
            open_calls = Counter(call.tool_call_id for call in message.tool_calls)
            continue
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, ToolReturnPart) or (isinstance(part, RetryPromptPart) and part.tool_name is not None):
                if not open_calls[part.tool_call_id]:
                    wrong.append(
                        f'message {number}: an answer of {part.tool_name!r} is there twice, or without its call'
                    )
                open_calls[part.tool_call_id] -= 1
                open_calls += Counter()  # what is zero goes
    return wrong


class Disturber(AbstractCapability[Any]):
    """Makes the requests and calls of all agents take as long as the simulation says, in whose context they run."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position='innermost')

    def get_wrapper_model(self, model: Any) -> Any:
        life = CURRENT.get()
        return None if life is None else _SimulatedModel(model, life)

    async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
        if (life := CURRENT.get()) is not None:
            life.note(fact)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        if (life := CURRENT.get()) is None:
            return await handler(args)
        await life.wait()
        result = await handler(args)
        await life.wait()
        return result


class _SimulatedModel(WrapperModel):
    """A model whose responses take as long as the simulation says."""

    def __init__(self, wrapped: Model, life: Life) -> None:
        super().__init__(wrapped)
        self._life = life

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        await self._life.wait()
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        await self._life.wait()
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        await self._life.wait()
        async with self.wrapped.request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            read_through(stream, self._slowly)
            yield stream

    async def _slowly(self, events: AsyncIterator[ModelResponseStreamEvent]) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in events:
            if self._life.cuts():
                self._life.note('the stream breaks off')
                raise ModelConnectionError(self.model_name, 'The stream broke off (a fault of the simulation).')
            if self._life.loop.rng.random() < 0.2:
                await self._life.wait()
            yield event


CURRENT: ContextVar[Life | None] = ContextVar('stead_simulated_life', default=None)
"""The run that is under way in a simulation."""
