"""The lifespan of a server of fastmcp in the process: it is up as long as the toolset is, and no longer."""

# needs: fastmcp

import asyncio
from contextlib import asynccontextmanager

from _common import fact
from fastmcp import Context, FastMCP
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.test import TestModel

log = []


@asynccontextmanager
async def lifespan(server):
    log.append('up')
    yield {'db': 'open'}
    log.append('down')


server = FastMCP('s', lifespan=lifespan)


@server.tool
async def look(ctx: Context) -> str:
    return str(ctx.lifespan_context)


async def main():
    async with MCPToolset(server) as toolset:
        fact('called', [await toolset.direct_call_tool('look', {}), log])
    fact('left', log)
    fact('run', [(await Agent(TestModel(), toolsets=[MCPToolset(server)]).run('go')).output, log])


asyncio.run(main())
