"""The levels of the interface: what names mean, and that level 1 comes back."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import stead
import stead.dropin
import stead.graph
from stead._aliased.levels import MEANINGS, resolved
from stead.capabilities import ProcessHistory
from stead.journal import Journal
from stead.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import infer_model
from stead.models.function import FunctionModel
from stead.models.test import TestModel


@pytest.fixture(autouse=True)
def removed() -> Iterator[None]:
    yield
    stead.dropin.uninstall()


def value_at(place: str) -> Any:
    module, _, path = place.partition(':')
    path, _, key = path.partition('[')
    found = attrgetter(path)(importlib.import_module(module))
    return found[int(key) if key.isdigit() else key] if key else found


def test_what_the_table_has_without_the_alias_is_what_the_code_has() -> None:
    assert [value_at(row.read_in) for row in MEANINGS] == [resolved(row.at(0)) for row in MEANINGS]


def test_every_name_has_another_meaning_at_level_2_and_its_own_after_it() -> None:
    stead.dropin.install(level=2)
    assert [value_at(row.read_in) for row in MEANINGS] == [resolved(row.level_2) for row in MEANINGS]
    assert stead.Agent(TestModel()).end_strategy == 'graceful'
    stead.dropin.uninstall()
    assert [value_at(row.read_in) for row in MEANINGS] == [resolved(row.at(0)) for row in MEANINGS]
    assert stead.Agent(TestModel()).end_strategy == 'early'


def test_the_level_can_be_changed_and_is_kept_by_a_call_that_does_not_name_one() -> None:
    stead.dropin.install(level=2)
    stead.dropin.install()
    assert stead.Agent(TestModel()).end_strategy == 'graceful'
    stead.dropin.install(level=1)
    assert stead.Agent(TestModel()).end_strategy == 'early'
    assert [value_at(row.read_in) for row in MEANINGS] == [resolved(row.level_1) for row in MEANINGS]


def test_what_is_written_out_is_the_same_at_both_levels() -> None:
    stead.dropin.install(level=2)
    agent = stead.Agent(TestModel(), end_strategy='early', deps_type=type(None))
    assert (agent.end_strategy, agent.deps_type) == ('early', type(None))


def test_the_environment_says_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('STEAD_DROPIN_LEVEL', '2')
    stead.dropin.install()
    with pytest.raises(stead.UserError, match='nope'):
        infer_model('nope:x')


@pytest.mark.parametrize('level', [0, 3, '2.68'])
def test_a_level_that_does_not_exist(level: Any) -> None:
    with pytest.raises(ValueError, match='levels of the interface are 1 and 2'):
        stead.dropin.install(level=level)
    assert not [finder for finder in sys.meta_path if type(finder).__module__ == 'stead.dropin']


def test_the_command_takes_a_level(tmp_path: Path) -> None:
    script = tmp_path / 'script.py'
    script.write_text('import sys, pydantic_ai\nprint(pydantic_ai.__version__, sys.argv[1:])')
    done = subprocess.run(
        [sys.executable, '-m', 'stead.dropin', '--level', '2', str(script), '--level', '1'],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "2.68.0 ['--level', '1']\n", done.stderr


def test_the_version_is_that_of_the_level() -> None:
    stead.dropin.install()
    mirrored = importlib.import_module('pydantic_ai')
    assert mirrored.__version__ == '1.107.5'
    stead.dropin.install(level=2)
    assert mirrored.__version__ == importlib.metadata.version('pydantic-ai') == '2.68.0'


def test_an_alias_that_cannot_be_installed_changes_no_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'pydantic_ai', ModuleType('pydantic_ai'))
    with pytest.raises(RuntimeError, match='was imported before'):
        stead.dropin.install(level=2)
    assert [value_at(row.read_in) for row in MEANINGS] == [resolved(row.at(0)) for row in MEANINGS]


def test_providers_that_the_level_has_dropped_are_not_suggested() -> None:
    stead.dropin.install(level=2)
    with pytest.raises(stead.UserError) as caught:
        infer_model('grok:grok-4')
    assert "'groq:grok-4'" in str(caught.value) and "'grok'," not in str(caught.value)


def test_what_2_x_does_not_have_is_gone_at_level_2_and_back_after_it() -> None:
    usage, settings = stead.RunUsage(input_tokens=3), {'output_retries': 1}
    stead.dropin.install(level=2)
    assert not hasattr(usage, 'request_tokens') and not hasattr(stead.Agent, 'to_a2a')
    with pytest.raises(TypeError, match='output_retries'):
        stead.Agent(TestModel(), **settings)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module('pydantic_graph.persistence.in_mem')
    stead.dropin.install(level=1)
    with pytest.warns(DeprecationWarning):
        assert usage.request_tokens == 3  # pyright: ignore[reportDeprecated]
    with pytest.warns(stead.PydanticAIDeprecationWarning):
        stead.Agent(TestModel(), **settings)
    assert importlib.import_module('pydantic_graph.persistence.in_mem')


def retried_agent() -> stead.Agent:
    steps = iter([[ToolCallPart('t', {'x': 1}, 'c')], [], [TextPart('done')]])
    agent = stead.Agent(FunctionModel(lambda messages, info: ModelResponse(parts=next(steps))), retries=3)

    @agent.tool_plain
    def t(x: int) -> int:
        raise stead.ModelRetry('again')

    return agent


RETRIES = {1: ['RetryPromptPart'], 2: ['ToolReturnPart', 'RetryFeedbackPart']}


@pytest.mark.parametrize('level', [1, 2])
def test_retries_have_the_parts_of_the_level_and_both_levels_read_them(level: int, tmp_path: Path) -> None:
    stead.dropin.install(level=level)
    journal: Journal[Any] = Journal(tmp_path / 'runs.db')
    result = retried_agent().run_sync('q', capabilities=[journal])
    assert asyncio.run(journal.messages(result.run_id)) == result.all_messages()
    shown = [type(part).__name__ for message in result.all_messages()[1:] for part in message.parts]
    assert [name for name in shown if name not in ('ToolCallPart', 'TextPart')] == RETRIES[level]
    stored = result.all_messages_json()
    for other in (1, 2):
        stead.dropin.install(level=other)
        read = ModelMessagesTypeAdapter.validate_json(stored)
        if (level, other) == (1, 2):
            assert [type(part).__name__ for part in read[2].parts] == ['ToolReturnPart']
        else:
            assert json.loads(ModelMessagesTypeAdapter.dump_json(read)) == json.loads(stored)


def test_an_output_that_a_retry_takes_the_place_of_is_not_the_result_of_a_resumed_run_either(tmp_path: Path) -> None:
    stead.dropin.install(level=2)
    journal: Journal[Any] = Journal(tmp_path / 'runs.db')
    calls: list[str] = []
    steps = iter(
        [
            [
                ToolCallPart('output', {'response': 1}, 'o'),
                ToolCallPart('again', {}, 'a'),
                ToolCallPart('fails', {}, 'f'),
            ],
            [ToolCallPart('output', {'response': 2}, 'p')],
        ]
    )
    agent = stead.Agent(
        FunctionModel(lambda messages, info: ModelResponse(parts=[*next(steps)])),
        output_type=stead.ToolOutput(int, name='output'),
        retries=3,
    )

    @agent.tool_plain(sequential=True, effect='read')
    def again() -> None:
        calls.append('again')
        raise stead.ModelRetry('again')

    @agent.tool_plain(sequential=True, effect='read')
    def fails() -> str:
        calls.append('fails')
        if len(calls) == 2:
            raise RuntimeError('the process ends')
        return 'ok'

    with pytest.raises(RuntimeError):
        agent.run_sync('q', run_id='run', capabilities=[journal])
    result = asyncio.run(journal.resume(agent, 'run'))
    assert (result.output, calls) == (2, ['again', 'fails', 'fails'])


def test_front_ends_show_retries_of_2_x_as_errors_and_feedback_as_text() -> None:
    pytest.importorskip('ag_ui')
    from stead.ui.ag_ui import AGUIAdapter
    from stead.ui.vercel_ai import VercelAIAdapter

    info: RetryInfo[str] = RetryInfo('model_retry', attempt=1, max_retries=2)
    messages: list[ModelMessage] = [
        ModelResponse(parts=[ToolCallPart('t', {'x': 1}, 'c')]),
        ModelRequest(parts=[ToolReturnPart('t', 'again', 'c', outcome='retried', retry=info)]),
        ModelRequest(parts=[RetryFeedbackPart('bad', retry=info)]),
    ]
    stead.dropin.install(level=2)
    _, answer, feedback = AGUIAdapter.dump_messages(messages)
    assert (answer.content, answer.error) == ('again', 'again')  # type: ignore[union-attr]
    assert str(feedback.content).endswith('bad\n</pyai:retry_feedback>')
    (call,), (text,) = (message.parts for message in VercelAIAdapter.dump_messages(messages))
    assert (call.state, call.error_text) == ('output-error', 'again')  # type: ignore[union-attr]
    assert text.text == feedback.content  # type: ignore[union-attr]


@pytest.mark.parametrize(('level', 'kinds'), [(1, ['user-prompt', 'tool-call', 'user-prompt']), (2, None)])
def test_a_history_in_which_a_processor_left_a_call_without_result(level: int, kinds: list[str] | None) -> None:
    """It is sent as it is at level 1, and repaired in what is sent at level 2; without the alias it is an error."""
    seen: list[str] = []

    def read(messages: list[Any], info: Any) -> Any:
        seen.extend(part.part_kind for message in messages for part in message.parts)
        return ModelResponse(parts=[TextPart('done')])

    def cut(messages: list[Any]) -> list[Any]:
        return [
            ModelRequest(parts=[UserPromptPart('a')]),
            ModelResponse(parts=[ToolCallPart('t', {}, '1')]),
            messages[-1],
        ]

    agent = stead.Agent(FunctionModel(read), capabilities=[ProcessHistory(cut)])
    with pytest.raises(stead.UserError, match="the call '1' of the tool 't' from its result"):
        agent.run_sync('b')
    stead.dropin.install(level=level)
    agent.run_sync('b')
    assert seen == (kinds or ['user-prompt', 'tool-call', 'tool-return', 'user-prompt'])


@pytest.mark.parametrize('level', [1, 2])
def test_arguments_that_are_nearly_json_are_sent_back_as_programs_expect(level: int) -> None:
    call = ToolCallPart('t', "{'a': 1,}", 'c')
    assert call.args_as_dict() == {'a': 1}
    stead.dropin.install(level=level)
    assert (call.args_as_dict(), call.args_repairs) == ({'INVALID_JSON': "{'a': 1,}"}, ())


OLD_PACKAGE = """
from pydantic_ai import Agent
from pydantic_ai.messages import RetryPromptPart

