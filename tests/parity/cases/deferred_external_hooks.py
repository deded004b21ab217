"""What comes from outside passes no hook of tools: results of deferred calls, in all their forms."""

from _common import call, run
from _deferred import agent_of, external, go_on
from pydantic_ai import CallDeferred, DeferredToolResults, ModelRetry, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import TextPart

seen = []


class Noting(AbstractCapability):
    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        seen.append(f'before_tool_validate {call.tool_name}')
        return args

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        seen.append(f'before_tool_execute {call.tool_name}')
        return args

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        seen.append(f'wrap_tool_execute {call.tool_name}')
        return await handler(args)

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        seen.append(f'after_tool_execute {call.tool_name}')
        return f'<{result}>'

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        seen.append(f'on_tool_execute_error {call.tool_name}')
        raise error


def build():
    agent = agent_of(
        [call('ask', {'q': 1}), call('later', {})],
        [TextPart('done')],
        toolsets=[external('ask')],
        capabilities=[Noting()],
    )

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred

    return agent


first = run('asked', build(), 'q')
print(sorted(seen))
for title, results in {
    'texts': {'id_ask': 'A', 'id_later': 'B'},
    'with content': {'id_ask': ToolReturn('A', content='more'), 'id_later': {'b': 1}},
    'another try': {'id_ask': ModelRetry('again'), 'id_later': ModelRetry('again')},
}.items():
    seen.clear()
    agent = agent_of([TextPart('done')], toolsets=[external('ask')], capabilities=[Noting()])

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred

    go_on(title, agent, first, DeferredToolResults(calls=results))
    print(sorted(seen))
