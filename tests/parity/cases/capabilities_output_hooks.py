"""Output hooks for every kind of output: which fire, and what the output context says."""

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile

log = []


class Out(BaseModel):
    n: int


class Other(BaseModel):
    s: str


class Watch(AbstractCapability):
    def note(self, hook, output_context, output):
        context = output_context
        log.append(
            [
                hook,
                context.mode,
                getattr(context.output_type, '__name__', str(context.output_type)),
                context.object_def.name if context.object_def else None,
                context.has_function,
                context.function_name,
                context.tool_call.tool_name if context.tool_call else None,
                context.tool_def.name if context.tool_def else None,
                context.allows_text,
                context.allows_image,
                context.allows_deferred_tools,
                repr(output),
            ]
        )
        return output

    async def before_output_validate(self, ctx, *, output_context, output):
        return self.note('before validate', output_context, output)

    async def after_output_validate(self, ctx, *, output_context, output):
        return self.note('after validate', output_context, output)

    async def before_output_process(self, ctx, *, output_context, output):
        return self.note('before process', output_context, output)

    async def after_output_process(self, ctx, *, output_context, output):
        return self.note('after process', output_context, output)

    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        log.append(['tool hook', call.tool_name])
        return args


def show(label, output_type, *answers, capabilities=(), validator=None):
    log.clear()

    def respond(messages, info):
        turn = sum(message.kind == 'response' for message in messages)
        answer = answers[min(turn, len(answers) - 1)]
        if isinstance(answer, str):
            return ModelResponse(parts=[TextPart(answer)])
        name, args = answer
        return ModelResponse(parts=[ToolCallPart(info.output_tools[name].name, args, 'c')])

    profile = ModelProfile(supports_json_schema_output=True, default_structured_output_mode='tool')
    agent = Agent(
        FunctionModel(respond, profile=profile), output_type=output_type, capabilities=[Watch(), *capabilities]
    )
    if validator:
        agent.output_validator(validator)
    try:
        print(label, repr(agent.run_sync('x').output))
    except Exception as error:
        print(label, type(error).__name__)
    for line in log:
        print('   ', line)


def double(value: int) -> int:
    return value * 2


async def of_ctx(ctx, out: Out) -> str:
    return f'{out.n} {ctx.run_step}'


def loud(text: str) -> str:
    return text.upper()


show('text', str, 'hello')
show('text function', TextOutput(loud), 'hello')
show('tool', Out, (0, {'n': 1}))
show('tool as json', Out, (0, '{"n": 1}'))
show('tool scalar', int, (0, {'response': 3}))
show('union', [Out, Other], (1, {'s': 'x'}))
show('tool or text', [Out, str], 'hello')
show('function', double, (0, {'value': 4}))
show('function of ctx', of_ctx, (0, {'n': 4}))
show('named', ToolOutput(Out, name='give'), (0, {'n': 1}))
show('prompted', PromptedOutput(Out), '{"n": 1}')
show('prompted union', PromptedOutput([Out, Other]), '{"result": {"kind": "Other", "data": {"s": "x"}}}')
show('native', NativeOutput(Out), '{"n": 1}')
show('native function', NativeOutput(double), '{"value": 1}')
show('prompted scalar', PromptedOutput(int), '{"response": 1}')
show('bad then good', Out, (0, {'n': 'x'}), (0, {'n': 2}))
show('prompted bad then good', PromptedOutput(Out), 'no json', '{"n": 2}')


def picky(value):
    log.append(['validator', repr(value)])
    if value.n < 10:
        raise ModelRetry('too small')
    return value


show('validator', Out, (0, {'n': 1}), (0, {'n': 11}), validator=picky)


class Repair(AbstractCapability):
    async def before_output_validate(self, ctx, *, output_context, output):
        return '{"n": 77}' if output == 'broken' else output

    async def on_output_validate_error(self, ctx, *, output_context, output, error):
        return Out(n=55)


show('repair', PromptedOutput(Out), 'broken', capabilities=[Repair()])
show('recover', PromptedOutput(Out), 'hopeless', capabilities=[Repair()])
show('recover tool', Out, (0, {'n': 'x'}), capabilities=[Repair()])


class Change(AbstractCapability):
    async def after_output_process(self, ctx, *, output_context, output):
        return f'changed {output!r}'


show('change', Out, (0, {'n': 1}), capabilities=[Change()])
show('change text', str, 'hello', capabilities=[Change()])
