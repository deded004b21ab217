"""Hooks around several calls of one response: what is in order, and what runs side by side."""

import asyncio

from _hooks import Boom
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

log = []
hooks = Hooks()


@hooks.on.before_tool_validate
def before_validate(ctx, *, call, tool_def, args):
    log.append(f'validate {call.tool_call_id}')
    return args


@hooks.on.tool_execute
async def executes(ctx, *, call, tool_def, args, handler):
    log.append(f'{call.tool_call_id}(')
    try:
        return await handler(args)
    finally:
        log.append(f'){call.tool_call_id}')


@hooks.on.after_tool_execute
def after(ctx, *, call, tool_def, args, result):
    log.append(f'after {call.tool_call_id} {result}')
    return result


def respond(messages, info):
    if len(messages) > 1:
        return ModelResponse(parts=[TextPart(str([getattr(part, 'content', None) for part in messages[-1].parts]))])
    ids = {'slow': 200, 'quick': 1, 'middle': 100}
    return ModelResponse(
        parts=[ToolCallPart('wait', {'turns': turns, 'name': name}, name) for name, turns in ids.items()]
    )


def show(label, mode=None, sequential=False, failing=None):
    log.clear()
    agent = Agent(FunctionModel(respond), capabilities=[hooks])

    @agent.tool_plain(sequential=sequential)
    async def wait(turns: int, name: str) -> str:
        for _ in range(turns):  # of the event loop, which are in order on a machine that is busy, too
            await asyncio.sleep(0)
        if name == failing:
            raise ModelRetry('again') if label.endswith('retries') else Boom(name)
        return name

    async def main():
        if mode is None:
            return (await agent.run('hi')).output
        with agent.parallel_tool_call_execution_mode(mode):
            return (await agent.run('hi')).output

    try:
        output = asyncio.run(main())
    except Exception as error:
        output = type(error).__name__
    print(label, output)
    print('   ', log)


show('parallel')
show('sequential', 'sequential')
show('in order', 'parallel_ordered_events')
show('sequential tool', sequential=True)
show('one retries', failing='quick')
show('one fails, in sequence', 'sequential', failing='quick')
