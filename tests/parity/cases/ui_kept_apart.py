"""What stead's adapters do in another way: approval ids are tokens, open native calls wait for no one, empty thinking is not shown."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from ag_ui.core import RunAgentInput, UserMessage
from pydantic_ai.messages import ModelResponse, NativeToolCallPart, ThinkingPart, ToolCallPart
from pydantic_ai.ui.ag_ui import AGUIAdapter, AGUIEventStream
from pydantic_ai.ui.vercel_ai import VercelAIAdapter


async def thinking() -> None:
    """Thinking of which AG-UI 0.1.10 has only the start and the end."""
    asked = RunAgentInput(
        thread_id='t',
        run_id='r',
        state={},
        messages=[UserMessage(id='m', content='x')],
        tools=[],
        context=[],
        forwarded_props=None,
    )
    stream: Any = AGUIEventStream(asked, accept='text/event-stream', ag_ui_version='0.1.10')
    events = [event async for event in stream.handle_thinking_start(ThinkingPart(content=''))]
    events += [event async for event in stream.handle_thinking_end(ThinkingPart(content='full'))]
    print('thinking', [event.type.value for event in events])


def open_calls() -> None:
    for call in (NativeToolCallPart('web_search', {'q': 1}, 'c1'), ToolCallPart('danger', {'q': 1}, 'c1')):
        for message in VercelAIAdapter.dump_messages([ModelResponse(parts=[call])], sdk_version=6):
            for part in message.parts:
                fields = part.model_dump()
                approval: Any = fields.get('approval') or {}
                print(fields['type'], fields['state'], 'id of the call:', approval.get('id') == 'c1')


def signatures() -> None:
    names = inspect.signature(AGUIAdapter.dispatch_request).parameters
    print('dispatch_request names its parameters:', 'allowed_file_url_schemes' in names)


asyncio.run(thinking())
open_calls()
signatures()
