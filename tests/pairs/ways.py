"""Features that are a way to run an agent: each holds a session with a program, and says what came back."""

from __future__ import annotations

import asyncio
import io
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stead import DeferredToolRequests
from stead.durable_exec.temporal import TemporalAgent
from stead.messages import FunctionToolCallEvent, FunctionToolResultEvent, PartDeltaEvent, TextPartDelta
from stead.run import AgentRunResultEvent

from .parts import Feature
from .program import Program, answer_to

SIMPLE = 'look_up'


class Way(Feature):
    """A way to run the agent of a program."""

    kind = 'way'

    def add(self, program: Program) -> None:
        """Add nothing."""

    async def drive(self, program: Program, order: int) -> None:
        """Hold a session about an order, and note the answers."""
        for prompt in program.sessions(order)[len(program.answers(order)) :]:
            talk: dict[str, Any] = {'conversation_id': f'talk-{order}'} if program.conversations else {}
            await self.finish(program, order, *await self.ask(program, prompt, **talk))

    async def finish(self, program: Program, order: int, output: Any, history: Any) -> None:
        """Decide what waits until there is an answer, and note that."""
        while isinstance(output, DeferredToolRequests):
            results = program.decide(await self.wanted(program, output), order)
            output, history = await self.answer(program, history, results)
        program.answered(order, output)

    async def ask(self, program: Program, prompt: str, **options: Any) -> tuple[Any, Any]:
        """Run the agent, and return its output and its messages."""
        result = await program.agent.run(prompt, **program.run_options, **options)
        return result.output, result.all_messages()

    async def wanted(self, program: Program, output: DeferredToolRequests) -> DeferredToolRequests:
        """Return the calls to decide about: of the runs inside, if there are such."""
        if not program.journal:
            return output
        (waiting,) = await program.journal.waiting()
        return waiting.requests

    async def answer(self, program: Program, history: Any, results: Any) -> tuple[Any, Any]:
        """Continue a run that waits."""
        if program.journal:
            return await self.resume(program, await decided(program, results))
        result = await program.agent.run(message_history=history, deferred_tool_results=results, **program.run_options)
        return result.output, result.all_messages()

    async def resume(self, program: Program, run_id: str) -> tuple[Any, Any]:
        """Continue a run that is recorded."""
        assert program.journal is not None
        result = await program.journal.resume(program.agent, run_id, **without_limits(program))
        return result.output, result.all_messages()

    async def look(self, program: Program, order: int) -> None:
        """See that each prompt was answered, and the order looked up once for each."""
        if program.noted('answer', order, answer={'order': order, 'item': 'lamp'}):
            return
        assert program.answers(order) == [answer_to(order)] * program.prompts
        assert program.ran(SIMPLE, order) == program.prompts


async def decided(program: Program, results: Any) -> str:
    """Record decisions about the run that waits, and return the run to resume."""
    assert program.journal is not None
    (waiting,) = await program.journal.waiting()
    await program.journal.answer(waiting.run.run_id, results)
    return waiting.path[0].run_id if waiting.path else waiting.run.run_id


def without_limits(program: Program) -> dict[str, Any]:
    """Return the options of a run that is resumed: it has its limits."""
    return {name: value for name, value in program.run_options.items() if name != 'usage_limits'}


class Plain(Way):
    """`agent.run`, which each program can do."""

    title, page = 'run', 'agents.md'


class Streaming(Way):
    """Streaming: events, and text in pieces."""

    title, page = 'streaming', 'streaming.md'

    async def ask(self, program: Program, prompt: str, **options: Any) -> tuple[Any, Any]:
        """Read the events of a run."""
        return await self._read(program, program.agent.run_stream_events(prompt, **program.run_options, **options))

    async def answer(self, program: Program, history: Any, results: Any) -> tuple[Any, Any]:
        """Read the events of a run that goes on."""
        if program.journal:
            return await self.resume(program, await decided(program, results))
        options = {'message_history': history, 'deferred_tool_results': results, **program.run_options}
        return await self._read(program, program.agent.run_stream_events(**options))

    async def resume(self, program: Program, run_id: str) -> tuple[Any, Any]:
        """Read the events of a run that is recorded."""
        assert program.journal is not None
        options = without_limits(program)
        return await self._read(program, program.journal.resume_stream_events(program.agent, run_id, **options))

    async def _read(self, program: Program, stream: Any) -> tuple[Any, Any]:
        calls, returned, text, last = list[str](), list[str](), list[str](), None
        async with stream as events:
            async for event in events:
                last = event
                if isinstance(event, FunctionToolCallEvent):
                    calls.append(event.part.tool_name)
                elif isinstance(event, FunctionToolResultEvent):
                    returned.append(event.part.tool_name or '')
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    text.append(event.delta.content_delta)
        assert isinstance(last, AgentRunResultEvent), 'the result is the last event'
        output = last.result.output
        if not isinstance(output, DeferredToolRequests):
            assert calls[-1:] == returned[-1:], 'each call has its result'
            assert not calls or calls[-1] == program.calls[-1][0]
            if isinstance(output, str):
                assert len(text) > 1 and output.endswith(''.join(text)), 'the text came in pieces'
        return output, last.result.all_messages()


