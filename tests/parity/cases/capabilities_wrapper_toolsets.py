"""Toolsets that capabilities wrap around all tools: how they nest, what they see, once per run."""

from dataclasses import dataclass

from _hooks import Out
from pydantic_ai import Agent, FunctionToolset, WrapperToolset
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, PrefixTools
from pydantic_ai.models.test import TestModel

log = []


@dataclass
class Logged(WrapperToolset):
    name: str

    async def call_tool(self, name, args, ctx, tool):
        log.append(f'{self.name}({name}')
        result = await super().call_tool(name, args, ctx, tool)
        log.append(f'{self.name})')
        return result

    async def get_tools(self, ctx):
        tools = await super().get_tools(ctx)
        log.append(f'{self.name} lists {sorted(tools)}')
        return tools


class Wraps(AbstractCapability):
    def __init__(self, name, does=None):
        self.name = name
        self.does = does

    def get_wrapper_toolset(self, toolset):
        log.append(f'{self.name} wraps')
        return Logged(toolset, self.name) if self.does is None else self.does(toolset)


class Own(Wraps):
    def get_toolset(self):
        toolset = FunctionToolset()
        toolset.add_function(lambda: 'own', name='own')
        return toolset


def show(label, *capabilities, **options):
    log.clear()
    agent = Agent(TestModel(), output_type=Out, capabilities=list(capabilities))
    agent.tool_plain(lambda: 1, name='step')
    try:
        for _ in range(2):
            result = agent.run_sync('hi', **options)
            returns = [
                [part.tool_name, part.content]
                for message in result.all_messages()
                for part in message.parts
                if part.part_kind == 'tool-return'
            ]
            print(label, returns, log)
            log.clear()
    except Exception as error:
        print(label, type(error).__name__, log)


show('one', Wraps('A'))
show('two', Wraps('A'), Wraps('B'))
show('own tools', Own('A'), Wraps('B'))
show('prefixed', Wraps('A'), Wraps('P', lambda toolset: toolset.prefixed('p')), Wraps('B'))
show(
    'filtered',
    Wraps('F', lambda toolset: toolset.filtered(lambda ctx, definition: definition.name != 'step')),
    Own('A'),
)
show('nothing', Wraps('N', lambda toolset: None))
show('combined', CombinedCapability([Wraps('A'), CombinedCapability([Wraps('B')])]))
show('prefix of one', PrefixTools(Own('A'), prefix='p'), Wraps('B'))
show('for the run', Wraps('A'), capabilities=[Wraps('R')])
show('dynamic', lambda ctx: Wraps('D'))
