"""Signals of tools raised in hooks where no tool is called: of the run, of nodes, of definitions, of the event stream."""

import asyncio

from _hooks import MODES, run_as, scripted
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, SkipToolValidation


def raising(hook, error):
    async def other(self, ctx, *args, **options):
        raise error

    async def stream(self, ctx, *, stream):
        async for event in stream:
            yield event
            raise error

    return type('Raises', (AbstractCapability,), {hook: stream if hook == 'wrap_run_event_stream' else other})()


HOOKS = (
    'before_run',
    'wrap_run',
    'after_run',
    'before_node_run',
    'wrap_node_run',
    'after_node_run',
    'prepare_tools',
    'prepare_output_tools',
    'wrap_run_event_stream',
    'for_run',
)
for hook in HOOKS:
    for make in (CallDeferred, ApprovalRequired, lambda: SkipToolExecution(1), lambda: SkipToolValidation({'x': 1})):
        outcomes = {}
        for mode in MODES:
            model, requests = scripted(None, 'text')
            agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=[raising(hook, make())])

            @agent.tool_plain
            def double(x: int) -> int:
                return x * 2

            try:
                outcome = f'{asyncio.run(run_as(mode, agent))} {len(requests)}'
            except Exception as error:
                outcome = f'{type(error).__name__} {len(requests)}'
            outcomes.setdefault(outcome, []).append(mode)
        print(hook, type(make()).__name__, outcomes)
