"""A toolset of one's own with a validator of its own: validation, checks, retries, defaults of the base class."""

from _common import attempt, call, fact, run, script
from _toolsets import ask, context, instructions, leaves
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import TextPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets.abstract import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema


class Validator:
    """Takes everything in upper case."""

    def validate_json(self, input, *, allow_partial='off', **kwargs):
        fact('validate_json', [input, allow_partial, sorted(kwargs)])
        return {'given': str(input).upper()}

    def validate_python(self, input, *, allow_partial='off', **kwargs):
        fact('validate_python', [input, allow_partial, sorted(kwargs)])
        return {'given': input}


class Custom(AbstractToolset):
    def __init__(self, validator, func=None, max_retries=1):
        self.validator, self.func, self.max_retries = validator, func, max_retries

    @property
    def id(self):
        return 'custom'

    async def get_tools(self, ctx):
        definition = ToolDefinition(
            name='echo',
            parameters_json_schema={'type': 'object', 'properties': {}},
            description=f'Step {ctx.run_step}.',
        )
        tool = ToolsetTool(
            toolset=self,
            tool_def=definition,
            max_retries=self.max_retries,
            args_validator=self.validator,
            args_validator_func=self.func,
        )
        return {'echo': tool}

    async def call_tool(self, name, tool_args, ctx, tool):
        fact('call', [name, tool_args, ctx.tool_name, tool.tool_def.description, tool.toolset is self])
        if tool_args.get('fail'):
            raise ModelRetry('failed')
        return tool_args


ANY = SchemaValidator(core_schema.any_schema())
NUMBERS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.int_schema()))


def check(ctx, **args):
    fact('check', [ctx.tool_name, ctx.retry, args])
    if args.get('x') == 1:
        raise ModelRetry('not 1')


async def check_later(ctx, **args):
    check(ctx, **args)


custom = Custom(ANY)
fact('label', [custom.label, custom.tool_name_conflict_hint, leaves(custom), instructions(custom)])
fact(
    'default methods',
    [ask(custom.for_run(context())) is custom, ask(custom.for_run_step(context())) is custom, ask(custom.__aexit__())],
)
answers = script([call('echo', '{"x": 1}')], [call('echo', {'x': 2})], [call('echo', None)], [TextPart('done')])
run('own validator', Agent(answers, toolsets=[Custom(Validator())]), 'q')
run('any', Agent(answers, toolsets=[custom]), 'q')
run(
    'numbers',
    Agent(
        script([call('echo', {'x': 'y'})], [call('echo', {'x': '3'})], [TextPart('done')]), toolsets=[Custom(NUMBERS)]
    ),
    'q',
)
run('checked', Agent(answers, toolsets=[Custom(ANY, check)]), 'q')
run('checked later', Agent(answers, toolsets=[Custom(NUMBERS, check_later, 0)]), 'q')
run(
    'wrapped',
    Agent(script([call('p_echo', '{"x": 2}')], [TextPart('done')]), toolsets=[Custom(ANY, check).prefixed('p')]),
    'q',
)
run('retry', Agent(script([call('echo', {'fail': True})]), toolsets=[custom]), 'q')
fact('abstract', attempt(lambda: AbstractToolset()))
