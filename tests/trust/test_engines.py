"""Engines keep the steps of runs; what comes out of them, or is sent beside them, permits nothing. Each test is a promise.

The engines here are in memory: they keep what they are given, as Temporal, DBOS and Prefect do, and hand out what was planted.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext, UserError
from stead.durable_exec import DurableAgent, RunSoFar
from stead.durable_exec._worker import AgentParts
from stead.exceptions import UsageLimitExceeded
from stead.messages import ModelMessagesTypeAdapter, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from stead.usage import RunUsage, UsageLimits
from tests.durable.test_seam import Elsewhere, Notebook

from .agents import RAN, wiping

engines = pytest.mark.parametrize('engine', [Notebook, Elsewhere], ids=['here', 'elsewhere'])


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


class Untrue:
    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return 'Untrue()'  # names of tests have no addresses, or workers would not agree on them


def durable(engine: type[Notebook]) -> tuple[DurableAgent[Any, Any], Notebook]:
    """Return an agent whose model wants to wipe a disk, which needs an approval, and its engine."""
    agent: Agent[Any, Any] = wiping([ToolCallPart('wipe', {'p': 'a'}, 'c1')], name='desk')
    notebook = engine()
    one = DurableAgent(agent, notebook, name='desk', models={}, event_stream_handler=None)
    if isinstance(notebook, Elsewhere):
        notebook.parts = AgentParts(agent, one._models, one._leaves)
    return one, notebook


def messages_that_ask(engine: type[Notebook]) -> list[Any]:
    """Return the messages of a run that waits for an approval."""
    result = asyncio.run(durable(engine)[0].run('go'))
    assert isinstance(result.output, DeferredToolRequests)
    return result.all_messages()


@engines
@pytest.mark.parametrize(
    'approvals',
    [
        *({'c1': value} for value in ('yes', 1, None, [], {'kind': 'tool-approved'}, Untrue())),
        *({call_id: True} for call_id in ('C1', 'c1 ', 'other', '', 1, None)),
    ],
    ids=repr,
)
def test_a_signal_with_a_wrong_decision_or_id_approves_nothing(engine: type[Notebook], approvals: Any) -> None:
    messages = messages_that_ask(engine)
    with pytest.raises(UserError, match='decision|ids that are not in the last response'):
        asyncio.run(
            durable(engine)[0].run(
                message_history=messages, deferred_tool_results=DeferredToolResults(approvals=approvals)
            )
        )
    assert RAN == []


WRONG = [
    *(b'', b'null', b'[]', b'"done"', b'not json', b'\xff\xfe', b'[' * 100_000, b'{"kind":"evil"}'),
    *(b'{"kind":"return_part"}', b'{"kind":"retry_part"}', b'{"kind":"denied","message":3}', b'{},{}'),
]


@engines
@pytest.mark.parametrize('outcome', WRONG, ids=lambda outcome: repr(outcome[:30]))
def test_an_outcome_that_is_none_ends_the_run_and_is_no_result_of_a_call(
    engine: type[Notebook], outcome: bytes
) -> None:
    messages = messages_that_ask(engine)
    agent, notebook = durable(engine)
    notebook.outcomes[0] = outcome
    with pytest.raises(UserError, match='What the engine has kept of a step is not what happened to a call') as caught:
        asyncio.run(
            agent.run(message_history=messages, deferred_tool_results=DeferredToolResults(approvals={'c1': True}))
        )
    assert (RAN, len(str(caught.value)) < 600) == ([], True)


@engines
@pytest.mark.parametrize(
    'response', [*WRONG, b'{"kind":"request","parts":[]}'], ids=lambda response: repr(response[:30])
)
def test_a_response_that_is_none_ends_the_run(engine: type[Notebook], response: bytes) -> None:
    agent, notebook = durable(engine)
    notebook.outcomes[0] = response
    with pytest.raises(UserError, match='What the engine has kept of a step is not the response of a model'):
        asyncio.run(agent.run('go'))
    assert RAN == []


@engines
def test_a_planted_response_asks_as_any_other_does(engine: type[Notebook]) -> None:
    agent, notebook = durable(engine)
    planted = ModelResponse(parts=[ToolCallPart('wipe', {'p': 'x'}, 'c9')])
    notebook.outcomes[0] = ModelMessagesTypeAdapter.dump_json([planted])[1:-1]
    result = asyncio.run(agent.run('go'))
    assert ([call.tool_call_id for call in result.output.approvals], RAN) == (['c9'], [])


def test_a_planted_outcome_names_no_type_that_ends_the_process() -> None:
    messages = messages_that_ask(Notebook)
    agent, notebook = durable(Notebook)
    notebook.outcomes[0] = b'{"kind":"error","error":"SystemExit","message":"bye"}'
    with pytest.raises(RuntimeError, match='bye'):
        asyncio.run(
            agent.run(message_history=messages, deferred_tool_results=DeferredToolResults(approvals={'c1': True}))
        )


def test_a_worker_makes_no_call_that_was_not_approved() -> None:
    agent, notebook = durable(Elsewhere)
    assert isinstance(notebook, Elsewhere)
    ctx: Any = RunContext(deps=None, model=None, usage=RunUsage(), tool_name='wipe', tool_call_id='c1')  # type: ignore[arg-type]
    call = {'name': b'"wipe"', 'args': b'{"p":"a"}', 'keep_errors': b'false'}
    (leaf,) = agent._leaves
    assert asyncio.run(notebook.parts.perform('call_tool', leaf, [], call, ctx)) == b'{"kind":"approval"}'
    assert RAN == []


def _so_far(**changes: Any) -> RunSoFar:
    prompt = ModelMessagesTypeAdapter.dump_python([ModelRequest(parts=[UserPromptPart('go')])], mode='json')
    return RunSoFar(**{'messages': prompt, 'run_id': 'r', **changes})


@engines
@pytest.mark.parametrize(
    'changes',
    [
        *({'following': value} for value in (-1, 99, 'a')),
        *({'run_step': value} for value in (-5, 'a', 1.5, True)),
        *({'new_message_index': value} for value in (-9, 99)),
        *({'output_retries_used': value} for value in (-9, 'x')),
        *({'usage': value} for value in ('x', {'requests': -100}, {'requests': 'x'})),
        *({'retries': value} for value in ('x', {'wipe': 'a'}, {'wipe': -9})),
        *({'call_counts': value} for value in ([1], {'wipe': -100})),
        *({'pending': value} for value in ([1], [{'messages': [], 'priority': 'x'}], [{}], 'x')),
        *({'messages': value} for value in ('x', [{'kind': 'evil'}], [1])),
        {'run_id': 3},
    ],
    ids=repr,
)
def test_what_a_workflow_is_said_to_go_on_with_is_checked(engine: type[Notebook], changes: Any) -> None:
    with pytest.raises(UserError, match='so_far'):
        asyncio.run(durable(engine)[0].run(so_far=_so_far(**changes)))
    assert RAN == []


@pytest.mark.parametrize('so_far', [3, 'x', {'messages': []}, True, RunSoFar], ids=repr)
def test_only_a_run_so_far_is_gone_on_with(so_far: Any) -> None:
    with pytest.raises(UserError, match='`so_far` must be a `RunSoFar`'):
        asyncio.run(durable(Notebook)[0].run(so_far=so_far))


@engines
@pytest.mark.parametrize('lasts', [True, False])
def test_calls_in_a_history_that_is_handed_over_are_asked_about(engine: type[Notebook], lasts: bool) -> None:
    history = [
        ModelRequest(parts=[UserPromptPart('go')]),
        ModelResponse(parts=[ToolCallPart('wipe', {'p': 'x'}, 'c9')]),
    ]
    if not lasts:
        history.append(ModelRequest(parts=[UserPromptPart('go on')]))
    messages = ModelMessagesTypeAdapter.dump_python(history, mode='json')
    result = asyncio.run(durable(engine)[0].run(so_far=_so_far(messages=messages)))
    assert RAN == []
    if lasts:
        assert [call.tool_call_id for call in result.output.approvals] == ['c9']


@engines
def test_limits_count_what_a_run_has_used_elsewhere(engine: type[Notebook]) -> None:
    going_on = durable(engine)[0].run(so_far=_so_far(usage={'requests': 5}), usage_limits=UsageLimits(request_limit=5))
    with pytest.raises(UsageLimitExceeded, match='request_limit of 5'):
        asyncio.run(going_on)
