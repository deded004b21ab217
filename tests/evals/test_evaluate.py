"""Evaluations: what is run, what is noted of it, and what evaluators may say."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from stead import Agent, DeferredToolRequests
from stead.budgets import Budget
from stead.evals import (
    Case,
    CaseLifecycle,
    Dataset,
    case_of_run,
    increment_eval_metric,
    run_agent,
    set_eval_attribute,
)
from stead.evals.evaluators import (
    AskedApproval,
    Called,
    CalledInOrder,
    Contains,
    Equals,
    EqualsExpected,
    EvaluationReason,
    Evaluator,
    EvaluatorContext,
    IsInstance,
    LLMJudge,
    MaxDuration,
    MaxTokens,
    NeverCalled,
)
from stead.journal import Journal, MemoryStore
from stead.models.test import TestModel
from stead.testing import ScriptedModel, call, say


@dataclass(repr=False)
class Score(Evaluator[str, str, Any]):
    weight: float = 0.5

    def evaluate(self, ctx: EvaluatorContext[str, str, Any]) -> Any:
        return {'length': len(ctx.output), 'kind': 'short', 'ok': EvaluationReason(True, 'because')}


@dataclass(repr=False)
class Late(Evaluator):
    async def evaluate(self, ctx: EvaluatorContext) -> float:
        return self.weight if hasattr(self, 'weight') else 0.25


@dataclass(repr=False)
class Broken(Evaluator):
    def evaluate(self, ctx: EvaluatorContext) -> Any:
        if ctx.inputs == 'France?':
            raise KeyError('lost')
        return [1]


def answer(question: str) -> str:
    if question == 'bad':
        raise RuntimeError('no answer')
    increment_eval_metric('words', 2)
    increment_eval_metric('words', 1.5)
    set_eval_attribute('source', 'atlas')
    return 'Paris'


def capitals(**options: Any) -> Dataset[str, str, Any]:
    cases = [
        Case(name='fr', inputs='France?', expected_output='Paris', evaluators=(Contains('ar'),)),
        Case(name='de', inputs='Germany?', expected_output='Berlin'),
        Case(inputs='bad'),
    ]
    return Dataset(name='capitals', cases=cases, **options)


def test_a_report_has_what_was_returned_and_what_evaluators_said() -> None:
    report = capitals(evaluators=[Score(), EqualsExpected(), Late(), Broken()]).evaluate_sync(answer, progress=False)
    french, german = report.cases
    assert [(one.name, one.error_message) for one in report.failures] == [('Case 3', 'RuntimeError: no answer')]
    assert {name: one.value for name, one in french.scores.items()} == {'length': 5, 'Late': 0.25}
    assert {name: one.value for name, one in french.labels.items()} == {'kind': 'short'}
    assert {name: (one.value, one.reason) for name, one in french.assertions.items()} == {
        'Contains': (True, None),
        'ok': (True, 'because'),
        'EqualsExpected': (True, None),
    }
    assert german.assertions['EqualsExpected'].value is False
    assert (french.metrics, french.attributes) == ({'words': 3.5}, {'source': 'atlas'})
    assert [one.error_message for one in (*french.evaluator_failures, *german.evaluator_failures)] == [
        "KeyError: 'lost'",
        'ValueError: Broken().evaluate returned a value of an invalid type: [1].',
    ]
    averages = report.averages()
    assert averages is not None
    assert (averages.assertions, averages.labels, averages.metrics) == (4 / 5, {'kind': {'short': 1.0}}, {'words': 3.5})


async def most_at_once(limit: int | None) -> int:
    running, most = 0, 0

    async def task(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return number

    data = Dataset[int, int, None](cases=[Case(inputs=number) for number in range(6)])
    report = await data.evaluate(task, max_concurrency=limit, progress=False)
    assert [case.output for case in report.cases] == [*range(6)], 'in the order of the cases'
    return most


@pytest.mark.parametrize(('limit', 'most'), [(None, 6), (2, 2), (1, 1)])
def test_cases_run_together(limit: int | None, most: int) -> None:
    assert asyncio.run(most_at_once(limit)) == most


def test_cases_are_repeated_and_grouped() -> None:
    data = Dataset(cases=[Case(name='a', inputs=1), Case(inputs=2)], evaluators=[Equals(1)])
    report = data.evaluate_sync(lambda number: number, progress=False, repeat=2)
    assert [case.name for case in report.cases] == ['a [1/2]', 'a [2/2]', 'Case 2 [1/2]', 'Case 2 [2/2]']
    groups = report.case_groups() or []
    assert [(group.name, len(group.runs), group.summary.assertions) for group in groups] == [
        ('a', 2, 1.0),
        ('Case 2', 2, 0.0),
    ]
    with pytest.raises(ValueError, match='repeat must be >= 1, got 0'):
        data.evaluate_sync(lambda number: number, progress=False, repeat=0)


def test_tasks_and_evaluators_are_tried_again() -> None:
    tried: list[int] = []

    def task(number: int) -> int:
        increment_eval_metric('tries', 1)
        tried.append(number)
        if len(tried) < 3:
            raise OSError('busy')
        return number

    from tenacity import stop_after_attempt

    data = Dataset(cases=[Case(inputs=1)])
    report = data.evaluate_sync(task, progress=False, retry_task={'stop': stop_after_attempt(3)})
    assert (len(tried), report.cases[0].metrics) == (3, {'tries': 1})
    tried.clear()
    report = data.evaluate_sync(task, progress=False, retry_task={'stop': stop_after_attempt(2)})
    assert report.failures[0].error_message == 'OSError: busy'


def test_a_lifecycle_is_around_each_case() -> None:
    seen: list[object] = []

    class Watched(CaseLifecycle):
        async def setup(self) -> None:
            seen.append(self.case.inputs)

        async def prepare_context(self, ctx: EvaluatorContext) -> EvaluatorContext:
            ctx.metrics['prepared'] = 1
            return ctx

        async def teardown(self, result: object) -> None:
            seen.append(type(result).__name__)

    data = Dataset(cases=[Case(inputs='x'), Case(inputs='bad')])
    report = data.evaluate_sync(answer, progress=False, lifecycle=Watched, max_concurrency=1)
    assert seen == ['x', 'ReportCase', 'bad', 'ReportCaseFailure']
    assert report.cases[0].metrics['prepared'] == 1


def test_names_are_numbered_and_unique() -> None:
    report = Dataset(cases=[Case(inputs=1)], evaluators=[Equals(1), Equals(2)]).evaluate_sync(
        lambda number: number, progress=False
    )
    assert {name: one.value for name, one in report.cases[0].assertions.items()} == {'Equals': True, 'Equals_2': False}
    data = capitals()
    with pytest.raises(ValueError, match="Duplicate case name: 'fr'"):
        data.add_case(name='fr', inputs='x')
    data.add_evaluator(Equals('x'), specific_case='de')
    assert repr(data.cases[1].evaluators) == "[Equals(value='x')]"
    with pytest.raises(ValueError, match="Case 'it' not found in the dataset"):
        data.add_evaluator(Equals('x'), specific_case='it')


def context(output: object, expected: object = None, **options: Any) -> EvaluatorContext:
    values: dict[str, Any] = {'name': 'a', 'inputs': 'i', 'metadata': None, 'duration': 1.5, **options}
    return EvaluatorContext(output=output, expected_output=expected, **values)


@pytest.mark.parametrize(
    ('evaluator', 'output', 'holds', 'reason'),
    [
        (Contains('A'), 'cat', False, "Output string 'cat' does not contain expected string 'A'"),
        (Contains('A', case_sensitive=False), 'cat', True, None),
        (Contains(3), [1, 2], False, 'Output [1, 2] does not contain provided value'),
        (Contains(2), [1, 2], True, None),
        (Contains({'a': 1}), {'a': 1, 'b': 2}, True, None),
        (Contains({'a': 2}), {'a': 1}, False, "Output has different value for key 'a': 1 != 2"),
        (Contains({'z': 2}), {'a': 1}, False, "Output does not contain expected key 'z'"),
        (Contains('z'), {'a': 1}, False, "Output {'a': 1} does not contain provided value as a key"),
        (Contains('5', as_strings=True), 5, True, None),
        (IsInstance('int'), True, True, None),
        (IsInstance('int'), 's', False, 'output is of type str'),
    ],
)
def test_evaluators_of_the_output(evaluator: Evaluator, output: object, holds: bool, reason: str | None) -> None:
    assert evaluator.evaluate_sync(context(output)) == EvaluationReason(holds, reason)


def test_values_without_a_reason() -> None:
    assert EqualsExpected().evaluate_sync(context(1)) == {}
    assert [MaxDuration(seconds).evaluate_sync(context(1)) for seconds in (1, 2)] == [False, True]
    assert 'not iterable' in repr(Contains(1).evaluate_sync(context(5)))


@pytest.mark.parametrize(
    ('options', 'scores', 'assertions'),
    [
        ({}, {}, {'LLMJudge': (True, 'fine')}),
        ({'score': {}}, {'LLMJudge_score': (0.75, None)}, {'LLMJudge_pass': (True, 'fine')}),
        ({'score': {'evaluation_name': 'q'}, 'assertion': False}, {'q': (0.75, None)}, {}),
    ],
)
def test_a_judge_scores_and_asserts(options: Any, scores: Any, assertions: Any) -> None:
    judge = TestModel(custom_output_args={'reason': 'fine', 'pass': True, 'score': 0.75})
    data = Dataset(cases=[Case(inputs={'q': 1})], evaluators=[LLMJudge('kind', judge, include_input=True, **options)])
    case = data.evaluate_sync(lambda inputs: 'out', progress=False).cases[0]
    assert {name: (one.value, one.reason) for name, one in case.scores.items()} == scores
    assert {name: (one.value, one.reason) for name, one in case.assertions.items()} == assertions
    spec = [*case.scores.values(), *case.assertions.values()][0].source
    assert spec.kwargs['model'] == 'test:test'


# Runs of agents


def desk() -> Agent[None, Any]:
    script = [call('find', order='A-17'), call('cancel', order='A-17'), say('Done.')]
    agent: Agent[None, Any] = Agent(ScriptedModel(script * 9), name='desk', output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    def find(order: str) -> str:
        return 'two lamps'

    @agent.tool_plain(requires_approval=True)
    def cancel(order: str) -> str:
        return 'cancelled'

    return agent


def test_evaluators_see_the_runs_of_agents() -> None:
    checks: list[Evaluator] = [
        Called('find', {'order': 'A-17'}, times=1),
        Called('find', {'order': 'B-1'}, evaluation_name='other'),
        NeverCalled('pay'),
        CalledInOrder(['find', 'cancel']),
        CalledInOrder(['cancel', 'find'], evaluation_name='reversed'),
        AskedApproval('cancel'),
        AskedApproval('find', evaluation_name='asked find'),
        MaxTokens(10_000),
        MaxTokens(1, evaluation_name='few tokens'),
    ]
    report = Dataset(cases=[Case(inputs='Cancel A-17')], evaluators=checks).evaluate_sync(
        run_agent(desk()), progress=False
    )
    found = {name: one.value for name, one in report.cases[0].assertions.items()}
    assert found == {
        'Called': True,
        'other': False,
        'NeverCalled': True,
        'CalledInOrder': True,
        'reversed': False,
        'AskedApproval': True,
        'asked find': False,
        'MaxTokens': True,
        'few tokens': False,
    }
    assert report.name == 'desk'
    assert report.cases[0].assertions['other'].reason == (
        'expected a call of find; called: find({"order":"A-17"}), cancel({"order":"A-17"})'
    )


def test_runs_inside_of_runs_and_of_sync_tasks_are_seen() -> None:
    inner = Agent(ScriptedModel([call('look'), say('found')] * 4), name='inner')

    @inner.tool_plain
    def look() -> str:
        return 'x'

    outer = Agent(ScriptedModel([call('ask'), say('done')] * 4), name='outer')

    @outer.tool_plain
    async def ask() -> str:
        return (await inner.run('?')).output

    def task(prompt: str) -> str:
        return outer.run_sync(prompt).output

    agents: list[list[str | None]] = []

    class Agents(Evaluator):
        def evaluate(self, ctx: EvaluatorContext) -> int:
            agents.append([run.agent for run in ctx.runs])
            return len(ctx.runs)

    data = Dataset(cases=[Case(inputs='a'), Case(inputs='b')], evaluators=[Agents(), CalledInOrder(['ask', 'look'])])
    report = data.evaluate_sync(task, progress=False, max_concurrency=1)
    assert agents == [['outer', 'inner']] * 2
    assert all(case.assertions['CalledInOrder'].value for case in report.cases)


def test_runs_of_cases_are_in_a_journal_and_a_run_becomes_a_case() -> None:
    async def both() -> tuple[Any, Any, Any]:
        journal: Journal[None] = Journal(MemoryStore())
        agent = Agent(ScriptedModel([say('Paris'), say('Paris')]))
        first = await Dataset(cases=[Case(inputs='France?')]).evaluate(
            run_agent(agent, journal=journal), progress=False
        )
        run_id = first.cases[0].run_ids[0]
        case = await case_of_run(journal, run_id, evaluators=[EqualsExpected()])
        second = await Dataset(cases=[case]).evaluate(run_agent(agent), progress=False)
        return await journal.state(run_id), case, second

    state, case, report = asyncio.run(both())
    assert (state.how, case.inputs, case.expected_output) == ('done', 'France?', 'Paris')
    assert report.cases[0].assertions['EqualsExpected'].value


def test_cases_share_a_budget() -> None:
    agent = Agent(ScriptedModel([say('x')] * 9))
    data = Dataset(cases=[Case(inputs=str(number)) for number in range(4)])
    report = data.evaluate_sync(run_agent(agent, budget=Budget(requests=2)), progress=False, max_concurrency=1)
    assert (len(report.cases), len(report.failures)) == (2, 2)


# Files

YAML = """\
# yaml-language-server: $schema=data_schema.json
name: capitals
cases:
- name: fr
  inputs: France?
  metadata:
    d: 1
  expected_output: Paris
  evaluators:
  - Contains: ar
