"""The fields of usage that 2.x added, the cost of responses and the limit of it, and stored forms of both."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pydantic
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

REQUEST, RUN = pydantic.TypeAdapter(RequestUsage), pydantic.TypeAdapter(RunUsage)
FIELDS = (
    *('input_tokens', 'output_tokens', 'cache_write_tokens', 'cache_write_1h_tokens', 'cache_read_tokens'),
    *('output_reasoning_tokens', 'audio_seconds', 'unmeasured_requests', 'cost', 'requests', 'tool_calls'),
)
FULL = RequestUsage(
    input_tokens=10,
    cache_read_tokens=4,
    cache_write_tokens=2,
    cache_write_1h_tokens=1,
    output_tokens=5,
    output_reasoning_tokens=3,
    audio_seconds=1.5,
    cost=Decimal('0.5'),
    unmeasured_requests=1,
)
PLAIN = RequestUsage(input_tokens=1)


def values(usage: Any) -> dict[str, Any]:
    found = {name: getattr(usage, name, None) for name in FIELDS}
    return {name: value for name, value in found.items() if value not in (0, None)}


def shown(name: str, make: Callable[[], Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            result = make()
        except Exception as error:
            result = type(error).__name__
    print(name, result, [item.category.__name__ for item in caught])


def check(limit: Any, usage: RunUsage, **options: Any) -> Callable[[], Any]:
    return lambda: UsageLimits(cost_limit=limit).check_cost(usage, **options)


for name, usage in (
    ('full', FULL),
    ('twice', FULL + FULL),
    ('full + plain', FULL + PLAIN),
    ('plain + full', PLAIN + FULL),
    ('plain', PLAIN + PLAIN),
    ('run', RunUsage(requests=1) + FULL),
):
    print(name, values(usage), usage.has_values(), round(usage.cache_hit_ratio, 3))
for name in ('audio_seconds', 'output_reasoning_tokens', 'unmeasured_requests', 'cache_write_1h_tokens'):
    counted: dict[str, Any] = {name: 1}
    print(name, RequestUsage(**counted).has_values())
print('cost', RequestUsage(cost=Decimal(1)).has_values(), RequestUsage(cost=Decimal(0)).has_values())
for usage in (FULL, PLAIN):
    stored = REQUEST.dump_json(usage)
    print(json.loads(stored), REQUEST.validate_json(stored) == usage)
print(json.loads(RUN.dump_json(RunUsage(cost=Decimal('1.10'), requests=2))))
print(values(REQUEST.validate_python({'input_tokens': 3})), values(REQUEST.validate_python({'cost': '0.25'})))

one = Decimal(1)
shown('at the limit', check(one, RunUsage(cost=one)))
shown('over', check(one, RunUsage(cost=Decimal('1.01'))))
shown('unknown', check(one, RunUsage(requests=1)))
shown('unknown, no warning', check(one, RunUsage(requests=1), warn_if_cost_unavailable=False))
shown('no limit', check(None, RunUsage(cost=Decimal(9))))
print(UsageLimits(cost_limit=one).has_token_limits())

requests: list[int] = []


def spends(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    requests.append(1)
    part = ToolCallPart('look', {}, f'c{len(requests)}') if len(requests) < 5 else TextPart('x')
    return ModelResponse(parts=[part], usage=RequestUsage(input_tokens=10, output_tokens=1, cost=Decimal('0.4')))


def priced(name: str, model: str) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        usage = RequestUsage(input_tokens=1000, output_tokens=100)
        return ModelResponse(parts=[TextPart(name)], usage=usage, model_name=model, provider_name='openai')

    return FunctionModel(respond, model_name=model)


def look() -> str:
    return 'seen'


async def main() -> None:
    for limit in ('1', '0.4', '0', '5'):
        requests.clear()
        limits = UsageLimits(cost_limit=Decimal(limit))
        try:
            result = await Agent(FunctionModel(spends), tools=[look]).run('q', usage_limits=limits)
            print(limit, result.output, values(result.usage))
        except Exception as error:
            print(limit, len(requests), type(error).__name__)
    for name, model in (('known', 'gpt-4o'), ('unknown', 'no-such-model')):
        for limit in (None, Decimal('0.0001'), Decimal(1)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                try:
                    result = await Agent(priced(name, model)).run('q', usage_limits=UsageLimits(cost_limit=limit))
                    stored = ModelMessagesTypeAdapter.dump_json(result.all_messages())
                    loaded = ModelMessagesTypeAdapter.validate_json(stored)
                    print(
                        name,
                        limit,
                        values(result.usage),
                        json.loads(stored)[-1]['usage'],
                        loaded == result.all_messages(),
                    )
                except Exception as error:
                    print(name, limit, type(error).__name__)
            print('  ', [item.category.__name__ for item in caught])


asyncio.run(main())
