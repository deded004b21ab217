"""Each request of a run is the one before it, with more at its end, on the wire of every vendor.

Providers read from their caches what two requests have in common at their beginning. What is allowed to change it is listed in
`docs/prompt-cache.md`: folds, tools that come later, and markers of the cache, which move on.
"""

from __future__ import annotations

import json
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from _in_process import MAKERS

from stead import Agent, ModelMessage, ModelResponse, ModelRetry, ToolReturn
from stead.capabilities import (
    Capability,
    KeepLast,
    OffloadToolResults,
    PrefixTools,
    ReinjectSystemPrompt,
    SetToolMetadata,
    Toolset,
    TruncateToolResults,
)
from stead.messages import BinaryContent, TextPart, ThinkingPart, ToolCallPart
from stead.models.wrapper import CompletedStreamedResponse, WrapperModel
from stead.toolsets import FunctionToolset

STEPS = 12
PNG = b'\x89PNG\r\n\x1a\n' + b'0' * 40
MARKERS = frozenset({'cache_control', 'cachePoint', 'prompt_cache_key'})
CONVERSATIONS = ('messages', 'contents', 'input')


class Scripted(WrapperModel):
    """Sends each request to a vendor, and answers by a script, whatever the vendor answers."""

    def __init__(self, wrapped: Any, seed: int, steps: int = STEPS) -> None:
        super().__init__(wrapped)
        self.random = random.Random(seed)
        self.step, self.steps = 0, steps
        self.folded: list[bool] = []
        self.load: list[ToolCallPart] = []

    async def request(self, messages: list[ModelMessage], model_settings: Any, model_request_parameters: Any) -> Any:
        await self.wrapped.request(messages, model_settings, model_request_parameters)
        self.step += 1
        if self.step == self.steps:
            return ModelResponse([TextPart('done')])
        names = sorted(
            tool.name
            for tool in model_request_parameters.function_tools
            if tool.name not in ('recall', 'load_capability', 'search_tools')
        )
        if self.load:
            return ModelResponse([self.load.pop()])
        calls = [
            ToolCallPart(self.random.choice(names), {'place': f'shelf {self.step}'}, f'call{self.step:06d}x{n}')
            for n in range(self.random.randint(1, 2))
        ]
        thought = [ThinkingPart('hm')] if self.random.random() < 0.3 else []
        return ModelResponse([*thought, TextPart(f'Step {self.step}'), *calls], usage=self.used())

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, model_settings: Any, model_request_parameters: Any, run_context: Any = None
    ) -> AsyncGenerator[Any, None]:
        response = await self.request(messages, model_settings, model_request_parameters)
        yield CompletedStreamedResponse(model_request_parameters, response)

    def used(self) -> Any:
        from stead.usage import RequestUsage

        return RequestUsage(input_tokens=10 * self.step)


def agent_of(model: Any, *capabilities: Any) -> Agent:
    library: FunctionToolset[Any] = FunctionToolset()

    @library.tool_plain
    def read(place: str) -> dict[str, Any]:
        return {'place': place, 'found': ['π', 1.5, None]}

    agent: Agent = Agent(
        model,
        instructions='Be brief.',
        system_prompt='You are the clerk.',
        capabilities=[
            PrefixTools(Toolset(library), prefix='lib'),
            SetToolMetadata(kind='x'),
            ReinjectSystemPrompt(),
            *capabilities,
        ],
        retries=50,
    )

    @agent.tool_plain
    def look(place: str) -> str | ToolReturn[str]:
        number = int(place.split()[1])
        if number % 7 == 3:
            raise ModelRetry('Look again.')
        if number % 7 == 5:
            return ToolReturn('an image', content=['Here it is', BinaryContent(PNG, media_type='image/png')])
        return f'{place}: ' + 'dust ' * (number * 3)

    return agent


def without_markers(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_markers(v) for k, v in value.items() if k not in MARKERS}
    if isinstance(value, list):
        return [without_markers(item) for item in value if not (isinstance(item, dict) and item.keys() <= MARKERS)]
    return value


def partings(bodies: list[bytes]) -> list[tuple[int, str]]:
    """Return the requests that do not continue the one before them, and what is different."""
    found: list[tuple[int, str]] = []
    requests = [without_markers(json.loads(body)) for body in bodies]
    for number, (before, after) in enumerate(zip(requests, requests[1:]), 1):
        for key in {**before, **after}:
            old, new = before.get(key), after.get(key)
            if key in CONVERSATIONS:
                new = new[: len(old)]
            if json.dumps(old) != json.dumps(new):
                found.append((number, key))
    return found


@pytest.mark.parametrize('vendor', MAKERS)
@pytest.mark.parametrize('shorter', ['nothing', 'results'])
def test_a_request_is_the_one_before_it_with_more_at_its_end(vendor: str, shorter: str) -> None:
    model, wire = MAKERS[vendor]()
    extra = [TruncateToolResults(over=30), OffloadToolResults(over=40, preview=5)] if shorter == 'results' else []
    agent_of(Scripted(model, 1), *extra).run_sync('Find the ledger.')
    assert len(wire.sent) == STEPS
    assert partings(wire.sent) == []


@pytest.mark.parametrize('vendor', MAKERS)
def test_a_fold_changes_it_once(vendor: str) -> None:
    model, wire = MAKERS[vendor]()
    result = agent_of(Scripted(model, 2), KeepLast(messages=6)).run_sync('Find the ledger.')
    folds = [m for m in result.all_messages() if isinstance(m, ModelResponse) and 'stead_folded' in (m.metadata or {})]
    assert len({number for number, _ in partings(wire.sent)}) == len(folds) >= 3


@pytest.mark.parametrize('vendor', MAKERS)
def test_a_capability_that_is_loaded_changes_it_once(vendor: str) -> None:
    model, wire = MAKERS[vendor]()
    scripted = Scripted(model, 3)
    scripted.load = [ToolCallPart('load_capability', {'id': 'maps'}, 'load1')]
    maps: Capability[Any] = Capability(id='maps', description='Maps of the archive.', defer_loading=True)

    @maps.tool_plain
    def map_of(place: str) -> str:
        return f'a map of {place}'

    agent_of(scripted, maps).run_sync('Find the ledger.')
    numbers = {number for number, _ in partings(wire.sent)}
    assert len(numbers) <= 1
