"""A small program that features are added to, and a ledger of what happens when it is run, in whatever process."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from stead import Agent, DeferredToolRequests, FunctionToolset
from stead.capabilities import Journal
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.testing import cassette
from stead.tools import DeferredToolResults

PROMPT = re.compile(r'(And now, where|Where) is order \d+\?')
"""What those write who ask; notes about what was folded are sent as prompts, too."""


class Killed(BaseException):
    """Stands for the end of a process: nothing of the program runs after it."""


class Report(BaseModel):
    """What is reported about an order."""

    order: int
    item: str


@dataclass
class Program:
    """An agent of a shop, who asks for its order, does what its features add, and answers.

    The number in a prompt says which session it is: what the sessions do is told apart by it in the ledger.
    """

    folder: Path
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=lambda: [('look_up', {})])
    """What the model calls, one a step; `order` is added to the arguments."""
    tools: FunctionToolset[Any] = field(default_factory=lambda: FunctionToolset(id='shop'))
    toolsets: list[Any] = field(default_factory=lambda: [])
    capabilities: list[Any] = field(default_factory=lambda: [])
    output: list[Any] = field(default_factory=lambda: [str])
    agent_options: dict[str, Any] = field(default_factory=lambda: {})
    run_options: dict[str, Any] = field(default_factory=lambda: {})
    journal: Journal[Any] | None = None
    journal_options: dict[str, Any] = field(default_factory=lambda: {})
    has_journal: bool = False
    prompts: int = 1
    """How many prompts a session has: they are of one conversation."""
    conversations: bool = False
    dies: bool = False
    """Whether the process of the program ends before the last answer."""
    inner_calls: list[str] | None = None
    """What the model of the expert calls, if there is one."""
    inner_tools: list[Any] = field(default_factory=lambda: [])
    more_requests: int = 0
    """How many requests there may be in addition to those for calls and answers, for each prompt."""
    has_pages: bool = False
    """Whether the model reads pages until it has to fetch back what it knew."""
    models: dict[str, Any] = field(default_factory=lambda: {})
    """Models in addition to that of the agent, as engines know them."""
    cassette: Path | None = None
    """Where it is recorded what the model answers."""
    responses: Path | None = None
    """Where it is kept what the model answers."""
    finish: list[Callable[[], None]] = field(default_factory=lambda: [])
    """What is added to the program when all features are there."""
    name: str = 'shop'
    wrap: Callable[[Any], Any] = lambda agent: agent
    """What makes the agent that is run of the one that is built."""
    wrap_model: Callable[[Any], Any] = lambda model: model
    """What makes the model of the agent of the one that replies."""
    in_workflow: bool = False
    """Whether it is run in a workflow, whose worker has threads of its own."""
    agent: Any = None

    def __post_init__(self) -> None:
        @self.tools.tool_plain(effect='idempotent')
        def look_up(order: int) -> str:
            """Look an order up."""
            self.note('ran', order, tool='look_up')
            return f'order {order}: a lamp'

    def build(self) -> None:
        """Build the agent."""
        if self.has_journal:
            self.journal = self.open_journal()
            self.capabilities.insert(0, self.journal)
        for add in self.finish:
            add()
        agent = Agent(
            self.wrap_model(self.model(self.reply)),
            name=self.name,
            output_type=self.output if len(self.output) > 1 else self.output[0],
            toolsets=[self.tools, *self.toolsets],
            capabilities=self.capabilities,
            **self.agent_options,
        )
        self.agent = self.wrap(agent)

    def open_journal(self) -> Journal[Any]:
        """Open the journal of the program, once more if need be."""
        return Journal(self.folder / 'runs.db', **self.journal_options)

    def requests(self) -> int:
        """Return how many requests a session may need."""
        inner = 1 + len(self.inner_calls) if self.inner_calls is not None else 0
        return self.prompts * (len(self.calls) + 1 + inner + self.more_requests)

    def recording(self, path: Path | None = None) -> AbstractContextManager[Any]:
        """Return the block in which the agent is run: with `path`, the model answers from there."""
        if path is not None:
            return cassette(path, mode='replay')
        return cassette(self.cassette, mode='auto') if self.cassette else nullcontext()

    # The ledger

    def note(self, kind: str, order: int, **more: Any) -> None:
        """Write a line into the ledger."""
        with (self.folder / 'ledger.jsonl').open('a', encoding='utf-8') as ledger:
            ledger.write(json.dumps({'kind': kind, 'order': order, 'pid': os.getpid(), **more}) + '\n')

    def lines(self) -> list[dict[str, Any]]:
        """Return all lines of the ledger."""
        ledger = self.folder / 'ledger.jsonl'
        return [json.loads(line) for line in ledger.read_text(encoding='utf-8').splitlines()] if ledger.exists() else []

    def noted(self, kind: str, order: int | None = None, **more: Any) -> list[dict[str, Any]]:
        """Return lines of the ledger."""
        wanted = {'kind': kind, **({} if order is None else {'order': order}), **more}
        return [line for line in self.lines() if wanted.items() <= line.items()]

    def answers(self, order: int) -> list[Any]:
        """Return what those saw who asked."""
        return [line['answer'] for line in self.noted('answer', order)]

    def answered(self, order: int, answer: Any) -> None:
        """Note what those see who asked: an output, its JSON or a text."""
        if isinstance(answer, BaseModel):
            answer = answer.model_dump()
        elif isinstance(answer, str) and answer.strip().startswith('{'):
            answer = json.loads(answer)
        self.note('answer', order, answer=answer.strip() if isinstance(answer, str) else answer)

    def ran(self, tool: str, order: int) -> int:
        """Return how often a tool ran."""
        return len(self.noted('ran', order, tool=tool))

    # The model

    def model(self, reply: Callable[[Sequence[ModelMessage], AgentInfo], ModelResponse]) -> FunctionModel:
        """Return a model that replies so, in one piece or in many."""

        async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            for number, part in enumerate(reply(messages, info).parts):
                if isinstance(part, ToolCallPart):
                    yield {
                        number: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)
                    }
                elif isinstance(part, TextPart):
                    for word in part.content.split(' '):
                        yield f'{word} '

        return FunctionModel(lambda messages, info: reply(messages, info), stream_function=stream)

    def reply(self, messages: Sequence[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Call one tool after the other, and answer."""
        prompts = [
            (place, text)
            for place, message in enumerate(messages)
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, UserPromptPart) and PROMPT.fullmatch(text := _plain(part.content))
        ]
        place, prompt = prompts[-1]
        order = number_in(prompt)
        turn = len(prompts)
        session = f'-{order}-{turn}'
        ids = [
            part.tool_call_id
            for message in messages[place:]
            for part in message.parts
            if isinstance(part, ToolCallPart) and part.tool_call_id.endswith(session)
        ]
        step = int(ids[-1].split('-')[1]) + 1 if ids else 0
        names = sorted(tool.name for tool in info.function_tools if not tool.defer_loading)
        texts = [text for _, text in prompts]
        self.note('request', order, step=step, turn=turn, tools=names, prompts=texts, sent=len(messages))
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart) and part.tool_name == 'recall':
                self.note('recalled', order, text=str(part.content))
        if step < len(self.calls):
            name, args = self.calls[step]
            args = {
                key: value.format(session=session) if isinstance(value, str) else value for key, value in args.items()
            }
            args = args if 'id' in args or 'queries' in args else {'order': order, **args}
            return ModelResponse([ToolCallPart(name, args, f'{name}-{step}{session}')])
        if self.dies and not self.noted('killed', order):
            self.note('killed', order)
            raise Killed
        if info.output_tools:
            (tool,) = info.output_tools
            return ModelResponse([ToolCallPart(tool.name, {'order': order, 'item': 'lamp'}, f'end-{order}-{turn}')])
        return ModelResponse([TextPart(answer_to(order))])

    # What every session promises

    def sessions(self, order: int) -> list[str]:
        """Return the prompts of a session."""
        return [f'Where is order {order}?', f'And now, where is order {order}?'][: self.prompts]

    def decide(self, requests: DeferredToolRequests, order: int) -> DeferredToolResults:
        """Decide about the calls that wait, as a person would, and note it."""
        assert not self.ran('pay', order) or self.prompts > 1
        self.note('decided', order)
        return DeferredToolResults(approvals={call.tool_call_id: True for call in requests.approvals})


def number_in(prompt: Any) -> int:
    """Return the number of the order in a prompt."""
    return int(''.join(sign for sign in str(prompt) if sign.isdigit()))


def answer_to(order: int) -> str:
    """Return what the model answers."""
    return f'Order {order} was a lamp.'


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else ' '.join(map(str, content))
