"""A conversation with an agent in the terminal."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

from .._contracts.run_context import RunContext
from .._kit.short import printable
from .._kit.shown_arguments import marked, shown_arguments
from .._show.costs import cost_of
from .._show.nodes import counted, one_line
from .._show.results import messages_tree
from .._show.trees import print_tree
from ..agent import Agent, capture_run_messages
from ..agent.abstract import AbstractAgent
from ..capabilities import ProcessEventStream, TerminalApprovals
from ..capabilities.terminal_approvals import read_line
from ..exceptions import UserError
from ..messages import (
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
)
from ..models import infer_model
from ..run import AgentRunResult
from ..tools import DeferredToolRequests, DeferredToolResults
from ..usage import RunUsage
from .answers import AnswerView, answer_view
from .reader import make_reader, on_interrupt

COMMANDS = {
    '/exit': 'exit; so do Ctrl+D and Ctrl+C',
    '/new': 'start a new conversation',
    '/show': 'show the conversation, with what the tools returned and what the model thought',
    '/model': 'continue with another model: /model openai:gpt-5; alone: say which one answers',
    '/tools': 'list the tools of the agent',
    '/usage': 'say what the conversation used and cost',
    '/save': 'write the conversation to a file: /save talk.json',
    '/load': 'continue with the conversation in a file',
    '/help': 'show this',
}
"""What each command does."""
HELP = (
    '\n'.join(f'{name:<8}{text}' for name, text in COMMANDS.items())
    + '\nA line that ends with a backslash continues in the next one. Ctrl+C stops an answer.'
)

_COMMAND = re.compile(r'(/[a-z]+)(?: +([^\n]*))?')
_WITH_ARGUMENT = {'/model', '/save', '/load'}


class Chat:
    """A conversation: prompts are read from the standard input, answers are written as they arrive."""

    def __init__(
        self,
        agent: AbstractAgent[Any, Any],
        *,
        name: str = 'stead',
        message_history: Sequence[ModelMessage] | None = None,
        streamed: bool = True,
        code_theme: str = 'dark',
        **options: Any,
    ) -> None:
        """Start a conversation.

        Args:
            agent: The agent that answers.
            name: The name to show before the prompt.
            message_history: The conversation so far.
            streamed: Whether answers are written as they arrive.
            code_theme: The colours of code, in a terminal.
            options: Options for every run, such as `deps`, `model` and `usage_limits`.
        """
        self.agent = agent
        self.name = name
        self.messages = list(message_history or ())
        self.file: Path | None = None
        """Where the conversation is kept after each answer."""
        self.usage = RunUsage()
        self.streamed = streamed
        self.options = options
        self.approvals = TerminalApprovals[Any](ask=self.ask)
        self.view: AnswerView = answer_view(code_theme)
        self._stop: Callable[[], None] = lambda: None

    async def loop(self) -> None:
        """Read prompts and answer them until there are no more, or the user exits."""
        if sys.stdin.isatty():
            print('/help lists the commands.', file=sys.stderr)
        reader = make_reader([*COMMANDS])
        async with self.agent:
            while (prompt := await reader.read(self.name)) is not None:
                command = _COMMAND.fullmatch(prompt.strip())
                if command is not None and (command[2] is None or command[1] in _WITH_ARGUMENT):
                    if command[1] == '/exit':
                        return
                    await self.execute(command[1], (command[2] or '').strip())
                elif prompt.strip():
                    await self.answer(prompt)

    def ask(self, question: str) -> str | None:
        """Ask in the middle of a run and return the line that was entered; `None` if it is stopped, or without a terminal."""
        try:
            with self.view.asking(), on_interrupt(signal.default_int_handler):
                return read_line(question)
        except KeyboardInterrupt:
            self._stop()
            return None

    async def execute(self, command: str, argument: str = '') -> None:
        """Execute a command; what is wrong with it is said."""
        known: dict[str, Callable[[str], str]] = {
            '/new': self._new,
            '/show': self._show,
            '/model': self._model,
            '/tools': self._tools,
            '/usage': self._usage,
            '/save': self._save,
            '/load': self._load,
            '/help': lambda argument: HELP,
        }
        if command not in known:
            text = f'There is no command {command}. /help lists the commands.'
        else:
            try:
                text = known[command](argument)
            except (UserError, ValueError, ImportError, OSError) as error:
                text = f'{command}: {error}'
        if text:
            print(printable(text), file=sys.stderr)

    def _new(self, argument: str) -> str:
        self.messages, self.usage = [], RunUsage()
        return 'The conversation is forgotten.'

    def _show(self, argument: str) -> str:
        print_tree(messages_tree(self.messages))
        return ''

    def _model(self, argument: str) -> str:
        if argument:
            self.options['model'] = infer_model(argument)
        model = self.options.get('model') or self.agent.model
        name = model if isinstance(model, str) else getattr(model, 'model_id', None)
        return f'The model is {name or "not set: /model NAME sets it"}.'

    def _tools(self, argument: str) -> str:
        if not isinstance(self.agent, Agent):
            return f'The tools of a {type(self.agent).__name__} cannot be listed.'
        agent = cast('Agent[Any, Any]', self.agent)
        report = agent.explain(deps=self.options.get('deps'), model=self.options.get('model'))
        tools = report.parameters.function_tools if report.parameters is not None else []
        lines = [f'{one_line(tool.name, 40):<20} {one_line(tool.description or "", 100)}'.rstrip() for tool in tools]
        return '\n'.join(lines) or 'The agent has no tools.'

    def _usage(self, argument: str) -> str:
        usage, tokens = self.usage, f'{self.usage.input_tokens:,} + {counted(self.usage.output_tokens, "token")}'
        used = f'{counted(usage.requests, "request")}, {counted(usage.tool_calls, "tool call")}, {tokens}'
        try:
            return f'{used}, {cost_of(self.messages)}'
        except (ImportError, LookupError):  # no prices, or none of this model
            return used

    def _save(self, argument: str) -> str:
        if not argument:
            return '/save needs a file: /save talk.json'
        Path(argument).write_bytes(ModelMessagesTypeAdapter.dump_json(self.messages, indent=2))
        return f'{counted(len(self.messages), "message")} written to {argument}.'

    def _load(self, argument: str) -> str:
        if not argument:
            return '/load needs a file: /load talk.json'
        self.messages = ModelMessagesTypeAdapter.validate_json(Path(argument).read_bytes())
        self.usage = RunUsage()
        return f'{counted(len(self.messages), "message")} read from {argument}.'

    def resume(self, file: Path) -> None:
        """Continue the conversation in a file, if there is one yet, and keep it there.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is not a conversation.
        """
        if file.exists():
            print(printable(self._load(str(file))), file=sys.stderr)
        self.file = file

    def _keep(self) -> None:
        if self.file is None:
            return
        try:
            self.file.touch(mode=0o600)
            self._save(str(self.file))
        except OSError as error:
            print(printable(f'The conversation is not kept: {error}'), file=sys.stderr)

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
            with on_interrupt(stop):
                await running
        except asyncio.CancelledError:
            if not stopped:
                raise
            self.view.end(is_complete=False)
            print('(stopped)', file=sys.stderr)
            return False
        except Exception as error:
            self.view.end(is_complete=False)
            notes = getattr(error, '__notes__', ())
            print(printable('\n'.join([f'{type(error).__name__}: {error}', *notes])), file=sys.stderr)
            return False
        return True

    async def _run(self, prompt: str) -> None:
        self.view.begin()
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
                self.view.end(is_complete=False)
                names = ', '.join(call.tool_name for call in (*result.output.calls, *result.output.approvals))
                print(printable(f'(no answer for {names}; the conversation is as it was before)'), file=sys.stderr)
                return
            calls = {call.tool_call_id: answer for call, answer in zip(result.output.calls, answers)}
            result = await self._record(None, deferred_tool_results=DeferredToolResults(calls=calls), **options)
        self.view.end(result.output)

    async def _record(self, prompt: str | None, **options: Any) -> AgentRunResult[Any]:
        """Run the agent and keep the messages, also those of a run that is stopped."""
        with capture_run_messages() as messages:
            try:
                result = await self.agent.run(prompt, message_history=self.messages, **options)
            except asyncio.CancelledError:
                self.messages = messages
                self._keep()
                raise
        self.messages = result.all_messages()
        self._keep()
        self.usage.incr(result.usage)
        return result

    def _entered(self, call: ToolCallPart) -> str | None:
        """Return the result that the user enters for a call whose result comes from elsewhere; `None` for none."""
        return self.ask(f'{marked(call.tool_name)} {shown_arguments(call)}\nIts result: ')

    async def show(self, ctx: RunContext[Any], events: AsyncIterable[object]) -> None:
        """Show the answer as it arrives: text, thinking, tool calls."""
        view, has_text = self.view, False
        async for event in events:
            if isinstance(event, PartStartEvent):
                if isinstance(event.part, TextPart):
                    view.text(event.part.content, begins=event.index == 0 and has_text)
                    has_text = True
                elif isinstance(event.part, ThinkingPart):
                    view.thinking()
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                view.text(event.delta.content_delta, begins=False)
            elif isinstance(event, FunctionToolCallEvent):
                view.call(event.part)
            elif isinstance(event, FunctionToolResultEvent):
                view.answered(event.part)
