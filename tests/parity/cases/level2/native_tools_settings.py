"""Settings of native tools for single vendors: what contradicts what, and what each vendor is sent."""

# needs: anthropic, openai

import importlib
import json

import anthropic
import openai
from _common import fact
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.messages import FunctionToolResultEvent, ToolReturnPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.native_tools import (
    AbstractNativeTool,
    AdvisorTool,
    FileSearchTool,
    ImageGenerationTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider

EXCLUDED = {'anthropic': {'response_inclusion': 'excluded'}}
FETCH = {'anthropic': {'enable_citations': True, 'max_content_tokens': 7, 'use_cache': False}}
EXA = {'engine': 'exa', 'mode': 'deep', 'max_results': 2, 'max_total_results': 5, 'max_characters': 9}
IMAGE = {'action': 'edit', 'background': 'opaque', 'model': 'gpt-image-2', 'partial_images': 2, 'quality': 'max'}
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


def send(what, model, *tools):
    for tool in tools:
        sent.clear()
        try:
            Agent(model, capabilities=[NativeTool(tool)], tools=[plus]).run_sync('q')
        except ModelHTTPError:
            body, beta = sent[0]
            tools = [one for one in body.get('tools', ()) if 'plus' not in str(one)]
            fact(
                what,
                [
                    json.loads(json.dumps(tools, sort_keys=True)),
                    [('plus' in str(one)) for one in body['tools']],
                    body.get('web_search_options'),
                ],
            )
            if tool.kind == 'advisor':
                fact('beta', beta)
        except UserError:
            fact(what, f'UserError for {tool.kind}')


def plus(a: int) -> int:
    """Add one."""
    return a + 1


def attempt(kind, **fields):
    try:
        fact(kind.__name__, kind(**fields))
    except (UserError, ValueError) as error:
        fact(kind.__name__, [type(error).__name__, sorted(fields)])


attempt(WebFetchTool, max_content_tokens=9, provider_settings={'anthropic': {'max_content_tokens': 7}})
attempt(WebFetchTool, max_content_tokens=7, provider_settings={'anthropic': {'max_content_tokens': 7}})
attempt(WebFetchTool, enable_citations=True, provider_settings={'anthropic': {'enable_citations': False}})
attempt(ImageGenerationTool, quality='high', provider_settings={'openai': {'quality': 'low'}})
attempt(ImageGenerationTool, quality='auto', provider_settings={'openai': {'quality': 'low'}})
attempt(AdvisorTool, model='m', caching='5m', provider_settings={'anthropic': {'caching': '1h'}})
attempt(AdvisorTool, model='m', max_tokens=1023)
attempt(AdvisorTool, model='m', max_tokens=1024)
attempt(FileSearchTool, file_store_ids=['a'], instructions='x', provider_settings={'xai': {'instructions': 'y'}})
attempt(FileSearchTool, file_store_ids=['a'], retrieval_mode='hybrid')

for tool in (
    WebSearchTool(),
    WebSearchTool(max_uses=0, allowed_domains=[], blocked_domains=['a'], external_web_access=False),
    WebSearchTool(external_web_access=True, provider_settings=EXCLUDED),
    WebFetchTool(max_uses=3, allowed_domains=['a'], max_content_tokens=5),
    XSearchTool(allowed_x_handles=['a']),
    AdvisorTool(model='m', max_uses=2),
):
    fact('restricting', [tool.label, tool.unique_id, sorted(tool.restricting_settings)])

adapter = TypeAdapter(AbstractNativeTool)
for data in (
    {'kind': 'advisor', 'model': 'm', 'caching': '5m'},
    {'kind': 'web_search', 'provider_settings': EXCLUDED},
    {'kind': 'file_search', 'file_store_ids': ['a'], 'retrieval_mode': 'hybrid'},
):
    fact('read', adapter.validate_python(data))

claude = AnthropicModel('claude-opus-4-8', provider=AnthropicProvider(anthropic_client=sdk(anthropic.AsyncAnthropic)))
client = sdk(openai.AsyncOpenAI)
send(
    'anthropic',
    claude,
    WebSearchTool(provider_settings=EXCLUDED),
    WebSearchTool(external_web_access=False),
    WebFetchTool(provider_settings=FETCH),
    WebFetchTool(provider_settings={'anthropic': {'use_cache': True}}),
    AdvisorTool(model='claude-opus-5-5'),
    AdvisorTool(model='m', max_uses=2, max_tokens=2048, caching='5m'),
    AdvisorTool(
        model='m', provider_settings={'anthropic': {'caching': '1h'}, 'openrouter': {'forward_transcript': True}}
    ),
)
send(
    'responses',
    OpenAIResponsesModel('gpt-5', provider=OpenAIProvider(openai_client=client)),
    WebSearchTool(external_web_access=False),
    WebSearchTool(external_web_access=True, provider_settings=EXCLUDED),
    WebSearchTool(max_uses=2),
    WebSearchTool(blocked_domains=['a'], allowed_domains=['b']),
    FileSearchTool(file_store_ids=['a'], max_num_results=3, instructions='x'),
    ImageGenerationTool(provider_settings={'openai': IMAGE}),
    ImageGenerationTool(quality='max', provider_settings={'openai': {}}),
    AdvisorTool(model='m'),
)
send(
    'chat',
    OpenAIChatModel('gpt-4o-search-preview', provider=OpenAIProvider(openai_client=client)),
    WebSearchTool(external_web_access=False),
    WebSearchTool(),
)
send(
    'openrouter',
    OpenRouterModel('anthropic/claude-opus-4.8', provider=OpenRouterProvider(openai_client=client)),
    WebSearchTool(),
    WebSearchTool(allowed_domains=['a'], blocked_domains=['b'], max_uses=2, user_location={'city': 'x'}),
    WebSearchTool(provider_settings={'openrouter': EXA}),
    WebSearchTool(external_web_access=False),
    WebFetchTool(),
    AdvisorTool(model='m', caching='5m'),
    AdvisorTool(model='x/y', max_tokens=2000, provider_settings={'openrouter': {'forward_transcript': True}}),
)

event = FunctionToolResultEvent(part=ToolReturnPart('t', 'c', tool_call_id='1'))
fact('attributes of an event', sorted(vars(event)))
