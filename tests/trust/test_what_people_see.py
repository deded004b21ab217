"""A person who decides about a call sees what would run: whole, as the tool would get it, and with nothing that cannot be seen."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests
from stead._kit.shown_arguments import shown_arguments
from stead.capabilities import Journal, TerminalApprovals
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

LONG = 'x' * 30_000
TWICE = '{"path": "/tmp/cache", "comment": "' + LONG + '", "path": "/"}'
HIDDEN = {'path': '/tmp/\u202egpj.exe', 'note': 'a\u200bb\u3164c\u00a0d\U000e0041', 'q\u2066': 1}


def test_arguments_are_shown_as_the_tool_would_get_them() -> None:
    shown = shown_arguments(ToolCallPart('wipe', TWICE))
    assert json.loads(shown.text) == {'path': '/', 'comment': LONG}
    assert 'more than once' in shown.marks[0] and "'path'" in shown.marks[0] and len(shown.marks) == 1
    assert shown_arguments(ToolCallPart('wipe', '{"a": {"b": 1, "b": 2}}')).marks
    assert shown_arguments(ToolCallPart('wipe', {'path': 'Grüße, 東京 \U0001f600\n'})).marks == ()


@pytest.mark.parametrize(
    ('args', 'seen', 'is_marked'),
    [
        ("{'path': '/tmp', \"path\": '/',}", '/', True),
        ('```json\n{"path": "/tmp", "path": "/"}\n```', '/', True),
        ("{'path': '/'}", '/', False),
        ('"{\\"path\\": \\"/\\"}"', '/', False),
        ('"{\\"path\\": \\"/tmp\\", \\"path\\": \\"/\\"}"', '/', True),
    ],
)
def test_arguments_that_had_to_be_repaired_are_shown_as_they_run(args: str, seen: str, is_marked: bool) -> None:
    asked: list[str] = []
    ran: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return 'y'

    agent = Agent(model_of(args), capabilities=[TerminalApprovals(ask=ask)])

    @agent.tool_plain(requires_approval=True)
    def wipe(path: str) -> str:
        ran.append(path)
        return 'wiped'

    agent.run_sync('go')
    assert ran == [seen]
    assert f'{{"path":"{seen}"}}' in asked[0] and ('more than once' in asked[0]) is is_marked


def test_what_cannot_be_seen_is_shown() -> None:
    shown = shown_arguments(ToolCallPart('wipe', HIDDEN))
    assert json.loads(shown.text) == HIDDEN
    assert shown.text.isprintable() and not set(shown.text) & set('\u202e\u200b\u3164\u00a0\u2066')
    assert '\\u202e' in shown.text and len(shown.marks) == 1


@pytest.mark.parametrize('args', ['', None, '{"a": ', '[1]', '"text"', '{"a": "\ud800"}', {'a': '\ud800'}, '[' * 5000])
def test_arguments_that_are_none_are_shown_too(args: Any) -> None:
    shown_arguments(ToolCallPart('wipe', args)).text.encode()


def model_of(args: Any) -> FunctionModel:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('done')] if len(messages) > 1 else [ToolCallPart('wipe', args, 'c1')])

    return FunctionModel(model)


def test_the_terminal_shows_all_of_what_would_run() -> None:
    asked: list[str] = []
    ran: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return 'y'

    agent = Agent(model_of(TWICE), capabilities=[TerminalApprovals(ask=ask)])

    @agent.tool_plain(requires_approval=True)
    def wipe(path: str, comment: str = '') -> str:
        ran.append(path)
        return 'wiped'

    agent.run_sync('go')
    assert ran == ['/'] and '"path":"/"' in asked[0] and '/tmp/cache' not in asked[0]
    assert LONG in asked[0] and 'more than once' in asked[0]


@pytest.mark.anyio
@pytest.mark.parametrize('args', [TWICE, HIDDEN])
async def test_pages_commands_and_front_ends_show_the_same(args: Any) -> None:
    pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
    from stead._cli.run_views import tree_of
    from stead.journal.traces import trace_of
    from stead.ui._approvals import Asker
    from stead.ui._inner import asked_about
    from stead.ui.ag_ui._interrupts import interrupts_of
    from stead.ui.web import _app, _chat

    journal: Journal[Any] = Journal()
    agent = Agent(model_of(args), name='a', output_type=[str, DeferredToolRequests], capabilities=[journal])

    @agent.tool_plain(requires_approval=True)
    def wipe(**arguments: Any) -> str:
        return 'wiped'

    result = await agent.run('go')
    assert isinstance(result.output, DeferredToolRequests)
    shown = shown_arguments(result.output.approvals[0])
    assert shown.marks
    [interrupt] = interrupts_of(await asked_about(result, journal), Asker(), edits=False)
    assert str(shown) in interrupt['message']
    [run] = await journal.runs()
    assert any(
        shown.text in node.text and shown.remarks in node.text for node in (await tree_of(journal, run)).children
    )
    [waiting] = (await trace_of(journal, run.run_id))['waiting']
    assert waiting['shown'] == shown._asdict() and waiting['args'] == result.output.approvals[0].args_as_dict()
    chat = _app.ChatApi(_chat.WebChat(agent, models=None, native_tools=[], streams=None, options={}), journal=journal)
    assert [one['shown'] for one in await chat._waiting(run.run_id)] == [shown._asdict()]


@pytest.mark.anyio
@pytest.mark.parametrize('journal', [None, Journal])
@pytest.mark.parametrize('args', ['"{\\"amount\\": 5}"', '{"amount": 7, "amount": 5}', "{'amount': 5,}"])
async def test_the_ai_sdk_is_sent_what_would_run(args: str, journal: Any) -> None:
    """Also where the model wrote an object as a text; what comes back is the same call."""
    pytest.importorskip('ag_ui')
    from ..ui import test_vercel_ai as ai_sdk
    from .test_answers_once import Shop, browser

    class Odd(Shop):
        async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            if len(messages) == 1:
                yield {1: DeltaToolCall('pay', args, tool_call_id='c1')}
            else:
                yield 'done'

    shop = Odd(journal() if journal is not None else None)
    async with browser(shop.mounted(), 'ai-sdk') as front:
        _, events = await front.post(ai_sdk.ask(ai_sdk.user('Pay.')))
        shown = [event['input'] for event in events if event['type'] == 'tool-input-available']
        assert shown == [{'amount': 5}]
        (id,) = front.questions_in(events).values()
        part = ai_sdk.tool('pay', 'approval-requested', shown[0], 'c1', approval={'id': id})
        part = ai_sdk.approved(part, id, approval={'id': id, 'approved': True})
        _, events = await front.post(ai_sdk.ask(ai_sdk.user('Pay.'), ai_sdk.assistant(part)))
    assert shop.paid == [5] and front.results(events) == ['paid 1']
