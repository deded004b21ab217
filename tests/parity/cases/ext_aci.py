"""Functions of ACI.dev as tools; the package is played by a module of ours."""

import json
import sys
from types import ModuleType, SimpleNamespace

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

inner = {'type': 'object', 'properties': {'c': {'type': 'integer'}}, 'required': ['c'], 'visible': ['c']}
parameters = {'type': 'object', 'properties': {'a': {'type': 'string'}, 'b': inner}, 'visible': ['a']}
parameters = {**parameters, 'required': ['a'], 'additionalProperties': False}
definition = {'type': 'function', 'function': {'name': 'X__DO', 'description': 'Does it.', 'parameters': parameters}}


class ACI:
    functions = SimpleNamespace(get_definition=lambda name: fact('definition', name) or definition)

    def handle_function_call(self, *args, **kwargs):
        fact('call', [args, kwargs])
        return {'success': True, 'data': [1]}


sys.modules['aci'] = ModuleType('aci')
sys.modules['aci'].ACI = ACI

from pydantic_ai.ext.aci import ACIToolset, tool_from_aci  # noqa: E402


def respond(messages, info):
    if len(messages) > 1:
        for part in messages[-1].parts:
            fact(part.part_kind, part.content)
        return ModelResponse(parts=[TextPart('done')])
    for tool in info.function_tools:
        fact(tool.name, [tool.description, json.dumps(tool.parameters_json_schema, sort_keys=True)])
    return ModelResponse(parts=[ToolCallPart('X__DO', {'a': '1'}), ToolCallPart('X__DO', {'a': '2', 'b': {'c': 1}})])


agent = Agent(FunctionModel(respond), tools=[tool_from_aci('X__DO', 'owner')])
with agent.parallel_tool_call_execution_mode('sequential'):
    agent.run_sync('go')
toolset = ACIToolset(['X__DO'], 'owner', id='aci')
fact('toolset', [toolset.id, list(toolset.tools)])
agent = Agent(FunctionModel(respond), toolsets=[toolset])
with agent.parallel_tool_call_execution_mode('sequential'):
    agent.run_sync('go')
del sys.modules['aci']
