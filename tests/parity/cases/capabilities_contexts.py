"""What the run context says in every hook."""

import asyncio

from _hooks import Out, scripted
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability

log = []


def described(name):
    async def hook(self, ctx, *args, **options):
        facts = [
            ctx.run_step,
            ctx.tool_name,
            ctx.tool_call_id,
            ctx.tool_call_approved,
            ctx.partial_output,
            ctx.prompt,
            ctx.deps,
            ctx.usage.requests,
            ctx.capability_loaded,
            'says' in ctx.available_capability_ids,
            ctx.metadata,
        ]
        # Elsewhere the reference implementation knows less about the step.
        if 'tool' in name:
            facts += [ctx.retry, ctx.max_retries, sorted(ctx.retries.items())]
        if name in ('before_model_request', 'wrap_model_request'):
            facts += [dict(ctx.model_settings or {})]
        if name != 'prepare_tools':
            facts += [sorted(ctx.available_tool_names)]
        log.append([name, *facts])
        if 'handler' in options:
            handler = options.pop('handler')
            for key in ('call', 'tool_def', 'output_context'):
                options.pop(key, None)
            return await handler(*args, *options.values())
        if 'error' in options:
            raise options['error']
        for key in ('result', 'response', 'output', 'args', 'node'):
            if key in options:
                return options[key]
        return args[0] if args else None

    return hook


POINTS = ('run', 'node_run', 'model_request', 'tool_validate', 'tool_execute', 'output_validate', 'output_process')
for point in POINTS:
    log.clear()
    names = [f'before_{point}', f'wrap_{point}', f'after_{point}', f'on_{point}_error', 'prepare_tools']
    Says = type('Says', (AbstractCapability,), {name: described(name) for name in names})
    model, requests = scripted('arguments', 'tool')
    agent = Agent(model, output_type=Out, deps_type=str, capabilities=[Says()], retries=2, model_settings={'seed': 1})
    tries = []

    @agent.tool_plain(retries=3)
    def double(x: int) -> int:
        return x * 2

    @agent.output_validator
    def check(value):
        tries.append(1)
        if len(tries) < 2:
            raise ModelRetry('once more')
        return value

    async def main():
        return (await agent.run('hi', deps='deps', metadata={'k': 1})).output

    try:
        print(point, asyncio.run(main()))
    except Exception as error:
        print(point, type(error).__name__)
    for line in log:
        print('   ', line)
