"""Old names of options: runs and overrides take them, with a warning at the line that uses them."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest

from stead import Agent, FunctionToolset, UserError, WebSearchTool
from stead._kit.warnings import PydanticAIDeprecationWarning
from stead.capabilities import NativeTool
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.native_tools import CodeExecutionTool
from stead.profiles import ModelProfile

PROFILE = ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool}))
SEARCH = [WebSearchTool()]


def kinds(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    tools = sorted(tool.kind for tool in info.model_request_parameters.native_tools)
    return ModelResponse(parts=[TextPart(' '.join(tools) or 'none')])


def build(**arguments: Any) -> Agent[None, str]:
    return Agent(FunctionModel(kinds, profile=PROFILE), **arguments)


def run(agent: Agent[None, str], **options: Any) -> str:
    return agent.run_sync('go', **options).output


async def stepped(agent: Agent[None, str], **options: Any) -> str:
    async with agent.iter('go', **options) as steps:
        async for _ in steps:
            pass
    assert steps.result is not None
    return steps.result.output


@pytest.mark.parametrize(('tools', 'expected'), [(SEARCH, 'web_search'), ([], 'none'), (None, 'none')])
def test_builtin_tools_of_a_run(tools: Any, expected: str) -> None:
    with pytest.warns(PydanticAIDeprecationWarning, match=r'`builtin_tools` .* `capabilities=\[NativeTool') as caught:
        assert run(build(), builtin_tools=tools) == expected
        assert asyncio.run(stepped(build(), builtin_tools=tools)) == expected
    assert {warning.filename for warning in caught} == {__file__}


def test_builtin_tools_of_a_run_come_to_those_of_the_agent_and_of_the_run() -> None:
    agent = build(capabilities=[NativeTool(CodeExecutionTool())])
    with pytest.warns(PydanticAIDeprecationWarning):
        assert run(agent, builtin_tools=SEARCH) == 'code_execution web_search'
    assert run(agent) == 'code_execution'


def test_builtin_tools_of_an_override() -> None:
    agent = build(capabilities=[NativeTool(CodeExecutionTool())])
    with (
        pytest.warns(PydanticAIDeprecationWarning, match='`native_tools`') as caught,
        agent.override(builtin_tools=SEARCH),
    ):
        assert run(agent) == 'web_search'
    assert [warning.filename for warning in caught] == [__file__]


def test_output_retries_of_an_override() -> None:
    tries: list[int] = []

    def stubborn(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tries.append(len(messages))
        return ModelResponse(parts=[TextPart('no number')])

    agent: Agent[None, int] = Agent(FunctionModel(stubborn), output_type=[int])
    with (
        pytest.warns(PydanticAIDeprecationWarning, match='output_retries'),
        agent.override(output_retries=3),
        pytest.raises(Exception, match=r'output retries \(3\)'),
    ):
        agent.run_sync('go')
    assert len(tries) == 4


def test_names_that_never_were_options() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(UserError, match="no option 'native_tools'"):
            run(build(), native_tools=SEARCH)
        with (
            pytest.raises(UserError, match="cannot replace 'history_processors'"),
            build().override(history_processors=[]),
        ):
            pass


def test_an_override_replaces_the_native_tools_of_capabilities_but_not_those_of_the_run() -> None:
    agent = build(capabilities=[NativeTool(CodeExecutionTool())])
    with agent.override(native_tools=[]):
        assert run(agent) == 'none'
        assert run(agent, capabilities=[NativeTool(WebSearchTool())]) == 'web_search'


def test_mcp_servers_of_an_agent_are_toolsets() -> None:
    servers = [FunctionToolset[None](id='server')]
    with pytest.warns(DeprecationWarning, match=r'`Agent\(mcp_servers=...\)` .* `toolsets='):
        agent = build(mcp_servers=servers, toolsets=[FunctionToolset(id='mine')])
    assert [toolset.id for toolset in agent.toolsets] == ['<agent>', 'mine', 'server']


def test_no_mcp_servers_are_nothing_to_warn_about() -> None:
    assert [toolset.id for toolset in build(mcp_servers=[]).toolsets] == ['<agent>']


@pytest.mark.parametrize('tools', [3, 'x', [3]])
def test_native_tools_of_a_run_are_checked(tools: Any) -> None:
    message = r'`agent.run\(builtin_tools=...\)` must be a sequence of native tools'
    with pytest.warns(PydanticAIDeprecationWarning), pytest.raises(UserError, match=message):
        build().run_sync('x', builtin_tools=tools)
