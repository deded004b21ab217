"""Every argument of `Agent`: what it does, and what is said when it is wrong."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, ConcurrencyLimit, ConcurrencyLimiter, ModelRetry, RunContext, Tool, UserError
from stead.capabilities import AbstractCapability
from stead.exceptions import ConcurrencyLimitExceeded
from stead.messages import ModelMessage, ModelRequest
from stead.models import Model, PydanticAIDeprecationWarning
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset

from ..loop.kit import call, calling, script, text
from ..waiting import run_in_virtual_time


class City(BaseModel):
    name: str


def offered(agent: Agent[Any, Any], **options: Any) -> list[str]:
    """Return the names of the function tools that a model is offered."""
    seen: Any = []
    agent.run_sync('go', model=script(text('ok'), seen=seen), **options)
    return [tool.name for tool in seen[0][1].function_tools]


def test_the_model_by_name_and_as_it_is():
    assert isinstance(Agent('test').model, TestModel)
    model = TestModel()
    assert Agent(model).model is model
    assert Agent().model is None
    agent = Agent()
    agent.model = model
    assert agent.run_sync('go').output == 'success (no tool calls)'


def test_what_is_changed_between_runs_holds_for_the_next():
    seen: Any = []
    agent = Agent(script(text('ok'), seen=seen), model_settings={'temperature': 0.1}, end_strategy='early')
    for settings in ({'temperature': 0.9}, None):
        agent.run_sync('go')
        agent.model_settings = settings
    agent.run_sync('go')
    assert [info.model_settings for _, info in seen] == [{'temperature': 0.1}, {'temperature': 0.9}, None]


def test_what_a_tool_registers_with_its_agent_holds_from_the_next_run():
    agent = Agent(script([call('register')], text('ok'), text('ok')))
    copied = copy.copy(agent)

    @agent.tool_plain
    def register() -> None:
        agent.output_validator(lambda output: f'{output}, checked')

    assert agent.run_sync('go').output == 'ok'
    assert agent.run_sync('go').output == 'ok, checked'
    assert copied.run_sync('go').output == 'ok'


def test_an_agent_without_a_model_can_be_given_one_later():
    agent = Agent()
    assert agent.run_sync('go', model='test').output
    assert agent.run_sync('go', model=TestModel(custom_output_text='mine')).output == 'mine'
    with pytest.raises(UserError, match=r'There is no model.*`agent.override`'):
        agent.run_sync('go')


def test_the_name_of_a_model_is_checked_at_once_unless_told_otherwise():
    with pytest.raises(ValueError, match="Unknown provider: 'nobody'.*'nobody:model-1'"):
        Agent('nobody:model-1')
    with pytest.raises(UserError, match="Unknown model: 'model-1'.*provider:model"):
        Agent('model-1')
    agent = Agent('nobody:model-1', defer_model_check=True)
    assert agent.model == 'nobody:model-1'
    with pytest.raises(ValueError, match='Unknown provider'):
        agent.run_sync('go')
    assert agent.run_sync('go', model='test').output


def test_a_deferred_name_is_resolved_once():
    agent = Agent('test', defer_model_check=True)
    assert agent.model == 'test'
    agent.run_sync('go')
    model = agent.model
    assert isinstance(model, Model)
    agent.run_sync('go')
    assert agent.model is model


def test_the_output_type():
    agent = Agent(TestModel(custom_output_args={'name': 'Rome'}), output_type=City)
    assert agent.output_type is City
    assert agent.run_sync('go').output == City(name='Rome')
    assert agent.output_json_schema()['properties'] == {'name': {'title': 'Name', 'type': 'string'}}
    assert agent.output_json_schema(int) == {'type': 'integer'}
    assert agent.run_sync('go', output_type=str, model=TestModel(custom_output_text='x')).output == 'x'


def test_tools_as_functions_and_objects():
    def plain(n: int) -> int:
        """Double a number."""
        return n * 2

    def with_context(ctx: RunContext, n: int) -> int:
        return n

    agent = Agent('test', tools=[plain, with_context, Tool(plain, name='named')])
    assert offered(agent) == ['plain', 'with_context', 'named']
    with pytest.raises(UserError, match="'plain'"):
        Agent('test', tools=[plain, plain])


def test_toolsets_as_objects_and_functions():
    toolset = FunctionToolset[Any]([Tool(lambda: 1, name='one', takes_ctx=False)])

    def from_function(ctx: RunContext[Any]) -> Any:
        return FunctionToolset[Any]([Tool(lambda: 2, name=f'step_{ctx.run_step}', takes_ctx=False)])

    agent = Agent('test', toolsets=[toolset, from_function])
    agent.tool_plain(name='own')(lambda: 0)
    assert offered(agent) == ['own', 'one', 'step_1']
    assert len(agent.toolsets) == 3 and agent.toolsets[1] is toolset
    with pytest.raises(UserError, match=r'A toolset must be .*not int: 5.*`tools`'):
        Agent('test', toolsets=[5])  # type: ignore[list-item]


def test_name_and_description():
    agent = Agent('test', name='clerk', description='writes letters')
    assert (agent.name, agent.description) == ('clerk', 'writes letters')
    agent.name = 'scribe'
    assert agent.name == 'scribe'
    assert "name='scribe'" in repr(agent)
    assert Agent('test').description is None


def test_the_name_is_that_of_the_variable():
    clerk = Agent('test')
    clerk.run_sync('go')
    assert clerk.name == 'clerk'

    async def step() -> None:
        scribe = Agent('test')
        await scribe.run('go')
        assert scribe.name == 'scribe'
        writer = Agent('test')
        async with writer.iter('go'):
            pass
        assert writer.name == 'writer'

    asyncio.run(step())
    nameless = Agent('test')
    nameless.run_sync('go', infer_name=False)
    assert nameless.name is None
    Agent('test').run_sync('go')


def test_deps_type_is_kept_for_reading():
    assert Agent('test', deps_type=int).deps_type is int
    assert Agent('test').deps_type is type(None)


def test_model_settings_of_agent_and_run():
    seen: Any = []
    agent = Agent(
        script(text('ok'), seen=seen, settings={'temperature': 0.1, 'top_p': 0.1, 'seed': 1}),
        model_settings={'top_p': 0.2, 'seed': 2},
    )
    agent.run_sync('go', model_settings={'seed': 3})
    agent.run_sync('go')
    assert [info.model_settings for _, info in seen] == [
        {'temperature': 0.1, 'top_p': 0.2, 'seed': 3},
        {'temperature': 0.1, 'top_p': 0.2, 'seed': 2},
    ]


def test_model_settings_may_be_functions_of_each_step():
    seen: Any = []

    def of_agent(ctx: RunContext) -> Any:
        assert (ctx.model_settings or {}).get('top_p') == 0.5
        return {'seed': ctx.run_step}

    def of_run(ctx: RunContext) -> Any:
        assert ctx.model_settings is not None
        return {'max_tokens': ctx.model_settings['seed'] * 100}  # type: ignore[typeddict-item]

    agent = Agent(script([call('t')], text('ok'), seen=seen, settings={'top_p': 0.5}), model_settings=of_agent)
    agent.tool_plain(name='t')(lambda: 1)
    agent.run_sync('go', model_settings=of_run)
    assert [info.model_settings for _, info in seen] == [
        {'top_p': 0.5, 'seed': 1, 'max_tokens': 100},
        {'top_p': 0.5, 'seed': 2, 'max_tokens': 200},
    ]


def test_metadata_of_agent_and_run():
    agent = Agent('test', metadata={'a': 1, 'b': 1})
    result = agent.run_sync('go', metadata={'b': 2})
    assert result.metadata == {'a': 1, 'b': 2}
    assert Agent('test').run_sync('go').metadata is None
    counted = Agent('test', metadata=lambda ctx: {'messages': len(ctx.messages)})
    assert counted.run_sync('go').metadata == {'messages': 2}


def test_tool_timeout_is_for_tools_without_one_of_their_own():
    agent = calling(call('quick'), call('slow'), tool_timeout=0.02)

    @agent.tool_plain
    async def quick() -> None:
        await asyncio.sleep(5)

    @agent.tool_plain(timeout=5)
    async def slow() -> str:
        await asyncio.sleep(0.05)
        return 'x'

    async def main() -> tuple[Any, float]:
        result = await agent.run('go')
        return result.all_messages()[2].parts, asyncio.get_running_loop().time()

    parts, took = run_in_virtual_time(main())
    assert took < 0.1
    assert [(part.part_kind, part.tool_name) for part in parts] == [('retry-prompt', 'quick'), ('tool-return', 'slow')]
    assert parts[0].content == 'Timed out after 0.02 seconds.'


@pytest.mark.parametrize('limit', [2, ConcurrencyLimit(max_running=2), ConcurrencyLimiter(2)])
def test_no_more_runs_are_under_way_than_the_limit_allows(limit: Any):
    running: list[int] = [0, 0]
    agent = calling(call('t'), max_concurrency=limit)

    @agent.tool_plain
    async def t() -> None:
        running[0] += 1
        running[1] = max(running)
        await asyncio.sleep(0.005)
        running[0] -= 1

    async def main() -> None:
        model = lambda: script([call('t')], text('ok'))  # noqa: E731
        await asyncio.gather(*[agent.run('go', model=model()) for _ in range(6)])

    asyncio.run(main())
    assert running == [0, 2]


def test_a_full_queue_is_an_error_and_failed_runs_give_their_place_back():
    agent = Agent(script(text('ok')), max_concurrency=ConcurrencyLimit(max_running=1, max_queued=0))

    async def main() -> None:
        async with agent.iter('first'):
            with pytest.raises(ConcurrencyLimitExceeded):
                await agent.run('second')
        for _ in range(3):
            with pytest.raises(UserError, match='nothing to send'):
                await agent.run()
        assert (await agent.run('third')).output == 'ok'

    asyncio.run(main())


@pytest.mark.parametrize('system_prompt', [(), 's'])
def test_a_history_without_content_is_nothing_to_send(system_prompt: str | tuple[str, ...]):
    history: list[ModelMessage] = [ModelRequest(parts=[])]
    with pytest.raises(UserError, match='nothing to send'):
        Agent(script(), system_prompt=system_prompt).run_sync(message_history=history)
    assert Agent(script(text('ok')), instructions='i').run_sync(message_history=history).output == 'ok'


def test_capabilities_as_objects_and_functions():
    class Speaks(AbstractCapability[Any]):
        def get_instructions(self) -> Any:
            return 'say hello'

    agent = Agent('test', capabilities=[Speaks(), lambda ctx: Speaks()])
    request: Any = agent.run_sync('go').all_messages()[0]
    assert request.instructions.count('say hello') == 2
    with pytest.raises(UserError, match=r'Did you forget to call it\?'):
        Agent('test', capabilities=[Speaks])  # type: ignore[list-item]


def test_the_end_strategy_is_kept():
    assert Agent('test').end_strategy == 'early'
    assert Agent('test', end_strategy='exhaustive').end_strategy == 'exhaustive'


def test_retries_zero_means_one_try():
    agent = Agent(script([call('t')]), retries=0)
    tries: list[int] = []

    @agent.tool_plain
    def t() -> None:
        tries.append(1)
        raise ModelRetry('no')

    with pytest.raises(Exception, match='max retries count of 0'):
        agent.run_sync('go')
    assert tries == [1]


OLD = {
    'output_retries': (3, r"`retries=\{'output': ...\}`"),
    'tool_retries': (3, r"`retries=\{'tools': ...\}`"),
    'history_processors': ([lambda messages: messages], 'ProcessHistory'),
}


@pytest.mark.parametrize('name', OLD)
def test_old_names_work_and_say_what_is_new(name: str):
    value, words = OLD[name]
    with pytest.warns(PydanticAIDeprecationWarning, match=words) as warned:
        agent = Agent('test', **{name: value})  # type: ignore[arg-type]
    assert warned[0].filename == __file__, 'the warning points at the line that used the old name'
    assert agent.run_sync('go').output


def test_arguments_that_never_were_are_named():
    with pytest.raises(UserError, match="`Agent` has no argument 'instruction'"):
        Agent('test', instruction='x')  # type: ignore[call-arg]
    with pytest.raises(UserError, match=r"Runs have no option 'promt'.*user_prompt"):
        Agent('test').run_sync('go', promt='x')  # type: ignore[call-overload]


WRONG = [
    ({'instructions': 5}, 'Instructions must be text, a function .*not int: 5'),
    ({'instructions': ['a', 5]}, 'Instructions must be text, a function .*not int: 5'),
    ({'tools': [5]}, 'A tool must be a function.*not 5'),
    ({'toolsets': [5]}, 'A toolset must be .*not int: 5'),
    ({'capabilities': [5]}, 'A capability must be .*not 5'),
    ({'output_type': 5}, 'cannot be of type 5'),
    ({'output_type': []}, '`output_type` is empty'),
]


@pytest.mark.parametrize(('arguments', 'words'), WRONG, ids=lambda value: str(value)[:30])
def test_wrong_arguments_are_told_with_their_remedy(arguments: dict[str, Any], words: str):
    with pytest.raises(UserError, match=words):
        Agent('test', **arguments)


WRONG_IN_RUN = [item for item in WRONG if 'tools' not in item[0]]


@pytest.mark.parametrize(('arguments', 'words'), WRONG_IN_RUN, ids=lambda value: str(value)[:30])
def test_wrong_arguments_of_runs_are_told_with_their_remedy(arguments: dict[str, Any], words: str):
    with pytest.raises(UserError, match=words):
        Agent('test').run_sync('go', **arguments)


def test_a_run_cannot_change_the_type_that_validators_were_written_for():
    agent = Agent('test')
    agent.output_validator(lambda value: value)
    with pytest.raises(UserError, match='output validators'):
        agent.run_sync('go', output_type=int)


def test_an_agent_can_be_kept_open_over_several_runs():
    log: list[str] = []

    class Open(FunctionToolset[Any]):
        async def __aenter__(self) -> Any:
            log.append('open')
            return await super().__aenter__()

        async def __aexit__(self, *args: Any) -> Any:
            log.append('close')
            return await super().__aexit__(*args)

    agent = Agent('test', toolsets=[Open()])

    async def main() -> None:
        async with agent:
            async with agent:
                log.append('inside')
            log.append('still inside')
        log.append('outside')

    asyncio.run(main())
    assert log == ['open', 'inside', 'still inside', 'close', 'outside']
    asyncio.run(main())
