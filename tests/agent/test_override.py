"""`Agent.override`: every field, nested, and in several tasks and threads at once."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from stead import Agent, ModelRetry, RunContext, Tool, UnexpectedModelBehavior, UserError
from stead.agent import WrapperAgent
from stead.messages import ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.native_tools import WebSearchTool
from stead.toolsets import FunctionToolset

from ..loop.kit import call, script, text


def described(messages: Any, info: AgentInfo) -> ModelResponse:
    """Answer with everything the model was told about the agent."""
    facts = {
        'instructions': info.instructions,
        'tools': [tool.name for tool in info.function_tools],
        'settings': dict(info.model_settings or {}),
    }
    return ModelResponse(parts=[TextPart(repr(facts))])


def facts_of(agent: Any, **options: Any) -> dict[str, Any]:
    return eval(agent.run_sync('go', **options).output)  # noqa: S307


def named(name: str) -> Tool[Any]:
    return Tool(lambda: name, name=name, takes_ctx=False)


def toolset(*names: str) -> FunctionToolset[Any]:
    return FunctionToolset[Any]([named(name) for name in names])


def make() -> Agent[Any, str]:
    return Agent(
        FunctionModel(described),
        instructions='own',
        tools=[named('own')],
        toolsets=[toolset('set')],
        model_settings={'seed': 1, 'top_p': 0.1},
        metadata={'own': 1},
        name='own',
        deps_type=str,
    )


OWN = {'instructions': 'own', 'tools': ['own', 'set'], 'settings': {'seed': 1, 'top_p': 0.1}}


def test_a_model_of_an_override_goes_before_that_of_a_run():
    agent = make()
    with agent.override(model=TestModel(call_tools=[], custom_output_text='other')):
        assert agent.run_sync('go').output == 'other'
        assert agent.run_sync('go', model=script(text('of the run'))).output == 'other', 'an override wins over a run'
    with agent.override(model='test'):
        assert agent.run_sync('go').output == '{"own":"own","set":"set"}'
    with pytest.raises(ValueError, match='Unknown provider'):
        with agent.override(model='nobody:x'):
            pass
    assert facts_of(agent) == OWN


def test_dependencies_of_an_override_go_before_those_of_a_run():
    agent = make()

    @agent.instructions
    def who(ctx: RunContext[str]) -> str:
        return f'for {ctx.deps}'

    with agent.override(deps='ann'):
        assert facts_of(agent)['instructions'] == 'own\n\nfor ann'
        assert facts_of(agent, deps='bob')['instructions'] == 'own\n\nfor ann'
    assert facts_of(agent, deps='bob')['instructions'] == 'own\n\nfor bob'
    with agent.override(deps=None):
        assert facts_of(agent, deps='bob')['instructions'] == 'own\n\nfor None', '`None` is a value like others'


def test_tools_and_toolsets():
    agent = make()
    with agent.override(tools=[named('new')]):
        assert facts_of(agent)['tools'] == ['new', 'set']
        assert facts_of(agent, toolsets=[toolset('run')])['tools'] == ['new', 'set', 'run']
    with agent.override(toolsets=[toolset('newset')]):
        assert facts_of(agent)['tools'] == ['own', 'newset']
        assert facts_of(agent, toolsets=[toolset('run')])['tools'] == ['own', 'newset']
        assert len(agent.toolsets) == 2
    with agent.override(tools=[], toolsets=[]):
        assert facts_of(agent)['tools'] == []
    assert facts_of(agent) == OWN


def test_instructions_of_an_override_go_before_all_others():
    agent = make()
    with agent.override(instructions='new'):
        assert facts_of(agent)['instructions'] == 'new'
        assert facts_of(agent, instructions='of the run')['instructions'] == 'new'
    with agent.override(instructions=[]):
        assert facts_of(agent)['instructions'] is None
    with agent.override(instructions=['a', lambda: 'b']):
        assert facts_of(agent)['instructions'] == 'a\n\nb'
    assert facts_of(agent) == OWN


def test_model_settings_of_an_override_go_before_all_others():
    agent = make()
    with agent.override(model_settings={'seed': 2}):
        assert facts_of(agent)['settings'] == {'seed': 2}
        assert facts_of(agent, model_settings={'seed': 3})['settings'] == {'seed': 2}
    with agent.override(model_settings=lambda ctx: {'seed': ctx.run_step}):
        assert facts_of(agent)['settings'] == {'seed': 1}
    assert facts_of(agent) == OWN


def test_metadata_of_an_override_goes_before_all_others():
    agent = make()
    with agent.override(metadata={'new': 2}):
        assert agent.run_sync('go').metadata == {'new': 2}
        assert agent.run_sync('go', metadata={'run': 3}).metadata == {'new': 2}
    assert agent.run_sync('go', metadata={'run': 3}).metadata == {'own': 1, 'run': 3}


def test_a_name_holds_within_its_override():
    agent = make()
    with agent.override(name='new'):
        assert agent.name == 'new'
        with agent.override(name='newer'):
            assert agent.name == 'newer'
        assert agent.name == 'new'
    assert agent.name == 'own'


def test_native_tools_of_an_override_are_offered():
    seen: Any = []
    agent = Agent(TestModel())
    with agent.override(native_tools=[WebSearchTool()], model=script(text('x'), seen=seen)):
        agent.run_sync('go')
    assert seen[0][1].model_request_parameters.native_tools == [WebSearchTool()]


def test_output_retries_of_an_override_are_those_of_its_runs():
    agent = Agent(script(text('x')), retries=0)
    tries: list[int] = []

    @agent.output_validator
    def never(value: str) -> str:
        tries.append(1)
        raise ModelRetry('no')

    with agent.override(retries=2):
        with pytest.raises(UnexpectedModelBehavior, match=r'\(2\)'):
            agent.run_sync('go')
    with agent.override(retries={'output': 1}):
        with pytest.raises(UnexpectedModelBehavior, match=r'\(1\)'):
            agent.run_sync('go')
    with pytest.raises(UnexpectedModelBehavior, match=r'\(0\)'):
        agent.run_sync('go')
    assert len(tries) == 3 + 2 + 1
    with pytest.raises(UserError, match='tools take theirs when the agent is built'):
        with agent.override(retries={'tools': 1}):
            pass


def test_what_cannot_be_overridden_is_named():
    with pytest.raises(UserError, match=r"'output_type'. There are: .*model_settings"):
        with Agent('test').override(output_type=int):  # pyright: ignore[reportCallIssue]
            pass


def test_inner_blocks_leave_outer_ones_alone():
    agent = make()
    with agent.override(instructions='outer', model_settings={'seed': 5}):
        with agent.override(instructions='inner'):
            assert facts_of(agent) == {**OWN, 'instructions': 'inner', 'settings': {'seed': 5}}
        assert facts_of(agent) == {**OWN, 'instructions': 'outer', 'settings': {'seed': 5}}
    assert facts_of(agent) == OWN


def test_blocks_of_two_agents_do_not_mix():
    one, two = make(), make()
    with one.override(instructions='one'), two.override(tools=[]):
        assert facts_of(one) == {**OWN, 'instructions': 'one'}
        assert facts_of(two) == {**OWN, 'tools': ['set']}


def test_an_error_ends_a_block():
    agent = make()
    with pytest.raises(LookupError):
        with agent.override(instructions='new'):
            raise LookupError
    assert facts_of(agent) == OWN


def test_a_run_keeps_what_it_began_with():
    agent = make()

    async def main() -> str:
        with agent.override(instructions='new'):
            scope = agent.iter('go')
        async with scope as run:
            async for _ in run:
                pass
        assert run.result is not None
        return run.result.output

    assert eval(asyncio.run(main()))['instructions'] == 'new'  # noqa: S307


def test_tasks_do_not_see_the_overrides_of_others():
    agent = make()

    async def one(name: str | None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for _ in range(5):
            if name is None:
                found.append(eval((await agent.run('go')).output))  # noqa: S307
                continue
            with agent.override(instructions=name, tools=[named(name)], model_settings={'stop_sequences': [name]}):
                await asyncio.sleep(0)
                found.append(eval((await agent.run('go')).output))  # noqa: S307
                await asyncio.sleep(0)
        return found

    async def main() -> Any:
        return await asyncio.gather(one('red'), one('blue'), one(None))

    red, blue, none = asyncio.run(main())
    for found, name in ((red, 'red'), (blue, 'blue')):
        assert found == [{'instructions': name, 'tools': [name, 'set'], 'settings': {'stop_sequences': [name]}}] * 5
    assert none == [OWN] * 5


def test_threads_do_not_see_the_overrides_of_others():
    agent = make()
    barrier = threading.Barrier(3, timeout=10)
    found: dict[str, list[Any]] = {}
    failures: list[BaseException] = []

    def one(name: str) -> None:
        try:
            for _ in range(5):
                with agent.override(instructions=name) if name != 'none' else agent.override():
                    barrier.wait()
                    found.setdefault(name, []).append(facts_of(agent))
                    barrier.wait()
        except BaseException as error:
            failures.append(error)
            barrier.abort()

    threads = [threading.Thread(target=one, args=(name,)) for name in ('red', 'blue', 'none')]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not failures
    assert found['none'] == [OWN] * 5
    for name in ('red', 'blue'):
        assert found[name] == [{**OWN, 'instructions': name}] * 5


def test_tools_of_a_run_see_its_overrides():
    inner = make()
    agent = Agent(script([call('ask')], text('ok')))

    @agent.tool_plain
    def ask() -> str:
        return inner.run_sync('go').output

    @agent.tool_plain
    async def ask_async() -> str:
        return (await inner.run('go')).output

    for name in ('ask', 'ask_async'):
        with inner.override(instructions='new'):
            result = agent.run_sync('go', model=script([call(name)], text('ok')))
        part: Any = result.all_messages()[2].parts[0]
        assert eval(part.content)['instructions'] == 'new'  # noqa: S307


def test_a_wrapper_overrides_what_it_wraps():
    agent = make()
    wrapper = WrapperAgent(agent)
    with wrapper.override(instructions='new'):
        assert facts_of(wrapper)['instructions'] == facts_of(agent)['instructions'] == 'new'
    assert facts_of(wrapper) == OWN
