"""`CodeExecutionTool(files=)`: what Anthropic and the Responses API are sent of files that the code can read."""

# needs: anthropic, openai

import importlib
import json

import anthropic
import openai
from _common import fact
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.native_tools import CodeExecutionTool
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

sent = []


def http_client(sdk_client):
    """Return a client of the HTTP library of an SDK that keeps what it is to send."""
    names = [base.__module__.partition('.')[0] for base in type(sdk_client._client).__mro__]
    library = importlib.import_module(next(name for name in names if name in ('httpx', 'httpx2')))

    def refuse(request):
        sent.append((json.loads(request.content), request.headers.get('anthropic-beta')))
        return library.Response(418, json={'error': {'message': 'no', 'type': 'teapot'}})

    return library.AsyncClient(transport=library.MockTransport(refuse))


def sdk(kind):
    return kind(api_key='x', max_retries=0, http_client=http_client(kind(api_key='x')))


def send(what, model, tool, prompt='q', **options):
    sent.clear()
    try:
        Agent(model, capabilities=[NativeTool(tool)]).run_sync(prompt, **options)
    except ModelHTTPError:
        body, beta = sent[0]
        fact(what, json.loads(json.dumps([body['tools'], beta, body.get('messages')], sort_keys=True)))


def file(name, provider):
    return UploadedFile(name, provider_name=provider)


claude = AnthropicModel('claude-opus-4-6', provider=AnthropicProvider(anthropic_client=sdk(anthropic.AsyncAnthropic)))
responses = OpenAIResponsesModel('gpt-5', provider=OpenAIProvider(openai_client=sdk(openai.AsyncOpenAI)))
for name, model in (('anthropic', claude), ('openai', responses)):
    send(f'{name} none', model, CodeExecutionTool())
    send(f'{name} empty', model, CodeExecutionTool(files=[]))
    send(f'{name} two', model, CodeExecutionTool(files=[file('a', name), file('b', name)]))
    send(f'{name} others', model, CodeExecutionTool(files=[file('a', 'google'), file('b', name)]))

first = ModelRequest(parts=[UserPromptPart('first')])
answered = [first, ModelResponse(parts=[TextPart('ok')])]
called = [
    first,
    ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id='1')]),
    ModelRequest(parts=[ToolReturnPart('t', 'r', tool_call_id='1')]),
]
tool = CodeExecutionTool(files=[file('a', 'anthropic'), file('b', 'anthropic')])
send('two prompts', claude, tool, message_history=answered)
send('a result', claude, tool, None, message_history=called)
send('a result and a prompt', claude, tool, message_history=called)
fact('written', TypeAdapter(CodeExecutionTool).dump_python(CodeExecutionTool(files=[file('a', 'openai')]), mode='json'))
