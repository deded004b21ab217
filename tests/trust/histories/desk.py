"""The agent of the histories, whose tools do all that tools do: read, write, ask, run agents, make calls and take steps.

Its prompt is a task in JSON: the name of the task, and for each step the calls that the model makes. What a call does has a name of its
own (`task.step.place`), under which it is found in the ledger.
"""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import AsyncIterator
from typing import Any, Protocol

from stead import Agent, DeferredToolRequests, Done, NotDone, RunContext
from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

from .ledger import Ledger

Plan = list[list[list[Any]]]
"""For each step its calls: a kind and, for `nest` and `fan`, the plan of the inner run."""
ONCE = ('pay', 'unsure', 'wipe', 'finish', 'step')
"""Kinds of effects that must not be had twice."""


class Actor(Protocol):
    """The process that an agent runs in."""

    ledger: Ledger
    journal: Journal[Any]

    def point(self, name: str) -> None:
        """Something may happen to the process here."""


_actors: list[Actor] = []


def run_as(actor: Actor) -> None:
    """Let the agent of this process belong to an actor."""
    _actors[:] = [actor]


def random_task(name: str, random: random.Random) -> dict[str, Any]:
    """Draw a task."""
    return {'what': name, 'plan': _plan(random, 1), 'ends': random.choice(('text', 'finish'))}


def _plan(random: random.Random, depth: int) -> Plan:
    kinds = ('read', 'idem', 'pay', 'pay', 'unsure', 'wipe', 'wipe', 'steps', 'handled', 'nest', 'fan')
    return [
        [
            [kind, _plan(random, 0)] if kind in ('nest', 'fan') else [kind]
            for kind in random.choices(kinds[: None if depth else -2], k=random.choice((1, 1, 2)))
        ]
        for _ in range(random.choice((1, 2, 3) if depth else (1, 1, 2)))
    ]


def effects_of(task: dict[str, Any]) -> list[dict[str, str]]:
    """Return what a task does, step by step: for each effect its name and its kind."""
    steps: list[dict[str, str]] = []
    for number, calls in enumerate(task['plan']):
        step: dict[str, str] = {}
        for place, (kind, *inner) in enumerate(calls):
            what = f'{task["what"]}.{number}.{place}'
            if kind == 'steps':
                step |= {f'{what}/charge': 'step', f'{what}/send': 'step'}
            elif kind == 'handled':
                step |= {f'{what}/pay': 'pay', f'{what}/idem': 'idem'}
            elif kind in ('nest', 'fan'):
                for name in ('a', 'b') if kind == 'fan' else ('a',):
                    for one in effects_of({'what': f'{what}/{name}', 'plan': inner[0], 'ends': 'text'}):
                        step |= one
                if kind == 'fan':
                    step |= {f'{what}/1': 'pay', f'{what}/2': 'pay'}
            else:
                step[what] = kind
        steps.append(step)
    if task['ends'] == 'finish':
        steps.append({f'{task["what"]}.end': 'finish'})
    return steps


def calls_of(task: dict[str, Any], step: int) -> list[tuple[str, dict[str, Any], str]]:
    """Return the calls of a step, as tool, arguments and id; none after the last step."""
    if step > len(task['plan']) or (step == len(task['plan']) and task['ends'] == 'text'):
        return []
    if step == len(task['plan']):
        return [('final_result', {'what': f'{task["what"]}.end'}, f'{task["what"]}-end')]
    return [
        (kind, {'what': what, **({'plan': json.dumps(inner[0])} if inner else {})}, f'c-{what}')
        for place, (kind, *inner) in enumerate(task['plan'][step])
        for what in [f'{task["what"]}.{step}.{place}']
    ]


def task_of(messages: list[ModelMessage]) -> dict[str, Any]:
    """Return the task that a history began with."""
    return json.loads(messages[0].parts[0].content)  # type: ignore[union-attr, arg-type]


async def _next_calls(messages: list[ModelMessage]) -> list[tuple[str, dict[str, Any], str]]:
    _actors[0].point('model')
    await asyncio.sleep(0)
    return calls_of(task_of(messages), sum(isinstance(message, ModelResponse) for message in messages))


