"""`FunctionModel`: what a request costs, what the function sees, and which profile the model has."""

import asyncio

from _models import attempt, fact, tool, user
from pydantic_ai import Agent
from pydantic_ai.messages import (
    BinaryContent,
    FilePart,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.usage import RequestUsage


def usage(title, messages, *parts, **more):
    """What a request and its answer cost."""
    model = FunctionModel(lambda messages, info: ModelResponse(parts=list(parts), **more))

    async def ask():
        response = await model.request(messages, None, ModelRequestParameters())
        used = response.usage
        return [
            used.input_tokens,
            used.output_tokens,
            response.model_name,
            response.provider_name,
            response.finish_reason,
        ]

    attempt(title, lambda: asyncio.run(ask()))


TEXTS = (
    '',
    ' ',
    'one',
    'one two',
    'a,b:c.d"e',
    'one. two',
    'end.',
    '. . .',
    'é ü',
    'two\n\nlines',
    'tab\tbed',
    '  led',
    "it's-a_word",
)
for text in TEXTS:
    usage(f'answer {text!r}', [user()], TextPart(text))
    usage(f'prompt {text!r}', [user(text)], TextPart('x'))
    usage(f'thinking {text!r}', [user()], ThinkingPart(text))
    usage(f'return {text!r}', [ModelRequest(parts=[ToolReturnPart('f', text, tool_call_id='c')])], TextPart('x'))
    usage(f'retry {text!r}', [ModelRequest(parts=[RetryPromptPart(text)])], TextPart('x'))

REQUESTS = {
    'system': [SystemPromptPart('be kind please')],
    'items': [
        UserPromptPart(['one two', TextContent('three four five', metadata=1), ImageUrl('https://example.com/a.png')])
    ],
    'bytes': [UserPromptPart([BinaryContent(b'12345', media_type='image/png')])],
    'several': [SystemPromptPart('a b'), UserPromptPart('c d'), ToolReturnPart('f', {'a': [1, 2]}, tool_call_id='c')],
    'retry of a tool': [RetryPromptPart('no good', tool_name='f', tool_call_id='c')],
    'retry with errors': [
        RetryPromptPart(
            [{'type': 'missing', 'loc': ('a',), 'msg': 'Field required', 'input': {}}], tool_name='f', tool_call_id='c'
        )
    ],
    'nothing': [],
}
for name, parts in REQUESTS.items():
    usage(f'request {name}', [ModelRequest(parts=parts)], TextPart('x'))
ANSWERS = {
    'call': [ToolCallPart('f', {'a': 1, 'b': 'two words'}, tool_call_id='c')],
    'call with text': [ToolCallPart('f', '{"a": 1}', tool_call_id='c')],
    'call without arguments': [ToolCallPart('f', tool_call_id='c')],
    'call with a long name': [ToolCallPart('a long name', {}, tool_call_id='c')],
    'native': [
        NativeToolCallPart('web_search', {'q': 'a b'}, tool_call_id='n'),
        NativeToolReturnPart('web_search', {'found': 'c d'}, tool_call_id='n'),
    ],
    'file': [FilePart(BinaryContent(b'12345678', media_type='image/png'))],
    'several': [ThinkingPart('a b'), TextPart('c d'), ToolCallPart('f', {'x': 1}, tool_call_id='c')],
    'nothing': [],
}
for name, parts in ANSWERS.items():
    usage(f'answer {name}', [user()], *parts)
    usage(f'history {name}', [user(), ModelResponse(parts=parts), user('and now')], TextPart('x'))
usage('usage of its own', [user()], TextPart('x y z'), usage=RequestUsage(input_tokens=1, output_tokens=2))
usage('output tokens of its own', [user()], TextPart('x y z'), usage=RequestUsage(output_tokens=7))
usage('details of its own', [user()], TextPart('x y z'), usage=RequestUsage(details={'a': 1}))
usage('name of its own', [user()], TextPart('x'), model_name='mine', provider_name='prov', finish_reason='length')
usage('no messages', [], TextPart('x'))


def look(messages, info):
    for name in ('function_tools', 'allow_text_output', 'output_tools', 'model_settings', 'instructions'):
        fact(f'   {name}', getattr(info, name))
    return ModelResponse(parts=[TextPart('x')])


async def look_later(messages, info):
    return look(messages, info)


parameters = ModelRequestParameters(
    function_tools=[tool('f')],
    instruction_parts=[InstructionPart(content='a'), InstructionPart(content='b', dynamic=True)],
)
for function in (look, look_later):
    for request_parameters in (ModelRequestParameters(), parameters):
        model = FunctionModel(function, settings={'max_tokens': 3, 'seed': 1})
        attempt(
            'info',
            lambda: model.request(
                [ModelRequest(parts=[UserPromptPart('x')], instructions='of it')], {'seed': 2}, request_parameters
            ),
        )
    agent = Agent(FunctionModel(function), instructions='be kind', model_settings={'seed': 4}, output_type=[int, str])
    agent.tool_plain(lambda: 1, name='f')
    attempt('run', lambda: agent.run_sync('x', instructions='and brief').output)

for profile in (None, ModelProfile(supports_tools=False)):
    resolved = FunctionModel(look, profile=profile).profile
    fact(
        'profile', [resolved.supports_json_schema_output, resolved.supports_json_object_output, resolved.supports_tools]
    )
