"""A conversation with an agent in the terminal."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import threading
from collections.abc import AsyncIterable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic_core import to_json

from .._contracts.run_context import RunContext
from .._kit.printable import printable
from .._loop.capture import capture_run_messages
from ..agent.abstract import AbstractAgent
from ..capabilities import ProcessEventStream, TerminalApprovals
from ..capabilities.terminal_approvals import read_line
from ..messages import (
    FunctionToolCallEvent,
    ModelMessage,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from ..run import AgentRunResult
from ..tools import DeferredToolRequests, DeferredToolResults

HELP = """\
/exit  exit; so do Ctrl+D and Ctrl+C
/new   start a new conversation
/help  show this
A line that ends with a backslash goes on in the next one. Ctrl+C stops an answer."""

_COMMAND = re.compile(r'/[a-z]+')


class Chat:
    """A conversation: prompts are read from the standard input, answers are written as they arrive."""

    def __init__(
        self,
        agent: AbstractAgent[Any, Any],
        *,
        name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        streamed: bool = True,
        **options: Any,
    ) -> None:
        """Start a conversation.

        Args:
            agent: The agent that answers.
            name: The name to show before the prompt.
            message_history: The conversation so far.
            streamed: Whether answers are written as they arrive.
            options: Options for every run, such as `deps`, `model` and `usage_limits`.
        """
        self.agent = agent
        self.name = name
        self.messages = list(message_history or ())
        self.streamed = streamed
        self.options = options
        self.approvals = TerminalApprovals[Any](ask=self.ask)
        self._stop: Callable[[], None] = lambda: None
        self.written = ''
        """The text of the last response that has been written so far."""

    async def loop(self) -> None:
        """Read prompts and answer them until there are no more, or the user exits."""
        if sys.stdin.isatty():
            print('/help lists the commands.', file=sys.stderr)
        async with self.agent:
            while (prompt := self.read()) is not None:
                command = prompt.strip()
                if command == '/exit':
                    return
                if _COMMAND.fullmatch(command):
                    self.execute(command)
                elif command:
                    await self.answer(prompt)

    def read(self) -> str | None:
        """Return what the user writes; `None` at its end.

        This blocks the event loop: a thread that reads would leave the terminal without echo when the program exits.
        """
        prompt = f'{self.name} > ' if sys.stdin.isatty() else ''
        lines: list[str] = []
        try:
            with _on_interrupt(signal.default_int_handler):
                while True:
                    lines.append(input(prompt if not lines else '... '[: len(prompt)]))
                    if not lines[-1].endswith('\\'):
                        return '\n'.join(lines)
                    lines[-1] = lines[-1][:-1]
        except (EOFError, KeyboardInterrupt):
            if prompt:
                print()
            return '\n'.join(lines) or None

    def ask(self, question: str) -> str | None:
        """Ask in the middle of a run and return the line that was entered; `None` if it is stopped, or without a terminal."""
        if self.written and sys.stdin.isatty():
            print()
            self.written = ''
        try:
            with _on_interrupt(signal.default_int_handler):
                return read_line(question)
        except KeyboardInterrupt:
            self._stop()
            return None

    def execute(self, command: str) -> None:
        """Execute a command."""
        if command == '/new':
            self.messages = []
            print('The conversation is forgotten.', file=sys.stderr)
        elif command == '/help':
            print(HELP, file=sys.stderr)
        else:
            print(f'There is no command {command}. /help lists the commands.', file=sys.stderr)

    async def talk(self, prompt: str | None) -> int:
        """Answer a prompt, or without one those that are read, and return the exit code of the program."""
        if prompt is None:
            await self.loop()
            return 0
        async with self.agent:
            return 0 if await self.answer(prompt) else 1

    async def answer(self, prompt: str) -> bool:
        """Write the answer to a prompt, add both to the conversation, and return whether there was an answer.

        The part of an answer before the user stops it is kept. If the run fails, the conversation does not change.
        """
        running = asyncio.ensure_future(self._run(prompt))
        loop, stopped = asyncio.get_running_loop(), False

        def stop(*_: object) -> None:
            nonlocal stopped
            stopped = True
            loop.call_soon_threadsafe(running.cancel)

        self._stop = stop
        try:
            with _on_interrupt(stop):
                await running
        except asyncio.CancelledError:
            if not stopped:
                raise
            print('\n(stopped)', file=sys.stderr)
            return False
        except Exception as error:
            if self.written:
                print()
            print(printable(f'{type(error).__name__}: {error}'), file=sys.stderr)
            return False
        return True

    async def _run(self, prompt: str) -> None:
        self.written = ''
        capabilities = [*(self.options.get('capabilities') or ()), self.approvals]
        if self.streamed:
            capabilities.append(ProcessEventStream[Any](self.show))
        options: Any = {**self.options, 'capabilities': capabilities, 'infer_name': False}
        before = self.messages
        result = await self._record(prompt, **options)
        while isinstance(result.output, DeferredToolRequests):
            answers = [self._entered(call) for call in result.output.calls]
            if not answers or None in answers:  # the call stays open, and prompts cannot follow it
                self.messages = before
                names = ', '.join(call.tool_name for call in (*result.output.calls, *result.output.approvals))
                print(printable(f'(no answer for {names}; the conversation is as it was before)'), file=sys.stderr)
                return
            calls = {call.tool_call_id: answer for call, answer in zip(result.output.calls, answers)}
            result = await self._record(None, deferred_tool_results=DeferredToolResults(calls=calls), **options)
        if result.output == self.written and self.written:
            print()
            return
        if self.written:
            print()
        print(printable(result.output if isinstance(result.output, str) else _as_json(result.output)))

    async def _record(self, prompt: str | None, **options: Any) -> AgentRunResult[Any]:
        """Run the agent and keep the messages, also those of a run that is stopped."""
        with capture_run_messages() as messages:
            try:
                result = await self.agent.run(prompt, message_history=self.messages, **options)
            except asyncio.CancelledError:
                self.messages = messages
                raise
        self.messages = result.all_messages()
        return result

    def _entered(self, call: ToolCallPart) -> str | None:
        """Return the result that the user enters for a call whose result comes from elsewhere; `None` for none."""
        return self.ask(printable(f'{call.tool_name} {call.args_as_json_str()}') + '\nIts result: ')

    async def show(self, ctx: RunContext[Any], events: AsyncIterable[object]) -> None:
        """Write text as it arrives, and a line for each tool call."""
        async for event in events:
            text = ''
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                if event.index == 0 and self.written:  # the text before was not the final answer
                    self.written = ''
                    print()
                text = event.part.content
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                text = event.delta.content_delta
            elif isinstance(event, FunctionToolCallEvent):
                if self.written:
                    print()
                self.written = ''
                print(printable(f'[{event.part.tool_name} {event.part.args_as_json_str()[:200]}]'), file=sys.stderr)
            if text:
                self.written += text
                print(printable(text), end='', flush=True)


def _as_json(output: object) -> str:
    return to_json(output, indent=2, fallback=repr).decode()


@contextmanager
def _on_interrupt(handler: Callable[..., object]) -> Iterator[None]:
    """Let Ctrl+C call a handler inside the block; only the main thread can change this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
