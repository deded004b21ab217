"""Workflows that run one agent: those of the features, and one that is imported in the sandbox, with all that it needs."""

from __future__ import annotations

from typing import Any

from temporalio import workflow

from stead import Agent, DeferredToolRequests, DeferredToolResults
from stead.durable_exec.temporal import PydanticAIWorkflow, TemporalAgent
from stead.models.test import TestModel

with workflow.unsafe.imports_passed_through():
    from tests.durable.temporal_features import AGENTS

small = Agent(TestModel(), name='small', output_type=int)


@small.tool_plain(effect='read')
def find(name: str) -> str:
    """Find something."""
    return name.upper()


durable = TemporalAgent(small)


@workflow.defn
class Small(PydanticAIWorkflow):
    """Runs an agent that is built in the sandbox."""

    __pydantic_ai_agents__ = [durable]

    @workflow.run
    async def run(self) -> str:
        """Run it, and return its messages."""
        return (await durable.run('Go.')).all_messages_json().decode()


@workflow.defn
class One(PydanticAIWorkflow):
    """Runs an agent."""

    __pydantic_ai_agents__ = list(AGENTS.values())

    @workflow.run
    async def run(self, name: str, options: dict[str, Any]) -> str:
        """Run it, and return its output as text."""
        agent, calls = AGENTS[name], options.pop('calls', None)
        began = workflow.now()
        result = await agent.run('Go.', **options)
        assert result.all_messages()[0].timestamp == began, 'messages have the time of the workflow'
        if isinstance(result.output, DeferredToolRequests):
            results = DeferredToolResults(calls=calls)
            result = await agent.run(message_history=result.all_messages(), deferred_tool_results=results)
        return result.output if isinstance(result.output, str) else repr(result.output)
