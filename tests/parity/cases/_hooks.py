"""The table behind the cases `hooks_*`: every hook of a point, every way it can act, one capability and three, and every
way to run an agent. A cell is a line; ways of running that come to the same share it."""

import asyncio
import json

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.run import AgentRunResult, AgentRunResultEvent
from pydantic_graph import End

INPUTS = {
    'run': None,
    'node_run': 'node',
    'model_request': 'request_context',
    'tool_validate': 'args',
    'tool_execute': 'args',
    'output_validate': 'output',
    'output_process': 'output',
}
RESULTS = {
    'model_request': 'response',
    'tool_validate': 'args',
    'output_validate': 'output',
    'output_process': 'output',
}
HOOKS = ('before', 'wrap', 'after', 'error')
MODES = ('run', 'iter', 'events')


class Boom(Exception):
    pass


class Out(BaseModel):
    n: int


def in_short(value):
    """A value in a word or two."""
    if isinstance(value, ModelResponse):
        return [getattr(part, 'content', None) or [part.tool_name, part.args] for part in value.parts]
    if isinstance(value, ModelRetry | Boom):
        return f'{type(value).__name__}({value})'
    if isinstance(value, AgentRunResult):
        return f'result {value.output}'
    if isinstance(value, End):
        return f'end {value.data.output}'
    if isinstance(value, str | int | dict | BaseModel) or value is None:
        return value
    return type(value).__name__


def probe(name, point, log, act):
    """A capability with all hooks of a point. It writes down what they see; `act` may step in at one of them."""
    value_key, result_key = INPUTS[point], RESULTS.get(point, 'result')

    async def before(self, ctx, *args, **arguments):
        value = args[0] if args else arguments.get(value_key)
        log.append(f'{name}.before {in_short(value)}')
        return act('before', value)

    async def wrap(self, ctx, *, handler, **arguments):
        value = arguments.get(value_key)
        log.append(f'{name}.wrap {in_short(value)}')
        value = act('wrap in', value)
        if isinstance(value, Answer):
            return value.value
        try:
            result = await (handler() if value_key is None else handler(value))
        except Exception as error:
            log.append(f'{name}.wrap failed {in_short(error)}')
            return act('wrap failed', error)
        return act('wrap out', result)

    async def after(self, ctx, **arguments):
        log.append(f'{name}.after {in_short(arguments[result_key])}')
        return act('after', arguments[result_key])

    async def on_error(self, ctx, *, error, **arguments):
        log.append(f'{name}.error {in_short(error)}')
        return act('error', error)

    hooks = {f'before_{point}': before, f'wrap_{point}': wrap, f'after_{point}': after, f'on_{point}_error': on_error}
    return type(f'Probe{name}', (AbstractCapability,), hooks)()


class Answer:
    """What a wrap hook returns without calling its handler."""

    def __init__(self, value):
        self.value = value


def actor(when, does):
    """A function for `probe` that does something at one place, and lets everything else pass."""

    def act(place, value):
        if place == when:
            return does(value)
        if isinstance(value, BaseException):
            raise value
        return value

    return act


def scripted(failing, output):
    """A model that calls a tool, then gives an output; it can fail at first, or send what does not validate."""
    requests = []

    def answer(messages):
        requests.append([part.content for part in messages[-1].parts if isinstance(part, RetryPromptPart)])
        asked_again = any(isinstance(part, RetryPromptPart) for message in messages for part in message.parts)
        if failing == 'model' and len(requests) == 1:
            raise Boom('model')
        if len(requests) == 1:
            return ToolCallPart('double', json.dumps({'x': 'no' if failing == 'arguments' else 2}), 'c1')
        if output == 'tool':
            output_arguments = {'n': 'no' if failing == 'output' and not asked_again else 7}
            return ToolCallPart('final_result', json.dumps(output_arguments), f'c{len(requests)}')
        return TextPart('seven')

    def respond(messages, info):
        return ModelResponse(parts=[answer(messages)])

    async def stream(messages, info):
        part = answer(messages)
        if isinstance(part, TextPart):
            yield part.content
        else:
            yield {0: DeltaToolCall(part.tool_name, part.args, tool_call_id=part.tool_call_id)}

    return FunctionModel(respond, stream_function=stream), requests


