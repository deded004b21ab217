"""`TerminalApprovals`: what a person at the terminal may answer, and what happens to the call."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest

from stead import Agent
from stead.capabilities import ApprovalPolicy, TerminalApprovals
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel


class Person:
    """Answers questions with prepared lines, and then with nothing."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.questions: list[str] = []

    def __call__(self, question: str) -> str | None:
        self.questions.append(question)
        return self.lines.pop(0) if self.lines else None


def shop(person: Person, calls: Sequence[ToolCallPart], **options: Any) -> tuple[Agent, list[str]]:
    """Return an agent whose model makes some calls of `refund`, and the orders that are refunded."""
    refunded: list[str] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        results = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        return ModelResponse([TextPart(' / '.join(str(part.content) for part in results))] if results else list(calls))

    agent = Agent(FunctionModel(respond), capabilities=[TerminalApprovals(ask=person, **options)])

    @agent.tool_plain(requires_approval=True)
    async def refund(order: str) -> str:  # not in threads, whose order is not certain
        refunded.append(order)
        return f'refunded {order}'

    return agent, refunded


def call(order: str, id: str = 'a') -> ToolCallPart:
    return ToolCallPart('refund', {'order': order}, tool_call_id=id)


@pytest.mark.parametrize('word', ['y', 'yes', ' Y '])
def test_a_call_runs_after_a_yes(word: str) -> None:
    person = Person(word)
    agent, refunded = shop(person, [call('7')])
    assert agent.run_sync('go').output == 'refunded 7'
    assert refunded == ['7']
    assert person.questions[0].startswith('refund {"order":"7"}\n[y]es, [n]o')


@pytest.mark.parametrize('answers', [['n', ''], ['no'], [], ['', 'sure', 'yep', 'n']])
def test_anything_but_a_clear_yes_is_a_no(answers: list[str]) -> None:
    agent, refunded = shop(Person(*answers), [call('7')])
    agent.run_sync('go')
    assert refunded == []


def test_a_denial_has_a_reason() -> None:
    agent, _ = shop(Person('n', 'It was paid in cash.'), [call('7')])
    assert agent.run_sync('go').output == 'A person decided against this call. The reason: It was paid in cash.'


def test_arguments_are_edited() -> None:
    person = Person('e', 'nonsense', 'e', '[]', 'e', '{"order": "8"}')
    agent, refunded = shop(person, [call('7')])
    agent.run_sync('go')
    assert refunded == ['8']
    assert any(question.startswith('That is not JSON') for question in person.questions)
    assert any(question.startswith('Arguments are a JSON object') for question in person.questions)


def test_edited_arguments_are_validated() -> None:
    agent, refunded = shop(Person('e', '{"order": 8}'), [call('7')])
    agent.run_sync('go')
    assert refunded == []


def test_always_holds_for_the_conversation() -> None:
    person, policy = Person('a', 'n'), ApprovalPolicy[Any]()
    agent, refunded = shop(person, [call('7', 'a'), call('8', 'b')], policy=policy)
    first = agent.run_sync('go')
    assert refunded == ['7', '8']
    assert len(person.questions) == 1
    agent.run_sync('again', message_history=first.all_messages())
    assert refunded == ['7', '8', '7', '8']
    agent.run_sync('go', conversation_id='new')
    assert refunded == ['7', '8', '7', '8']
    assert len(policy.rules) == 1


def test_rules_decide_without_a_question() -> None:
    person, policy = Person(), ApprovalPolicy[Any]()
    policy.deny('refund', message='Never.')
    agent, refunded = shop(person, [call('7')], policy=policy)
    assert agent.run_sync('go').output == 'Never.'
    assert refunded == person.questions == []


def test_what_is_asked_cannot_move_the_cursor() -> None:
    person = Person('n')
    agent, _ = shop(person, [ToolCallPart('refund', {'order': '7\x1b[2K\r\u202e'}, tool_call_id='a')])
    agent.run_sync('go')
    assert '\x1b' not in person.questions[0] and '\r' not in person.questions[0] and '\u202e' not in person.questions[0]


def test_long_arguments_are_shown_whole() -> None:
    person = Person('n')
    agent, _ = shop(person, [call('7' * 20_000)])
    agent.run_sync('go')
    assert '7' * 20_000 in person.questions[0]


def test_without_a_terminal_calls_are_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('sys.stdin', io.StringIO('y\n'))  # no terminal: the line was written for something else
    agent, refunded = shop(Person(), [call('7')])
    capabilities = [TerminalApprovals[Any]()]
    with agent.override(capabilities=capabilities):
        result = agent.run_sync('go')
    assert result.output == 'Approval was asked for, but there was no answer, so the call was not made.'
    assert refunded == []
