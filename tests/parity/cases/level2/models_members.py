"""What models and providers say about themselves: whose answers they accept, what tools they see, complete streams."""

# needs: openai, anthropic, google.genai, xai_sdk

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

os.environ.update({f'{name}_API_KEY': 'k' for name in ('OPENAI', 'ANTHROPIC', 'GOOGLE', 'XAI', 'OPENROUTER', 'ZAI')})

from pydantic_ai import models
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import CompletedStreamedResponse, Model, ModelRequestParameters, infer_model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.native_tools import NATIVE_TOOL_TYPES, WebFetchTool, WebSearchTool
from pydantic_ai.tools import ToolDefinition

ToolSearchTool: Any = NATIVE_TOOL_TYPES['tool_search']
NAMES = (
    *('openai-chat:gpt-5', 'openai-responses:gpt-5', 'anthropic:claude-sonnet-4-5', 'google:gemini-2.5-pro'),
    *('xai:grok-4', 'zai:glm-4.6'),
)
ORIGINS: list[dict[str, Any]] = [
    {'provider_name': 'openai'},
    {'provider_name': 'openai', 'provider_url': 'https://api.openai.com/v1'},
    {'provider_name': 'openai', 'provider_url': 'https://other/v1/'},
    {'provider_name': 'azure'},
    {'provider_name': None, 'provider_url': 'https://api.openai.com/v1/'},
    {'provider_name': 'google-gla'},
    {'provider_name': 'google-vertex'},
]
SEARCHES = [
    WebSearchTool(max_uses=3),
    WebSearchTool(allowed_domains=['a.b']),
    WebSearchTool(user_location={'city': 'x'}),
    WebFetchTool(),
]


def answer_of(ask: Callable[[], Any]) -> str:
    try:
        return repr(ask())
    except Exception as error:
        return type(error).__name__


def members(model: Model) -> None:
    print([str(model.resolve_cache_retention({'cache': cache})) for cache in (True, '5m', '1h', '12h', False)])
    print(model.canonical_system, sorted(model.compatible_systems))
    for origin in ORIGINS:
        response = ModelResponse(parts=[TextPart('a')], **origin)
        thinking = ThinkingPart('x', provider_name='openai')
        print(
            ' ',
            origin,
            model.accepts_server_state(response),
            [model.accepts_stateless_artifacts(response, part) for part in (None, TextPart('x'), thinking)],
            model.continuation_delay(response),
        )


def tools() -> None:
    plain = ToolDefinition(name='a')
    late = ToolDefinition(name='d', defer_loading=True)
    found = ToolDefinition(name='w', with_native='tool_search', defer_loading=True)
    instead = ToolDefinition(name='u', unless_native='web_search')
    for mode in (None, 'by_reference', 'with_definitions'):
        for revealed in (set[str](), {'d'}, {'w'}):
            for native in ([], [ToolSearchTool(optional=True)]):
                for withhold in (None, lambda native_tools: True):
                    params = ModelRequestParameters(
                        function_tools=[plain, late, found], native_tools=native, revealed_tool_names=revealed
                    )
                    resolved = models.resolve_request_tools(
                        params,
                        frozenset({ToolSearchTool}),
                        tool_addition_mode=mode,
                        can_withhold_tool_schemas=withhold,
                    )
                    print(mode, sorted(revealed), bool(native), bool(withhold), resolved.tool_visibility)
    for native, settings in (
        (WebSearchTool(), set[str]()),
        (WebSearchTool(max_uses=3), {'max_uses'}),
        (WebSearchTool(max_uses=3, optional=True), {'max_uses'}),
    ):
        for functions in ([plain], [plain, instead]):
            for supported in (frozenset[Any](), frozenset({WebSearchTool})):
                params = ModelRequestParameters(function_tools=functions, native_tools=[native])
                print(
                    answer_of(
                        lambda: [
                            (tool.name, resolved.visibility_of(tool.name))
                            for resolved in [
                                models.resolve_request_tools(
                                    params, supported, unsupported_settings=lambda tool: frozenset(settings)
                                )
                            ]
                            for tool in resolved.function_tools
                        ]
                    )
                )
    print(params.visibility_of('a'), params.visibility_of('none'))
    late_params = ModelRequestParameters(function_tools=[late])
    print(late_params.visibility_of('d'))
    schema = ToolDefinition(name='r', return_schema={'type': 'string'}, include_return_schema=True, description='about')
    for supports in (True, False):
        prepared = models.prepare_return_schemas(
            ModelRequestParameters(function_tools=[schema], output_tools=[schema]), supports_tool_return_schema=supports
        )
        print([(tool.description, tool.return_schema) for tool in (*prepared.function_tools, *prepared.output_tools)])


async def batches(model: Model) -> None:
    print(model.batch_max_bytes, model.batch_max_requests)
    for ask in (model.batch_encode, model.batch_create, model.batch_status, model.batch_results, model.batch_cancel):
        try:
            await ask([])
        except NotImplementedError:
            print(ask.__name__, 'NotImplementedError')
    print(await model.cancel_suspended_response(ModelResponse(parts=[])))


async def streams() -> None:
    response = ModelResponse(parts=[ThinkingPart('t'), TextPart('abc'), ToolCallPart('x', {}, 'id')], model_name='m')
    params = ModelRequestParameters()
    for replayed in (None, False, True, [PartStartEvent(index=0, part=TextPart('z'))]):
        stream = CompletedStreamedResponse(response, params, events=replayed)
        print([event async for event in stream], stream.state, stream.time_to_first_chunk(0) is None)
    print(CompletedStreamedResponse(params, response).get() == response)
    async with TestModel(custom_output_text='a b').request_stream(
        [ModelRequest(parts=[UserPromptPart('x')])], None, params
    ) as stream:
        print(stream.state, stream.time_to_first_chunk(0))
        async for _ in stream:
            break
        print(stream.state, stream.get().state, (stream.time_to_first_chunk(0) or 0) > 0)
        async for _ in stream:
            pass
        stream.state, stream.metadata = 'suspended', {'a': 1}
        print(stream.get().state, stream.get().metadata)


for name in NAMES:
    print(name, end=' ')
    members(infer_model(name))
    print([sorted(infer_model(name).unsupported_native_tool_settings(tool)) for tool in SEARCHES])
    provider: Any = infer_model(name).provider
    print(provider.canonical_system, sorted(provider.compatible_systems), provider.model_id_namespace)
    print([provider.shares_server_state_with(url) for url in (provider.base_url, provider.base_url + '/', 'https://x')])
members(WrapperModel(infer_model(NAMES[1])))
both = FallbackModel(infer_model(NAMES[1]), TestModel())
print(both.canonical_system)
tools()
asyncio.run(batches(infer_model(NAMES[0])))
asyncio.run(streams())
known = models.known_model_names()
print(type(known).__name__, list(known) == sorted(known), known is models.known_model_names())
