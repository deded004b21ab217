"""What servers say of the effects of their tools: it is believed only where that is allowed."""

from __future__ import annotations

import asyncio
import runpy
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.mcp import MCPServerStdio, MCPToolset
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import crash_everywhere

from .kit import context, wait

PROGRAM = """
    from mcp import types
    from mcp.server.mcpserver import MCPServer

    HINTS = {
        'look': dict(read_only_hint=True),
        'put': dict(idempotent_hint=True),
        'delete': dict(idempotent_hint=True, destructive_hint=True),
        'pay': dict(),
        'add': dict(destructive_hint=False),
        'odd': dict(read_only_hint=True, destructive_hint=True),
        'silent': None,
    }
    server = MCPServer('bank', log_level='CRITICAL')

    for name, hints in HINTS.items():
        annotations = types.ToolAnnotations(**hints) if hints is not None else None
        server.add_tool(lambda: 'done', name=name, annotations=annotations)
    if __name__ == '__main__':
        server.run('stdio')
"""
BELIEVED = {
    'look': 'read',
    'put': 'idempotent',
    'delete': 'idempotent',
    'pay': None,
    'add': None,
    'odd': None,
    'silent': None,
}


def program(directory: Path) -> Path:
    path = directory / 'bank.py'
    path.write_text(textwrap.dedent(PROGRAM), encoding='utf-8')
    return path


async def effects(toolset: Any) -> dict[str, str | None]:
    async with toolset:
        tools = await toolset.get_tools(context())
        again = {name: toolset.tool_for_tool_def(tool.tool_def) for name, tool in tools.items()}
    found = {name: tool.policy.effect if tool.policy is not None else None for name, tool in tools.items()}
    assert found == {name: tool.policy.effect if tool.policy is not None else None for name, tool in again.items()}
    return found


def bank(directory: Path) -> Any:
    """Return the server, in this process."""
    return runpy.run_path(str(program(directory)))['server']


def test_hints_of_servers_are_believed_where_that_is_allowed(tmp_path: Path) -> None:
    assert wait(effects(MCPToolset(bank(tmp_path), trust_annotations=True))) == BELIEVED
    assert set(wait(effects(MCPToolset(bank(tmp_path)))).values()) == {None}


def test_the_older_classes_take_the_option_too(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning):
        server: Any = MCPServerStdio(sys.executable, [str(program(tmp_path))], timeout=60, trust_annotations=True)
        assert not MCPServerStdio('python', []).trust_annotations
    assert wait(effects(server)) == BELIEVED


@pytest.mark.parametrize('believed', [True, False])
def test_calls_in_doubt_are_repeated_where_a_believed_server_allows_it(tmp_path: Path, believed: bool) -> None:
    server = bank(tmp_path)

    def agent() -> Agent[None, Any]:
        def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return ModelResponse(parts=[ToolCallPart('put', {}, 'c1') if len(messages) == 1 else TextPart('done')])

        toolset = MCPToolset(server, trust_annotations=believed)
        return Agent(FunctionModel(script), name='bank', toolsets=[toolset])

    report = asyncio.run(crash_everywhere(agent, 'go'))
    assert report.violations == []
    assert (report.asked > 0, report.repeated_reads > 0) == (not believed, believed)
