"""Capabilities that use a tool of the provider where there is one, and a tool of ours elsewhere."""

from __future__ import annotations

import sys
import types
from datetime import datetime
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from stead import Agent, Tool, UserError
from stead.capabilities import MCP, ImageGeneration, WebFetch, WebSearch, XSearch
from stead.mcp import MCPToolset
from stead.messages import ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.native_tools import (
    AbstractNativeTool,
    ImageGenerationTool,
    MCPServerTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from stead.profiles import ModelProfile
from stead.toolsets import FunctionToolset

ALL = frozenset({ImageGenerationTool, MCPServerTool, WebFetchTool, WebSearchTool, XSearchTool})
URL = 'https://mcp.example.com/api'


def mine(query: str) -> str:
    """Find something."""
    return query


def offered(capability: Any, natives: frozenset[Any] = ALL) -> tuple[list[AbstractNativeTool], list[str]]:
    """Return the native tools and the names of the function tools that a model is offered."""
    seen: list[Any] = []

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_request_parameters)
        return ModelResponse(parts=[TextPart('done')])

    model = FunctionModel(answer, profile=ModelProfile(supported_native_tools=natives))
    Agent(model, capabilities=[capability]).run_sync('go')
    return list(seen[0].native_tools), [tool.name for tool in seen[0].function_tools]


CASES = [
    (lambda: WebSearch(local=mine, max_uses=None), WebSearchTool(), ['mine']),
    (lambda: WebSearch(local='duckduckgo', search_context_size='low'), WebSearchTool(search_context_size='low'), ['duckduckgo_search']),
    (lambda: WebFetch(local=True, allowed_domains=['a']), WebFetchTool(allowed_domains=['a']), ['web_fetch']),
    (
        lambda: ImageGeneration(fallback_model='openai-responses:x', size='1K', image_model='m'),
        ImageGenerationTool(size='1K', model='m'),
        ['generate_image'],
    ),
    (lambda: XSearch(fallback_model='xai:x', allowed_x_handles=['a']), XSearchTool(allowed_x_handles=['a']), ['x_search']),
    (
        lambda: MCP(URL, native=True, local=mine, authorization_token='t', headers={'X': '1'}),
        MCPServerTool(id='mcp.example.com-api', url=URL, authorization_token='t', headers={'X': '1'}),
        ['mine'],
    ),
]  # fmt: skip


@pytest.mark.parametrize(('make', 'native', 'local'), CASES, ids=lambda value: getattr(value, 'kind', None))
def test_the_native_tool_where_there_is_one_and_ours_elsewhere(make: Any, native: Any, local: list[str]) -> None:
    assert offered(make()) == ([native], [])
    assert offered(make(), frozenset()) == ([], local)


def test_only_one_side_if_so_wished() -> None:
    assert offered(WebSearch(native=False, local=mine)) == ([], ['mine'])
    with pytest.raises(UserError):  # the model has no such tool, and nothing takes its place
        offered(WebSearch(local=False), frozenset())


@pytest.mark.parametrize(
    'capability',
    [
        WebSearch(local=mine, allowed_domains=['a']),
        WebSearch(local=mine, blocked_domains=[]),
        WebSearch(local=mine, max_uses=0),
        WebFetch(local=True, max_uses=1),
        XSearch(local=mine, excluded_x_handles=['a']),
    ],
    ids=lambda capability: type(capability).__name__,
)
def test_settings_that_only_native_tools_honour_leave_no_local_tool(capability: Any) -> None:
    assert offered(capability)[1] == []
    with pytest.raises(UserError):
        offered(capability, frozenset())


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda: WebSearch(native=False, local=False), 'WebSearch has neither'),
        (lambda: WebSearch(native=False, local=mine, max_uses=1), 'only the native tool supports'),
        (lambda: WebSearch(local='bing'), "no local strategy 'bing'.*local='duckduckgo'"),
        (lambda: WebFetch(local='x'), "no local strategy 'x'.*local=True"),
        (lambda: ImageGeneration(local=True), 'no local strategy True'),
        (lambda: ImageGeneration(fallback_model='x:y', local=mine), 'ImageGeneration has both'),
        (lambda: XSearch(fallback_model='x:y', local=False), 'XSearch has both'),
        (lambda: MCP(URL, native=True, local='somewhere'), r"cannot connect to 'somewhere'.*MCPToolset"),
        (lambda: MCP(URL, native=False, local=False), 'MCP has neither'),
    ],
)
def test_what_does_not_go_together_is_refused(make: Any, words: str) -> None:
    with pytest.raises(UserError, match=words):
        make()


