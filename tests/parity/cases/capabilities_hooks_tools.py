"""Functions of `Hooks` for some tools only: in runs with several tools, renamed ones and outputs."""

from _hooks import Out
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.capabilities import Hooks, PrefixTools, Toolset
from pydantic_ai.models.test import TestModel

log = []


def value(tools):
    return ' '.join(sorted(tools)) if tools is not None else 'all'


def registered(tools, chosen):
    hooks = Hooks()

    @hooks.on.before_tool_validate(tools=tools)
    def validates(ctx, *, call, tool_def, args):
        log.append(f'validates {call.tool_name}')
        return args

    @hooks.on.tool_execute(tools=tools)
    async def executes(ctx, *, call, tool_def, args, handler):
        log.append(f'executes {tool_def.name}')
        return await handler(args)

    @hooks.on.after_tool_execute(tools=tools)
    def executed(ctx, *, call, tool_def, args, result):
        log.append(f'executed {call.tool_name}')
        return f'<{result}>'

    @hooks.on.before_tool_execute
    def everyone(ctx, *, call, tool_def, args):
        log.append(f'any {call.tool_name}')
        return args

    return hooks


def toolset():
    added = FunctionToolset()
    added.add_function(lambda: 'far', name='far')
    return added


for tools in (None, ['one'], ['one', 'two'], ['p_far'], ['far'], [], ['final_result'], ['missing']):
    log.clear()
    capabilities = [registered(tools, log), PrefixTools(Toolset(toolset()), prefix='p')]
    agent = Agent(TestModel(), output_type=Out, capabilities=capabilities)
    agent.tool_plain(lambda: 1, name='one')
    agent.tool_plain(lambda: 2, name='two')
    result = agent.run_sync('hi')
    returns = [
        part.content for message in result.all_messages() for part in message.parts if part.part_kind == 'tool-return'
    ]
    print(value(tools), returns)
    print('   ', sorted(log))