async def _respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    calls = await _next_calls(messages)
    return ModelResponse(parts=[ToolCallPart(*call) for call in calls] or [TextPart('done')])


async def _stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    calls = await _next_calls(messages)
    for number, (tool, args, call_id) in enumerate(calls):
        yield {number: DeltaToolCall(tool, json.dumps(args), tool_call_id=call_id)}
    if not calls:
        yield 'done'


async def _have_effect(ctx: RunContext[None], kind: str, what: str) -> str:
    """Have an effect. Between its begin and its end, and before and after, something may happen to the process."""
    actor = _actors[0]
    known = {'what': what, 'kind': kind, 'key': ctx.idempotency_key, 'run': ctx.run_id, 'id': uuid.uuid4().hex}
    actor.ledger.note('enter', call=ctx.tool_call_id, **known)
    actor.point('in a tool, before')
    await asyncio.sleep(0)
    actor.ledger.note('do', **known)
    actor.point('in a tool, after')
    await asyncio.sleep(0)
    return f'{kind} {what}'


def _look_up(ctx: RunContext[None], args: dict[str, Any]) -> Done | NotDone:
    actor, what = _actors[0], args['what']
    is_done = actor.ledger.look_up(what, ctx.run_id)
    actor.point('looked')
    return Done(f'{ctx.tool_name} {what}') if is_done else NotDone()


async def finish(ctx: RunContext[None], what: str) -> str:
    """End the task."""
    return await _have_effect(ctx, 'finish', what)


AGENT: Agent[None, Any] = Agent(
    FunctionModel(_respond, stream_function=_stream),
    name='desk',
    output_type=[str, finish, DeferredToolRequests],
    retries=100,
)


@AGENT.tool(effect='read')
async def read(ctx: RunContext[None], what: str) -> str:
    return await _have_effect(ctx, 'read', what)


@AGENT.tool(effect='idempotent')
async def idem(ctx: RunContext[None], what: str) -> str:
    return await _have_effect(ctx, 'idem', what)


@AGENT.tool(reconcile=_look_up)
async def pay(ctx: RunContext[None], what: str) -> str:
    return await _have_effect(ctx, 'pay', what)


@AGENT.tool
async def unsure(ctx: RunContext[None], what: str) -> str:
    return await _have_effect(ctx, 'unsure', what)


@AGENT.tool(requires_approval=True, reconcile=_look_up)
async def wipe(ctx: RunContext[None], what: str) -> str:
    return await _have_effect(ctx, 'wipe', what)


@AGENT.tool(effect='idempotent')
async def steps(ctx: RunContext[None], what: str) -> str:
    for name in ('charge', 'send'):
        place = f'{what}/{name}'
        found = await ctx.step(place, lambda place=place: _have_effect(ctx, 'step', place))
        assert found == f'step {place}', found
    return f'steps {what}'


@AGENT.tool(effect='idempotent')
async def handled(ctx: RunContext[None], what: str) -> str:
    assert ctx.tool_manager is not None
    for tool in ('pay', 'idem'):
        found = await ctx.tool_manager.handle_call(ToolCallPart(tool, {'what': f'{what}/{tool}'}))
        assert found == f'{tool} {what}/{tool}', found
    return f'handled {what}'


async def _inner(what: str, plan: str) -> None:
    task = {'what': what, 'plan': json.loads(plan), 'ends': 'text'}
    result = await AGENT.run(json.dumps(task), capabilities=[_actors[0].journal])
    assert result.output == 'done', result.output


@AGENT.tool(effect='idempotent')
async def nest(ctx: RunContext[None], what: str, plan: str) -> str:
    await _inner(f'{what}/a', plan)
    return f'nest {what}'


@AGENT.tool(effect='idempotent')
async def fan(ctx: RunContext[None], what: str, plan: str) -> str:
    manager = ctx.tool_manager
    assert manager is not None
    places = [f'{what}/1', f'{what}/2']
    found = await asyncio.gather(
        *(manager.handle_call(ToolCallPart('pay', {'what': place})) for place in places),
        _inner(f'{what}/a', plan),
        _inner(f'{what}/b', plan),
    )
    assert found[:2] == [f'pay {place}' for place in places], found
    return f'fan {what}'
