"""Wrong types are refused with an error that names the argument and what to pass."""

from __future__ import annotations

import asyncio

import pytest

from stead import Agent, AgentRunResult, UserError
from stead.messages import ModelRequest, UserPromptPart

WRONG = dict(  # noqa: C408
    model=5,
    system_prompt=5,
    retries='3',
    tools=len,
    toolsets=len,
    end_strategy='late',
    metadata=5,
    model_settings=5,
    max_concurrency='5',
    capabilities=5,
    tool_timeout='1',
)


@pytest.mark.parametrize('name', WRONG)
def test_wrong_arguments_are_named(name):
    with pytest.raises((UserError, TypeError, ValueError), match=name):
        Agent(**{'model': 'test', name: WRONG[name]})


WRONG_RUN = dict(  # noqa: C408
    user_prompt=5,
    message_history='abc',
    model=5,
    usage={},
    usage_limits=5,
    model_settings=5,
    metadata=5,
    retries='3',
    deferred_tool_results={},
    conversation_id=5,
    toolsets=len,
    capabilities=5,
)


@pytest.mark.parametrize('name', WRONG_RUN)
def test_wrong_options_are_named(name):
    with pytest.raises((UserError, TypeError, ValueError), match=name):
        Agent('test').run_sync(**{'user_prompt': 'go', name: WRONG_RUN[name]})


@pytest.mark.parametrize(
    'history', [[{'role': 'user', 'content': 'x'}], b'[]', ModelRequest(parts=[]), AgentRunResult('x')]
)
def test_wrong_histories_say_how_to_read_them(history):
    with pytest.raises((UserError, TypeError), match='message_history'):
        Agent('test').run_sync('go', message_history=history)


@pytest.mark.parametrize('prompt', [5, [5], b'x', {'role': 'user', 'content': 'x'}, [UserPromptPart('x')]])
def test_wrong_prompts_are_named(prompt):
    with pytest.raises((UserError, TypeError), match='prompt'):
        Agent('test').run_sync(prompt)


@pytest.mark.parametrize(
    'name', ['model', 'tools', 'toolsets', 'metadata', 'model_settings', 'retries', 'native_tools']
)
def test_wrong_overrides_are_named(name):
    agent = Agent('test')
    with pytest.raises((UserError, TypeError), match=name):
        with agent.override(**{name: 5 if name != 'retries' else '5'}):
            agent.run_sync('go')


@pytest.mark.parametrize('name', ['model', 'tools', 'toolsets', 'capabilities', 'native_tools'])
def test_overrides_with_none_say_to_leave_them_out(name):
    with pytest.raises(UserError, match=rf'`agent.override\({name}=...\)` must be .*, not None. Leave it out to keep'):
        with Agent('test').override(**{name: None}):
            pass


@pytest.mark.parametrize('name', ['name', 'instructions', 'deps', 'metadata', 'model_settings', 'retries', 'spec'])
def test_other_overrides_take_none(name):
    agent = Agent('test')
    with agent.override(**{name: None}):
        assert agent.run_sync('go').output == 'success (no tool calls)'


def test_the_tools_of_an_agent_are_never_none():
    with pytest.raises(UserError, match=r'`Agent\(tools=...\)` must be a sequence of functions .*, not None. Put'):
        Agent('test', tools=None)


def test_native_tools_are_tools_or_functions():
    with pytest.raises(UserError, match=r'`agent.override\(native_tools=...\)` must be a sequence of native tools'):
        with Agent('test').override(native_tools=[3]):
            pass


def test_handlers_of_events_are_functions():
    with pytest.raises(UserError, match=r'`agent.run\(event_stream_handler=...\)` must be a function'):
        Agent('test').run_sync('go', event_stream_handler=3)


@pytest.mark.parametrize(
    'name',
    [
        'history_processors',
        'builtin_tools',
        'mcp_servers',
        'prepare_tools',
        'prepare_output_tools',
        'event_stream_handler',
    ],
)
def test_wrong_old_arguments_are_named(name):
    with pytest.raises(UserError, match=rf'`Agent\({name}=...\)` must be a .*, not int: 3'):
        Agent('test', **{name: 3})


@pytest.mark.parametrize('decorator', ['system_prompt', 'instructions'])
def test_prompt_functions_must_return_text(decorator):
    agent = Agent('test')

    def number():
        return 5

    getattr(agent, decorator)(number)
    with pytest.raises((UserError, TypeError), match='number.*int'):
        agent.run_sync('go')


def test_next_needs_a_node():
    async def main(value):
        async with Agent('test').iter('go') as run:
            await run.next(value)

    for value in (None, 5):
        with pytest.raises((UserError, TypeError), match='node'):
            asyncio.run(main(value))
