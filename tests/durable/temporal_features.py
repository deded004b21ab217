"""One agent for each thing that agents can do in workflows."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from temporalio import activity, workflow

from stead import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    ModelRetry,
    RunContext,
    ToolDefinition,
    ToolOutput,
)
from stead.capabilities import Capability
from stead.durable_exec.temporal import TemporalAgent, TemporalRunContext
from stead.exceptions import UserError
from stead.mcp import MCPToolset
from stead.messages import ImageUrl, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.toolsets import DynamicToolset, ExternalToolset, FunctionToolset

AGENTS: dict[str, TemporalAgent[Any, Any]] = {}
MCP_SERVER = str(Path(__file__).parent / 'mcp_server.py')


def named(name: str) -> FunctionModel:
    """A model that says its name and the settings of the request."""
    return FunctionModel(lambda messages, info: ModelResponse([TextPart(f'{name}: {info.model_settings}')]))


def calling(*calls: tuple[str, dict[str, Any]]) -> FunctionModel:
    """A model that makes these calls, one in each step, and then repeats what they returned."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step < len(calls):
            name, args = calls[step]
            return ModelResponse([ToolCallPart(name, args, f'call-{step}')])
        parts = [part for message in messages for part in message.parts]
        results = [part.content for part in parts if isinstance(part, ToolReturnPart)]
        return ModelResponse([TextPart(json.dumps(results, default=lambda value: type(value).__name__))])

    return FunctionModel(respond)


def add(agent: Agent[Any, Any], **options: Any) -> TemporalAgent[Any, Any]:
    """Wrap an agent, and put it among those that the workflow runs."""
    durable = TemporalAgent(agent, **options)
    AGENTS[durable.name or ''] = durable
    return durable


def make_provider(ctx: RunContext[Any], name: str) -> Any:
    """Refuse to make the provider of a model that a run names."""
    raise UserError(f'There is no {name} for {ctx.deps}.')


add(Agent(named('first'), name='models'), models={'second': named('second')})


class City(BaseModel):
    """A city."""

    name: str
    people: int


structured = Agent(TestModel(), name='structured', output_type=City)


@structured.output_validator
def check(ctx: RunContext[Any], city: City) -> City:
    """Ask once for another one."""
    if ctx.retry == 0:
        raise ModelRetry('Another one, please.')
    return city


add(structured)


def written(name: str, people: int) -> str:
    """Write a city down."""
    return f'{name} has {people}'


add(Agent(TestModel(), name='output function', output_type=written))
add(Agent(TestModel(), name='outputs', output_type=[ToolOutput(City, name='city'), ToolOutput(int, name='count')]))


def forecast(city: str) -> str:
    """Forecast the weather."""
    return f'sunny in {city}, {activity.in_activity()}'


weather = Capability[Any](id='weather', description='Weather', tools=[forecast], defer_loading=True)
loads = calling(('load_capability', {'id': 'weather'}), ('forecast', {'city': 'Rome'}))
add(Agent(loads, name='on demand', capabilities=[weather]))

sums = MCPToolset[Any](MCP_SERVER, id='sums', init_timeout=120, read_timeout=120)
add(Agent(calling(('add', {'a': 2, 'b': 3})), name='mcp', toolsets=[sums.filtered(lambda ctx, tool: True)]))


def greeting_tools(ctx: RunContext[Any]) -> FunctionToolset[Any]:
    """Make the tools of a run."""
    toolset: FunctionToolset[Any] = FunctionToolset()
    toolset.add_function(lambda: f'made for {ctx.deps}', name='greet', description='Greet.')
    return toolset


add(Agent(calling(('greet', {})), name='dynamic', deps_type=str, toolsets=[DynamicToolset(greeting_tools, id='made')]))

later = Agent(calling(('later', {'x': 1})), name='deferred', output_type=[str, DeferredToolRequests])


@later.tool_plain(name='later')
async def do_later(x: int) -> str:
    """Do it later."""
    raise CallDeferred(metadata={'ticket': x})


