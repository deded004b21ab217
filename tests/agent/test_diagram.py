"""`agent.diagram()`."""

from __future__ import annotations

import re
from typing import Any

from stead import Agent
from stead.capabilities import Thinking
from stead.toolsets import ExternalToolset, FunctionToolset

outer: Agent[Any, Any] = Agent('test', name='outer')
inner: Agent[Any, Any] = Agent('test', name='inner')


@outer.tool_plain
async def ask(question: str) -> str:
    """Ask the inner agent."""
    return (await inner.run(question)).output


@inner.tool_plain
async def ask_back(question: str) -> str:
    """Ask the outer agent."""
    return (await outer.run(question)).output


def labels(diagram: str) -> list[str]:
    return re.findall(r'"([^"]*)"', diagram)


def test_tools_and_the_agents_that_they_run() -> None:
    diagram = outer.diagram()
    assert diagram.startswith('flowchart LR\n')
    assert labels(diagram) == ['outer<br>test', 'ask', 'inner<br>test', 'ask_back']
    assert (
        re.findall(r'(n\d+) --> (n\d+)', diagram) == [('n1', 'n2'), ('n3', 'n4'), ('n4', 'n1'), ('n2', 'n3')]
        or len(re.findall('-->', diagram)) == 4
    )


def test_toolsets_capabilities_and_approvals() -> None:
    tools: FunctionToolset[None] = FunctionToolset()

    @tools.tool_plain(requires_approval=True)
    def pay() -> None: ...

    agent = Agent('test', name='shop', toolsets=[tools, ExternalToolset([], id='elsewhere')], capabilities=[Thinking()])
    found = labels(agent.diagram())
    assert 'pay (asks first)' in found
    assert 'Thinking' in found
    assert any('elsewhere' in label for label in found)


def test_hostile_names_stay_in_their_quotes() -> None:
    agent = Agent('test', name='a"] --> b["x\n    c --> d %% <script>')
    lines = agent.diagram().splitlines()
    assert len(lines) == 2
    assert lines[1].count('"') == 2
    assert '<script>' not in lines[1]