async def run_as(mode, agent):
    """Run an agent in one of the ways there are, and return its output."""
    if mode == 'run':
        return (await agent.run('hi')).output
    if mode == 'iter':
        async with agent.iter('hi') as run:
            node = run.next_node
            while not isinstance(node, End):
                node = await run.next(node)
        return run.result.output
    result = None
    async with agent.run_stream_events('hi') as events:
        async for event in events:
            if isinstance(event, AgentRunResultEvent):
                result = event.result.output
    return result


async def cell(mode, point, count, place, does, failing, output):
    """What happens in one cell: what the hooks saw, what the run came to, and what the model was sent."""
    log = []
    model, requests = scripted(failing, output)
    acting = 'B' if count == 3 else 'A'
    act, idle = actor(place, does), actor(None, None)
    capabilities = [probe(name, point, log, act if name == acting else idle) for name in 'ABC'[:count]]
    agent = Agent(model, output_type=Out if output == 'tool' else str, capabilities=capabilities, retries=1)

    @agent.tool_plain
    def double(x: int) -> int:
        if failing == 'tool':
            raise Boom('tool')
        return x * 2

    @agent.output_validator
    def check(value):
        if failing == 'process' and len(requests) < 3:
            raise Boom('process')
        return value

    try:
        outcome = in_short(await run_as(mode, agent))
    except Exception as error:
        outcome = ['raised', in_short(error), in_short(error.__cause__)]
    retries_sent = [retry if isinstance(retry, str) else 'errors' for request in requests for retry in request]
    return [log, outcome, len(requests), retries_sent]


def print_row(label, point, place, does, failing=None, output='tool', modes=MODES):
    """Print the cells of one act: for one capability and for three, under every way to run."""
    for count in (1, 3):
        modes_by_outcome = {}
        for mode in modes:
            fact = json.dumps(asyncio.run(cell(mode, point, count, place, does, failing, output)), default=str)
            modes_by_outcome.setdefault(fact, []).append(mode)
        for fact, modes_of in modes_by_outcome.items():
            print(json.dumps(f'{point}: {label} x{count} {"+".join(modes_of)}'), fact)


def throw(error):
    """An act that raises an error."""

    def does(value):
        raise error

    return does


def table(point, *, changed_input, changed_result, skip=None, failing, output='tool', modes_of=None):
    """Print the table of a point.

    `changed_input` and `changed_result` make a value from the one that went in or came out; `skip` makes the signal
    that answers instead of the action; `failing` says how the action can be made to fail. `modes_of` limits rows to some
    ways to run, or to none, where doing the same would show nothing.
    """

    def row(label, *args, **options):
        print_row(label, *args, **options, modes=(modes_of or {}).get(label, MODES))

    row('nobody acts', point, None, None, output=output)
    row('nobody acts, failing', point, None, None, failing, output=output)
    row('modify in before', point, 'before', changed_input, output=output)
    row('modify in wrap, going in', point, 'wrap in', changed_input, output=output)
    row('modify in wrap, coming out', point, 'wrap out', changed_result, output=output)
    row('modify in after', point, 'after', changed_result, output=output)
    row('short-circuit in wrap', point, 'wrap in', lambda value: Answer(changed_result(None)), output=output)
    if skip is not None:
        for place in ('before', 'wrap in', 'wrap out', 'after'):
            row(f'skip in {place}', point, place, throw(skip()), output=output)
    for place in ('before', 'wrap in', 'wrap out', 'after'):
        row(f'raise in {place}', point, place, throw(Boom(place)), output=output)
        row(f'retry in {place}', point, place, throw(ModelRetry(place)), output=output)
    for place in ('wrap failed', 'error'):
        row(f'recover in {place}', point, place, changed_result, failing, output=output)
        row(f'raise in {place}', point, place, throw(Boom(place)), failing, output=output)
        row(f'retry in {place}', point, place, throw(ModelRetry(place)), failing, output=output)
