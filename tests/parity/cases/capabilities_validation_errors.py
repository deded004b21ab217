"""A `ValidationError` that a hook or a tool raises: the model reads what is wrong, wherever it comes from."""

from _common import error_text, fact
from pydantic import BaseModel, TypeAdapter
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

NUMBER = TypeAdapter(int)
offered = []


class Row(BaseModel):
    n: int


def refuse():
    NUMBER.validate_python('no')


def raise_other(ctx):
    raise LookupError('not found')


def run(name, hooks, *, times=1, output=False, tool=None, validator=False):
    offered.clear()
    name_of_tool = 'final_result' if output else 't'

    def answer(messages, info):
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < times:
            return ModelResponse(parts=[ToolCallPart(name_of_tool, {'n': 1}, f'c{turn}')])
        return ModelResponse(parts=[ToolCallPart('final_result', {'n': 2}, 'last') if output else TextPart('done')])

    capability = type('Probe', (AbstractCapability,), hooks)()
    agent = Agent(FunctionModel(answer), output_type=Row if output else str, capabilities=[capability])

    @agent.tool
    def t(ctx, n: int):
        if tool is not None:
            tool(ctx)
        return n

    if validator:

        @agent.output_validator
        def check(ctx, value):
            if value.n == 1:
                refuse()
            return value

    with capture_run_messages() as messages:
        try:
            outcome = str(agent.run_sync('hi').output)
        except Exception as error:
            outcome = [error_text(error), type(error.__cause__).__name__]
    parts = [part for message in messages for part in message.parts if isinstance(part, RetryPromptPart)]
    fact(name, [outcome, list(offered), [[part.tool_name, part.tool_call_id, part.content] for part in parts]])


def hooks_of(point):
    value_name = 'output' if point.startswith('output') else 'args'

    def number(value):
        return value['n'] if isinstance(value, dict) else value.n

    async def before(self, ctx, **options):
        if number(options[value_name]) == 1:
            refuse()
        return options[value_name]

    async def after(self, ctx, **options):
        if ctx.retry == 0:
            refuse()
        return options.get('result', options[value_name])

    async def wrap(self, ctx, handler, **options):
        if ctx.retry == 0:
            refuse()
        return await handler(options[value_name])

    async def wrap_around(self, ctx, handler, **options):
        result = await handler(options[value_name])
        if ctx.retry == 0:
            refuse()
        return result

    async def on_error(self, ctx, error, **options):
        offered.append(type(error).__name__)
        raise error

    return {
        'before': {f'before_{point}': before, f'on_{point}_error': on_error},
        'after': {f'after_{point}': after, f'on_{point}_error': on_error},
        'wrap': {f'wrap_{point}': wrap, f'on_{point}_error': on_error},
        'around': {f'wrap_{point}': wrap_around, f'on_{point}_error': on_error},
    }


async def refuse_error(self, ctx, error, **options):
    refuse()


for point in ('tool_execute', 'tool_validate', 'output_validate', 'output_process'):
    for name, hooks in hooks_of(point).items():
        for times in (1, 2):
            run(f'{point} {name} {times}', hooks, times=times, output=point.startswith('output'))
for times in (1, 2):
    run(f'on error {times}', {'on_tool_execute_error': refuse_error}, tool=raise_other, times=times)
    run(f'tool {times}', {}, tool=lambda ctx: refuse(), times=times)
    around = hooks_of('tool_execute')['around']
    run(
        f'tool with hooks {times}',
        {'on_tool_execute_error': around['on_tool_execute_error']},
        tool=lambda ctx: refuse(),
    )
run('validator', {}, output=True, validator=True)
