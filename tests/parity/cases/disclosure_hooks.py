"""Hooks of a deferred capability are not called before it is loaded."""

from _disclosure import call, function, load, model, run, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability


class Watch(AbstractCapability):
    def __init__(self, id, defer_loading):
        self.id, self.description, self.defer_loading = id, None, defer_loading

    async def before_run(self, ctx):
        show(self.id, 'before_run')

    async def before_model_request(self, ctx, request_context):
        show(self.id, ['before_model_request', ctx.capability_loaded, sorted(ctx.loaded_capability_ids)])
        return request_context

    async def after_model_request(self, ctx, *, request_context, response):
        show(self.id, 'after_model_request')
        return response

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        show(self.id, ['before_tool_execute', call.tool_name, tool_def.tool_kind])
        return args

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        show(self.id, ['after_tool_execute', call.tool_name, result])
        return result

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        show(self.id, ['wrap_tool_execute', call.tool_name])
        return await handler(args)

    async def after_run(self, ctx, *, result):
        show(self.id, ['after_run', result.output])
        return result


run(
    Agent(
        model(load('later'), [call('plain', x=1)], wire=None),
        tools=[function('plain')],
        capabilities=[Watch('always', False), Watch('later', True)],
    )
)
