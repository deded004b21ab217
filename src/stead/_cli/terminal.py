"""A conversation with an agent in the terminal."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import threading
from collections.abc import AsyncIterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic_core import to_json

from .._contracts.run_context import RunContext
from .._loop.capture import capture_run_messages
from ..agent.abstract import AbstractAgent
from ..capabilities import ProcessEventStream
from ..messages import (
    FunctionToolCallEvent,
    ModelMessage,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)

HELP = """\
/exit  leave; so do Ctrl+D and Ctrl+C
/new   forget the conversation and begin another
/help  show this
A line that ends with a backslash goes on in the next one. Ctrl+C stops an answer."""

_COMMAND = re.compile(r'/[a-z]+')


class Chat:
    """A conversation: prompts are read from the standard input, answers are written as they come in."""

    def __init__(
        self,
        agent: AbstractAgent[Any, Any],
        *,
        name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        **options: Any,
    ) -> None:
        """Begin a conversation.

        Args:
            agent: Who answers.
            name: What stands before the prompt.
            message_history: The conversation so far.
            options: Options of every run, such as `deps`, `model` and `usage_limits`.
        """
        self.agent = agent
        self.name = name
        self.messages = list(message_history or ())
        self.options = options
        self.said = ''
        """Text of the last response as far as it was written."""

    async def loop(self) -> None:
        """Read prompts and answer them until there are no more, or the user leaves."""
        if sys.stdin.isatty():
            print('/help lists what you can do besides asking.', file=sys.stderr)
        async with self.agent:
            while (prompt := self.read()) is not None:
                command = prompt.strip()
                if command == '/exit':
                    return
                if _COMMAND.fullmatch(command):
                    self.obey(command)
                elif command:
                    await self.answer(prompt)

    def read(self) -> str | None:
        """Return what the user writes; `None` at its end.

        The event loop waits meanwhile: a thread that reads would leave the terminal without echo when the program
        is left.
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

    def obey(self, command: str) -> None:
        """Do what a command says."""
        if command == '/new':
            self.messages = []
            print('The conversation is forgotten.', file=sys.stderr)
        elif command == '/help':
            print(HELP, file=sys.stderr)
        else:
            print(f'There is no command {command}. /help lists those there are.', file=sys.stderr)

    async def answer(self, prompt: str) -> bool:
        """Write the answer to a prompt, and keep both in the conversation; returns whether there was one.

        An answer that the user stops is kept as far as it went. If the run fails, the conversation stays as it was.
        """
        running = asyncio.ensure_future(self._run(prompt))
        loop, stopped = asyncio.get_running_loop(), False

        def stop(*_: Any) -> None:
            nonlocal stopped
            stopped = True
            loop.call_soon_threadsafe(running.cancel)

        try:
            with _on_interrupt(stop):
                await running
        except asyncio.CancelledError:
            if not stopped:
                raise
            print('\n(stopped)', file=sys.stderr)
            return False
        except Exception as error:
            if self.said:
                print()
            print(f'{type(error).__name__}: {error}', file=sys.stderr)
            return False
        return True

    async def _run(self, prompt: str) -> None:
        self.said = ''
        capabilities = [*(self.options.get('capabilities') or ()), ProcessEventStream[Any](self.show)]
        options: Any = {**self.options, 'capabilities': capabilities, 'infer_name': False}
        with capture_run_messages() as messages:
            try:
                result = await self.agent.run(prompt, message_history=self.messages, **options)
            except asyncio.CancelledError:
                self.messages = messages
                raise
        self.messages = result.all_messages()
        if result.output == self.said:
            print()
            return
        if self.said:
            print()
        print(result.output if isinstance(result.output, str) else _as_json(result.output))

    async def show(self, ctx: RunContext[Any], events: AsyncIterable[Any]) -> None:
        """Write text as it comes in, and a line for each tool that is called."""
        async for event in events:
            text = ''
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                if event.index == 0 and self.said:  # what came before was no answer yet
                    self.said = ''
                    print()
                text = event.part.content
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                text = event.delta.content_delta
            elif isinstance(event, FunctionToolCallEvent):
                if self.said:
                    print()
                self.said = ''
                print(f'[{event.part.tool_name} {event.part.args_as_json_str()[:200]}]', file=sys.stderr)
            if text:
                self.said += text
                print(text, end='', flush=True)


def _as_json(output: Any) -> str:
    return to_json(output, indent=2, fallback=repr).decode()


@contextmanager
def _on_interrupt(handler: Any) -> Iterator[None]:
    """Have Ctrl+C call a handler inside the block; outside of the main thread it stays as it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
