"""System prompts and instructions: order, joining, and when they are asked for again."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from stead import Agent, RunContext, UserError
from stead.messages import InstructionPart, ModelRequest, SystemPromptPart
from stead.toolsets import FunctionToolset

from ..loop.kit import call, outline, script, text


def sent(agent: Agent[Any, Any], *args: Any, **options: Any) -> list[str | None]:
    """Return the instructions of every request of a run."""
    messages = agent.run_sync(*(args or ('go',)), **options).all_messages()
    return [message.instructions for message in messages if isinstance(message, ModelRequest)]


def two_steps(**options: Any) -> Agent[Any, str]:
    agent = Agent(script([call('t')], text('ok'), [call('t')], text('ok')), **options)
    agent.tool_plain(name='t')(lambda: 1)
    return agent


def test_texts_are_joined_by_lines_and_functions_by_paragraphs():
    agent = Agent('test', instructions=['one', 'two'])
    agent.instructions(lambda: 'three')
    agent.instructions(lambda: 'four')
    assert sent(agent) == ['one\ntwo\n\nthree\n\nfour']
    assert sent(Agent('test', instructions='one')) == ['one']
    assert sent(Agent('test')) == [None]


@pytest.mark.parametrize('nothing', ['', None, '   ', [], ['', '']])
def test_nothing_is_nothing(nothing: Any):
    assert sent(Agent('test', instructions=nothing)) == [None]


def test_functions_that_say_nothing_leave_no_gap():
    agent = Agent('test', instructions='one')
    agent.instructions(lambda: None)
    agent.instructions(lambda: '')
    agent.instructions(lambda: 'two')
    assert sent(agent) == ['one\n\ntwo']
    silent = Agent('test')
    silent.instructions(lambda: None)
    assert sent(silent) == [None]


def test_functions_of_every_shape():
    agent = Agent('test', deps_type=str)

    @agent.instructions
    def plain() -> str:
        return 'plain'

    @agent.instructions
    async def asynchronous() -> str:
        await asyncio.sleep(0)
        return 'async'

    @agent.instructions
    def with_context(ctx: RunContext[str]) -> str:
        return ctx.deps

    @agent.instructions()
    async def both(ctx: RunContext[str]) -> str:
        return f'step {ctx.run_step}'

    assert sent(agent, deps='deps') == ['plain\n\nasync\n\ndeps\n\nstep 1']


def test_instructions_are_asked_for_at_every_step_and_every_run():
    steps: list[int] = []
    agent = two_steps(instructions='static')

    @agent.instructions
    def dynamic(ctx: RunContext) -> str:
        steps.append(ctx.run_step)
        return f'asked {len(steps)}'

    first = agent.run_sync('go')
    assert steps == [1, 2]
    second = agent.run_sync('go', message_history=first.all_messages())
    assert steps == [1, 2, 1, 2]
    instructions = [m.instructions for m in second.all_messages() if isinstance(m, ModelRequest)]
    assert instructions == [f'static\n\nasked {n}' for n in (1, 2, 3, 4)]


def test_those_of_a_run_come_after_those_of_the_agent():
    agent = Agent('test', instructions='agent')
    assert sent(agent, instructions='run') == ['agent\nrun']
    assert sent(agent, instructions=['run', lambda: 'function']) == ['agent\nrun\n\nfunction']
    assert sent(agent) == ['agent'], 'they are of one run only'


def test_toolsets_have_instructions_too():
    tools = FunctionToolset[Any](instructions='of the tools')
    assert sent(Agent('test', instructions='agent', toolsets=[tools])) == ['agent\n\nof the tools']


def test_the_model_gets_them_in_parts():
    seen: Any = []
    agent = Agent(script(text('ok'), seen=seen), instructions='static')
    agent.instructions(lambda: 'dynamic')
    agent.run_sync('go')
    assert seen[0][1].model_request_parameters.instruction_parts == [
        InstructionPart(content='static'),
        InstructionPart(content='dynamic', dynamic=True),
    ]
    assert seen[0][1].instructions == 'static\n\ndynamic'


def test_system_prompts_come_first_in_order():
    agent = Agent('test', system_prompt=['one', 'two'])

    @agent.system_prompt
    def three() -> str:
        return 'three'

    @agent.system_prompt
    async def four(ctx: RunContext) -> str:
        return f'four {ctx.prompt}'

    parts = outline(agent.run_sync('go').all_messages())[0]
    assert parts == [*(('system-prompt', word) for word in ('one', 'two', 'three', 'four go')), ('user-prompt', 'go')]
    assert outline(Agent('test', system_prompt='one').run_sync('go').all_messages())[0][0] == ('system-prompt', 'one')


def test_system_prompts_that_say_nothing_are_left_out_unless_dynamic():
    agent = Agent('test')
    agent.system_prompt(lambda: None)
    agent.system_prompt(lambda: '')
    assert len(outline(agent.run_sync('go').all_messages())[0]) == 1

    @agent.system_prompt(dynamic=True)
    def later() -> str | None:
        return None

    (part, _) = agent.run_sync('go').all_messages()[0].parts
    assert isinstance(part, SystemPromptPart) and part.content == '' and part.dynamic_ref is not None


def test_system_prompts_are_asked_once_per_conversation():
    calls: list[int] = []
    agent = two_steps()

    @agent.system_prompt
    def counted() -> str:
        calls.append(1)
        return 'x'

    first = agent.run_sync('go')
    agent.run_sync('go', message_history=first.all_messages())
    assert calls == [1]


def test_dynamic_prompts_are_asked_again_and_change_no_earlier_result():
    count = [0]
    agent = Agent(script(text('ok')))

    @agent.system_prompt(dynamic=True)
    async def counted(ctx: RunContext) -> str:
        count[0] += 1
        return f'asked {count[0]}'

    first = agent.run_sync('go')
    second = agent.run_sync('go', message_history=first.all_messages())
    assert outline(first.all_messages())[0][0] == ('system-prompt', 'asked 1')
    assert outline(second.all_messages())[0][0] == ('system-prompt', 'asked 2')
    other = Agent(script(text('ok'))).run_sync('go', message_history=second.all_messages())
    assert outline(other.all_messages())[0][0] == ('system-prompt', 'asked 2'), (
        'an agent without that function keeps it'
    )


def test_the_parts_can_be_asked_for_without_a_run():
    agent = Agent('test', system_prompt='one', deps_type=str)

    @agent.system_prompt
    def who(ctx: RunContext[str]) -> str:
        return f'{ctx.deps} {ctx.prompt} {len(ctx.messages)}'

    parts = asyncio.run(agent.system_prompt_parts(deps='ann', prompt='hi'))
    assert [part.content for part in parts] == ['one', 'ann hi 0']
    with pytest.raises(UserError, match='There is no model'):
        asyncio.run(Agent(system_prompt='x').system_prompt_parts())


def test_an_error_in_a_prompt_function_ends_the_run_with_that_error():
    agent = Agent('test')

    @agent.system_prompt
    def broken() -> str:
        raise LookupError('no prompt')

    with pytest.raises(LookupError, match='no prompt'):
        agent.run_sync('go')


def test_slow_sync_functions_do_not_block_the_loop():

    agent = Agent('test')
    ticked = threading.Event()

    @agent.instructions
    def slow() -> str:
        assert ticked.wait(20), 'the loop is blocked'
        return 'x'

    async def main() -> None:
        task = asyncio.ensure_future(agent.run('go'))
        for _ in range(3):
            await asyncio.sleep(0.005)
        assert not task.done()
        ticked.set()
        await task

    asyncio.run(main())
