"""A value of the wrong type is an error where it is passed; it never permits more than was meant. Each test is a promise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from stead import Agent, DeferredToolRequests, RunContext, Tool
from stead.capabilities import ApprovalPolicy, WebFetch
from stead.capabilities.approval_policy import ApprovalRule
from stead.common_tools.web_fetch import web_fetch_tool
from stead.exceptions import UserError
from stead.messages import ToolCallPart
from stead.models.test import TestModel
from stead.native_tools import WebFetchTool
from stead.tools import ToolDefinition
from stead.toolsets import AbstractToolset, FunctionToolset
from stead.usage import UsageLimits

from .agents import RAN, scripted, wipe, wiping


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


@dataclass
class Source:
    run_id: str | None = 'r'
    conversation_id: str | None = 'c'


@pytest.mark.parametrize('scope', ['session', 'Conversation', 'runs', '', None, 5], ids=repr)
def test_a_scope_that_there_is_not_remembers_nothing(scope: Any) -> None:
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    with pytest.raises(UserError, match=r'There is no scope .* there are \(.run., .conversation., .always.\)'):
        policy.remember(wipe('/'), scope=scope, source=Source())
    wiping([wipe('/')], capabilities=[policy]).run_sync('go')
    assert RAN == []


@pytest.mark.parametrize('scope', ['run', 'conversation'])
def test_a_source_without_an_id_does_not_make_a_decision_hold_for_all(scope: Any) -> None:
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    for source in (None, Source(run_id=None, conversation_id=None)):
        with pytest.raises(UserError, match=f'A decision for a {scope} needs `source=`'):
            policy.remember(wipe('/'), scope=scope, source=source)
    wiping([wipe('/')], capabilities=[policy]).run_sync('go')
    assert RAN == []


@pytest.mark.parametrize('allowed', ['no', 'yes', None, 0, 1, []], ids=repr)
def test_a_rule_allows_or_does_not(allowed: Any) -> None:
    with pytest.raises(UserError, match='`allowed` of an approval rule cannot be'):
        ApprovalPolicy[None]().remember(wipe('/'), allowed, scope='always')
    with pytest.raises(UserError, match='`allowed` of an approval rule cannot be'):
        ApprovalRule('wipe', allowed=allowed)


@pytest.mark.parametrize('args', [[], [('p', '/')], '', '{"p": "/"}', 5, False], ids=repr)
def test_arguments_of_a_rule_are_by_name(args: Any) -> None:
    for decide in (ApprovalPolicy[None]().allow, ApprovalPolicy[None]().deny):
        with pytest.raises(UserError, match='`args` of an approval rule cannot be'):
            decide('wipe', args)


@pytest.mark.parametrize('name', [None, 5, ['wipe']], ids=repr)
def test_the_tool_of_a_rule_is_a_name(name: Any) -> None:
    with pytest.raises(UserError, match='`tool_name` of an approval rule cannot be'):
        ApprovalPolicy[None]().deny(name)


@pytest.mark.parametrize(
    'rule', ['"arg": {"p": "tmp"}', '"run_ids": "r"', '"until": 5', '"allowed": 1', '"allowed": "yes"', '"args": []']
)
def test_a_stored_rule_that_is_not_understood_allows_nothing(rule: str) -> None:
    with pytest.raises(UserError, match='This is not a stored approval policy'):
        ApprovalPolicy.load(f'[{{"tool_name": "wipe", {rule}}}]')


@pytest.mark.parametrize('allowed', [None, '', 'no', 'link_local', 'local', ['link-local'], 2], ids=repr)
def test_only_true_and_link_local_open_local_addresses(allowed: Any) -> None:
    with pytest.raises(UserError, match='`allow_local_urls` must be'):
        web_fetch_tool(allow_local_urls=allowed)


@pytest.mark.parametrize('field', ['allowed_domains', 'blocked_domains'])
@pytest.mark.parametrize('domains', ['example.com', b'example.com', [None], ['a.example', 5], 5], ids=repr)
def test_domains_are_a_list_of_names(field: str, domains: Any) -> None:
    with pytest.raises(UserError, match=f'`{field}` must be a list of host names'):
        web_fetch_tool(**{field: domains})
    assert web_fetch_tool(**{field: {'example.com'}}).name == 'web_fetch'


LIMITS = ['request_limit', 'tool_calls_limit', 'tool_calls_per_response_limit', 'total_tokens_limit']


@pytest.mark.parametrize('field', LIMITS)
@pytest.mark.parametrize('limit', ['2', math.nan, [2], {}], ids=repr)
def test_a_limit_is_a_number(field: str, limit: Any) -> None:
    with pytest.raises(UserError, match=f'`{field}` of `UsageLimits` must be a number'):
        UsageLimits(**{field: limit})


PATTERNS = [
    '*.example.com',
    '*',
    '.example.com',
    'https://example.com',
    'example.com:8080',
    'example.com/blog',
    '',
    'a b',
    '[::1]',
]


@pytest.mark.parametrize('field', ['allowed_domains', 'blocked_domains'])
@pytest.mark.parametrize('pattern', PATTERNS)
def test_a_pattern_that_would_match_no_host_is_refused(field: str, pattern: str) -> None:
    with pytest.raises(UserError, match=f'`{field}` takes full host names, .* List each host by its name'):
        web_fetch_tool(**{field: ['docs.example.com', pattern]})  # type: ignore[arg-type]
    with pytest.raises(UserError, match=f'`{field}` takes full host names'):
        WebFetch(local=True, **{field: [pattern]})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    'host', ['Example.com', 'a_b.example', 'localhost.', '127.0.0.1', '::1', 'bücher.example', 'xn--bcher-kva.example']
)
def test_names_and_addresses_of_hosts_are_not_patterns(host: str) -> None:
    assert web_fetch_tool(allowed_domains=[host], blocked_domains=[host]).name == 'web_fetch'


def test_patterns_for_the_native_tool_leave_the_local_one_out() -> None:
    capability = WebFetch[None](allowed_domains=['example.com/blog'])
    assert capability.get_toolset() is None
    [native] = capability.get_native_tools()
    assert isinstance(native, WebFetchTool)
    assert native.allowed_domains == ['example.com/blog']
    with pytest.raises(UserError, match='native tools'):
        Agent(TestModel(), capabilities=[capability]).run_sync('go')


NO_DECISIONS = [None, 0, 1, '', 'no', [], object()]


@pytest.mark.parametrize('value', NO_DECISIONS, ids=lambda value: type(value).__name__ + str(bool(value)))
@pytest.mark.parametrize('is_async', [False, True], ids=['sync', 'async'])
def test_only_a_bool_says_whether_a_call_needs_an_approval(value: Any, is_async: bool) -> None:
    async def decide_later(*_: object) -> Any:
        return value

    def decide(*_: object) -> Any:
        return value

    tools = FunctionToolset[None]()

    @tools.tool_plain
    def wipe() -> None:
        RAN.append(('wipe', ''))

    model = scripted([ToolCallPart('wipe', {}, 'c1')])
    wrapped = tools.approval_required(decide_later if is_async else decide)
    agent = Agent(model, toolsets=[wrapped], output_type=[str, DeferredToolRequests])
    with pytest.raises(
        UserError, match="`approval_required_func` returned .* for the tool 'wipe', which was not run"
    ) as caught:
        agent.run_sync('go')
    assert RAN == []
    assert caught.value.messages[-1].parts, 'the history can be continued'  # type: ignore[attr-defined]


@pytest.mark.parametrize('kind', ['magic', '', None, 'Function', 5])
def test_a_kind_of_tool_that_does_not_exist_is_refused_where_it_is_said(kind: Any) -> None:
    with pytest.raises(UserError, match=r"The tool 't' has the kind .*; there are 'function', 'output', 'external'"):
        ToolDefinition(name='t', kind=kind)


@pytest.mark.parametrize('how', ['prepare', 'prepared', 'changed in place'])
def test_a_listing_makes_no_output_tools_of_functions(how: str) -> None:
    def one(ctx: RunContext[None], definition: ToolDefinition) -> ToolDefinition:
        if how == 'changed in place':
            definition.kind = cast(Any, 'magic')
            return definition
        return replace(definition, kind='output')

    def every(ctx: RunContext[None], definitions: list[ToolDefinition]) -> list[ToolDefinition]:
        return [one(ctx, definition) for definition in definitions]

    def run() -> None:
        RAN.append(('run', ''))

    tool = Tool[None](run, takes_ctx=False, prepare=None if how == 'prepared' else one)
    tools: AbstractToolset[None] = FunctionToolset([tool])
    agent = Agent(
        scripted([ToolCallPart('run', {}, 'c1')]), toolsets=[tools.prepared(every) if how == 'prepared' else tools]
    )
    with pytest.raises(UserError, match="gave the tool 'run' the kind '(output|magic)'"):
        agent.run_sync('go')
    assert RAN == []
