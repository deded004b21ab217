"""Capabilities that never use dependencies are for agents of any, and requests are dispatched to agents of any type."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stead import Agent, DeferredToolRequests
from stead.capabilities import (
    MCP,
    ApprovalPolicy,
    ImageGeneration,
    IncludeToolReturnSchemas,
    Instrumentation,
    Journal,
    LocalWorkspace,
    NativeTool,
    SetToolMetadata,
    TerminalApprovals,
    ToolSearch,
    WebFetch,
    WebSearch,
)
from stead.native_tools import WebSearchTool
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter


@dataclass
class Shop:
    name: str


journal = Journal('runs.db')
approvals = TerminalApprovals()
policy = ApprovalPolicy()
search = ToolSearch()
tracing = Instrumentation()
agent = Agent(
    'test',
    deps_type=Shop,
    output_type=[str, DeferredToolRequests],
    capabilities=[journal, approvals, policy, search, tracing, TerminalApprovals(policy=policy)],
)
plain = Agent('test', capabilities=[journal, approvals, policy, search, tracing, Journal[None]()])


async def runs() -> None:
    await journal.run(agent, 'Refund it.', key='k', deps=Shop('ferns'))
    await journal.resume(agent, 'run', deps=Shop('ferns'))


async def front_ends(request: Request) -> list[Response]:
    return [
        await VercelAIAdapter.dispatch_request(request, agent=agent, deps=Shop('ferns')),
        await AGUIAdapter.dispatch_request(request, agent=agent, deps=Shop('ferns')),
        await AGUIAdapter.dispatch_request(request, agent=plain),
    ]


web, fetched, images, server = WebSearch(), WebFetch(), ImageGeneration(), MCP(url='https://example.com/mcp')
native, files = NativeTool(WebSearchTool()), LocalWorkspace('.')
schemas, marked = IncludeToolReturnSchemas(), SetToolMetadata()
equipped = Agent(
    'test', deps_type=Shop, capabilities=[web, fetched, images, server, native, files, schemas, marked, WebSearch()]
)
