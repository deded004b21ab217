"""Hooks that prepare tools: modify, hide all, raise, ask for a retry; one capability and three, under every way to run."""

import asyncio
import json
from dataclasses import replace

from _hooks import MODES, Boom, Out, in_short, run_as, throw
from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


def preparing(name, hook, log, act):
    async def prepare(self, ctx, tool_defs):
        log.append(
            f'{name} {[definition.name + ":" + (definition.description or "") for definition in tool_defs]} {ctx.run_step}'
        )
        return act(tool_defs)

    return type(f'Prepares{name}', (AbstractCapability,), {hook: prepare})()


def reword(definitions):
    return [replace(definition, description=f'{definition.description}!') for definition in definitions]


ACTS = {
    'nobody acts': lambda definitions: definitions,
    'modify': reword,
    'hide one': lambda definitions: definitions[1:],
    'hide all': lambda definitions: [],
    'reverse': lambda definitions: definitions[::-1],
    'in place': lambda definitions: definitions.sort(key=lambda definition: definition.name) or definitions,
    'raise': throw(Boom('prepare')),
    'retry': throw(ModelRetry('prepare')),
}


async def cell(mode, hook, count, act):
    log, sent = [], []
    requests = []

    def part(info):
        requests.append(1)
        sent.append([[tool.name for tool in info.function_tools], [tool.name for tool in info.output_tools]])
        if info.function_tools and len(requests) == 1:
            return ToolCallPart(info.function_tools[0].name, '{"x": 2}', 'c1')
        if info.output_tools:
            return ToolCallPart(info.output_tools[0].name, '{"n": 7}', 'c2')
        return TextPart('nothing left')

    async def stream(messages, info):
        reply = part(info)
        if isinstance(reply, TextPart):
            yield reply.content
        else:
            yield {0: DeltaToolCall(reply.tool_name, reply.args, tool_call_id=reply.tool_call_id)}

    model = FunctionModel(lambda messages, info: ModelResponse(parts=[part(info)]), stream_function=stream)
    acting = 'B' if count == 3 else 'A'
    capabilities = [
        preparing(name, hook, log, act if name == acting else ACTS['nobody acts']) for name in 'ABC'[:count]
    ]
    outputs = [ToolOutput(Out, name='give', description='Give'), ToolOutput(Out, name='also', description='Also')]
    agent = Agent(model, output_type=[*outputs, str], capabilities=capabilities, retries=1)

    @agent.tool_plain
    def double(x: int) -> int:
        """Double."""
        return x * 2

    @agent.tool_plain
    def add(x: int) -> int:
        """Add."""
        return x + 1

    try:
        outcome = in_short(await run_as(mode, agent))
    except Exception as error:
        outcome = ['raised', in_short(error), in_short(error.__cause__)]
    return [log, sent, outcome]


for hook in ('prepare_tools', 'prepare_output_tools'):
    for label, act in ACTS.items():
        for count in (1, 3):
            modes_by_outcome = {}
            for mode in MODES:
                fact = json.dumps(asyncio.run(cell(mode, hook, count, act)), default=str)
                modes_by_outcome.setdefault(fact, []).append(mode)
            for fact, modes in modes_by_outcome.items():
                print(json.dumps(f'{hook}: {label} x{count} {"+".join(modes)}'), fact)
