"""Hundreds of deferred capabilities: a step does not look at each of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from stead import Agent, FunctionToolset
from stead.capabilities import Capability
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from tests.counting import Calls

from .kit import LOCAL, call, deferred, function, load, scripted


def lines_run(steps: int, capabilities: list[Any]) -> int:
    """Return how many calls of functions a run of so many steps takes, in its third run."""
    agent, script = scripted(*[call('plain')] * steps, tools=[function('plain')], capabilities=capabilities)
    for _ in range(2):
        agent.run_sync('go')
        script.sent.clear()
    with Calls() as calls:
        agent.run_sync('go')
    return calls.all


def test_a_step_costs_the_same_with_many() -> None:
    def per_step(capabilities: list[Any]) -> float:
        return (lines_run(30, capabilities) - lines_run(10, capabilities)) / 20

    few = per_step([deferred('a', 'one')])
    many = per_step([deferred(f'c{place}', *(f't{place}_{tool}' for tool in range(5))) for place in range(300)])
    assert many < few * 1.1


def test_one_of_many_is_loaded() -> None:
    agent, script = scripted(
        load('c7'), call('t7'), capabilities=[deferred(f'c{place}', f't{place}') for place in range(200)]
    )
    agent.run_sync('go')
    assert script.names[1] == ['load_capability', 't7', 'search_tools']


def test_tools_of_other_kinds_of_toolsets_keep_their_place() -> None:
    capabilities = [
        deferred('a', 'one'),
        Capability[Any](id='b', toolsets=[lambda ctx: None], defer_loading=True),
        deferred('c', 'three'),
    ]
    agent, script = scripted(load('c', 'a'), local=False, capabilities=capabilities)
    agent.run_sync('go')
    assert script.names[1] == ['load_capability', 'one', 'three', 'search_tools']


def test_functions_with_a_prepare_step_are_prepared_at_each_step() -> None:
    async def at_second_step(ctx: Any, definition: Any) -> Any:
        return definition if ctx.run_step > 1 else None

    capability = Capability[Any](
        id='a', tools=[function('one', prepare=at_second_step), function('two')], defer_loading=True
    )
    agent, script = scripted(load('a'), local=False, capabilities=[capability])
    agent.run_sync('go')
    assert script.names == [
        ['load_capability', 'two*', 'search_tools'],
        ['load_capability', 'one', 'two', 'search_tools'],
    ]


def test_toolsets_are_visited_one_by_one() -> None:
    capabilities = [deferred(f'c{place}', f't{place}') for place in range(3)]
    agent, script = scripted(load('c1'), capabilities=capabilities)
    seen: list[Any] = []
    for toolset in agent.toolsets:
        toolset.apply(seen.append)
    leaves = [one for one in seen if isinstance(one, FunctionToolset)]
    assert [sorted(one.tools) for one in leaves[1:]] == [['t0'], ['t1'], ['t2']]
    swapped = [toolset.visit_and_replace(lambda leaf: leaf) for toolset in agent.toolsets[1:]]
    assert len(swapped) == 1


def test_runs_in_many_threads_do_not_see_what_others_load() -> None:
    capabilities = [deferred(f'c{place}', f't{place}') for place in range(8)]

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        mine = str(messages[0].parts[0].content)  # type: ignore[union-attr]
        names = [tool.name for tool in info.function_tools if tool.name.startswith('t')]
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step == 0:
            return ModelResponse(parts=[*load(f'c{mine}')])
        return ModelResponse(parts=[TextPart(','.join(names))])

    agent = Agent(FunctionModel(answer, profile=LOCAL), capabilities=capabilities)
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(lambda place: agent.run_sync(str(place % 8)).output, range(80)))
    assert outputs == [f't{place % 8}' for place in range(80)]
