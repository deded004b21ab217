"""A toolset that lists its tools in a dict which it keeps, and changes between the steps of a run."""

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import DeferredToolRequests, ToolDefinition
from pydantic_ai.toolsets import CombinedToolset, WrapperToolset
from pydantic_ai.toolsets.abstract import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

VALIDATOR = SchemaValidator(core_schema.dict_schema())


class Growing(AbstractToolset):
    def __init__(self):
        self.tools, self.ran = {}, []
        self.put('read', 'function')

    @property
    def id(self):
        return 'growing'

    def put(self, name, kind):
        definition = ToolDefinition(name=name, parameters_json_schema={'type': 'object', 'properties': {}}, kind=kind)
        self.tools[name] = ToolsetTool(toolset=self, tool_def=definition, max_retries=1, args_validator=VALIDATOR)

    async def get_tools(self, ctx):
        return self.tools

    async def call_tool(self, name, tool_args, ctx, tool):
        self.ran.append(name)
        if name == 'read':
            self.put('more', 'function')
        else:
            self.put('read', 'unapproved')
            del self.tools['more']
        return 'done'


AROUND = {
    'alone': lambda toolset: toolset,
    'combined': lambda toolset: CombinedToolset([toolset]),
    'filtered': lambda toolset: toolset.filtered(lambda ctx, definition: True),
    'renamed': lambda toolset: toolset.renamed({'look': 'read'}).renamed({'read': 'look'}),
    'approval': lambda toolset: toolset.approval_required(lambda ctx, definition, args: False),
    'wrapped': WrapperToolset,
}

for label, around in AROUND.items():
    listed = []

    def answer(messages, info, listed=listed):
        listed.append([[definition.name, definition.kind] for definition in info.function_tools])
        names = ['read', 'more', 'read']
        step = len(listed)
        return ModelResponse(parts=[ToolCallPart(names[step - 1], {}, f'c{step}')] if step < 4 else [TextPart('end')])

    growing = Growing()
    agent = Agent(FunctionModel(answer), toolsets=[around(growing)], output_type=[str, DeferredToolRequests])
    result = agent.run_sync('go')
    waiting = [call.tool_call_id for call in getattr(result.output, 'approvals', [])]
    fact(label, [listed, growing.ran, type(result.output).__name__, waiting])
