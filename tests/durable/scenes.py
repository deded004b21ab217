"""Agents whose model plays a script, and the workflows that run them: for tests, and for workers that tests start.

The prompt is the script: a JSON list of steps, each a list of calls `[tool, arguments]`; after the last one the model answers.
What tools do to the world is a line in a file, so that tests in other processes can count it.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from stead import Agent, DeferredToolRequests, DeferredToolResults, Done, ModelRetry, NotDone, RunContext, ToolReturn
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.toolsets import DynamicToolset, FunctionToolset

VERSION = os.environ.get('STEAD_VERSION', '')
"""Set in processes that have a newer version of the agent, with another tool and other instructions."""


def note(line: str) -> None:
    """Write down what happened to the world; the tool lingers, so that its process can be killed before it returns."""
    if path := os.environ.get('STEAD_WORLD'):
        with Path(path).open('a') as file:
            file.write(line + '\n')
        time.sleep(float(os.environ.get('STEAD_LINGER', '0')))


def script_of(messages: list[ModelMessage]) -> tuple[list[Any], int]:
    """The script, and how many steps of it were played."""
    parts = [(place, part) for place, message in enumerate(messages) for part in message.parts]
    # Tools may add content of their own, which is not a script.
    scripts = [(n, one) for n, one in parts if isinstance(one, UserPromptPart) and isinstance(one.content, str)]
    place, prompt = scripts[-1]
    return json.loads(str(prompt.content)), sum(isinstance(message, ModelResponse) for message in messages[place:])


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Play the next step of the script."""
    steps, step = script_of(messages)
    if step < len(steps):
        calls = [ToolCallPart(name, args, f'call-{step}-{place}') for place, (name, args) in enumerate(steps[step])]
        return ModelResponse(calls)
    last = [str(part.content) for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    return ModelResponse([TextPart(f'After {step} steps: {last}')])


async def play_stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
    """The same, streamed."""
    for part in play(messages, info).parts:
        if isinstance(part, ToolCallPart):
            yield {0: DeltaToolCall(part.tool_name, json.dumps(part.args), tool_call_id=part.tool_call_id)}
        else:
            yield part.content


more: FunctionToolset[str] = FunctionToolset(id='more')


@more.tool_plain(effect='read')
def shout(text: str) -> str:
    """Shout."""
    return text.upper()


def at_hand(ctx: RunContext[str]) -> FunctionToolset[str]:
    """Make the tools of a run."""
    toolset: FunctionToolset[str] = FunctionToolset()

    @toolset.tool_plain
    def greet(name: str) -> str:
        """Greet."""
        note(f'greet {name}')
        return f'{ctx.deps} greets {name}'

    return toolset


agent: Agent[str, Any] = Agent(
    FunctionModel(play, stream_function=play_stream),
    name='scripted',
    deps_type=str,
    output_type=[str, DeferredToolRequests],
    toolsets=[more, DynamicToolset(at_hand, id='made')],
    instructions=f'Play the script.{VERSION and " It is the newer one."}',
    retries=3,
)


@agent.tool(effect='read')
async def look(ctx: RunContext[str], what: str) -> dict[str, Any]:
    """Look at something."""
    note(f'look {what}')
    if what == 'slow' and os.environ.get('STEAD_HANG'):
        await asyncio.sleep(60)
    return {'what': what, 'by': ctx.deps, 'attempt': ctx.retry}


@agent.tool
def write(ctx: RunContext[str], line: str) -> str:
    """Write a line."""
    note(f'write {line}')
    return f'wrote {line}'


@agent.tool
async def wait(ctx: RunContext[str], seconds: float) -> str:
    """Write something, and take a while to say so."""
    note('wait begins')
    if os.environ.get('STEAD_HANG'):
        seconds = 60
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        note('wait is cancelled')
        raise
    return 'waited'


def was_booked(ctx: RunContext[str], args: dict[str, Any]) -> Done | NotDone:
    """Look up whether a booking was made."""
    world = Path(os.environ['STEAD_WORLD']).read_text()
    return Done('booked before') if f'book {ctx.idempotency_key}' in world else NotDone()


@agent.tool(reconcile=was_booked)
async def book(ctx: RunContext[str], room: int) -> str:
    """Book a room."""
    note(f'book {ctx.idempotency_key}')
    if os.environ.get('STEAD_HANG'):
        await asyncio.sleep(60)
    return f'booked {room}'


@agent.tool(effect='read')
def mend(ctx: RunContext[str], tries: int) -> str:
    """Ask the model to try again."""
    if ctx.retry < tries:
        raise ModelRetry(f'not yet: {ctx.retry}')
    return f'mended after {ctx.retry}'


@agent.tool(on_tool_error='inform')
def fail(ctx: RunContext[str], text: str) -> str:
    """Fail."""
    note(f'fail {text}')
    raise ValueError(text)


@agent.tool(requires_approval=True)
def pay(ctx: RunContext[str], amount: int) -> str:
    """Pay."""
    note(f'pay {amount}')
    return f'paid {amount}'


@agent.tool_plain(effect='idempotent')
def picture(size: int) -> ToolReturn:
    """Draw a picture."""
    return ToolReturn({'size': size}, content=[f'a picture of {size}'], metadata={'of': size})


@agent.tool_plain(effect='read')
def large(megabytes: int) -> str:
    """Return a lot."""
    return 'x' * megabytes * 2**20


if VERSION:

    @agent.tool_plain(effect='read')
    def newer() -> str:
        """Say which version this is."""
        return VERSION


def decide(requests: DeferredToolRequests) -> DeferredToolResults:
    """Approve even amounts; of calls in doubt, say that they were done."""
    results = DeferredToolResults()
    for call in requests.approvals:
        if requests.metadata.get(call.tool_call_id, {}).get('kind') == 'reconcile':
            results.calls[call.tool_call_id] = 'a person says that it was done'
        else:
            results.approvals[call.tool_call_id] = call.args_as_dict()['amount'] % 2 == 0
    return results


async def run_to_end(runner: Any, script: str, deps: str) -> Any:
    """Run an agent, decide about what waits, and return the result."""
    result = await runner.run(script, deps=deps)
    while isinstance(result.output, DeferredToolRequests):
        result = await runner.run(
            deps=deps, message_history=result.all_messages(), deferred_tool_results=decide(result.output)
        )
    return result


def masked(messages_json: str | bytes) -> Any:
    """Messages without the times and ids that differ between two runs."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: walk(v) for k, v in value.items() if k not in ('timestamp', 'run_id', 'conversation_id')}
        return [walk(item) for item in value] if isinstance(value, list) else value

    return walk(json.loads(messages_json))
