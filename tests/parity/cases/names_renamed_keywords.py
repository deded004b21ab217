"""Keywords and attributes that were renamed: they are taken with a warning, and win over the new ones."""

import dataclasses
import warnings

from _common import fact
from pydantic import TypeAdapter
from pydantic_ai.capabilities import MCP, NativeOrLocalTool, WebSearch
from pydantic_ai.common_tools.image_generation import ImageGenerationSubagentTool
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import ImageGenerationTool, WebSearchTool
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.tools import ToolDefinition

SEARCH = frozenset({WebSearchTool})


def search(query: str) -> str:
    return query


class OldModel(TestModel):
    @classmethod
    def supported_builtin_tools(cls):
        return SEARCH


def tell(name, function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            value = function()
        except Exception as error:
            value = type(error).__name__
    fact(name, [value, [warning.category.__name__ for warning in caught]])


def native(capability):
    return type(capability.native).__name__


tell('profile', lambda: len(ModelProfile(supported_builtin_tools=SEARCH).supported_native_tools))
tell(
    'profile with both',
    lambda: len(
        ModelProfile(supported_builtin_tools=SEARCH, supported_native_tools=frozenset()).supported_native_tools
    ),
)
tell(
    'profile replaced',
    lambda: len(dataclasses.replace(ModelProfile(), supported_builtin_tools=SEARCH).supported_native_tools),
)
tell('profile attribute', lambda: ModelProfile(supported_native_tools=SEARCH).supported_builtin_tools == SEARCH)
tell('parameters', lambda: len(ModelRequestParameters(builtin_tools=[WebSearchTool()]).native_tools))
tell('parameters attribute', lambda: len(ModelRequestParameters(native_tools=[WebSearchTool()]).builtin_tools))
stored = {'builtin_tools': [{'kind': 'web_search'}]}
tell('parameters stored', lambda: len(TypeAdapter(ModelRequestParameters).validate_python(stored).native_tools))
tell('prefer_builtin', lambda: ToolDefinition(name='x', prefer_builtin='web_search').unless_native)
tell('prefer_native', lambda: ToolDefinition(name='x', prefer_native='web_search').unless_native)
tell('prefer_builtin attribute', lambda: ToolDefinition(name='x', unless_native='web_search').prefer_builtin)
tell('WebSearch', lambda: WebSearch(builtin=False, local=search).native)
tell('WebSearch attribute', lambda: type(WebSearch(local=False).builtin).__name__)
tell('MCP', lambda: MCP('https://example.com/mcp', builtin=False, local=search).native)
tell('NativeOrLocalTool', lambda: native(NativeOrLocalTool(builtin=WebSearchTool(), local=False)))
tell('both', lambda: native(NativeOrLocalTool(builtin=WebSearchTool(), native=ImageGenerationTool(), local=False)))
image = {'model': 'openai-responses:gpt-5', 'builtin_tool': ImageGenerationTool()}
tell('subagent', lambda: type(ImageGenerationSubagentTool(**image).native_tool).__name__)
tell('of a model', lambda: [tool.__name__ for tool in OldModel.supported_native_tools()])
tell(
    'new names',
    lambda: [
        ToolDefinition(name='x', unless_native='y').unless_native,
        len(ModelProfile(supported_native_tools=SEARCH).supported_native_tools),
    ],
)