- name: null
  inputs:
    q: x
  metadata: null
  expected_output: null
  evaluators: []
evaluators:
- Score: 0.7
- Score
- MaxDuration: 2
- LLMJudge:
    rubric: k
    include_input: true
- Contains:
    value: x
    case_sensitive: false
report_evaluators: []
"""


@pytest.mark.parametrize('suffix', ['yaml', 'json'])
def test_a_data_set_is_written_and_read(tmp_path: Path, suffix: str) -> None:
    data = Dataset[Any, Any, Any](
        name='capitals',
        cases=[
            Case(name='fr', inputs='France?', expected_output='Paris', metadata={'d': 1}, evaluators=[Contains('ar')]),
            Case(inputs={'q': 'x'}),
        ],
        evaluators=[
            Score(0.7),
            Score(),
            MaxDuration(2),
            LLMJudge('k', include_input=True),
            Contains('x', case_sensitive=False),
        ],
    )
    path = tmp_path / f'data.{suffix}'
    data.to_file(path, custom_evaluator_types=[Score])
    if suffix == 'yaml':
        assert path.read_text() == YAML
    read = Dataset[Any, Any, Any].from_file(path, custom_evaluator_types=[Score])
    assert (read.name, read.cases, read.evaluators) == (data.name, data.cases, data.evaluators)
    assert '"Score"' in (tmp_path / 'data_schema.json').read_text()


def test_files_are_checked() -> None:
    typed = Dataset[int, str, Any]
    assert typed.from_text('cases:\n- {inputs: 3}', default_name='d').cases == [Case(inputs=3)]
    with pytest.raises(ValidationError, match='cases.0.inputs'):
        typed.from_text('cases:\n- {inputs: three}')
    with pytest.raises(ValidationError, match='cases.0.inputz'):
        Dataset.from_text('cases:\n- {inputs: 3, inputz: 4}')
    with pytest.raises(ValueError, match="case 'a': there is no evaluator 'Nope', only AskedApproval, Called"):
        Dataset.from_text('cases:\n- {name: a, inputs: 3, evaluators: [Nope]}')
    with pytest.raises(ValueError, match="the data set: Contains does not take these arguments: .*'valu'"):
        Dataset.from_text('cases: []\nevaluators:\n- Contains: {valu: 3}')
    with pytest.raises(ValueError, match=r"Could not infer format for filename 'x\.txt'"):
        Dataset.from_file('x.txt')
