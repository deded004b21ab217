"""`result.to_html()`, results in notebooks, and `stead runs show --html`."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead._cli import main
from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel

EVIL = '</script><script>alert(1)</script><!-- \u2028 "&\''


def run_evil(**options: Any) -> Any:
    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart(EVIL)])
        return ModelResponse([ToolCallPart('look', {'what': EVIL})])

    agent = Agent(FunctionModel(respond, model_name=EVIL))
    agent.tool_plain(look)
    return agent.run_sync(EVIL, **options)


def look(what: str) -> str:
    """Look at something."""
    return f'seen {what}'


def trace_in(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="trace">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_result_is_a_page_of_its_own() -> None:
    page = run_evil().to_html()
    scripts = re.findall(r'<script>(.*?)</script>', page, re.DOTALL)
    assert len(scripts) == 1  # and nothing of the run became one
    policy = re.search(r'content="(default-src [^"]*)"', page)
    assert policy is not None
    for kind, text in (('script', scripts[0]), ('style', re.findall(r'<style>(.*?)</style>', page, re.DOTALL)[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    trace = trace_in(page)
    assert (trace['run']['prompt'], trace['run']['output']) == (EVIL, EVIL)
    assert [[call['tool'], call['result']] for step in trace['steps'] for call in step['calls']] == [
        ['look', f'seen {EVIL}']
    ]


def test_only_the_run_itself_is_on_the_page() -> None:
    agent = Agent('test')
    first = agent.run_sync('the first')
    second = agent.run_sync('the second', message_history=first.all_messages())
    trace = trace_in(second.to_html())
    assert (trace['run']['prompt'], [step['step'] for step in trace['steps']], len(trace['messages'])) == (
        'the second',
        [1],
        4,
    )


def test_in_a_notebook_it_is_a_few_lines_without_scripts() -> None:
    summary = run_evil()._repr_html_()
    assert '<script' not in summary
    assert '&lt;/script&gt;' in summary
    assert 'seen' in summary
    assert len(summary) < 10_000


def test_a_recorded_run_is_written_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_evil(capabilities=[Journal(tmp_path / 'runs.db')])
    (run,) = asyncio.run(Journal[Any](tmp_path / 'runs.db').runs())
    place = ['runs', '--journal', str(tmp_path / 'runs.db'), 'show', run.run_id, '--html']
    assert main([*place, str(tmp_path / 'run.html')]) == 0
    trace = trace_in((tmp_path / 'run.html').read_text(encoding='utf-8'))
    assert (trace['run']['id'], trace['run']['output']) == (run.run_id, EVIL)
    assert main([*place, str(tmp_path / 'no' / 'run.html')]) == 2
    assert 'cannot be written' in capsys.readouterr().err


def few_bytes(text: str) -> object:
    """Return bytes that are no text."""
    return {'data': b'\xff\x00', 'half': 'a \ud83d'}


def tree(text: str) -> object:
    """Return nodes that know what they are inside of, several at each level."""
    root: dict[str, Any] = {'name': 'root'}
    root['inner'] = [{'name': number, 'outer': root} for number in range(30)]
    return root


@pytest.mark.parametrize(('output', 'text'), [(few_bytes, '_wA='), (tree, 'root')])
def test_what_has_no_json_form_is_shown(output: Any, text: str) -> None:
    result = Agent(TestModel(), output_type=output).run_sync('half an emoji: \ud83d')
    page, summary = result.to_html(), result._repr_html_()
    page.encode()
    summary.encode()
    assert text in str(trace_in(page)['run']['output'])
    assert text in summary


def test_half_an_emoji_can_be_printed() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding='utf-8')
    Agent(TestModel(custom_output_text='ok')).run_sync('half: \ud83d').show(file=file)
    file.seek(0)
    assert 'half: \ufffd' in file.read()
