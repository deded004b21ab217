"""`TestModel`: requests by options, parameters and history, streams of them, and whole runs."""

import itertools

from _models import attempt, fact, stream, tool, user
from pydantic import BaseModel
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel

OBJECT = {'type': 'object', 'properties': {'n': {'type': 'integer'}}, 'required': ['n']}
TOOL_F, TOOL_G, OUT, OTHER = (
    tool('f', OBJECT),
    tool('g'),
    tool('out', OBJECT, kind='output'),
    tool('other', kind='output'),
)
WRAPPED = tool('wrapped', OBJECT, kind='output', outer_typed_dict_key='response')
MODELS = {
    'plain': {},
    'seeded': {'seed': 3},
    'no calls': {'call_tools': []},
    'some calls': {'call_tools': ['g']},
    'calls in order': {'call_tools': ['g', 'f', 'g']},
    'text': {'custom_output_text': 'my own words'},
    'empty text': {'custom_output_text': ''},
    'args': {'custom_output_args': {'n': 7}},
    'args that are falsy': {'custom_output_args': {}},
    'args that are no object': {'custom_output_args': 5, 'seed': 2},
}
PARAMETERS = {
    'nothing': {},
    'tools': {'function_tools': [TOOL_F, TOOL_G]},
    'output': {'output_tools': [OUT], 'allow_text_output': False, 'output_mode': 'tool'},
    'outputs': {'output_tools': [OUT, OTHER], 'allow_text_output': False, 'output_mode': 'tool'},
    'wrapped output': {'output_tools': [WRAPPED], 'allow_text_output': False, 'output_mode': 'tool'},
    'tools and output': {
        'function_tools': [TOOL_F],
        'output_tools': [OUT],
        'allow_text_output': False,
        'output_mode': 'tool',
    },
}
RETURN = ToolReturnPart('f', {'b': [1, 'é']}, tool_call_id='c')
HISTORIES = {
    'prompt': [user()],
    'returned': [user(), ModelResponse(parts=[ToolCallPart('f', {}, tool_call_id='c')]), ModelRequest(parts=[RETURN])],
    'answered': [user(), ModelResponse(parts=[TextPart('x')]), user('more')],
    'retry of f': [
        user(),
        ModelResponse(parts=[ToolCallPart('f', {}, tool_call_id='c')]),
        ModelRequest(parts=[RetryPromptPart('no', tool_name='f', tool_call_id='c')]),
    ],
    'retry of out': [
        user(),
        ModelResponse(parts=[ToolCallPart('out', {}, tool_call_id='c')]),
        ModelRequest(parts=[RetryPromptPart('no', tool_name='out', tool_call_id='c')]),
    ],
    'retry of nothing': [user(), ModelResponse(parts=[TextPart('x')]), ModelRequest(parts=[RetryPromptPart('no')])],
    'retry of the unknown': [
        user(),
        ModelResponse(parts=[TextPart('x')]),
        ModelRequest(parts=[RetryPromptPart('no', tool_name='zzz', tool_call_id='c')]),
    ],
}


async def ask(model, messages, parameters):
    response = await model.request(messages, None, parameters)
    used = response.usage
    return [response.parts, used.input_tokens, used.output_tokens, response.model_name, response.provider_name]


for (name, options), (request_name, fields), (past, history) in itertools.product(
    MODELS.items(), PARAMETERS.items(), HISTORIES.items()
):
    if not {*options.get('call_tools', ())} <= {each.name for each in fields.get('function_tools', ())}:
        continue
    if 'custom_output_text' in options and not fields.get('allow_text_output', True):
        continue  # an error in words of our own
    if 'custom_output_args' in options and not fields.get('output_tools'):
        continue
    attempt(
        f'{name}, {request_name}, {past}', lambda: ask(TestModel(**options), history, ModelRequestParameters(**fields))
    )
    if name in ('plain', 'text', 'args') and past in ('prompt', 'returned'):
        stream(f'{name}, {request_name}, {past}', TestModel(**options), history, ModelRequestParameters(**fields))
for words in ('', ' ', 'x', 'one two  three', ' led', 'a\nb\n', 'é, ü. x:y "z"'):
    stream(repr(words), TestModel(custom_output_text=words))


class City(BaseModel):
    name: str
    size: int


def run(title, output_type, *tools, retries=3, **options):
    model = TestModel(**options)

    def go():
        result = Agent(model, output_type=output_type, tools=tools, retries=retries).run_sync('go')
        calls = [
            part.tool_name
            for message in result.all_messages()
            for part in message.parts
            if isinstance(part, (ToolCallPart, ToolReturnPart))
        ]
        return [repr(result.output), calls, result.usage.input_tokens, result.usage.output_tokens]

    attempt(title, go)
    if model.last_model_request_parameters:
        last = model.last_model_request_parameters
        fact(
            'last',
            [[tool.name for tool in last.function_tools], [tool.name for tool in last.output_tools], last.output_mode],
        )


def add(a: int, b: float = 1.5) -> float:
    """Add."""
    return a + b


async def where(ctx: RunContext[None], city: City) -> City:
    return city


def picky(n: int) -> int:
    if n == 0:
        from pydantic_ai import ModelRetry

        raise ModelRetry('not zero')
    return n


OUTPUTS = {
    'text': str,
    'city': City,
    'number': int,
    'several': [City, int],
    'text or city': [str, City],
    'list': list[City],
}
for (name, output), options in itertools.product(OUTPUTS.items(), ({}, {'seed': 1}, {'seed': 100})):
    run(f'{name} {options}', output, add, where, **options)
run('text by text', str, custom_output_text='words')
for name, output in OUTPUTS.items():
    if name == 'text':
        continue
    run(f'{name} by args', output, custom_output_args={'name': 'x', 'size': 4})
    run(f'{name} by a number', output, custom_output_args=4)
    run(f'{name} by an instance', output, custom_output_args=City(name='y', size=2))
run('retries', str, picky)
run('no tools called', str, add, picky, call_tools=[])
