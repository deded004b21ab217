"""A tool that begins to need approval in the middle of a run needs it from then on."""

from __future__ import annotations

import asyncio

import pytest

from stead import Agent, FunctionToolset, RunContext
from stead.capabilities import Hooks
from stead.messages import ModelResponse, ToolCallPart
from stead.models import ModelRequestContext
from stead.tools import DeferredToolRequests

from .agents import RAN, WAYS, ended, read, scripted, wipe, wiping


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


def kind_in_a_hook(kind: str, phase: str) -> Hooks[None]:
    """Return a hook that gives the tool `read` or `wipe` another kind, in place, in the second step."""

    def change(ctx: RunContext[None], request: ModelRequestContext) -> None:
        for tool in request.model_request_parameters.function_tools if ctx.run_step == 2 else []:
            vars(tool)['kind'] = kind

    hooks: Hooks[None] = Hooks()

    @hooks.on.before_model_request
    async def before(ctx: RunContext[None], request_context: ModelRequestContext) -> ModelRequestContext:
        if phase == 'before':
            change(ctx, request_context)
        return request_context

    @hooks.on.after_model_request
    async def after(
        ctx: RunContext[None], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        if phase == 'after':
            change(ctx, request_context)
        return response

    return hooks


@pytest.mark.parametrize('phase', ['before', 'after'])
@pytest.mark.parametrize('how', WAYS)
def test_a_hook_around_the_request_can_make_calls_wait(how: str, phase: str) -> None:
    agent = wiping([read('1', 'c1')], [read('2', 'c2')], capabilities=[kind_in_a_hook('unapproved', phase)])
    for _ in range(2):  # and what it changed in the first run is not there in the second
        RAN.clear()
        requests, _ = asyncio.run(ended(agent, how))
        assert [call.args_as_dict() for call in requests.approvals] == [{'p': '2'}]
        assert RAN == [('read', '1')]


@pytest.mark.parametrize('phase', ['before', 'after'])
@pytest.mark.parametrize('how', WAYS)
def test_a_hook_around_the_request_cannot_take_the_approval_away(how: str, phase: str) -> None:
    agent = wiping([read('1', 'c1')], [wipe('/', 'c2')], capabilities=[kind_in_a_hook('function', phase)])
    requests, _ = asyncio.run(ended(agent, how))
    assert [call.args_as_dict() for call in requests.approvals] == [{'p': '/'}]
    assert RAN == [('read', '1')]


@pytest.mark.parametrize('wrapped', ['plain', 'prefixed', 'filtered', 'renamed', 'with metadata'])
def test_an_approval_that_a_tool_begins_to_need_holds_from_the_next_step(wrapped: str) -> None:
    def run(p: str = '/') -> str:
        RAN.append(p)
        tools.tools['run'].requires_approval = True
        return p

    tools: FunctionToolset[None] = FunctionToolset([run])
    toolset = {
        'plain': tools,
        'prefixed': tools.prefixed('a'),
        'filtered': tools.filtered(lambda ctx, definition: True).prefixed('a'),
        'renamed': tools.renamed({'a_run': 'run'}),
        'with metadata': tools.with_metadata(a=1).prefixed('a'),
    }[wrapped]
    name = 'run' if wrapped == 'plain' else 'a_run'
    calls = [[ToolCallPart(name, {'p': path}, path)] for path in ('1', '2')]
    agent = Agent(scripted(*calls), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    requests = agent.run_sync('go').output
    assert isinstance(requests, DeferredToolRequests)
    assert [call.tool_call_id for call in requests.approvals] == ['2']
    assert RAN == ['1']
