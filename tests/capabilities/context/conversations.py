"""Random conversations of an agent whose requests are kept, and what must be true of each of them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stead import Agent, ModelMessage, ModelRequest, ModelResponse, ToolReturn
from stead.capabilities import AbstractCapability, KeepLast, SummaryFailed, pin
from stead.capabilities._context.sizes import message_tokens
from stead.messages import (
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, FunctionModel

SYSTEM = 'You are the clerk of the archive.'


@dataclass
class Conversation:
    """Some runs of an agent, each of which continues the one before."""

    seed: int
    capabilities: Sequence[AbstractCapability[Any]]
    runs: int = 3
    steps: int = 6
    folds: int = 0
    """It has more runs until so many requests were folded."""
    planted: int = 0
    """It has more runs until so many facts were in it."""
    sent: list[list[ModelMessage]] = field(default_factory=lambda: [])
    """What each request sent."""
    pins: list[str] = field(default_factory=lambda: [])
    pins_at: list[int] = field(default_factory=lambda: [])
    """How many pins there were when each request was sent."""
    facts: list[str] = field(default_factory=lambda: [])
    messages: list[ModelMessage] = field(default_factory=lambda: [])
    folded_at: list[int] = field(default_factory=lambda: [])

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def words(self, least: int, most: int) -> str:
        return ' '.join(
            self.random.choice(('reel', 'shelf', 'ledger', 'stamp', 'π', '{"a": 1}'))
            for _ in range(self.random.randint(least, most))
        )

    def fact(self) -> str:
        fact = f'token{self.seed}x{len(self.facts)} belongs to drawer {self.random.randint(0, 999)}'
        self.facts.append(fact)
        return fact

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(list(messages))
        self.pins_at.append(len(self.pins))
        self.left -= 1
        if self.left <= 0:
            return ModelResponse([TextPart(f'Done: {self.fact()}')])
        calls = [
            ToolCallPart(self.random.choice(('look', 'note', 'broken')), {'text': self.words(1, 5)})
            for _ in range(self.random.randint(1, 3))
        ]
        return ModelResponse([TextPart(self.words(1, 8)), *calls])

    def agent(self) -> Agent[None, str]:
        agent: Agent[None, str] = Agent(
            FunctionModel(self.answer), capabilities=self.capabilities, system_prompt=SYSTEM, retries=50
        )

        @agent.tool_plain
        def look(text: str) -> str:
            return f'{self.words(1, 40)} {self.fact()} {self.words(1, 40)}'

        @agent.tool_plain
        def note(text: str) -> Any:
            if self.random.random() < 0.2:
                self.pins.append(f'pinned result {len(self.pins)}')
                return pin(ToolReturn(self.pins[-1]))
            return {'noted': text}

        @agent.tool_plain
        def broken(text: str) -> str:
            from stead import ModelRetry

            raise ModelRetry(f'Not now: {self.words(1, 5)}')

        return agent

    def ask(self, *queries: str) -> list[str]:
        """Return what the model is told when it calls `recall` in another run."""
        responses = [
            ModelResponse([ToolCallPart('recall', {'query': query}) for query in queries]),
            ModelResponse([TextPart('done')]),
        ]
        agent: Agent[None, str] = Agent(
            FunctionModel(lambda messages, info: responses.pop(0)), capabilities=[KeepLast(messages=10)]
        )
        result = agent.run_sync('Look it up', message_history=self.messages)
        return [
            str(part.content) for m in result.new_messages() for part in m.parts if isinstance(part, ToolReturnPart)
        ]

    def run(self) -> None:
        agent = self.agent()
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', SummaryFailed)
            for number in range(100):
                if number >= self.runs and noted(self) >= self.folds and len(self.facts) >= self.planted:
                    break
                self.left = self.random.randint(1, self.steps)
                prompt: list[Any] = [f'Task {number}: {self.words(1, 20)}']
                if self.random.random() < 0.3:
                    self.pins.append(f'pinned prompt {len(self.pins)}')
                    prompt.insert(0, pin(self.pins[-1]))
                before = [*self.messages]
                result = agent.run_sync(prompt, message_history=self.messages)
                self.messages = result.all_messages()
                assert self.messages[: len(before)] == before
            else:
                raise AssertionError(f'only {noted(self)} folds and {len(self.facts)} facts in 100 runs')


def texts_of(messages: Sequence[ModelMessage]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        for part in message.parts:
            content = getattr(part, 'content', None)
            if isinstance(content, str):
                texts.append(content)
            elif isinstance(content, list):
                texts += [item.content if isinstance(item, TextContent) else str(item) for item in content]
    return texts


def check(conversation: Conversation, most: int | None = None) -> None:
    """Check what was sent: pairs, alternation, system prompt, pins, size, and that a request continues the one before."""
    for number, (messages, pins) in enumerate(zip(conversation.sent, conversation.pins_at)):
        assert isinstance(messages[0], ModelRequest) and isinstance(messages[-1], ModelRequest)
        assert all(a.kind != b.kind for a, b in zip(messages, messages[1:])), f'request {number} does not alternate'
        assert sum(isinstance(part, SystemPromptPart) for message in messages for part in message.parts) == 1
        for message, after in zip(messages, messages[1:]):
            if isinstance(message, ModelResponse):
                calls = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
                answers = [p.tool_call_id for p in after.parts if isinstance(p, (ToolReturnPart, RetryPromptPart))]
                assert sorted(calls) == sorted(answers), f'request {number}: calls and answers differ'
        assert not any(isinstance(part, (ToolReturnPart, RetryPromptPart)) for part in messages[0].parts)
        texts = texts_of(messages)
        for text in conversation.pins[:pins]:
            assert texts.count(text) == 1, f'request {number}: {text!r} {texts.count(text)} times'
        task = [text for text in texts if text.startswith('Task ')]
        assert task, f'request {number} has no prompt'
        if most is not None:
            assert sum(map(message_tokens, messages)) <= most


def folds(conversation: Conversation) -> int:
    """Return how often a request did not continue the one before it."""

    def plain(messages: Sequence[ModelMessage]) -> list[str]:
        return [
            repr([(p.part_kind, getattr(p, 'content', None), getattr(p, 'tool_call_id', None)) for p in m.parts])
            for m in messages
        ]

    sent = [plain(messages) for messages in conversation.sent]
    return sum(after[: len(before)] != before for before, after in zip(sent, sent[1:]))


def noted(conversation: Conversation) -> int:
    """Return how many responses say that something was folded for them."""
    return sum('stead_folded' in (m.metadata or {}) for m in conversation.messages if isinstance(m, ModelResponse))


def liar(seed: int) -> FunctionModel:
    """Return a summariser that fails, says nothing or too much, and cites what it has not read.

    How it lies depends on what it reads alone, so that it lies the same in a run that is resumed.
    """

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        kind = random.Random(f'{seed}{texts_of(messages)}').randrange(6)
        if kind == 0:
            raise RuntimeError('no summary today')
        text = ('', 'Much. ' * 5_000, 'He said so [#99999].', 'It was so [#9-#2].', 'They looked at shelves [#0].')[
            kind - 1
        ]
        return ModelResponse([TextPart(text)])

    return FunctionModel(answer)