class Synchronous(Way):
    """`run_sync`: called in a thread of its own."""

    title, page = '`run_sync`', 'agents.md'

    async def ask(self, program: Program, prompt: str, **options: Any) -> tuple[Any, Any]:
        """Run the agent from code that is not async."""
        result = await asyncio.to_thread(program.agent.run_sync, prompt, **program.run_options, **options)
        return result.output, result.all_messages()

    async def answer(self, program: Program, history: Any, results: Any) -> tuple[Any, Any]:
        """Continue from code that is not async."""
        if program.journal:
            return await super().answer(program, history, results)
        result = await asyncio.to_thread(
            program.agent.run_sync, message_history=history, deferred_tool_results=results, **program.run_options
        )
        return result.output, result.all_messages()


class Terminal(io.StringIO):
    """Lines that a person types in a terminal."""

    def __init__(self, lines: list[str], decided: Callable[[], None]) -> None:
        super().__init__(''.join(f'{line}\n' for line in lines))
        self.decided = decided

    def readline(self, size: int | None = -1, /) -> str:
        line = super().readline(-1)
        if line == 'y\n':
            self.decided()
        return line

    def isatty(self) -> bool:
        return True


class CommandLine(Way):
    """CLI: a conversation in the terminal, as with `stead chat`."""

    title, page = 'CLI', 'cli.md'

    async def drive(self, program: Program, order: int) -> None:
        """Type the prompts, and yes to each question."""
        lines: list[str] = []
        for prompt in program.sessions(order):
            lines += [prompt, *(['y'] if 'pay' in [name for name, _ in program.calls] else [])]
        typed, shown = Terminal(lines, lambda: program.note('decided', order)), io.StringIO()
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = typed, shown, io.StringIO()
        try:
            await program.agent.to_cli(**program.run_options)
        finally:
            errors = sys.stderr
            sys.stdin, sys.stdout, sys.stderr = before
        answers = re.findall(r'Order \d+ was a lamp\.|\{\s*"order"[^}]*"item"[^}]*\}', shown.getvalue(), re.DOTALL)
        assert answers, shown.getvalue() + errors.getvalue()
        for answer in answers:
            program.answered(order, answer)


class SecondProcess(Feature):
    """A second process: the first one ends before the last answer, and this one continues from the journal."""

    title, page, kind = 'second process', 'journal.md#going-on', 'process'

    def add(self, program: Program) -> None:
        """Record runs, and let the process end."""
        program.has_journal = program.dies = True

    async def look(self, program: Program, order: int) -> None:
        """See that one process began the run, that another one ended it, and that nothing was done twice."""
        assert program.noted('killed', order) or program.noted('decided', order)
        (begun, *_), (*_, ended) = program.noted('request', order), program.noted('answer', order)
        assert begun['pid'] != ended['pid']
        for tool in {line['tool'] for line in program.noted('ran', order)}:
            assert program.ran(tool, order) == program.prompts, f'{tool} ran as often as it was called'


class Temporal(Feature):
    """Temporal: in a workflow, requests and calls are activities; elsewhere the agent runs as others do."""

    title, page, kind = 'Temporal', 'durable-execution.md', 'engine'

    def add(self, program: Program) -> None:
        """Wrap the agent."""
        program.wrap = lambda agent: TemporalAgent(agent, models=program.models)

    async def look(self, program: Program, order: int) -> None:
        """See that it is an agent of Temporal's that has run."""
        assert isinstance(program.agent, TemporalAgent)


def build(folder: Path, features: Sequence[Feature], **options: Any) -> Program:
    """Build a program with features.

    Raises:
        UserError: They cannot be combined.
    """
    program = Program(folder)
    for feature in features:
        feature.add(program)
    for name, value in options.items():
        setattr(program, name, value)
    program.build()
    return program
