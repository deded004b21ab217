"""`ApprovalPolicy`: what a person decided for good is not asked again."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults
from stead.capabilities import ApprovalPolicy, HandleDeferredToolCalls
from stead.exceptions import UserError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel


def asks(*args: Any) -> FunctionModel:
    """A model that calls `refund` with each of the arguments, and then says what came of it."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if isinstance(messages[-2] if len(messages) > 1 else None, ModelResponse):
            return ModelResponse([TextPart(' | '.join(str(part.content) for part in messages[-1].parts))])  # type: ignore[union-attr]
        return ModelResponse([ToolCallPart('refund', value, f'c{index}') for index, value in enumerate(args)])

    return FunctionModel(respond)


def shop(model: FunctionModel, *capabilities: Any) -> Agent[None, Any]:
    agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=list(capabilities))

    @agent.tool_plain(requires_approval=True)
    def refund(order: str) -> str:
        return f'refunded {order}'

    return agent


def open_calls(output: Any) -> list[Any]:
    assert isinstance(output, DeferredToolRequests)
    return [call.args for call in output.approvals]


def test_what_is_allowed_is_not_asked() -> None:
    policy = ApprovalPolicy[Any]()
    policy.allow('refund')
    assert shop(asks({'order': 'A'}), policy).run_sync('x').output == 'refunded A'


def test_allowed_arguments_are_those_and_no_others() -> None:
    policy = ApprovalPolicy[Any]()
    policy.allow('refund', {'order': 'A'})
    assert open_calls(shop(asks({'order': 'A'}, '{"order": "B"}'), policy).run_sync('x').output) == ['{"order": "B"}']
    assert shop(asks('{"order": "A"}'), policy).run_sync('x').output == 'refunded A'


def test_a_denial_counts_more_and_certain_arguments_more_still() -> None:
    policy = ApprovalPolicy[Any]()
    policy.deny('refund', message='not today')
    policy.allow('refund', {'order': 'A'})
    policy.allow('refund', {'order': 'B'}, conversation_id='c')
    policy.deny('refund', {'order': 'B'})
    agent = shop(asks({'order': 'A'}, {'order': 'B'}, {'order': 'C'}), policy)
    assert agent.run_sync('x', conversation_id='c').output == 'refunded A | The tool call was denied. | not today'


@pytest.mark.parametrize('scope', ['run', 'conversation', 'always'])
def test_a_decision_holds_as_long_as_its_scope(scope: Any) -> None:
    policy = ApprovalPolicy[Any]()
    agent = shop(asks({'order': 'A'}), policy)
    first = agent.run_sync('x')
    [call] = first.output.approvals
    policy.remember(call, scope=scope, source=first)
    answers = DeferredToolResults(approvals={call.tool_call_id: True})
    assert agent.run_sync(message_history=first.all_messages(), deferred_tool_results=answers).output == 'refunded A'
    same = agent.run_sync('x', conversation_id=first.conversation_id)
    other = agent.run_sync('x')
    assert isinstance(same.output, DeferredToolRequests) == (scope == 'run')
    assert isinstance(other.output, DeferredToolRequests) == (scope != 'always')


def test_remembered_for_any_arguments() -> None:
    policy = ApprovalPolicy[Any]()
    policy.remember(ToolCallPart('refund', {'order': 'A'}), any_args=True, scope='always')
    assert shop(asks({'order': 'B'}), policy).run_sync('x').output == 'refunded B'


def test_the_policy_is_asked_before_the_person() -> None:
    asked_about: list[Any] = []

    def person(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults:
        asked_about.extend(call.args for call in requests.approvals)
        return requests.build_results(approve_all=True)

    policy = ApprovalPolicy[Any]()
    policy.allow('refund', {'order': 'A'})
    agent = shop(asks({'order': 'A'}, {'order': 'B'}), policy, HandleDeferredToolCalls[Any](person))
    assert agent.run_sync('x').output == 'refunded A | refunded B'
    assert asked_about == [{'order': 'B'}]


def test_it_is_stored_and_loaded() -> None:
    policy = ApprovalPolicy[Any]()
    policy.allow('refund', {'order': 'A'}, conversation_id='c')
    policy.deny('refund', message='no')
    assert ApprovalPolicy.load(policy.dump()).rules == policy.rules
    policy.forget('refund')
    assert policy.rules == []


@pytest.mark.parametrize(
    'text', ['', '{}', '[3]', '[{"tool_name": "x", "args": 3}]', '[{"name": "x"}]', '[{"tool_name": 3}]']
)
def test_bad_stored_policies(text: str) -> None:
    with pytest.raises(UserError, match='not a stored approval policy'):
        ApprovalPolicy.load(text)


def test_what_cannot_be_remembered() -> None:
    policy = ApprovalPolicy[Any]()
    with pytest.raises(UserError, match='source='):
        policy.remember(ToolCallPart('refund', {}))
    with pytest.raises(UserError, match='any_args=True'):
        policy.remember(ToolCallPart('refund', '{"or'), scope='always')


def test_a_new_decision_takes_the_place_of_the_old_one() -> None:
    policy = ApprovalPolicy[Any]()
    policy.deny('refund')
    policy.allow('refund')
    assert [rule.allowed for rule in policy.rules] == [True]
