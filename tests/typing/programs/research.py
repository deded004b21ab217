"""Research: toolsets, structured output, streams of output and of events, and histories in SQLite."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from stead import Agent, ModelRetry, RunContext, UsageLimits
from stead.messages import (
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.toolsets import FunctionToolset

CORPUS = {
    'llama': 'Llama.cpp runs GGUF weights on CPUs.',
    'sqlite': 'SQLite is an embedded database.',
    'agents': 'Agents call tools in a loop.',
}


@dataclass
class Deps:
    db: sqlite3.Connection
    seen: list[str] = field(default_factory=list[str])


class Source(BaseModel):
    title: str
    quote: str


class Report(BaseModel):
    """A report."""

    question: str
    summary: str = Field(min_length=5)
    sources: list[Source]


search = FunctionToolset[Deps](id='search')


@search.tool
def find(ctx: RunContext[Deps], query: str, limit: int = 3) -> list[str]:
    """Search the corpus.

    Args:
        query: words to look for
        limit: how many titles to return
    """
    hits = [t for t, body in CORPUS.items() if any(w in body.lower() for w in query.lower().split())]
    if not hits:
        raise ModelRetry(f'Nothing for {query!r}; try one of {sorted(CORPUS)}')
    return hits[:limit]


@search.tool
async def read(ctx: RunContext[Deps], title: str) -> str:
    """Read a document."""
    if title not in CORPUS:
        raise ModelRetry('no such title')
    ctx.deps.seen.append(title)
    await asyncio.sleep(0.01)
    return CORPUS[title]


def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    last = messages[-1].parts[-1]
    if last.part_kind == 'user-prompt':
        return ModelResponse([ToolCallPart('kb_find', {'query': str(last.content)})])
    if isinstance(last, ToolReturnPart) and last.tool_name == 'kb_find':
        return ModelResponse([ToolCallPart('kb_read', {'title': t}) for t in last.content])
    return ModelResponse(
        [
            ToolCallPart(
                'final_result',
                {'question': 'q', 'summary': 'All read.', 'sources': [{'title': 'llama', 'quote': 'GGUF'}]},
            )
        ]
    )


async def stream_script(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[dict[int, DeltaToolCall]]:
    r = script(messages, info)
    for i, part in enumerate(r.parts):
        assert isinstance(part, ToolCallPart)
        text = json.dumps(part.args)
        yield {i: DeltaToolCall(part.tool_name, text[:10], tool_call_id=part.tool_call_id)}
        for j in range(10, len(text), 15):
            yield {i: DeltaToolCall(None, text[j : j + 15])}


agent = Agent(
    FunctionModel(script, stream_function=stream_script),
    deps_type=Deps,
    output_type=Report,
    toolsets=[search.prefixed('kb')],
    instructions='You do research.',
)


class History:
    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path)
        self.db.execute('create table if not exists m (chat text, seq integer, body blob)')

    def load(self, chat: str) -> list[ModelMessage]:
        rows = self.db.execute('select body from m where chat=? order by seq', (chat,)).fetchall()
        return [m for (body,) in rows for m in ModelMessagesTypeAdapter.validate_json(body)]

    def add(self, chat: str, new: bytes) -> None:
        n = self.db.execute('select count(*) from m where chat=?', (chat,)).fetchone()[0]
        self.db.execute('insert into m values (?,?,?)', (chat, n, new))
        self.db.commit()


async def main(path: str = ':memory:') -> None:
    history = History(path)
    deps = Deps(history.db)
    for question in ('llama gguf', 'sqlite database'):
        before = history.load('me')
        async with agent.run_stream(
            question, deps=deps, message_history=before, usage_limits=UsageLimits(request_limit=6)
        ) as stream:
            async for partial in stream.stream_output(debounce_by=None):
                print('partial', partial)
            report = await stream.get_output()
        history.add('me', stream.new_messages_json())
        print(report.summary, len(before), stream.usage)
    history_of_both = history.load('me')
    async with agent.run_stream_events('agents loop', deps=deps, message_history=history_of_both) as events:
        async for event in events:
            if isinstance(event, FunctionToolCallEvent):
                print('call', event.part.tool_name, event.part.args)
            elif isinstance(event, FunctionToolResultEvent):
                print('result', event.part.content)
    print(deps.seen)


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
