"""What hooks around outputs see of the output: its mode, its type, the call, whether a function makes it."""

import asyncio

from _hooks import Out
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

log = []


class Watches(AbstractCapability):
    async def before_output_validate(self, ctx, *, output_context, output):
        log.append(['validate', described(output_context), repr(output)])
        return output

    async def before_output_process(self, ctx, *, output_context, output):
        log.append(['process', described(output_context), repr(output)])
        return output

    async def after_output_process(self, ctx, *, output_context, output):
        log.append(['made', repr(output)])
        return output


def described(context):
    return [
        context.mode,
        getattr(context.output_type, '__name__', context.output_type),
        context.object_def and context.object_def.name,
        context.has_function,
        context.tool_call and context.tool_call.tool_name,
        context.tool_def and context.tool_def.name,
        context.allows_text,
        context.allows_image,
        context.allows_deferred_tools,
    ]


class Other(BaseModel):
    k: str


def doubled(n: int) -> int:
    """Double it."""
    return n * 2


def shout(text: str) -> str:
    return text.upper()


def model(*, call=None, text=None):
    part = ToolCallPart(*call, 'c1') if call else TextPart(text)
    return FunctionModel(lambda messages, info: ModelResponse(parts=[part]))


CASES = {
    'tool': (Out, {'call': ('final_result', {'n': 1})}),
    'tool of two': ([Out, Other], {'call': ('final_result_Other', {'k': 'v'})}),
    'named tool': (ToolOutput(Out, name='give'), {'call': ('give', {'n': 1})}),
    'function': (doubled, {'call': ('final_result', {'n': 4})}),
    'int': (int, {'call': ('final_result', {'response': 4})}),
    'text': (str, {'text': 'hello'}),
    'text or tool': ([str, Out], {'text': 'hello'}),
    'text function': (TextOutput(shout), {'text': 'hello'}),
    'native': (NativeOutput(Out), {'text': '{"n": 3}'}),
    'native of two': (NativeOutput([Out, Other]), {'text': '{"result": {"kind": "Out", "data": {"n": 3}}}'}),
    'prompted': (PromptedOutput(Out), {'text': '{"n": 3}'}),
    'prompted int': (PromptedOutput(int), {'text': '{"response": 3}'}),
}
for label, (output_type, says) in CASES.items():
    log.clear()
    try:
        result = asyncio.run(Agent(model(**says), output_type=output_type, capabilities=[Watches()]).run('hi'))
        print(label, repr(result.output))
    except Exception as error:
        print(label, type(error).__name__)
    for line in log:
        print('   ', line)
