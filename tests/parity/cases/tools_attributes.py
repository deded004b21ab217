"""What happens to the arguments of `Tool` and `Tool.from_schema`: attributes, definitions, validation, calls."""

import asyncio

from _tools import show, validate
from pydantic_ai import Agent, ModelRetry, RunContext, RunUsage, Tool, ToolDefinition
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

ctx = RunContext(deps=5, model=TestModel(), usage=RunUsage())


def plain(a: int) -> str:
    """Plain."""
    return f'plain {a}'


def with_ctx(ctx: RunContext[int], a: int) -> str:
    return f'{ctx.deps} {a}'


async def later(**kwargs):
    return kwargs


def keep(ctx, tool):
    return tool


async def hide(ctx, tool):
    return None


async def rename(ctx, tool):
    tool.name = 'renamed'
    tool.description = f'{tool.description} for {ctx.deps}'
    return tool


def check(ctx, a):
    if a > 5:
        raise ModelRetry('too much')


NAMES = [
    'name',
    'description',
    'takes_ctx',
    'max_retries',
    'docstring_format',
    'require_parameter_descriptions',
    'strict',
    'sequential',
    'requires_approval',
    'metadata',
    'timeout',
    'defer_loading',
    'include_return_schema',
]
OPTIONS = {
    'nothing': {},
    'name': {'name': 'other'},
    'description': {'description': 'Other.'},
    'no description': {'description': ''},
    'retries': {'max_retries': 3},
    'strict': {'strict': True},
    'sequential': {'sequential': True},
    'approval': {'requires_approval': True},
    'metadata': {'metadata': {'k': 1}},
    'timeout': {'timeout': 1.5},
    'defer': {'defer_loading': True},
    'returns': {'include_return_schema': True},
    'no name': {'name': ''},
}
for label, options in OPTIONS.items():
    for function in (plain, with_ctx):
        tool = Tool(function, **options)
        show(f'{label} {function.__name__}', {name: getattr(tool, name) for name in NAMES if getattr(tool, name)})
        show('    definition', repr(tool.tool_def))

for prepare in (None, keep, hide, rename):
    tool = Tool(plain, prepare=prepare)
    for _ in range(2):
        show(f'prepare {getattr(prepare, "__name__", None)}', repr(asyncio.run(tool.prepare_tool_def(ctx))))
    show('    then', tool.tool_def.name)

schema = {'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'required': ['a']}
by_name = {
    'plain': Tool.from_schema(plain, 'from', 'From.', schema),
    'ctx': Tool.from_schema(with_ctx, 'from', None, schema, takes_ctx=True),
    'later': Tool.from_schema(later, 'from', 'From.', schema, sequential=True),
    'checked': Tool.from_schema(plain, 'from', 'From.', schema, args_validator=check),
}
for label, tool in by_name.items():
    show(f'from schema {label}', {name: getattr(tool, name) for name in NAMES if getattr(tool, name)})
    show('    definition', repr(tool.tool_def))
    for payload in ('{"a": 1}', '{"a": "text", "b": [1]}', '{}', {'a': 1}, {}):
        validate(f'    {payload!r}', tool, payload)


async def run(tool, arguments):
    def answer(messages, info):
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart) or len(messages) > 2:
            return ModelResponse([TextPart(f'{last.part_kind}: {last.content}')])
        return ModelResponse([ToolCallPart(tool.name, arguments)])

    return (await Agent(FunctionModel(answer), deps_type=int, tools=[tool]).run('go', deps=5)).output


for label, tool in by_name.items():
    for arguments in ({'a': 1}, {'a': 9}, '{"a": 2}'):
        show(f'run {label} {arguments}', asyncio.run(run(tool, arguments)))
show('checked', asyncio.run(run(Tool(plain, args_validator=check), {'a': 9})))
show('definition', repr(ToolDefinition(name='x')))
