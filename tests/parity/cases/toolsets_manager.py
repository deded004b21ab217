"""`ToolManager`: calls made by a tool and by hand, their errors, and execution modes."""

import asyncio
from dataclasses import dataclass, replace

from _common import attempt, call, fact, run, script
from _toolsets import context, h
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolRetryError
from pydantic_ai.messages import TextPart
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset, WrapperToolset


def add(a: int, b: int = 1) -> int:
    return a + b


def picky(ctx: RunContext, a: int):
    fact('picky', [ctx.tool_name, ctx.tool_call_id, ctx.retry, ctx.max_retries])
    raise ModelRetry('too small')


def waits():
    raise CallDeferred({'job': 1})


def asks(ctx: RunContext):
    if not ctx.tool_call_approved:
        raise ApprovalRequired({'why': 'because'})
    return [ctx.tool_call_approved, ctx.tool_call_metadata]


@dataclass
class Script(WrapperToolset):
    """A tool that calls the other tools of the step by itself."""

    calls: list = None

    async def get_tools(self, ctx):
        tools = await super().get_tools(ctx)
        template = next(iter(tools.values()))
        return {
            **tools,
            'script': replace(
                template, toolset=self, tool_def=ToolDefinition(name='script'), max_retries=3, args_validator=ANY
            ),
        }

    async def call_tool(self, name, tool_args, ctx, tool):
        if name != 'script':
            return await super().call_tool(name, tool_args, ctx, tool)
        results = []
        for part, options in self.calls:
            try:
                results.append(repr(await ctx.tool_manager.handle_call(part, **options)))
            except Exception as error:
                retry = getattr(error, 'tool_retry', None)
                content = retry.content if retry is not None and isinstance(retry.content, str) else None
                results.append([type(error).__name__, content])
        fact('failed', sorted(ctx.tool_manager.failed_tools))
        fact('usage', ctx.usage.tool_calls)
        return results


from pydantic_core import SchemaValidator, core_schema

ANY = SchemaValidator(core_schema.any_schema())
CALLS = [
    (call('add', {'a': '2'}), {}),
    (call('add', '{"a": 2, "b": 3}'), {}),
    (call('add', {'a': 'x'}), {}),
    (call('add', {'a': 'x'}), {'wrap_validation_errors': False}),
    (call('picky', {'a': 1}), {}),
    (call('picky', {'a': 1}), {'wrap_validation_errors': False}),
    (call('nothing', {}), {}),
    (call('nothing', {}), {'wrap_validation_errors': False}),
    (call('waits', {}), {}),
    (call('asks', {}), {}),
    (call('asks', {}), {'approved': True, 'metadata': {'by': 'me'}}),
]
toolset = FunctionToolset([add, Tool(picky, max_retries=2), waits, asks])
for number, one in enumerate(CALLS):
    run(
        f'call {number}',
        Agent(script([call('script', {})], [TextPart('done')]), toolsets=[Script(toolset, [one])]),
        'q',
    )
run(
    'all of them',
    Agent(
        script([call('script', {})], [TextPart('done')]),
        toolsets=[Script(FunctionToolset([add, Tool(picky, max_retries=9)], max_retries=9), CALLS[:6])],
    ),
    'q',
)
print('== a manager by itself')


async def by_hand():
    before = ToolManager(FunctionToolset([add, Tool(picky, max_retries=2), waits, asks], max_retries=2))
    fact('before a step', [before.tools, before.ctx, before.failed_tools])
    for use in (lambda: before.tool_defs, lambda: before.get_tool_def('add')):
        fact('not yet', attempt(use))
    manager = await before.for_run_step(context(run_step=1))
    fact(
        'definitions',
        [
            [definition.name for definition in manager.tool_defs],
            manager.get_tool_def('add').name,
            manager.get_tool_def('x'),
        ],
    )
    fact('same step', await manager.for_run_step(manager.ctx) is manager)
    validated = await manager.validate_tool_call(call('add', {'a': '5'}))
    fact(
        'validated',
        [
            validated.args_valid,
            validated.validated_args,
            validated.validation_error,
            validated.tool is manager.tools['add'],
            validated.ctx.tool_name,
            validated.ctx.tool_call_id,
        ],
    )
    fact('executed', await manager.execute_tool_call(validated))
    invalid = await manager.validate_tool_call(call('add', {}))
    fact('invalid', [invalid.args_valid, invalid.validated_args, type(invalid.validation_error).__name__])
    try:
        await manager.execute_tool_call(invalid)
    except ToolRetryError as error:
        fact('raised', error.tool_retry is invalid.validation_error.tool_retry)
    next_manager = await manager.for_run_step(context(run_step=2))
    fact('next step', [next_manager.ctx.retries, sorted(next_manager.failed_tools), sorted(manager.failed_tools)])
    with ToolManager.parallel_execution_mode('sequential'):
        fact('mode', manager.get_parallel_execution_mode([call('add', {})]))
    fact('mode', manager.get_parallel_execution_mode([call('add', {})]))
    sequential = await ToolManager(FunctionToolset([add, Tool(h, sequential=True)])).for_run_step(context(run_step=1))
    fact(
        'modes',
        [
            sequential.get_parallel_execution_mode([call(name, {}) for name in names])
            for names in (['add'], ['h'], ['add', 'h'], ['x'], [])
        ],
    )


asyncio.run(by_hand())
