"""A hook that returns nothing, where the run needs something to continue with, is an error that names it."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, UserError
from stead.capabilities import AbstractCapability, CombinedCapability, Hooks
from stead.models.test import TestModel

REQUIRED = {
    'before_model_request': 'request_context',
    'wrap_model_request': 'response',
    'after_model_request': 'response',
    'before_node_run': 'node',
    'wrap_node_run': 'result',
    'after_node_run': 'result',
    'before_tool_execute': 'args',
}


async def forgetful(self: Any, ctx: Any, *args: Any, **kwargs: Any) -> Any:
    return None


def capability(hook: str, function: Any = forgetful) -> AbstractCapability[Any]:
    return type('Forgetful', (AbstractCapability,), {hook: function})()


def echo(n: int) -> int:
    return n


def agent(*capabilities: AbstractCapability[Any], **options: Any) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = Agent(TestModel(), capabilities=capabilities, **options)
    agent.tool_plain(echo)
    return agent


@pytest.mark.parametrize('hook', REQUIRED)
def test_a_hook_that_returns_nothing_is_named(hook: str) -> None:
    message = f'The hook `{hook}` of `Forgetful` returned nothing. It must return the `{REQUIRED[hook]}`'
    with pytest.raises(UserError, match=message):
        agent(capability(hook)).run_sync('x')
    with pytest.raises(UserError, match=message):
        agent(CombinedCapability([capability(hook)])).run_sync('x')


@pytest.mark.parametrize('hook', ['before_model_request', 'after_model_request', 'before_tool_execute'])
def test_a_registered_function_is_named(hook: str) -> None:
    async def look(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        return None

    hooks: Hooks[Any] = Hooks()
    getattr(hooks.on, hook)(look)
    with pytest.raises(UserError, match=f'The hook `{hook}` of `.*look` returned nothing'):
        agent(hooks).run_sync('x')


def test_an_error_hook_must_recover_with_a_response() -> None:
    async def fail(self: Any, ctx: Any, **kwargs: Any) -> Any:
        raise ValueError('no')

    with pytest.raises(
        UserError, match='`on_model_request_error` of `Forgetful` returned nothing. It must return the `response`'
    ):
        agent(capability('on_model_request_error'), capability('wrap_model_request', fail)).run_sync('x')


@pytest.mark.parametrize('hook', ['before_run', 'after_run', 'prepare_tools', 'before_tool_validate'])
@pytest.mark.filterwarnings('ignore:The prepare function .* returned `None`')  # which test_ready_made.py expects
def test_hooks_that_may_return_nothing(hook: str) -> None:
    assert agent(capability(hook)).run_sync('x').output is not None


def test_a_run_needs_its_result() -> None:
    with pytest.raises(UserError, match='A `wrap_run` hook returned nothing and did not await its `handler`'):
        agent(capability('wrap_run')).run_sync('x')
