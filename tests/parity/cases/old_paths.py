"""Old import paths, and tools of LangChain by their shape."""

from pydantic_ai.ext.langchain import LangChainToolset, tool_from_langchain


class LC:
    name = 'echo'
    description = 'Echo it.'
    args = {'text': {'type': 'string', 'title': 'Text'}, 'n': {'type': 'integer', 'default': 2}}

    def get_input_jsonschema(self):
        return {'properties': self.args, 'required': ['text'], 'type': 'object', 'title': 'x', 'description': 'd'}

    def run(self, *a, **k):
        print('RUN', a, k)
        return 'ran'


t = tool_from_langchain(LC())
print(sorted(t.tool_def.parameters_json_schema.items()), t.tool_def.name, t.tool_def.description)
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

print(Agent(TestModel(), tools=[t]).run_sync('x').output)
ts = LangChainToolset([LC()], id='i')
print(ts.id, list(ts.tools))
import pydantic_ai.builtin_tools as b

print(b.AbstractBuiltinTool.__name__, sorted(b.__all__))
from pydantic_ai._instructions import normalize_instructions

print(normalize_instructions('a'), normalize_instructions(None), normalize_instructions(['a', 'b']))
