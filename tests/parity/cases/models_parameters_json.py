"""Parameters of requests, and native tools, as data: every field of every tool is there, and is read back."""

import json

from _common import fact
from pydantic import TypeAdapter, ValidationError
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

TOOLS = [
    WebSearchTool(max_uses=3, allowed_domains=['x.y'], user_location={'city': 'Oslo'}),
    CodeExecutionTool(optional=True),
    MCPServerTool(id='i', url='http://x', headers={'a': 'b'}, allowed_tools=['t']),
    ImageGenerationTool(size='1024x1024'),
    WebFetchTool(max_uses=2),
    XSearchTool(),
    MemoryTool(),
    FileSearchTool(file_store_ids=['a']),
]
PARAMETERS = ModelRequestParameters(
    function_tools=[ToolDefinition(name='f', description='d', metadata={'a': 1})],
    native_tools=TOOLS,
    output_mode='tool',
    output_object=OutputObjectDefinition(json_schema={'type': 'object'}, name='n'),
    output_tools=[ToolDefinition(name='o', kind='output')],
    allow_image_output=True,
    instruction_parts=[InstructionPart('hi', dynamic=True)],
)
adapter = TypeAdapter(ModelRequestParameters)
as_json = adapter.dump_json(PARAMETERS)
fact('json', json.loads(as_json))
fact('dict', adapter.dump_python(PARAMETERS))
fact('json read', adapter.validate_json(as_json) == PARAMETERS)
fact('dict read', adapter.validate_python(adapter.dump_python(PARAMETERS)) == PARAMETERS)
fact('itself', adapter.validate_python(PARAMETERS) == PARAMETERS)
fact('empty', adapter.validate_json(adapter.dump_json(ModelRequestParameters())) == ModelRequestParameters())
one, several = TypeAdapter(AbstractNativeTool), TypeAdapter(list[AbstractNativeTool])
for tool in TOOLS:
    fact(tool.kind, [one.dump_python(tool), one.validate_json(one.dump_json(tool)) == tool])
    fact(tool.kind, several.validate_json(several.dump_json([tool])) == [tool])
    own = TypeAdapter(type(tool))
    fact(tool.kind, own.validate_json(own.dump_json(tool)) == tool)
for wrong in ({'kind': 'nope'}, {}, {'kind': 'mcp_server'}, {'kind': 'web_search', 'max_uses': 'many'}):
    try:
        adapter.validate_python({'native_tools': [wrong]})
    except ValidationError as error:
        fact('wrong', [item['loc'][:2] for item in error.errors()])
fact('schema', sorted(choice['$ref'] for choice in one.json_schema()['oneOf']))
