"""What can be seen of an agent for Temporal without a server: names, activities, the context, and errors."""

# needs: temporalio
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent, ExternalToolset, FunctionToolset, RunContext, RunUsage
from pydantic_ai.durable_exec.temporal import PydanticAIWorkflow, TemporalAgent, TemporalRunContext
from pydantic_ai.models.test import TestModel


def attempt(name: str, build: Callable[[], Any]) -> None:
    """Print what becomes of an agent."""
    try:
        print(name, type(build()).__name__)
    except Exception as error:
        print(name, type(error).__name__)


def look(order: int) -> str:
    """Look an order up."""
    return f'order {order}'


agent = Agent(
    TestModel(),
    name='desk',
    tools=[look],
    toolsets=[FunctionToolset([look], id='more').prefixed('more'), ExternalToolset([], id='outside')],
)
durable = TemporalAgent(agent)
names = [one.__temporal_activity_definition.name for one in durable.temporal_activities]  # type: ignore[attr-defined]
for name in (
    'agent__desk__event_stream_handler',
    'agent__desk__model_request',
    'agent__desk__model_request_stream',
    'agent__desk__toolset__<agent>__call_tool',
    'agent__desk__toolset__more__call_tool',
    'agent__desk__toolset__outside__call_tool',
):
    print(name, name in names)
print(durable.name, durable.model.model_name, durable.deps_type, durable.output_type)
print(durable.run_sync('Look!').output)
with durable.override(model=TestModel(call_tools=[], custom_output_text='Hi.')):
    print(durable.run_sync('Look!').output)

attempt('no name', lambda: TemporalAgent(Agent(TestModel())))
attempt('no model', lambda: TemporalAgent(Agent(name='desk')))
attempt('a toolset without an id', lambda: TemporalAgent(Agent(TestModel(), name='d', toolsets=[FunctionToolset()])))
attempt('a reserved model', lambda: TemporalAgent(Agent(TestModel(), name='d'), models={'default': TestModel()}))
attempt('models alone', lambda: TemporalAgent(Agent(name='d'), models={'fast': TestModel()}))
attempt('a name of its own', lambda: TemporalAgent(Agent(TestModel()), name='d'))

context = RunContext(deps='x', model=TestModel(), usage=RunUsage(), run_id='r', retry=1)
sent = TemporalRunContext.serialize_run_context(context)
print(sorted(sent))
received: Any = TemporalRunContext.deserialize_run_context(sent, deps='y')
print(received.deps, received.run_id, received.retry, received.prompt, received.tool_manager)
for name in ('model', 'messages', 'tracer'):
    attempt(name, lambda name=name: getattr(received, name))
print(list(PydanticAIWorkflow.__annotations__))
