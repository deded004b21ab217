"""What programs write for 1.x and 2.x refuses or calls otherwise: arguments of agents, names of models, fields, calls of values."""

from __future__ import annotations

import importlib
import inspect
import os
import warnings
from collections.abc import Callable
from typing import Any

from pydantic_ai import (
    Agent,
    ModelResponse,
    TextPart,
    ToolReturnPart,
)
from pydantic_ai.capabilities import WebSearch
from pydantic_ai.messages import FunctionToolResultEvent
from pydantic_ai.models import infer_model
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

warnings.simplefilter('ignore')
os.environ.update(OPENAI_API_KEY='k', GOOGLE_API_KEY='k')


def attempt(name: str, probe: Callable[[], Any]) -> None:
    try:
        print(name, probe())
    except Exception as error:
        print(name, '!', type(error).__name__)


def agent(**arguments: Any) -> Callable[[], str]:
    return lambda: type(Agent(TestModel(), **arguments)).__name__


def kept(result: Any, *names: str) -> list[str]:
    return [name for name in names if hasattr(result, name)]


for argument, value in (
    ('builtin_tools', []),
    ('history_processors', []),
    ('instrument', True),
    ('prepare_tools', lambda ctx, tools: tools),
    ('prepare_output_tools', lambda ctx, tools: tools),
    ('mcp_servers', []),
    ('event_stream_handler', lambda ctx, events: None),
    ('output_retries', 2),
    ('result_type', str),
    ('result_retries', 2),
    ('result_tool_name', 'x'),
    ('tool_retries', 2),
    ('nonsense', 1),
):
    attempt(argument, agent(**{argument: value}))

for run_argument, value in (
    ('builtin_tools', []),
    ('output_retries', 2),
    ('event_stream_handler', None),
    ('nonsense', 1),
):
    attempt(f'run {run_argument}', lambda: Agent(TestModel()).run_sync('q', **{run_argument: value}).output)

result = Agent(TestModel()).run_sync('q')
print('timestamp callable', callable(result.timestamp))
attempt('timestamp call', lambda: type(result.timestamp()).__name__)
print('timestamp', type(result.timestamp).__name__)
attempt('usage call', lambda: type(result.usage()).__name__)
attempt('usage', lambda: type(result.usage).__name__)
attempt('run_id', lambda: Agent(TestModel()).run_sync('q', run_id='abc').run_id)
attempt(
    'old names of usage',
    lambda: kept(RunUsage(), 'request_tokens', 'response_tokens', 'details', 'total_tokens', 'has_values'),
)
attempt(
    'old names of request usage',
    lambda: kept(RequestUsage(), 'request_tokens', 'response_tokens', 'total_tokens', 'requests'),
)
attempt('old limits', lambda: UsageLimits(request_tokens_limit=1, response_tokens_limit=2))
attempt('old limit', lambda: kept(UsageLimits(), 'request_tokens_limit', 'response_tokens_limit', 'has_token_limits'))
attempt('cost_limit', lambda: UsageLimits(cost_limit=1).cost_limit)
response = ModelResponse(parts=[TextPart('x')])
attempt(
    'old names of responses',
    lambda: kept(
        response, 'vendor_id', 'vendor_details', 'provider_request_id', 'price', 'builtin_tool_calls', 'cost', 'text'
    ),
)
attempt('vendor_id=', lambda: ModelResponse(parts=[], vendor_id='x').provider_response_id)
attempt('vendor_details=', lambda: ModelResponse(parts=[], vendor_details={}).provider_details)
for name in ('gpt-4o', 'google-gla:gemini-2.5-pro', 'google-vertex:gemini-2.5-pro', 'openai:gpt-5'):
    attempt(name, lambda: type(infer_model(name)).__name__)

attempt('deps type', lambda: Agent(TestModel()).deps_type)
event = FunctionToolResultEvent(ToolReturnPart('t', 'x', 'c'))
attempt('event.part', lambda: type(event.part).__name__)
attempt('event.result', lambda: type(event.result).__name__)
attempt('event.tool_call_id', lambda: event.tool_call_id)
attempt('event(result=)', lambda: FunctionToolResultEvent(result=ToolReturnPart('t', 'x', 'c')).tool_call_id)
attempt('settings', lambda: sorted(ModelSettings.__annotations__))
for module in (
    'pydantic_graph.persistence',
    'pydantic_graph.persistence.in_mem',
    'pydantic_graph.mermaid',
    'pydantic_graph.beta',
    'pydantic_graph.graph',
    'pydantic_graph.nodes',
    'pydantic_ai.ag_ui',
    'pydantic_ai.builtin_tools',
    'pydantic_ai.models.gemini',
    'pydantic_ai.models.outlines',
    'pydantic_ai.providers.grok',
    'pydantic_ai.providers.google_gla',
):
    attempt(module, lambda: importlib.import_module(module) and 'found')
for old in (
    'run_mcp_servers',
    'sequential_tool_calls',
    'to_a2a',
    'to_ag_ui',
    'set_mcp_sampling_model',
    'run_stream_events',
    'instrument_all',
    'event_stream_handler',
    'toolsets',
):
    print(old, hasattr(Agent(TestModel()), old))


def two_searches() -> object:
    seen: list[str] = []

    def respond(messages: Any, info: Any) -> ModelResponse:
        seen.extend(
            f'{type(tool).__name__} {tool.search_context_size}' for tool in info.model_request_parameters.native_tools
        )
        return ModelResponse(parts=[TextPart('x')])

    model = FunctionModel(respond, profile=ModelProfile(supported_native_tools=frozenset({WebSearchTool})))
    Agent(model, capabilities=[WebSearch(), WebSearch(search_context_size='high')]).run_sync('q')
    return seen


attempt('two searches', two_searches)
attempt('WebSearch', lambda: str(inspect.signature(WebSearch)).count('local'))
