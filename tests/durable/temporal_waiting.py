"""Workflows that wait, and that continue as new ones."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.durable_exec import RunHandedOver, RunSoFar
from stead.durable_exec.temporal import PydanticAIWorkflow, TemporalAgent
from stead.messages import ModelMessage, ModelMessagesTypeAdapter

with workflow.unsafe.imports_passed_through():
    from tests.durable import scenes

durable = TemporalAgent(scenes.agent, name='waiting', continue_as_new_bytes=8_000)
long_agent: Agent[str, Any] = Agent(scenes.agent.model, name='long', deps_type=str, retries=3)
long_agent.tool(effect='read')(scenes.look)
long_agent.tool(effect='read')(scenes.mend)
long_agent.tool(max_calls=2)(scenes.write)


@long_agent.tool
async def remind(ctx: RunContext[str], text: str) -> str:
    """Remind the model, before it ends, of something."""
    scenes.note(f'remind {text} {ctx.idempotency_key}')
    return f'will remind of {text}'


long = TemporalAgent(long_agent, continue_as_new_bytes=8_000)


@workflow.defn
class Remind(PydanticAIWorkflow):
    """Asks a person, reminds the person each hour, and gets the decision as an update."""

    __pydantic_ai_agents__ = [durable]

    def __init__(self) -> None:
        self.decision: bool | None = None
        self.reminders = 0

    @workflow.update
    async def decide(self, approved: bool) -> str:
        """Decide."""
        self.decision = approved
        return 'thank you'

    @workflow.query
    def reminded(self) -> int:
        """How often the person was reminded."""
        return self.reminders

    @workflow.run
    async def run(self, script: str) -> str:
        """Run the agent, and return what it says, and how many hours that took."""
        began = workflow.now()
        result = await durable.run(script, deps='me')
        while self.decision is None:
            try:
                await workflow.wait_condition(lambda: self.decision is not None, timeout=timedelta(hours=1))
            except asyncio.TimeoutError:
                self.reminders += 1
        requests = result.output
        assert isinstance(requests, DeferredToolRequests)
        approvals: dict[str, Any] = {call.tool_call_id: self.decision for call in requests.approvals}
        result = await durable.run(
            deps='me',
            message_history=result.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals=approvals),
        )
        return f'{result.output} {(workflow.now() - began) // timedelta(hours=1)}'


@workflow.defn
class Long(PydanticAIWorkflow):
    """A run that is handed over to new workflows as often as its history gets long."""

    __pydantic_ai_agents__ = [long]

    @workflow.run
    async def run(self, script: str, so_far: RunSoFar | None = None, workflows: int = 1) -> list[Any]:
        """Run the agent, and return its messages, its usage, and the number of workflows."""
        try:
            result = await long.run(script, deps='me', so_far=so_far or RunSoFar())
        except RunHandedOver as handed:
            workflow.continue_as_new(args=[script, handed.so_far, workflows + 1])
        return [result.all_messages_json().decode(), result.usage.requests, result.usage.tool_calls, workflows]


@workflow.defn
class Talk(PydanticAIWorkflow):
    """A conversation whose prompts, and decisions, come as signals; it goes on as a new workflow between two turns."""

    __pydantic_ai_agents__ = [durable]

    @workflow.init
    def __init__(
        self,
        history: list[ModelMessage],
        waiting: DeferredToolRequests | None = None,
        inbox: list[str] | None = None,
        decisions: list[bool] | None = None,
        workflows: int = 1,
    ) -> None:
        self.inbox, self.decisions = inbox or [], decisions or []

    @workflow.signal
    def say(self, prompt: str) -> None:
        """Say something."""
        self.inbox.append(prompt)

    @workflow.signal
    def decide(self, approved: bool) -> None:
        """Decide."""
        self.decisions.append(approved)

    @workflow.run
    async def run(
        self,
        history: list[ModelMessage],
        waiting: DeferredToolRequests | None = None,
        inbox: list[str] | None = None,
        decisions: list[bool] | None = None,
        workflows: int = 1,
    ) -> list[Any]:
        """Talk until the person says goodbye; return what was said, and the number of workflows."""
        while True:
            if waiting is None:
                await workflow.wait_condition(lambda: bool(self.inbox))
                if (prompt := self.inbox.pop(0)) == 'goodbye':
                    return [ModelMessagesTypeAdapter.dump_json(history).decode(), workflows]
                result = await durable.run(prompt, deps='me', message_history=history)
            else:
                await workflow.wait_condition(lambda: bool(self.decisions))
                approved = self.decisions.pop(0)
                results = DeferredToolResults(approvals={call.tool_call_id: approved for call in waiting.approvals})
                result = await durable.run(deps='me', message_history=history, deferred_tool_results=results)
            history = result.all_messages()
            waiting = result.output if isinstance(result.output, DeferredToolRequests) else None
            if durable.should_continue_as_new():
                workflow.continue_as_new(args=[history, waiting, self.inbox, self.decisions, workflows + 1])


WORKFLOWS: list[type] = [Remind, Long, Talk]
