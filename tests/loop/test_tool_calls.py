"""The tool calls of one response: together or in turn, what they receive, and what is made of their results."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Optional

import pytest
from pydantic import BaseModel

from stead import Agent, ModelRetry, RunContext, Tool, ToolReturn, UserError
from stead.exceptions import ApprovalRequired, CallDeferred
from stead.messages import BinaryContent, ToolReturnPart
from stead.tool_manager import ToolManager
from stead.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from .kit import call, calling, kinds, outline, script, text

tag: ContextVar[str] = ContextVar('tag', default='none')


def returns(result: Any) -> list[Any]:
    return [p.content for m in result.all_messages() for p in m.parts if isinstance(p, ToolReturnPart)]


def three(**options: Any) -> tuple[Agent[Any, str], list[str]]:
    """Return an agent that makes three calls, of which the first takes longest, and the log of its tool."""
    agent = calling(*[call('t', {'n': n}, f'c{n}') for n in range(3)])
    log: list[str] = []

    @agent.tool_plain(**options)
    async def t(n: int) -> int:
        log.append(f'+{n}')
        await asyncio.sleep(0.01 * (3 - n))
        log.append(f'-{n}')
        return n

    return agent, log


def test_calls_run_together_and_answer_in_order():
    agent, log = three()
    assert returns(agent.run_sync('go')) == [0, 1, 2]
    assert log == ['+0', '+1', '+2', '-2', '-1', '-0']


def test_a_sequential_tool_makes_all_calls_wait_for_each_other():
    agent, log = three(sequential=True)
    assert returns(agent.run_sync('go')) == [0, 1, 2]
    assert log == ['+0', '-0', '+1', '-1', '+2', '-2']


@pytest.mark.parametrize(
    'block',
    [
        Agent.sequential_tool_calls,
        lambda: Agent.parallel_tool_call_execution_mode('sequential'),
        lambda: ToolManager.parallel_execution_mode('sequential'),
    ],
)
def test_calls_can_be_made_to_wait_from_outside(block: Any):
    agent, log = three()
    with block():
        agent.run_sync('go')
    assert log == ['+0', '-0', '+1', '-1', '+2', '-2']
    log.clear()
    agent.run_sync('go')
    assert log[:3] != ['+0', '-0', '+1']


def test_sync_tools_do_not_block_each_other():
    barrier = threading.Barrier(3, timeout=5)
    agent = calling(*[call('t', {'n': n}, f'c{n}') for n in range(3)])
    agent.tool_plain(name='t')(lambda n: barrier.wait() >= 0 and n)
    assert returns(agent.run_sync('go')) == [0, 1, 2]


def test_an_executor_of_the_caller_is_used():
    names: list[str] = []
    agent = calling(call('t'))
    agent.tool_plain(name='t')(lambda: names.append(threading.current_thread().name))
    with ThreadPoolExecutor(1, thread_name_prefix='mine') as pool:
        with Agent.using_thread_executor(pool):
            agent.run_sync('go')
    assert names[0].startswith('mine')


def test_context_variables_reach_tools_of_both_kinds():
    agent = calling(call('a'), call('b'))

    @agent.tool_plain
    def a() -> str:
        return tag.get()

    @agent.tool_plain
    async def b() -> str:
        return tag.get()

    async def main() -> Any:
        tag.set('red')
        return await agent.run('go')

    assert returns(asyncio.run(main())) == ['red', 'red']


@dataclass
class Deps:
    name: str


def test_the_context_of_a_call():
    seen: list[Any] = []
    agent = Agent(script([call('t', {}, 'c1')], [call('t', {}, 'c2')], text('ok')), deps_type=Deps, name='me')

    @agent.tool
    def t(ctx: RunContext[Deps]) -> str:
        seen.append(ctx)
        return 'x'

    result = agent.run_sync('go', deps=Deps('d'), metadata={'k': 1}, conversation_id='conv')
    first, second = seen
    assert first.deps == Deps('d') and first.deps is second.deps
    assert (first.tool_name, first.tool_call_id, second.tool_call_id) == ('t', 'c1', 'c2')
    assert (first.run_step, second.run_step) == (1, 2)
    assert (first.prompt, first.metadata, first.conversation_id) == ('go', {'k': 1}, 'conv')
    assert first.run_id == result.run_id and first.agent is agent and first.model is agent.model
    assert first.usage.requests == 3, 'the usage is that of the run, and goes on'
    assert first.messages is second.messages and kinds(first.messages)[-1] == 'text'
    assert set(first.tools) == {'t'} and first.available_tool_names == {'t'}


class Item(BaseModel):
    name: str
    tags: Optional[list[str]] = None


def test_values_arrive_as_what_they_are_annotated_with():
    values: list[Any] = []
    agent = calling(call('t', '{"item": {"name": "a", "tags": ["x"]}, "more": [{"name": "b"}], "n": 3}'))

    @agent.tool_plain
    def t(item: Item, more: list[Item], n: int = 5, *, flag: bool = True) -> None:
        values.extend([item, more, n, flag])

    agent.run_sync('go')
    assert values == [Item(name='a', tags=['x']), [Item(name='b')], 3, True]


def test_a_validation_context_reaches_validators():
    from pydantic import ValidationInfo, field_validator

    class Scaled(BaseModel):
        n: int

        @field_validator('n')
        @classmethod
        def scale(cls, value: int, info: ValidationInfo) -> int:
            return value * (info.context or 1)

    agent = Agent(
        script([call('t', {'a': {'n': 2}, 'b': 1})], [call('final_result', {'n': 3})]),
        output_type=Scaled,
        validation_context=lambda ctx: ctx.deps,
        deps_type=int,
    )
    agent.tool_plain(name='t')(typed_scaled(Scaled))
    result = agent.run_sync('go', deps=10)
    assert returns(result)[0] == 20 and result.output.n == 30
    plain = Agent(script([call('final_result', {'n': 3})]), output_type=Scaled, validation_context=7)
    assert plain.run_sync('go').output.n == 21


def typed_scaled(model: Any) -> Any:
    def t(a: Any, b: int) -> int:
        return a.n

    t.__annotations__['a'] = model
    t.__annotations__['b'] = int
    t.__annotations__['return'] = int
    return t


# What tools return


@pytest.mark.parametrize(
    'value', [None, '', 'text', 0, [], {'a': [1, {'b': None}]}, Item(name='x'), [Item(name='y')], (1, 2)]
)
def test_any_value_may_be_returned(value: Any):
    agent = calling(call('t'))
    agent.tool_plain(name='t')(lambda: value)
    result = agent.run_sync('go')
    assert returns(result) == [value]
    result.all_messages_json()


def test_tool_return_splits_what_the_model_and_the_program_see():
    agent = calling(call('t'))

    @agent.tool_plain
    def t() -> ToolReturn:
        return ToolReturn(
            'short', content=['look at this', BinaryContent(b'x', media_type='image/png')], metadata={'rows': 5}
        )

    request: Any = agent.run_sync('go').all_messages()[2]
    answer, extra = request.parts
    assert (answer.content, answer.metadata) == ('short', {'rows': 5})
    assert extra.part_kind == 'user-prompt' and extra.content[0] == 'look at this'


def test_extra_content_follows_all_answers():
    agent = calling(call('t', {'n': 0}, 'c0'), call('t', {'n': 1}, 'c1'))
    agent.tool_plain(name='t')(lambda n: ToolReturn(n, content=f'about {n}'))
    assert outline(agent.run_sync('go').all_messages())[2] == [
        ('tool-return', 0),
        ('tool-return', 1),
        ('user-prompt', 'about 0'),
        ('user-prompt', 'about 1'),
    ]


def test_tool_returns_inside_of_lists_are_refused_by_name():
    agent = calling(call('t'))
    agent.tool_plain(name='t')(lambda: [ToolReturn('x')])
    with pytest.raises(UserError, match=r"Tool 't' returned `ToolReturn` objects inside a list"):
        agent.run_sync('go')


# Calls that wait for someone


def waiting_agent(model: Any) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = Agent(model, output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def delete(name: str) -> str:
        return f'deleted {name}'

    @agent.tool
    def later(ctx: RunContext, n: int) -> int:
        raise CallDeferred(metadata={'job': n})

    @agent.tool
    def careful(ctx: RunContext, n: int) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'why': 'big'})
        return f'{n} by {ctx.tool_call_metadata}'

    agent.tool_plain(name='now')(lambda: 'now')
    return agent


def test_a_run_ends_with_the_calls_that_wait_and_goes_on_with_their_results():
    calls = [call('delete', {'name': 'a'}), call('later', {'n': 1}), call('careful', {'n': 2}), call('now')]
    agent = waiting_agent(script(calls, text('all done')))
    first = agent.run_sync('go')
    requests = first.output
    assert isinstance(requests, DeferredToolRequests)
    assert [item.tool_name for item in requests.calls] == ['later']
    assert [item.tool_name for item in requests.approvals] == ['careful', 'delete'], 'those that ran come first'
    assert requests.metadata == {'id_later': {'job': 1}, 'id_careful': {'why': 'big'}}
    assert returns(first) == ['now']

    results = DeferredToolResults(
        calls={'id_later': 'external'},
        approvals={'id_delete': ToolDenied('not that one'), 'id_careful': ToolApproved(override_args={'n': 5})},
        metadata={'id_careful': {'by': 'me'}},
    )
    second = agent.run_sync('so?', message_history=first.all_messages(), deferred_tool_results=results)
    assert second.output == 'all done'
    answers = {p.tool_call_id: p for m in second.new_messages() for p in m.parts if isinstance(p, ToolReturnPart)}
    assert answers['id_later'].content == 'external'
    assert (answers['id_delete'].content, answers['id_delete'].outcome) == ('not that one', 'denied')
    assert answers['id_careful'].content == "5 by {'by': 'me'}"
    assert kinds(second.new_messages()).count('user-prompt') == 1


def test_results_for_unknown_or_missing_calls_are_refused_by_id():
    agent = waiting_agent(script([call('delete', {'name': 'a'}), call('later', {'n': 1})], text('x')))
    history = agent.run_sync('go').all_messages()
    with pytest.raises(UserError, match=r"\['nobody'\].*\['id_delete', 'id_later'\]"):
        results = DeferredToolResults(approvals={'id_delete': True}, calls={'id_later': 1, 'nobody': 1})
        agent.run_sync(message_history=history, deferred_tool_results=results)
    with pytest.raises(UserError, match=r"Missing: later \('id_later'\); given: \['id_delete'\]"):
        agent.run_sync(
            message_history=history, deferred_tool_results=DeferredToolResults(approvals={'id_delete': True})
        )
    with pytest.raises(UserError, match='ends with no tool calls'):
        agent.run_sync('go', deferred_tool_results=DeferredToolResults())


def test_calls_that_wait_need_a_place_in_the_output_type():
    agent = calling(call('t'))
    agent.tool_plain(name='t', requires_approval=True)(lambda: 'x')
    with pytest.raises(UserError, match=r"Tools \['t'\] wait.*Add `DeferredToolRequests`"):
        agent.run_sync('go')


def test_an_approved_call_that_fails_is_told_to_the_model():
    agent: Agent[Any, Any] = Agent(script([call('t')], text('sorry')), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def t() -> None:
        raise ModelRetry('not today')

    history = agent.run_sync('go').all_messages()
    result = agent.run_sync(
        message_history=history, deferred_tool_results=DeferredToolResults(approvals={'id_t': True})
    )
    assert result.output == 'sorry'
    assert outline(result.new_messages())[0] == [('retry-prompt', 'not today')]


# Tools that change


def test_prepare_is_asked_at_every_step():
    seen: Any = []
    agent = Agent(script([call('always')], text('ok'), seen=seen))

    async def only_first(ctx: RunContext, definition: Any) -> Any:
        if ctx.run_step > 1:
            return None
        definition.description = f'step {ctx.run_step}'
        return definition

    agent.tool_plain(name='always')(lambda: 1)
    agent.tool_plain(name='first', prepare=only_first)(lambda: 1)
    agent.run_sync('go')
    offered = [[(tool.name, tool.description) for tool in info.function_tools] for _, info in seen]
    assert offered == [[('always', None), ('first', 'step 1')], [('always', None)]]
    agent.run_sync('go')
    assert [tool.name for tool in seen[2][1].function_tools] == ['always', 'first']


def test_a_tool_object_can_serve_two_agents():
    tool = Tool(lambda n: n + 1, name='inc', takes_ctx=False)
    for _ in range(2):
        assert returns(calling(call('inc', {'n': 1}), tools=[tool]).run_sync('go')) == [2]
