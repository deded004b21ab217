"""What each capability sends continues what it sent before, with every vendor, or it folds and says so.

The capabilities are those that there are: one that is new has to be added here. Each is tried with one vendor, all of them
together with each vendor, and `make trust` tries each with each.
"""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from _in_process import MAKERS
from test_prompt_prefix import Scripted, agent_of, partings

import stead.capabilities as capabilities
from stead import ModelResponse, RunContext, Tool
from stead.journal import Journal
from stead.messages import TextPart, ToolCallPart
from stead.models.function import FunctionModel
from stead.native_tools import WebSearchTool
from stead.toolsets import FunctionToolset

pytestmark = [
    pytest.mark.filterwarnings('ignore:.*is now called:DeprecationWarning'),
    pytest.mark.filterwarnings('ignore::stead.models.instrumented.CostCalculationFailedWarning'),
]
STEPS = 20
FULL = os.environ.get('STEAD_TRUST_FULL') == '1'


def rare(place: str) -> str:
    """Find rare maps."""
    return f'a map of {place}'


def local(query: str) -> str:
    """Search."""
    return f'nothing about {query}'


def loadable() -> Any:
    return capabilities.Capability(id='maps', description='Maps.', tools=[rare], defer_loading=True)


def summariser() -> FunctionModel:
    return FunctionModel(lambda messages, info: ModelResponse([TextPart('They looked at shelves [#0].')]))


def same(value: Any) -> Any:
    return value


async def same_tools(ctx: RunContext[Any], definitions: Any) -> Any:
    return definitions


async def no_answers(ctx: RunContext[Any], requests: Any) -> Any:
    return None


class Wrapped(capabilities.WrapperCapability[Any]):
    """Changes nothing."""


BUILT: dict[str, Callable[[], Any]] = {
    'ApprovalPolicy': lambda: capabilities.ApprovalPolicy([]),
    'Caching': lambda: capabilities.Caching(),
    'Capability': loadable,
    'Citations': lambda: capabilities.Citations(),
    'CombinedCapability': lambda: capabilities.CombinedCapability([capabilities.Capability(instructions='Look well.')]),
    'Compaction': lambda: capabilities.Compaction('summary', at=400, into=60, model=summariser()),
    'DynamicCapability': lambda: capabilities.DynamicCapability(
        lambda ctx: capabilities.Capability(instructions='Look again.')
    ),
    'HandleDeferredToolCalls': lambda: capabilities.HandleDeferredToolCalls(no_answers),
    'HistoryProcessor': lambda: capabilities.HistoryProcessor(lambda messages: [*messages]),
    'Hooks': lambda: capabilities.Hooks(prepare_tools=same_tools),
    'ImageGeneration': lambda: capabilities.ImageGeneration(native=False, local=Tool(local, name='draw')),
    'IncludeToolReturnSchemas': lambda: capabilities.IncludeToolReturnSchemas(),
    'Instrumentation': lambda: capabilities.Instrumentation(),
    'Journal': lambda: Journal(changes=True),
    'KeepLast': lambda: capabilities.KeepLast(messages=6),
    'LocalWorkspace': lambda: capabilities.LocalWorkspace('.', read_only=True),
    'Log': lambda: capabilities.Log(file=io.StringIO()),
    'MCP': lambda: capabilities.MCP(
        'http://nowhere.invalid/mcp', native=False, local=FunctionToolset([Tool(local, name='ask')])
    ),
    'ModelFallback': lambda: capabilities.ModelFallback(summariser()),
    'NativeOrLocalTool': lambda: capabilities.NativeOrLocalTool(native=False, local=Tool(local, name='either')),
    'NativeTool': lambda: capabilities.NativeTool(WebSearchTool()),
    'NoProgress': lambda: capabilities.NoProgress(),
    'OffloadToolResults': lambda: capabilities.OffloadToolResults(over=40, preview=5),
    'PrefixTools': lambda: capabilities.PrefixTools(capabilities.Toolset(FunctionToolset([rare])), prefix='the'),
    'PrepareOutputTools': lambda: capabilities.PrepareOutputTools(same_tools),
    'PrepareTools': lambda: capabilities.PrepareTools(same_tools),
    'ProcessEventStream': lambda: capabilities.ProcessEventStream(same_events),
    'ProcessHistory': lambda: capabilities.ProcessHistory(same),
    'PromptCache': lambda: capabilities.PromptCache('raise', least_tokens=0),
    'RaiseContentFilterError': lambda: capabilities.RaiseContentFilterError(),
    'ReinjectSystemPrompt': lambda: capabilities.ReinjectSystemPrompt(),
    'RequestInput': lambda: capabilities.RequestInput(no_answers),
    'ResolveModelId': lambda: capabilities.ResolveModelId(lambda ctx, name: None),
    'SelectModel': lambda: capabilities.SelectModel(lambda ctx: ctx.model),
    'SetToolMetadata': lambda: capabilities.SetToolMetadata(kind='y'),
    'Summarise': lambda: capabilities.Summarise(at=400, into=60, model=summariser()),
    'TerminalApprovals': lambda: capabilities.TerminalApprovals(),
    'Thinking': lambda: capabilities.Thinking(),
    'ThreadExecutor': lambda: capabilities.ThreadExecutor(ThreadPoolExecutor(1)),
    'ToolSearch': lambda: capabilities.ToolSearch(),
    'Toolset': lambda: capabilities.Toolset(FunctionToolset([Tool(rare, name='maps_of')])),
    'TruncateToolResults': lambda: capabilities.TruncateToolResults(over=30),
    'UseThreadExecutor': lambda: capabilities.UseThreadExecutor(ThreadPoolExecutor(1)),
    'WebFetch': lambda: capabilities.WebFetch(native=False, local=Tool(local, name='fetch')),
    'WebSearch': lambda: capabilities.WebSearch(native=False, local=Tool(local, name='web')),
    'WrapperCapability': lambda: Wrapped(capabilities.Capability(instructions='Look there.')),
    'XSearch': lambda: capabilities.XSearch(native=False, local=Tool(local, name='posts')),
}
BASES = {'AbstractCapability'}
FOLDING = {'Compaction', 'KeepLast', 'Summarise'}
ONLY = {'NativeTool': ('openai-responses', 'anthropic')}
"""The vendors that take a native tool beside functions."""
ALONE = {'Caching', 'Compaction', 'HistoryProcessor', 'UseThreadExecutor'}
"""Those that are another one by another name, or do the same."""


