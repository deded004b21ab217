"""Old import paths, and tools of LangChain by their shape."""

from pydantic_ai import Agent, builtin_tools
from pydantic_ai._instructions import normalize_instructions
from pydantic_ai.ext.langchain import LangChainToolset, tool_from_langchain
from pydantic_ai.models.test import TestModel


class EchoTool:
    name = 'echo'
    description = 'Echo it.'
    args = {'text': {'type': 'string', 'title': 'Text'}, 'n': {'type': 'integer', 'default': 2}}

    def get_input_jsonschema(self):
        return {'properties': self.args, 'required': ['text'], 'type': 'object', 'title': 'x', 'description': 'd'}

    def run(self, *args, **options):
        print('RUN', args, options)
        return 'ran'


tool = tool_from_langchain(EchoTool())
print(sorted(tool.tool_def.parameters_json_schema.items()), tool.tool_def.name, tool.tool_def.description)
print(Agent(TestModel(), tools=[tool]).run_sync('x').output)
toolset = LangChainToolset([EchoTool()], id='i')
print(toolset.id, list(toolset.tools))
print(builtin_tools.AbstractBuiltinTool.__name__, sorted(builtin_tools.__all__))
print(normalize_instructions('a'), normalize_instructions(None), normalize_instructions(['a', 'b']))