def test_accounts_are_searched_or_left_out_and_few() -> None:
    with pytest.raises(ValueError, match='`allowed_x_handles` or `excluded_x_handles`'):
        XSearch(allowed_x_handles=['a'], excluded_x_handles=['b'])
    with pytest.raises(ValueError, match='`excluded_x_handles` names 11 accounts'):
        XSearchTool(excluded_x_handles=['a'] * 11)


def test_agents_of_their_own_have_the_settings_of_the_native_tool() -> None:
    own = ImageGenerationTool(size='2K', quality='high')
    capability = ImageGeneration(native=own, size='1K', fallback_model='x:y')
    assert isinstance(capability.local, Tool)
    assert capability.local.function.__self__.native_tool == ImageGenerationTool(size='1K', quality='high')
    assert capability.native is own


# What is installed


def installed(monkeypatch: pytest.MonkeyPatch, name: str, there: bool) -> None:
    module = types.ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    monkeypatch.setitem(sys.modules, name, module if there else None)


@pytest.mark.parametrize(('kind', 'package', 'tool'), [(WebSearch, 'ddgs', 'duckduckgo_search'), (WebFetch, 'markdownify', 'web_fetch')])  # fmt: skip
def test_by_default_what_is_installed_is_used(
    kind: Any, package: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, package, True)
    with pytest.warns(UserWarning, match=f'{kind.__name__} .*`{package}` is installed'):
        assert kind().local.name == tool
    installed(monkeypatch, package, False)
    assert kind().local is None


# MCP


@pytest.mark.parametrize(
    ('url', 'id'),
    [
        ('https://mcp.example.com', 'mcp.example.com'),
        ('https://mcp.example.com/', 'mcp.example.com'),
        ('https://mcp.example.com/v1/sse/', 'mcp.example.com-sse'),
        ('https://user:pw@mcp.example.com:99/api?key=1', 'mcp.example.com-api'),
    ],
)
def test_servers_have_ids(url: str, id: str) -> None:
    assert MCP(url, native=True).id == id
    assert MCP(url, native=False, id='me').id == 'me'
    assert MCP(url, native=MCPServerTool(id='own', url=url)).id == 'own'


def test_the_connection_from_here_has_the_headers() -> None:
    capability = MCP(URL, native=False, authorization_token='t', headers={'X': '1', 'authorization': 'old'})
    assert isinstance(capability.local, MCPToolset)
    transport = capability.local._transport
    assert (transport.url, transport.headers) == (URL, {'X': '1', 'Authorization': 't'})
    elsewhere = MCP(URL, native=True, local='http://localhost:1/sse').local
    assert isinstance(elsewhere, MCPToolset)
    assert (elsewhere._transport.url, elsewhere._transport.sse) == ('http://localhost:1/sse', True)


def test_allowed_tools_hold_here_too() -> None:
    def other() -> str:
        return 'other'

    both = FunctionToolset([mine, other])
    capability = MCP(URL, native=True, local=both, allowed_tools=['mine'])
    assert offered(capability, frozenset())[1] == ['mine']
    (native,), local = offered(capability)
    assert isinstance(native, MCPServerTool)
    assert (native.allowed_tools, local) == (['mine'], [])


def test_which_side_is_to_be_said() -> None:
    with pytest.warns(UserWarning, match='`native=True` to keep it'):
        assert isinstance(MCP(URL).native, MCPServerTool)


def test_dates_in_specs_are_text() -> None:
    native = XSearch.from_spec(from_date='2020-01-02').native
    assert isinstance(native, XSearchTool)
    assert native.from_date == datetime(2020, 1, 2)


def test_specs_name_them() -> None:
    entries: list[Any] = [
        {'WebSearch': {'local': 'duckduckgo', 'max_uses': 2}},
        {'WebFetch': {'local': True}},
        'ImageGeneration',
        {'XSearch': {'from_date': '2020-01-01T00:00:00'}},
        {'MCP': {'url': URL, 'local': False}},
    ]
    Agent.from_spec({'model': 'test', 'capabilities': entries})
    with pytest.raises(ValueError, match="MCP: 'url' missing"):
        Agent.from_spec({'model': 'test', 'capabilities': ['MCP']})
    with pytest.raises(ValueError, match='max_use'):
        Agent.from_spec({'model': 'test', 'capabilities': [{'WebSearch': {'max_use': 2, 'local': False}}]})
