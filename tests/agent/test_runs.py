"""`run`, `run_sync` and `iter`, and what they give: results, messages, usage, ids."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from datetime import datetime, timezone
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, RunContext
from stead.agent import AgentRunResult, WrapperAgent
from stead.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    UserPromptPart,
)
from stead.models import PydanticAIDeprecationWarning
from stead.usage import RequestUsage, RunUsage

from ..loop.kit import call, calling, kinds, outline, script, text

WAYS = ['run', 'run_sync', 'iter', 'wrapper']


def go(agent: Agent[Any, Any], way: str, *args: Any, **options: Any) -> AgentRunResult[Any]:
    """Run an agent in one of the ways there are."""
    if way == 'run_sync':
        return agent.run_sync(*args, **options)
    if way == 'wrapper':
        return WrapperAgent(agent).run_sync(*args, **options)

    async def main() -> AgentRunResult[Any]:
        if way == 'run':
            return await agent.run(*args, **options)
        async with agent.iter(*args, **options) as run:
            async for _ in run:
                pass
        assert run.result is not None
        return run.result

    return asyncio.run(main())


class City(BaseModel):
    name: str


@pytest.mark.parametrize('way', WAYS)
def test_all_ways_take_the_same_options(way: str):
    seen: Any = []
    agent = Agent(deps_type=int, name='a')
    history = [ModelRequest(parts=[UserPromptPart('q')]), ModelResponse(parts=[TextPart('a')])]

    @agent.instructions
    def deps(ctx: RunContext[int]) -> str:
        return f'deps {ctx.deps}'

    usage = RunUsage(requests=3)
    result = go(
        agent,
        way,
        'prompt',
        output_type=City,
        model=script([call('final_result', {'name': 'Rome'})], seen=seen),
        deps=5,
        instructions='more',
        message_history=history,
        model_settings={'seed': 1},
        metadata={'k': 'v'},
        conversation_id='c',
        usage=usage,
    )
    messages, info = seen[0]
    assert result.output == City(name='Rome')
    assert outline(messages) == [[('user-prompt', 'q')], [('text', 'a')], [('user-prompt', 'prompt')]]
    assert (info.instructions, info.model_settings) == ('more\n\ndeps 5', {'seed': 1})
    assert (result.metadata, result.conversation_id) == ({'k': 'v'}, 'c')
    assert result.usage.requests == usage.requests == 4


def test_prompts_of_every_kind():
    seen: Any = []
    agent = Agent(script(text('ok'), seen=seen))
    prompts: list[Any] = [
        'text',
        '',
        ['two', 'texts'],
        ['look', ImageUrl(url='https://example.com/a.png'), BinaryContent(b'x', media_type='image/png')],
    ]
    for prompt in prompts:
        agent.run_sync(prompt)
    assert [messages[0].parts[0].content for messages, _ in seen] == prompts


def test_a_result_has_everything():
    before = datetime.now(tz=timezone.utc)
    response = ModelResponse(parts=[TextPart('done')], usage=RequestUsage(input_tokens=7, output_tokens=3))
    agent = Agent(script([call('t')], response))
    agent.tool_plain(name='t')(lambda: 'x')
    result = agent.run_sync('go')
    assert result.output == 'done'
    assert kinds(result.all_messages()) == ['user-prompt', 'tool-call', 'tool-return', 'text']
    assert result.all_messages() == result.new_messages()
    assert result.response is result.all_messages()[-1]
    assert before <= result.timestamp <= datetime.now(tz=timezone.utc)
    assert (result.usage.requests, result.usage.tool_calls) == (2, 1)
    assert result.usage.output_tokens >= 3
    assert result.run_id and result.conversation_id and result.run_id != result.conversation_id
    assert repr(result) == "AgentRunResult(output='done')"


def test_messages_as_json():
    result = Agent(script(text('ok'))).run_sync(
        'go', message_history=[ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[TextPart('b')])]
    )
    everything = json.loads(result.all_messages_json())
    new = json.loads(result.new_messages_json())
    assert [message['kind'] for message in everything] == ['request', 'response'] * 2
    assert new == everything[2:]
    assert ModelMessagesTypeAdapter.validate_json(result.all_messages_json()) == result.all_messages()


def test_messages_of_a_run_while_it_goes_on():
    agent = calling(call('t'))
    agent.tool_plain(name='t')(lambda: 'x')
    history = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[TextPart('b')])]

    async def main() -> None:
        async with agent.iter('go', message_history=history) as run:
            async for node in run:
                assert len(run.all_messages()) == len(run.new_messages()) + 2
                assert json.loads(run.all_messages_json())[2:] == json.loads(run.new_messages_json())
                if Agent.is_end_node(node):
                    assert len(run.new_messages()) == 4
        assert run.result is not None
        assert (run.result.run_id, run.result.conversation_id) == (run.run_id, run.conversation_id)
        assert run.result.all_messages() == run.all_messages()

    asyncio.run(main())


def test_usage_is_the_object_that_was_passed_and_can_be_stored():
    usage = RunUsage()
    result = Agent(script(text('ok'))).run_sync('go', usage=usage)
    assert result.usage is usage
    assert pickle.loads(pickle.dumps(result.usage)) == usage
    assert type(copy.deepcopy(result.usage)) is RunUsage


def test_usage_is_a_property_and_the_old_call_still_works():
    agent = Agent(script(text('ok')))
    result = agent.run_sync('go')
    assert isinstance(result.usage, RunUsage) and result.usage.requests == 1
    with pytest.warns(PydanticAIDeprecationWarning, match='`usage` is a property now'):
        assert result.usage() == result.usage
    with pytest.warns(PydanticAIDeprecationWarning, match='timestamp'):
        assert result.timestamp() == result.timestamp

    async def main() -> None:
        async with agent.iter('go') as run:
            assert run.usage == RunUsage()
            async for _ in run:
                pass
            assert run.usage.requests == 1
            with pytest.warns(PydanticAIDeprecationWarning):
                assert run.usage() == run.usage

    asyncio.run(main())


def test_usage_of_an_open_run_is_live():
    agent = Agent(script(text('ok')))

    async def main() -> list[int]:
        async with agent.iter('go') as run:
            usage = run.usage
            return [usage.requests async for _ in run]

    assert asyncio.run(main()) == [0, 0, 1, 1]


# Ids


def test_every_run_has_an_id_of_its_own_and_a_conversation_keeps_its():
    agent = Agent(script(text('ok')))
    first = agent.run_sync('1')
    second = agent.run_sync('2', message_history=first.all_messages())
    other = agent.run_sync('3')
    assert len({first.run_id, second.run_id, other.run_id}) == 3
    assert first.conversation_id == second.conversation_id != other.conversation_id


def test_a_conversation_id_can_be_given_or_asked_to_be_new():
    agent = Agent(script(text('ok')))
    first = agent.run_sync('1', conversation_id='mine')
    assert first.conversation_id == 'mine'
    assert {message.conversation_id for message in first.all_messages()} == {'mine'}
    assert agent.run_sync('2', message_history=first.all_messages()).conversation_id == 'mine'
    assert agent.run_sync('2', message_history=first.all_messages(), conversation_id='other').conversation_id == 'other'
    fresh = agent.run_sync('2', message_history=first.all_messages(), conversation_id='new')
    assert fresh.conversation_id not in ('mine', 'new')
    assert [message.conversation_id for message in fresh.all_messages()][:2] == ['mine', 'mine']


def test_ids_reach_tools():
    agent = calling(call('t'))
    seen: list[Any] = []
    agent.tool(name='t')(note_ids(seen))
    result = agent.run_sync('go')
    assert seen == [(result.run_id, result.conversation_id)]


def note_ids(seen: list[Any]) -> Any:
    def t(ctx: RunContext[Any]) -> None:
        seen.append((ctx.run_id, ctx.conversation_id))

    return t


# Metadata


def test_metadata_is_told_to_the_run_and_its_tools():
    seen: list[Any] = []
    agent = calling(call('t'), metadata=lambda ctx: {'step': ctx.run_step, 'deps': ctx.deps}, deps_type=str)

    @agent.tool
    def t(ctx: RunContext[str]) -> None:
        seen.append(ctx.metadata)

    async def main() -> Any:
        async with agent.iter('go', deps='d', metadata={'run': 1}) as run:
            assert run.metadata == {'step': 0, 'deps': 'd', 'run': 1}
            async for _ in run:
                pass
        return run

    run = asyncio.run(main())
    assert seen == [{'step': 0, 'deps': 'd', 'run': 1}]
    assert run.metadata == run.result.metadata == {'step': 2, 'deps': 'd', 'run': 1}, 'asked again at the end'


def test_metadata_of_two_runs_do_not_mix():
    agent = Agent(script(text('ok')), metadata={'shared': [1]})
    first = agent.run_sync('1', metadata={'n': 1})
    second = agent.run_sync('2', metadata={'n': 2})
    assert first.metadata == {'shared': [1], 'n': 1}
    assert second.metadata == {'shared': [1], 'n': 2}
    assert first.metadata is not second.metadata


# Several runs at once


def test_two_runs_of_one_agent_share_nothing():
    agent = Agent(deps_type=str, instructions='x', retries=1)
    at_once = asyncio.Event()
    contexts: dict[str, Any] = {}

    @agent.tool
    async def t(ctx: RunContext[str], n: int) -> str:
        contexts[f'{ctx.deps}{n}'] = ctx
        if len(contexts) >= 4:
            at_once.set()
        await asyncio.wait_for(at_once.wait(), 5)
        return f'{ctx.deps} {n} retry {ctx.retry}'

    async def one(name: str) -> AgentRunResult[str]:
        model = script([call('t', {'n': 1}, 'c1'), call('t', {'n': 2}, 'c2')], [call('t', {'n': 'bad'})], text(name))
        return await agent.run(f'prompt of {name}', deps=name, model=model, metadata={'name': name})

    async def main() -> Any:
        return await asyncio.gather(one('ann'), one('bob'))

    for result, name in zip(asyncio.run(main()), ('ann', 'bob')):
        assert result.output == name and result.metadata == {'name': name}
        assert result.usage.requests == 3 and result.usage.tool_calls == 2
        assert outline(result.all_messages())[0] == [('user-prompt', f'prompt of {name}')]
        assert outline(result.all_messages())[2] == [('tool-return', f'{name} {n} retry 0') for n in (1, 2)]
    assert contexts['ann1'].messages is not contexts['bob1'].messages
    assert contexts['ann1'].run_id == contexts['ann2'].run_id != contexts['bob1'].run_id


def test_many_runs_at_once_in_one_loop():
    agent = Agent('test')
    agent.tool_plain(name='a')(lambda: 'x')

    async def main() -> set[str]:
        results = await asyncio.gather(*[agent.run(f'{n}') for n in range(50)])
        assert [outline(r.all_messages())[0][0][1] for r in results] == [f'{n}' for n in range(50)]
        return {result.run_id for result in results}

    assert len(asyncio.run(main())) == 50


def test_output_validators_of_two_agents_with_one_output_type():
    one, two = (Agent(script([call('final_result', {'name': 'x'})]), output_type=City) for _ in range(2))
    one.output_validator(lambda value: City(name=value.name + '1'))
    two.output_validator(lambda value: City(name=value.name + '2'))
    assert [agent.run_sync('go').output.name for agent in (one, two, one)] == ['x1', 'x2', 'x1']


def test_a_run_may_run_its_own_agent():
    agent = Agent(deps_type=int)

    @agent.tool
    async def deeper(ctx: RunContext[int]) -> str:
        if ctx.deps == 0:
            return 'bottom'
        model = script([call('deeper')], text(f'level {ctx.deps - 1}'))
        return (await agent.run('go', deps=ctx.deps - 1, model=model)).output

    result = agent.run_sync('go', deps=3, model=script([call('deeper')], text('level 3')))
    assert result.output == 'level 3'
    assert outline(result.all_messages())[2] == [('tool-return', 'level 2')]