async def same_events(ctx: RunContext[Any], events: Any) -> None:
    async for _ in events:
        pass


def test_every_capability_is_tried() -> None:
    there = {
        name
        for name in dir(capabilities)
        if inspect.isclass(kind := getattr(capabilities, name)) and issubclass(kind, capabilities.AbstractCapability)
    }
    assert there - BASES == BUILT.keys()


def conversation(vendor: str, tried: list[Any], *, load: bool = False) -> tuple[set[int], int]:
    """Return the requests that do not continue the one before them, and how many folds there were."""
    model, wire = MAKERS[vendor]()
    scripted = Scripted(model, 1, STEPS)
    found: list[ToolCallPart] = []
    if load:
        found = [
            ToolCallPart('load_capability', {'id': 'maps'}, 'load1'),
            ToolCallPart('search_tools', {'queries': ['rare']}, 'search1'),
        ]
    scripted.load = found
    result = agent_of(scripted, *tried).run_sync('Find the ledger.')
    assert len(wire.sent) == STEPS
    folded = sum('stead_folded' in (m.metadata or {}) for m in result.all_messages() if isinstance(m, ModelResponse))
    return {number for number, _ in partings(wire.sent)}, folded


VENDORS = [*MAKERS]
PAIRS = [
    (name, vendor)
    for at, name in enumerate(BUILT)
    for vendor in (ONLY.get(name) or (VENDORS if FULL else [VENDORS[at % len(VENDORS)]]))
]


@pytest.mark.parametrize(('name', 'vendor'), PAIRS)
def test_a_capability_changes_nothing_that_was_sent(name: str, vendor: str) -> None:
    changed, folded = conversation(vendor, [BUILT[name]()])
    assert len(changed) == folded
    assert (folded > 0) == (name in FOLDING)


@pytest.mark.parametrize('vendor', VENDORS)
def test_all_together(vendor: str) -> None:
    """Tools that are loaded and found change the list of tools once each, and each fold changes the beginning once."""
    tried = [build() for name, build in BUILT.items() if name not in {*ONLY, *ALONE}]
    changed, folded = conversation(vendor, tried, load=True)
    assert folded <= len(changed) <= folded + 2
