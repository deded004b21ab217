"""Every function that `Hooks` takes, registered by decorator and by argument, sync and async: which of them a run calls."""

import asyncio
import inspect

from _hooks import Out, scripted
from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks

log = []
FUNCTIONS = {
    'before_run': lambda ctx: None,
    'after_run': lambda ctx, *, result: result,
    'run': lambda ctx, *, handler: handler(),
    'run_error': None,
    'before_node_run': lambda ctx, *, node: node,
    'after_node_run': lambda ctx, *, node, result: result,
    'node_run': lambda ctx, *, node, handler: handler(node),
    'node_run_error': None,
    'before_model_request': lambda ctx, request_context: request_context,
    'after_model_request': lambda ctx, *, request_context, response: response,
    'model_request': lambda ctx, *, request_context, handler: handler(request_context),
    'model_request_error': None,
    'before_tool_validate': lambda ctx, *, call, tool_def, args: args,
    'after_tool_validate': lambda ctx, *, call, tool_def, args: args,
    'tool_validate': lambda ctx, *, call, tool_def, args, handler: handler(args),
    'tool_validate_error': None,
    'before_tool_execute': lambda ctx, *, call, tool_def, args: args,
    'after_tool_execute': lambda ctx, *, call, tool_def, args, result: result,
    'tool_execute': lambda ctx, *, call, tool_def, args, handler: handler(args),
    'tool_execute_error': None,
    'before_output_validate': lambda ctx, *, output_context, output: output,
    'after_output_validate': lambda ctx, *, output_context, output: output,
    'output_validate': lambda ctx, *, output_context, output, handler: handler(output),
    'output_validate_error': None,
    'before_output_process': lambda ctx, *, output_context, output: output,
    'after_output_process': lambda ctx, *, output_context, output: output,
    'output_process': lambda ctx, *, output_context, output, handler: handler(output),
    'output_process_error': None,
    'prepare_tools': lambda ctx, tool_defs: tool_defs,
    'prepare_output_tools': lambda ctx, tool_defs: tool_defs,
    'event': lambda ctx, event: event,
    'deferred_tool_calls': lambda ctx, *, requests: None,
}


def noted(name, kind):
    passes = FUNCTIONS[name]

    def plain(*args, **options):
        log.append(name)
        if passes is None:
            raise options['error']
        return passes(*args, **options)

    async def later(*args, **options):
        result = plain(*args, **options)
        return await result if inspect.isawaitable(result) else result

    around = name in (
        'run',
        'node_run',
        'model_request',
        'tool_validate',
        'tool_execute',
        'output_validate',
        'output_process',
    )
    return later if kind == 'async' or around else plain


async def main():
    for failing in (None, 'arguments', 'output', 'tool', 'model'):
        for way in ('decorator', 'decorator with ()', 'argument'):
            for kind in ('sync', 'async'):
                log.clear()
                functions = {name: noted(name, kind) for name in FUNCTIONS}
                if way == 'argument':
                    hooks = Hooks(**functions)
                else:
                    hooks = Hooks()
                    for name, function in functions.items():
                        register = getattr(hooks.on, name)
                        same = (register() if way.endswith('()') else register)(function)
                        assert same is function
                agent = Agent(scripted(failing, 'tool')[0], output_type=Out, capabilities=[hooks], retries=1)

                @agent.tool_plain
                def double(x: int) -> int:
                    if failing == 'tool':
                        raise ValueError('tool')
                    return x * 2

                try:
                    outcome = (await agent.run('hi')).output
                except Exception as error:
                    outcome = type(error).__name__
                print(failing, way, kind, outcome)
                # Some events of an output that is refused are sent twice, for old programs.
                print('   ', ' '.join(name for name in log if failing != 'output' or name != 'event'))


asyncio.run(main())
