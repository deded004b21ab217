"""The errors and the run record they carry."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from stead import exceptions
from stead.exceptions import (
    AgentRunError,
    FallbackExceptionGroup,
    ModelHTTPError,
    ModelRetry,
    RunRecord,
    SkipModelRequest,
    SkipToolExecution,
    SkipToolValidation,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
    attach_run_record,
    run_record,
)


@dataclass
class Retry:
    content: Any
    tool_name: str | None = None


class Homemade(ModelRetry):
    def __init__(self, first: str, second: str):
        super().__init__(f'{first} {second}')
        self.second = second


ERRORS = [
    ModelRetry('again'),
    Homemade('a', 'b'),
    exceptions.CallDeferred({'a': 1}),
    exceptions.ApprovalRequired(),
    SkipModelRequest(response='r'),
    SkipToolValidation({'x': 1}),
    SkipToolExecution(result=[1]),
    ToolRetryError(Retry('words')),
    UserError('u'),
    exceptions.UnsupportedRequestError('s'),
    exceptions.UndrainedPendingMessagesError('left'),
    AgentRunError('a'),
    UsageLimitExceeded('l'),
    exceptions.ConcurrencyLimitExceeded('c'),
    UnexpectedModelBehavior('m', '{"a": 1}'),
    exceptions.ContentFilterError('f', body='b'),
    exceptions.IncompleteToolCall('i'),
    exceptions.ModelAPIError('model', 'gone'),
    ModelHTTPError(500, 'model', {'a': 1}),
    FallbackExceptionGroup('g', [ValueError('x')]),
]


@pytest.mark.parametrize('error', ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize('duplicate', [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_copies_and_pickles_keep_everything(error: Exception, duplicate: Any):
    twin = duplicate(error)
    assert type(twin) is type(error)
    assert (str(twin), repr(twin), len(twin.args)) == (str(error), repr(error), len(error.args))
    assert sorted(vars(twin)) == sorted(vars(error))
    for name, value in vars(error).items():
        assert repr(getattr(twin, name)) == repr(value)


def test_a_body_too_deep_to_indent_is_kept_as_it_came():
    body = '[' * 100_000 + ']' * 100_000
    assert UnexpectedModelBehavior('odd', body).body == body


def test_retry_texts_come_from_the_details():
    details = [{'type': 'missing', 'loc': ('a', 0), 'msg': 'Field required', 'input': {}}, {'msg': 'odd'}]
    assert str(ToolRetryError(Retry(details, 'tool'))).splitlines() == [
        "2 validation errors for 'tool'",
        'a.0',
        '  Field required [type=missing, input_value={}]',
        '__root__',
        '  odd [type=None, input_value=None]',
    ]


def test_an_instance_passes_where_a_model_retry_is_validated():
    from pydantic import BaseModel

    class Outcome(BaseModel):
        retry: ModelRetry

    outcome = Outcome(retry=ModelRetry('m'))
    assert Outcome.model_validate_json(outcome.model_dump_json()) == outcome
    assert Outcome.model_validate(outcome.model_dump()) == outcome


def record(run_id: str | None = 'run', **more: Any) -> RunRecord:
    return RunRecord(
        **{'messages': ['m'], 'usage': 'u', 'run_id': run_id, 'conversation_id': 'c', 'run_step': 3, **more}
    )


@pytest.mark.parametrize('error', [*ERRORS, ValueError('foreign')], ids=lambda error: type(error).__name__)
def test_any_error_carries_the_run(error: Exception):
    error = copy.deepcopy(error)
    assert run_record(error) is None
    attached = record()
    attach_run_record(error, attached)
    twin: Any = pickle.loads(pickle.dumps(error))
    for carrier in (error, twin):
        found: Any = carrier
        assert run_record(found) == attached
        assert (found.messages, found.usage, found.run_id) == (['m'], 'u', 'run')
        assert (found.conversation_id, found.run_step, found.inner_run) == ('c', 3, None)
    assert getattr(error, 'messages') is attached.messages, 'the live history, not a copy'


def test_an_agent_error_outside_a_run_has_defaults():
    error = AgentRunError('x')
    assert (list(error.messages), error.usage, error.run_id, error.conversation_id) == ([], None, None, None)
    assert (error.run_step, error.inner_run) == (0, None)


def test_the_outermost_run_wins_and_inner_ones_stay_reachable():
    error = UsageLimitExceeded('x')
    for run_id in ('inner', 'middle', 'outer'):
        attach_run_record(error, record(run_id, messages=[run_id]))
    assert (error.run_id, error.messages) == ('outer', ['outer'])
    assert error.inner_run is not None and error.inner_run.run_id == 'middle'
    assert error.inner_run.inner_run is not None and error.inner_run.inner_run.run_id == 'inner'
    twin = pickle.loads(pickle.dumps(error))
    assert twin.inner_run == error.inner_run


def test_a_run_that_attaches_twice_replaces_its_own_record():
    error = AgentRunError('x')
    attach_run_record(error, record('inner'))
    attach_run_record(error, record('outer', run_step=1))
    attach_run_record(error, record('outer', run_step=2))
    assert error.run_step == 2
    assert error.inner_run is not None and error.inner_run.run_id == 'inner' and error.inner_run.inner_run is None


def test_attributes_of_foreign_errors_are_left_alone():
    class HasMessages(Exception):
        usage = 'how to call it'

        def __init__(self):
            self.messages = ['its own']

    error: Any = HasMessages()
    attach_run_record(error, record('one'))
    attach_run_record(error, record('two'))
    assert (error.messages, error.usage, error.run_id) == (['its own'], 'how to call it', 'two')
    found = run_record(error)
    assert found is not None and found.messages == ['m']


def test_an_attribute_changed_after_attaching_is_left_alone():
    error: Any = ValueError()
    attach_run_record(error, record('one'))
    error.messages = ['edited']
    attach_run_record(error, record('two'))
    assert (error.messages, error.run_id) == (['edited'], 'two')


def test_an_error_that_takes_no_attributes_stays_as_it_is():
    class Guarded(Exception):
        def __setattr__(self, name: str, value: object):
            raise RuntimeError('no')

    error = Guarded('x')
    attach_run_record(error, record())
    assert run_record(error) is None and str(error) == 'x'


def test_errors_are_caught_by_their_branches():
    tree = {
        'UserError': [UserError, RuntimeError],
        'UnsupportedRequestError': [UserError, NotImplementedError, AssertionError],
        'UndrainedPendingMessagesError': [UserError],
        'UsageLimitExceeded': [AgentRunError, RuntimeError],
        'ContentFilterError': [UnexpectedModelBehavior, AgentRunError],
        'ModelHTTPError': [exceptions.ModelAPIError, AgentRunError],
        'FallbackExceptionGroup': [FallbackExceptionGroup.__bases__[0], Exception],
    }
    for name, branches in tree.items():
        for branch in branches:
            assert issubclass(getattr(exceptions, name), branch)
    assert not issubclass(UserError, AgentRunError) and not issubclass(ModelRetry, RuntimeError)
