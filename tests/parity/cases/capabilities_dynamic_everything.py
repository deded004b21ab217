"""What a capability brings that a function makes for the run: tools, instructions, settings, hooks, wrappers."""

import asyncio

from _hooks import MODES, run_as
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.capabilities import (
    AbstractCapability,
    Capability,
    CombinedCapability,
    Hooks,
    PrefixTools,
    PrepareTools,
    Toolset,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

seen = []


def part(messages, info):
    seen.append([[tool.name for tool in info.function_tools], info.instructions, dict(info.model_settings or {})])
    if len(messages) == 1 and info.function_tools:
        return ToolCallPart(info.function_tools[-1].name, '{}', 'c1')
    return TextPart('done')


async def stream(messages, info):
    chosen = part(messages, info)
    if isinstance(chosen, TextPart):
        yield chosen.content
    else:
        yield {0: DeltaToolCall(chosen.tool_name, chosen.args, tool_call_id=chosen.tool_call_id)}


model = FunctionModel(lambda messages, info: ModelResponse(parts=[part(messages, info)]), stream_function=stream)


class Full(AbstractCapability):
    def __init__(self, name):
        self.name = name

    def get_toolset(self):
        toolset = FunctionToolset()
        toolset.add_function(lambda: self.name, name=f'tool_of_{self.name}')
        return toolset

    def get_instructions(self):
        return [f'text of {self.name}', lambda: f'function of {self.name}']

    def get_model_settings(self):
        return lambda ctx: {'seed': ctx.run_step}

    def get_wrapper_toolset(self, toolset):
        return toolset.prefixed(self.name)

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        seen.append(['executes', self.name, call.tool_name, tool_def.name])
        return args


def show(label, capabilities, of_run=None):
    for mode in MODES:
        seen.clear()
        agent = Agent(model, capabilities=capabilities, instructions='be good')
        try:
            output = asyncio.run(run_as(mode, agent))
            print(label, mode, output, seen)
        except Exception as error:
            print(label, mode, type(error).__name__, seen)


def toolset_of(name):
    toolset = FunctionToolset()
    toolset.add_function(lambda: name, name=name)
    return toolset


show('full', [lambda ctx: Full('x')])
show('two full', [lambda ctx: Full('x'), Full('y')])
show('nothing', [lambda ctx: None])
show('combined', [lambda ctx: CombinedCapability([Toolset(toolset_of('one')), Capability(instructions='inner')])])
show('prefixed', [lambda ctx: PrefixTools(Toolset(toolset_of('one')), prefix='p')])
show(
    'prepared',
    [lambda ctx: PrepareTools(lambda ctx, tools: tools[:1]), Toolset(toolset_of('a')), Toolset(toolset_of('b'))],
)
show('hooks', [lambda ctx: Hooks(before_run=lambda ctx: seen.append('before run'))])
show('nested', [lambda ctx: CombinedCapability([Full('x'), CombinedCapability([Capability(instructions='deep')])])])
