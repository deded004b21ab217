"""What contexts say: loaded and available ids, discovered and available tools, at the places of a run."""

from _disclosure import LOCAL, call, capability, function, load, model, run, search, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability


def state(ctx):
    own = {'watch', 'a', 'b'}
    return [
        sorted(ctx.loaded_capability_ids),
        sorted(own & ctx.available_capability_ids),
        sorted(ctx.discovered_tool_names),
        ctx.capability_loaded,
        ctx.run_step,
    ]


class Watch(AbstractCapability):
    def __init__(self):
        self.id, self.description, self.defer_loading = 'watch', None, False

    async def before_run(self, ctx):
        show('before_run', [*state(ctx), sorted(ctx.available_tool_names)])

    async def before_model_request(self, ctx, request_context):
        show('before_model_request', [*state(ctx), sorted(ctx.available_tool_names), list(ctx.tools)])
        return request_context

    async def prepare_tools(self, ctx, tool_defs):
        show(
            'prepare_tools',
            [
                *state(ctx),
                [[tool.name, tool.defer_loading, tool.with_native, tool.capability_id] for tool in tool_defs],
            ],
        )
        return tool_defs

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        show('before_tool_execute', [*state(ctx), sorted(ctx.available_tool_names)])
        return args

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        show('after_tool_execute', state(ctx))
        return result


def say(ctx):
    show('instructions', [sorted(ctx.loaded_capability_ids), ctx.capability_loaded])
    return 'text'


tools = [function('plain'), function('hidden', 'Hides away.', defer_loading=True)]
capabilities = [Watch(), capability('a', 'one', instructions=say), capability('b', 'two')]
run(
    Agent(
        model(load('a'), [call('one', x=1)], search('hides away'), [call('hidden', x=1)], wire=None, **LOCAL),
        tools=tools,
        capabilities=capabilities,
        instructions=say,
    )
)