add(later)
outside = ExternalToolset[Any](
    [ToolDefinition(name='outside', parameters_json_schema={'type': 'object'})], id='outside'
)
add(Agent(calling(('outside', {})), name='external', output_type=[str, DeferredToolRequests], toolsets=[outside]))

in_place = Agent(calling(('here', {}), ('there', {})), name='configs')


@in_place.tool_plain
async def here() -> str:
    """Say where this is."""
    await asyncio.sleep(0.01)
    return f'in the workflow: {workflow.in_workflow()}'


@in_place.tool_plain
async def there() -> list[Any]:
    """Say how this was started."""
    info = activity.info()
    return [info.start_to_close_timeout == timedelta(seconds=7), info.heartbeat_timeout == timedelta(seconds=6)]


add(
    in_place,
    activity_config={'start_to_close_timeout': timedelta(seconds=50), 'heartbeat_timeout': timedelta(seconds=5)},
    toolset_activity_config={'<agent>': {'heartbeat_timeout': timedelta(seconds=6)}},
    tool_activity_config={'<agent>': {'here': False, 'there': {'start_to_close_timeout': timedelta(seconds=7)}}},
)

pictures = Agent(calling(('picture', {})), name='pictures')
pictures.tool_plain(lambda: ImageUrl('https://shop.example/cat.png'), name='picture')  # type: ignore[reportCallIssue]
add(pictures)

# Functions without `async` run in threads elsewhere, and in place here.
syncs = Agent(named('sync'), name='sync', instructions=lambda: 'Be brief.')


@syncs.system_prompt
def prompt() -> str:
    """More."""
    return 'You are in a workflow.'


add(syncs)


class WithPrompt(TemporalRunContext[Any]):
    """A context that also has the prompt."""

    @classmethod
    def serialize_run_context(cls, ctx: RunContext[Any]) -> dict[str, Any]:
        """Send the prompt, too."""
        return {**super().serialize_run_context(ctx), 'prompt': ctx.prompt}


agent_with_context = Agent(calling(('ask', {})), name='context')


@agent_with_context.tool
def ask(ctx: RunContext[Any]) -> list[Any]:
    """Say what the context has."""
    return [ctx.prompt, ctx.run_step, ctx.tool_name, ctx.usage.requests, ctx.agent is not None and ctx.agent.name]


add(agent_with_context, run_context_type=WithPrompt)

counted = Agent(calling(('count', {}), ('count', {})), name='keys')


@counted.tool(effect='idempotent')
def count(ctx: RunContext[Any]) -> list[Any]:
    """Fail after the effect at the first try."""
    EFFECTS.append(ctx.idempotency_key)
    if EFFECTS.count(ctx.idempotency_key) == 1:
        raise ConnectionError('The line is dead.')
    return [EFFECTS.count(ctx.idempotency_key)]


EFFECTS: list[str] = []
"""The keys of calls that had their effect."""
add(counted)
add(Agent(named('nobody'), name='providers', deps_type=str), provider_factory=make_provider)

RUNS: list[tuple[str, dict[str, Any], Any]] = [
    ('models', {}, 'first: None'),
    ('models', {'model': 'second', 'model_settings': {'temperature': 0.5}}, "second: {'temperature': 0.5}"),
    ('models', {'model': 'test'}, 'success (no tool calls)'),
    ('structured', {}, "City(name='a', people=0)"),
    ('output function', {}, 'a has 0'),
    ('outputs', {}, "City(name='a', people=0)"),
    ('on demand', {}, None),
    ('mcp', {}, '[5]'),
    ('dynamic', {'deps': 'Ada'}, '["made for Ada"]'),
    ('deferred', {'calls': {'call-0': 'done'}}, '["done"]'),
    ('external', {'calls': {'call-0': 'done'}}, '["done"]'),
    ('configs', {}, '["in the workflow: True", [true, true]]'),
    ('pictures', {}, '["ImageUrl"]'),
    ('sync', {}, 'sync: None'),
    ('context', {}, '[["Go.", 1, "ask", 1, "context"]]'),
    ('keys', {}, '[[2], [2]]'),
]
"""Agents, options of their runs, and what comes out; `None` for what comes out of a plain run."""
