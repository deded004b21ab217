"""Requests of AG-UI, the runs that answer them, and the events: history, tools, state, approvals, errors."""

# needs: ag_ui
import asyncio
from dataclasses import dataclass

from _ui import answer, short
from ag_ui.core import (
    AssistantMessage,
    Context,
    CustomEvent,
    FunctionCall,
    RunAgentInput,
    StateSnapshotEvent,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied, ToolReturn, UsageLimits
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.ui import StateDeps, StateHandler
from pydantic_ai.ui.ag_ui import AGUIAdapter


def run_input(*messages, tools=(), state=None, context=()):
    fields = {'tools': list(tools), 'context': list(context), 'state': state, 'forwarded_props': {'a': 1}}
    return RunAgentInput(thread_id='th', run_id='ru', messages=list(messages), **fields)


def user(content='x'):
    return UserMessage(id='u', content=content)


def system(content='from the interface'):
    return SystemMessage(id='s', content=content)


def assistant(content=None, *calls):
    tool_calls = [ToolCall(id=id, function=FunctionCall(name=name, arguments='{"a":"b"}')) for id, name in calls]
    return AssistantMessage(id='a', content=content, tool_calls=tool_calls or None)


def result(id, content='r'):
    return ToolMessage(id='t', content=content, tool_call_id=id)


async def echo(messages, info):
    print('   model', short(messages), info.instructions)
    print(
        '   tools',
        [(tool.name, tool.kind, tool.description, tool.parameters_json_schema) for tool in info.function_tools],
    )
    yield 'ok'


async def calling(messages, info):
    last = messages[-1].parts[0]
    if last.part_kind in ('tool-return', 'retry-prompt'):
        yield f'done {[part.content for part in messages[-1].parts if part.part_kind == "tool-return"]}'
    else:
        yield {0: DeltaToolCall(name='f', json_args='{"a":"b"}', tool_call_id='q1')}


async def think(messages, info):
    yield {0: DeltaThinkingPart(content='hm'), 1: DeltaThinkingPart(content='so')}
    yield 'text'


ECHO = FunctionModel(stream_function=echo)
CALLING = FunctionModel(stream_function=calling)
OLD = [ModelRequest(parts=[SystemPromptPart('old'), UserPromptPart('before')]), ModelResponse(parts=[TextPart('then')])]
FRONT = [Tool(name='f', description='front', parameters={'type': 'object', 'properties': {'a': {'type': 'string'}}})]


async def go(title, request, agent, fields=None, **options):
    await answer(title, AGUIAdapter(agent, request, **(fields or {})), **options)


async def prompts():
    plain, own = Agent(ECHO), Agent(ECHO, system_prompt='own', instructions='inst')
    client = {'manage_system_prompt': 'client'}
    for name, agent in (('plain', plain), ('own', own)):
        await go(f'{name}: user', run_input(user()), agent)
        await go(f'{name}: system', run_input(system(), user(), system()), agent)
        await go(f'{name}: client', run_input(system(), user()), agent, client)
        await go(f'{name}: client without', run_input(user()), agent, client)
        await go(f'{name}: turns', run_input(user(), assistant('y'), user('z')), agent)
        await go(f'{name}: history', run_input(user()), agent, message_history=OLD)
        await go(f'{name}: history and system', run_input(system(), user()), agent, message_history=OLD)
        await go(f'{name}: instructions', run_input(user()), agent, instructions='more')
    await go('context', run_input(user(), context=[Context(description='d', value='v')]), plain)
    await go('conversation', run_input(user()), plain, conversation_id='mine')
    await go('nothing', run_input(), plain)


async def open_calls():
    agent = Agent(ECHO)
    await go('no result', run_input(user(), assistant('y', ('c1', 'f'))), agent)
    await go('only calls', run_input(user(), assistant(None, ('c1', 'f'))), agent)
    await go('and then a user', run_input(user(), assistant('y', ('c1', 'f')), user('z')), agent)
    await go('answered', run_input(user(), assistant('y', ('c1', 'f')), result('c1')), agent)
    await go('answered, user', run_input(user(), assistant('y', ('c1', 'f')), result('c1'), user('z')), agent)
    await go('result of nothing', run_input(result('c1')), agent)
    await go('ends with text', run_input(user(), assistant('y')), agent)


async def tools():
    await go('front', run_input(user(), tools=FRONT), Agent(CALLING))
    await go(
        'front answered', run_input(user(), assistant(None, ('q1', 'f')), result('q1'), tools=FRONT), Agent(CALLING)
    )
    await go('front seen', run_input(user(), tools=[*FRONT, Tool(name='g', description='')]), Agent(ECHO))
    await go('front and output', run_input(user(), tools=FRONT), Agent(ECHO, output_type=int), output_type=str)
    await go('unknown tool', run_input(user()), Agent(CALLING))
    agent = Agent(CALLING)

    @agent.tool_plain
    def f(a: str) -> ToolReturn:
        return ToolReturn(
            'rv', content='more', metadata=[StateSnapshotEvent(snapshot={'a': 1}), CustomEvent(name='z', value=2)]
        )

    await go('own tool', run_input(user()), agent)
    await go('conflict', run_input(user(), tools=FRONT), agent)
    adapter = AGUIAdapter(agent, run_input(user(), tools=FRONT))
    print(
        adapter.toolset.id, adapter.toolset.label, adapter.state, adapter.conversation_id, adapter.deferred_tool_results
    )
    failing = Agent(CALLING)

    @failing.tool_plain(name='f')
    def fail(a: str) -> str:
        raise ValueError('boom')

    await go('failing tool', run_input(user()), failing)
    picky = Agent(CALLING)

    @picky.tool_plain(name='f')
    def pick(a: int) -> int:
        return a

    await go('wrong arguments', run_input(user()), picky)
    await go('limit', run_input(user()), Agent(ECHO), usage_limits=UsageLimits(request_limit=0))
    await go('thinking', run_input(user()), Agent(FunctionModel(stream_function=think)))


async def approvals():
    for output in (str, [str, DeferredToolRequests]):
        agent = Agent(CALLING, output_type=output)

        @agent.tool_plain(requires_approval=True)
        def f(a: str) -> str:
            return f'ran {a}'

        await go('asks', run_input(user()), agent)
        open_call = run_input(user(), assistant(None, ('q1', 'f')))
        await go('approved', open_call, agent, deferred_tool_results=DeferredToolResults(approvals={'q1': True}))
        denied = DeferredToolResults(approvals={'q1': ToolDenied('no way')})
        await go('denied', open_call, agent, deferred_tool_results=denied)
        server = [
            ModelRequest(parts=[UserPromptPart('hi')]),
            ModelResponse(parts=[ToolCallPart('f', {'a': 's'}, 'q1')]),
        ]
        results = DeferredToolResults(approvals={'q1': True})
        await go('server history', run_input(), agent, message_history=server, deferred_tool_results=results)
        await go('left behind', run_input(user('next')), agent, message_history=server)
        await go(
            'of nothing', run_input(user()), agent, deferred_tool_results=DeferredToolResults(approvals={'q1': True})
        )


class State(BaseModel):
    x: int = 0


@dataclass
class Holder:
    state: object = None


@dataclass
class Other:
    foo: int = 1


async def states():
    agent = Agent(ECHO, deps_type=object)

    @agent.instructions
    def show(ctx) -> str:
        return f'deps {ctx.deps}'

    for state in (None, {}, {'x': 1}, {'x': 'no'}, 5, [1]):
        print(repr(AGUIAdapter(agent, run_input(user(), state=state)).state))
        deps = StateDeps(State())
        await go(f'state {state}', run_input(user(), state=state), agent, deps=deps)
        print('  ', deps)
    for deps in (Holder(), Holder({'y': 1}), Holder(State()), Other(), None):
        await go(f'deps {deps}', run_input(user(), state={'x': 1}), agent, deps=deps)
    print([isinstance(item, StateHandler) for item in (StateDeps(State()), Holder(), Other(), None)])


async def main():
    await prompts()
    await open_calls()
    await tools()
    await approvals()
    await states()


asyncio.run(main())
