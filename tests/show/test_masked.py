"""What looks like a secret is not shown, in the terminal, in pages and in the inspector, except to someone who decides about it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests
from stead._cli import main
from stead._kit.secret import MASK, SECRET_WORDS, masked_text
from stead.journal import Journal
from stead.journal.traces import trace_of
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel

ARGS: dict[str, Any] = {'user': 'ada', 'password': 'hunter2', 'options': {'apiKey': 'hunter2', 'token': 7310428}}
RESULT = {'url': 'https://ada:hunter2@example.com/?user=ada&token=hunter2', 'client_secret': 'hunter2', 'tokens': 17}


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if not any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts):
        return ModelResponse([ToolCallPart('log_in', ARGS, 'c1')])
    return ModelResponse([TextPart('Logged in with password=hunter2.')])


def agent_with(journal: Journal[Any], *, asks: bool = False) -> Agent[None, Any]:
    agent = Agent(FunctionModel(respond), output_type=[str, DeferredToolRequests], capabilities=[journal])

    @agent.tool_plain(requires_approval=asks)
    def log_in(user: str, password: str, options: dict[str, Any]) -> dict[str, Any]:
        return RESULT

    return agent


@pytest.mark.parametrize(
    ('text', 'shown'),
    [
        ('{"password": "a b", "user": "x"}', f'{{"password": "{MASK}", "user": "x"}}'),
        (json.dumps({'a': json.dumps({'api_key': 'x"y'})}), r'{"a": "{\"api_key\": \"' + MASK + r'\"}"}'),
        ("{'Authorization': 'Bearer x'}", f"{{'Authorization': '{MASK}'}}"),
        ('https://u:pw@host/p?access_token=abc&page=2', f'https://u:{MASK}@host/p?access_token={MASK}&page=2'),
        ('Authorization: Bearer abcdefghijklmnop.', f'Authorization: Bearer {MASK}'),
        ('key sk-abcdefghijklmnopqrst, ok', f'key {MASK}, ok'),
        ('İİ password=x', f'İİ password={MASK}'),
        ('{"password": 123456, "user": 7}', f'{{"password": "{MASK}", "user": 7}}'),
        (json.dumps([json.dumps({'api_key': -1.5e30})]), r'["{\"api_key\": \"' + MASK + r'\"}"]'),
        ("{'token': 42}", f"{{'token': '{MASK}'}}"),
        ('{"max_tokens": 16, "token_count": 5, "input_tokens": 3, "key": 4, "has_password": true}', None),
        ('no token: here, 5 tokens=5, monkey=1, risk-abcdefghijklmnopqrstuvw', None),
        ('https://host:8000/a@b', None),
    ],
)
def test_texts(text: str, shown: str | None) -> None:
    assert masked_text(text) == (text if shown is None else shown)


def test_a_result_and_its_page_hide_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    result = agent_with(Journal()).run_sync('My password=hunter2')
    result.show()
    shown = capsys.readouterr().out
    assert 'log_in' in shown and 'ada' in shown and MASK in shown and 'hunter2' not in shown and '7310428' not in shown
    page = result.to_html()
    assert 'ada' in page and 'hunter2' not in page and '7310428' not in page
    assert 'hunter2' in result.output, 'what a program gets is whole'


def test_the_command_and_the_inspector_hide_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    journal: Journal[Any] = Journal('runs.db')
    run_id = asyncio.run(agent_with(journal).run('My password=hunter2')).run_id
    for command in ('show', 'tail'):
        assert main(['runs', command, run_id]) == 0
        shown = capsys.readouterr().out
        assert 'log_in' in shown and 'hunter2' not in shown and '7310428' not in shown
    trace = asyncio.run(trace_of(journal, run_id))
    assert MASK in str(trace) and 'ada' in str(trace) and 'hunter2' not in str(trace) and '7310428' not in str(trace)


def test_who_decides_sees_what_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    journal: Journal[Any] = Journal('runs.db')
    run_id = asyncio.run(agent_with(journal, asks=True).run('Hello')).run_id
    assert main(['runs', 'show', run_id]) == 0
    (waits,) = [line for line in capsys.readouterr().out.splitlines() if 'waits' in line]
    assert 'hunter2' in waits
    (call,) = asyncio.run(trace_of(journal, run_id))['waiting']
    assert call['args'] == ARGS


def test_a_hidden_secret_is_not_taken_for_the_secret(tmp_path: Path) -> None:
    pytest.importorskip('starlette', reason='the package starlette is not installed')
    import httpx

    from stead.ui._pages._inspector import create_inspector

    async def fork(password: str) -> httpx.Response:
        journal: Journal[Any] = Journal()
        run_id = (await agent_with(journal).run('Hello')).run_id
        transport = httpx.ASGITransport(app=create_inspector(journal, may_change=True))
        async with httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/') as page:
            changed = {'at': 1, 'calls': {'c1': {**ARGS, 'password': password}}}
            return await page.post(f'runs/{run_id}/fork', json=changed)

    refused = asyncio.run(fork(MASK))
    assert refused.status_code == 400 and 'Write the secret itself' in refused.text
    assert asyncio.run(fork('hunter3')).status_code == 200


def test_the_chat_page_knows_the_same_names() -> None:
    source = Path(__file__).parents[2] / 'web' / 'src' / 'shared' / 'format.ts'
    assert f'`{SECRET_WORDS}`' in source.read_text(encoding='utf-8')
