"""What the cases on deferred calls share: an agent whose calls wait, and ways to continue them."""

from _common import run, script
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    ExternalToolset,
    RunContext,
    ToolDefinition,
)

OUTPUT = [str, DeferredToolRequests]


def agent_of(*responses, output_type=OUTPUT, **options):
    """An agent whose model gives these responses, and whose output may be requests that wait."""
    return Agent(script(*responses), output_type=output_type, **options)


def go_on(title, agent, first, results, prompt=None, **options):
    """Run an agent again, with the messages of a run and results for the calls it left open."""
    args = () if prompt is None else (prompt,)
    return run(title, agent, *args, message_history=first.all_messages(), deferred_tool_results=results, **options)


def need(agent, name='need', **options):
    """Add a tool that must be approved, and says what it was called with."""

    @agent.tool(name=name, requires_approval=True, **options)
    def tool(ctx: RunContext, x: int = 0) -> str:
        return f'{name} {x} approved={ctx.tool_call_approved} metadata={ctx.tool_call_metadata} retry={ctx.retry}'

    return agent


def external(*names):
    """A toolset of external tools."""
    return ExternalToolset([ToolDefinition(name=name) for name in names])