def agent(model, tools):
    return Agent(model, output_type=int, tools=tools, end_strategy='early', deps_type=type(None))

def retries(messages):
    return [p for m in messages for p in m.parts if isinstance(p, RetryPromptPart) or getattr(p, 'outcome', '') == 'retried']
"""
NEW_PACKAGE = """
from pydantic_ai import Agent
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import RetryFeedbackPart, RetryInfo
from pydantic_graph.graph_builder import Graph, GraphBuilder

def agent(model, tools):
    return Agent(model, output_type=int, tools=tools, end_strategy='graceful', deps_type=object)

def fails():
    raise ToolFailed('broken')
"""


@pytest.mark.parametrize('level', [1, 2])
def test_two_packages_that_write_out_what_they_mean_run_in_one_process(
    level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (('old_package', OLD_PACKAGE), ('new_package', NEW_PACKAGE)):
        (tmp_path / f'{name}.py').write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    stead.dropin.install(level=level)
    old, new = importlib.import_module('old_package'), importlib.import_module('new_package')

    def respond(messages: list[ModelMessage], info: Any) -> ModelResponse:
        wrong = ToolCallPart('final_result', {'response': 'x'}, 'c1')
        right = ToolCallPart('final_result', {'response': 1}, 'c2'), ToolCallPart('fails', {}, 'c3')
        return ModelResponse(parts=[wrong] if len(messages) == 1 else [*right])

    results = [package.agent(FunctionModel(respond), [new.fails]).run_sync('q') for package in (old, new)]
    answers = [{part.tool_call_id: part for part in result.all_messages()[-1].parts}['c3'] for result in results]
    assert [result.output for result in results] == [1, 1]
    assert [answer.outcome for answer in answers] == ['success', 'failed']  # not executed; executed
    for package, result in zip((new, old), results):
        assert len(old.retries(result.all_messages())) == 1
        history = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())
        assert package.agent(FunctionModel(respond), [new.fails]).run_sync('more', message_history=history).output == 1
    assert new.Graph is not stead.graph.Graph or level == 2
