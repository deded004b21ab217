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


def test_a_notebook_draws_the_diagram_and_shows_a_card() -> None:
    diagram: Any = outer.diagram()
    assert isinstance(diagram, str) and diagram.startswith('flowchart LR')
    assert diagram._repr_markdown_() == f'```mermaid\n{diagram}\n```'
    agent: Any = Agent('test', name='<shop>', toolsets=[ExternalToolset([], id='desk')], capabilities=[Thinking()])

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        return 'paid'

    card = agent._repr_html_()
    assert '<b>&lt;shop&gt;</b>' in card
    for text in ('test', 'pay (asks first)', 'desk', 'Thinking'):
        assert text in card
    hostile: Any = Agent('test', name='a```b')
    assert hostile.diagram()._repr_markdown_().count('`') == 6


def test_a_notebook_shows_what_an_agent_would_send() -> None:
    agent: Any = Agent('test', instructions='Be <b>brief</b>.')
    assert 'Be &lt;b&gt;brief&lt;/b&gt;.' in agent.explain()._repr_html_()
