"""What the cases about hooks share: capabilities that write down what their hooks see, and runs that print it."""

import asyncio
import json

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

POINTS = {
    'run': None,
    'node_run': 'node',
    'model_request': 'request_context',
    'tool_validate': 'args',
    'tool_execute': 'args',
    'output_validate': 'output',
    'output_process': 'output',
}


def names(point):
    """The names of the four hooks around a point."""
    return f'before_{point}', f'wrap_{point}', f'after_{point}', f'on_{point}_error'


def show(value):
    """A value as plain data; of errors, the words only where they are part of the interface."""
    if isinstance(value, BaseException):
        own_words = type(value).__module__ in ('builtins', '__main__') or isinstance(value, ModelRetry)
        return f'{type(value).__name__}({value})' if own_words else type(value).__name__
    if isinstance(value, (str, int, dict, list)) or value is None:
        return value
    return type(value).__name__


def probe(name, point, log, acts):
    """A capability with all hooks of a point. It writes down what they see; `acts` may step in, by name and hook."""
    before, wrap, after, on_error = names(point)
    value_name = POINTS[point]

    def seen(hook, options):
        facts = {
            key: show(value)
            for key, value in options.items()
            if key not in ('handler', 'call', 'tool_def', 'output_context')
        }
        log.append([f'{name}.{hook}', facts])

    async def do_before(self, ctx, *args, **options):
        value = args[0] if args else options.get(value_name)
        seen('before', {value_name: value} if value_name else {})
        act = acts.get((name, 'before'))
        return act(value) if act else (value if value_name else None)

    async def do_wrap(self, ctx, *, handler, **options):
        seen('wrap', options)
        args = (options[value_name],) if value_name else ()
        act = acts.get((name, 'wrap'))
        if act:
            return act(*args)
        try:
            result = await handler(*args)
        except BaseException as error:
            log.append([f'{name}.wrap!', show(error)])
            act = acts.get((name, 'wrap!'))
            if act:
                return act(error)
            raise
        log.append([f'{name}.wrap.', show(result)])
        return result

    async def do_after(self, ctx, **options):
        seen('after', options)
        result = next(options[key] for key in ('response', 'result', 'output', 'args') if key in options)
        act = acts.get((name, 'after'))
        return act(result) if act else result

    async def do_error(self, ctx, *, error, **options):
        seen('error', {**options, 'error': error})
        act = acts.get((name, 'error'))
        if act:
            return act(error)
        raise error

    return type(
        f'Probe{name}', (AbstractCapability,), {before: do_before, wrap: do_wrap, after: do_after, on_error: do_error}
    )()


class Boom(Exception):
    pass


def throw(error):
    """An act that raises an error."""

    def act(*args):
        raise error

    return act


class Out(BaseModel):
    n: int


def shown_output(output):
    if not isinstance(output, DeferredToolRequests):
        return str(output)
    return ['deferred', [call.tool_name for call in output.calls], [call.tool_name for call in output.approvals]]


def run(
    label,
    point,
    count,
    acts,
    *,
    tool_error=None,
    model_error=None,
    output_error=None,
    bad_args=False,
    bad_output=False,
    output='tool',
):
    """Run an agent with one to three capabilities, and print what their hooks saw and what came of the run."""
    log = []
    requests = [0]
    retries = []

    def respond(messages, info):
        requests[0] += 1
        for part in messages[-1].parts:
            if isinstance(part, RetryPromptPart):
                retries.append(part.content if isinstance(part.content, str) else 'errors')
        if model_error and requests[0] == 1:
            raise model_error
        if requests[0] == 1:
            return ModelResponse(parts=[ToolCallPart('double', {'x': 'no' if bad_args else 2}, 'c1')])
        bad = bad_output and 'errors' not in retries
        if output == 'tool':
            return ModelResponse(parts=[ToolCallPart('final_result', {'n': 'no' if bad else 7}, 'c2')])
        return ModelResponse(parts=[TextPart('seven')])

    agent = Agent(
        FunctionModel(respond),
        output_type=[Out if output == 'tool' else str, DeferredToolRequests],
        capabilities=[probe(name, point, log, acts) for name in 'ABC'[:count]],
        retries=2,
    )

    @agent.tool_plain
    def double(x: int) -> int:
        if tool_error:
            raise tool_error
        return x * 2

    if output_error:

        @agent.output_validator
        def check(value):
            if requests[0] < 3:
                raise output_error
            return value

    try:
        outcome = ['output', shown_output(asyncio.run(agent.run('hi')).output)]
    except BaseException as error:
        outcome = ['raised', show(error), show(error.__cause__)]
    print(json.dumps([label, point, count, log, outcome, requests[0], retries]))


FAILURES = {
    'run': {'model_error': Boom('m')},
    'node_run': {'model_error': Boom('m')},
    'model_request': {'model_error': Boom('m')},
    'tool_validate': {'bad_args': True},
    'tool_execute': {'tool_error': Boom('t')},
    'output_validate': {'bad_output': True},
    'output_process': {'output_error': Boom('o')},
}
ACTIONS = {
    'run': 'model_error',
    'node_run': 'model_error',
    'model_request': 'model_error',
    'tool_execute': 'tool_error',
    'output_process': 'output_error',
}


def matrix(point, skip=()):
    """Raise an error, and ask for a retry, in every hook of a point."""
    fail = FAILURES[point]
    for count in (1, 3):
        actor_name = 'B' if count == 3 else 'A'
        run('pass', point, count, {})
        run('fail', point, count, {}, **fail)
        for hook in ('before', 'wrap', 'after', 'wrap!', 'error'):
            more = fail if hook in ('wrap!', 'error') else {}
            run(f'boom in {hook}', point, count, {(actor_name, hook): throw(Boom(hook))}, **more)
            if hook not in skip:
                run(f'retry in {hook}', point, count, {(actor_name, hook): throw(ModelRetry(hook))}, **more)


def recover(point, value):
    """Recover, or answer in place of the action, in every hook of a point that can."""
    fail = FAILURES[point]
    for actor_name in 'ABC':
        run(f'{actor_name} recovers', point, 3, {(actor_name, 'error'): lambda error: value()}, **fail)
        run(f'{actor_name} recovers in wrap', point, 3, {(actor_name, 'wrap!'): lambda error: value()}, **fail)
        run(f'{actor_name} answers', point, 3, {(actor_name, 'wrap'): lambda *args: value()})
        run(f'{actor_name} changes what comes out', point, 3, {(actor_name, 'after'): lambda result: value()})


def signals(point, *makes, hooks=('before', 'wrap', 'after', 'wrap!', 'error')):
    """Raise signals in hooks of a point, and in its action."""
    for make in makes:
        what = type(make()).__name__
        for hook in hooks:
            more = FAILURES[point] if hook in ('wrap!', 'error') else {}
            run(f'{what} in {hook}', point, 3, {('B', hook): throw(make())}, **more)
        if point in ACTIONS:
            run(f'{what} in the action', point, 3, {}, **{ACTIONS[point]: make()})
