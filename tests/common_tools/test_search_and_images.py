"""Tools that search and make images: DuckDuckGo, and agents with a model that has what is needed."""

from __future__ import annotations

import asyncio
import sys
import types
from typing import Any

import pytest

from stead import Agent, ModelRetry, UserError
from stead.common_tools import duckduckgo_search_tool, image_generation_tool, x_search_tool
from stead.messages import BinaryImage, FilePart, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.native_tools import ImageGenerationTool, XSearchTool
from stead.profiles import ModelProfile

from ..loading import run_program

IMAGE = BinaryImage(b'\x89PNG', media_type='image/png')


class Client:
    """Answers searches as it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.queries: list[tuple[str, int | None]] = []

    def text(self, query: str, max_results: int | None = None) -> Any:
        self.queries.append((query, max_results))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def search(client: Any, **options: Any) -> Any:
    return asyncio.run(duckduckgo_search_tool(client, **options).function('cats'))


def test_duckduckgo_searches_with_the_client() -> None:
    client = Client([{'title': 't', 'href': 'h', 'body': 'b', 'more': 1}, {'title': 'only'}])
    assert search(client, max_results=3) == [
        {'title': 't', 'href': 'h', 'body': 'b'},
        {'title': 'only', 'href': '', 'body': ''},
    ]
    assert client.queries == [('cats', 3)]


def test_the_search_tool_is_described() -> None:
    definition = duckduckgo_search_tool(Client([])).tool_def
    assert definition.name == 'duckduckgo_search'
    assert definition.description == 'Searches DuckDuckGo for the given query and returns the results.'
    assert definition.parameters_json_schema['properties'] == {
        'query': {'description': 'The query to search for.', 'type': 'string'}
    }


def test_searches_that_fail_are_told_to_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    class DDGSException(Exception):
        pass

    module = types.ModuleType('ddgs.exceptions')
    module.DDGSException = DDGSException  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, 'ddgs', types.ModuleType('ddgs'))
    monkeypatch.setitem(sys.modules, 'ddgs.exceptions', module)
    assert search(Client(DDGSException('No results found.'))) == []
    with pytest.raises(ModelRetry, match='The search failed: too many requests'):
        search(Client(DDGSException('too many requests')))
    with pytest.raises(KeyError):  # not a matter of the search
        search(Client(KeyError('x')))


def test_the_class_of_clients_can_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from stead.common_tools import duckduckgo

    package = types.ModuleType('ddgs')
    package.DDGS = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, 'ddgs', package)
    assert duckduckgo.DDGS is object
    monkeypatch.setitem(vars(duckduckgo), 'DDGS', lambda: Client([{'title': 'Cats'}]))
    assert search(None)[0]['title'] == 'Cats'
    monkeypatch.undo()
    assert 'DDGS' not in vars(duckduckgo)
    monkeypatch.setitem(sys.modules, 'ddgs', None)
    with pytest.raises(ImportError, match=r'stead\[duckduckgo\]'):
        from stead.common_tools.duckduckgo import DDGS  # noqa: F401
    with pytest.raises(AttributeError, match='SGDD'):
        duckduckgo.SGDD  # noqa: B018


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'ddgs', None)
    tool = duckduckgo_search_tool()  # nothing is loaded yet
    with pytest.raises(ImportError, match=r'stead\[duckduckgo\]'):
        asyncio.run(tool.function('cats'))


# Agents of their own


def model_with(answer: Any, seen: list[Any] | None = None) -> FunctionModel:
    def respond(messages: list[Any], info: AgentInfo) -> ModelResponse:
        if seen is not None:
            seen.append((messages, info))
        return ModelResponse(parts=[answer] if answer is not None else [])

    native = frozenset({ImageGenerationTool, XSearchTool})
    return FunctionModel(respond, profile=ModelProfile(supports_image_output=True, supported_native_tools=native))


def outcome(tool: Any, argument: str) -> Any:
    """Let an agent call the tool once, and return what its model is told about it."""
    back: list[Any] = []

    def respond(messages: list[Any], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(tool.name, {argument: 'a cat'})])
        back.extend((part.part_kind, part.content) for part in messages[-1].parts)
        return ModelResponse(parts=[TextPart('done')])

    Agent(FunctionModel(respond), tools=[tool]).run_sync('go')
    return back


def test_images_are_made_by_another_agent() -> None:
    seen: list[Any] = []
    tool = image_generation_tool(model_with(FilePart(IMAGE), seen), ImageGenerationTool(size='1K'))
    ((kind, content),) = outcome(tool, 'prompt')
    assert (kind, content) == ('tool-return', IMAGE)
    ((messages, info),) = seen
    assert [part.content for part in messages[0].parts] == ['a cat']
    assert messages[0].instructions == 'Generate an image based on the user prompt. Do not ask clarifying questions.'
    assert info.model_request_parameters.native_tools == [ImageGenerationTool(size='1K')]


def test_x_is_searched_by_another_agent() -> None:
    seen: list[Any] = []

    async def choose(ctx: Any) -> FunctionModel:
        seen.append(ctx.tool_name)
        return model_with(TextPart('found'))

    tool = x_search_tool(choose, XSearchTool(), instructions='Search.')
    assert outcome(tool, 'query') == [('tool-return', 'found')]
    assert seen == ['x_search']
    assert outcome(x_search_tool(lambda ctx: model_with(TextPart('too')), XSearchTool()), 'query') == [
        ('tool-return', 'too')
    ]


@pytest.mark.parametrize('answer', [TextPart('no image'), None])
def test_agents_that_fail_are_told_to_the_model(answer: Any) -> None:
    ((kind, content),) = outcome(image_generation_tool(model_with(answer), ImageGenerationTool()), 'prompt')
    assert kind == 'retry-prompt'
    assert content


def test_models_without_the_native_tool_are_a_mistake_of_the_program() -> None:
    with pytest.raises(UserError):
        outcome(x_search_tool(TestModel(), XSearchTool()), 'query')


def test_the_tools_are_described() -> None:
    image = image_generation_tool('test', ImageGenerationTool()).tool_def
    x = x_search_tool('test', XSearchTool()).tool_def
    assert (image.name, image.description) == ('generate_image', 'Generate an image based on the given prompt.')
    assert (x.name, x.description) == ('x_search', 'Search X/Twitter for posts and content based on the given query.')
    assert list(image.parameters_json_schema['properties']) == ['prompt']
    assert list(x.parameters_json_schema['properties']) == ['query']


def test_the_native_tool_must_be_given() -> None:
    with pytest.raises(TypeError, match='image_generation_tool.. needs a `native_tool`'):
        image_generation_tool('test')
    with pytest.raises(TypeError, match="does not take the arguments 'bogus'"):
        x_search_tool('test', XSearchTool(), bogus=1)
    with pytest.warns(UserWarning, match='is an old name; use `native_tool`'):
        assert x_search_tool('test', builtin_tool=XSearchTool()).name == 'x_search'


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    program = """
import sys
from stead.capabilities import MCP, WebFetch, WebSearch
from stead.common_tools import duckduckgo_search_tool, web_fetch_tool
from stead.mcp import MCPServerStdio, MCPToolset

MCPToolset('http://localhost/mcp')
MCP('http://localhost/mcp', native=True)
WebSearch(local='duckduckgo')
WebFetch(local=True)
print([name for name in ('anyio', 'bs4', 'ddgs', 'httpx', 'httpx2', 'markdownify', 'mcp') if name in sys.modules])
"""
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')
