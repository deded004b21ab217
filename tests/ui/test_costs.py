"""What a text delta costs in each adapter, counted in calls of Python functions: figures of time depend on the machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from stead.messages import PartDeltaEvent, PartEndEvent, PartStartEvent, TextPart, TextPartDelta
from stead.ui import UIEventStream
from stead.ui.vercel_ai import VercelAIEventStream
from stead.ui.vercel_ai.request_types import SubmitMessage
from tests.counting import Calls

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason='versions of Python differ in what they count as a call'
)
MOST = {'AG-UI': 39, 'AI SDK 5': 28, 'AI SDK 6': 28}
"""Calls of Python functions for a delta, from the event of the run to the text that is sent. At the time of writing a delta took
8.5 microseconds with AG-UI, and 4.7 with the AI SDK; at most 10 are wanted."""


def ag_ui() -> UIEventStream[Any, Any, Any, Any]:
    pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
    from ag_ui.core import RunAgentInput

    from stead.ui.ag_ui import AGUIEventStream

    fields = {'state': None, 'tools': [], 'context': [], 'forwardedProps': None}
    run_input = RunAgentInput.model_validate({'threadId': 't', 'runId': 'r', 'messages': [], **fields})
    return AGUIEventStream(run_input, ag_ui_version='1.0')


def ai_sdk(version: Any) -> Callable[[], UIEventStream[Any, Any, Any, Any]]:
    return lambda: VercelAIEventStream(SubmitMessage(id='c', messages=[]), sdk_version=version)


MAKERS = {'AG-UI': ag_ui, 'AI SDK 5': ai_sdk(5), 'AI SDK 6': ai_sdk(6)}


async def events(deltas: int) -> AsyncIterator[Any]:
    yield PartStartEvent(index=0, part=TextPart(''))
    for _ in range(deltas):
        yield PartDeltaEvent(index=0, delta=TextPartDelta('word '))
    yield PartEndEvent(index=0, part=TextPart('word ' * deltas))


def calls_for(make: Callable[[], UIEventStream[Any, Any, Any, Any]], deltas: int) -> int:
    async def run() -> int:
        target = make()
        stream = target.encode_stream(target.transform_stream(events(deltas)))
        with Calls() as calls:
            assert len([text async for text in stream]) >= deltas
        return calls.all

    return asyncio.run(run())


@pytest.mark.parametrize('name', MAKERS)
def test_a_text_delta_needs_few_calls(name: str) -> None:
    make = MAKERS[name]
    calls_for(make, 1)  # what is done once
    each = (calls_for(make, 300) - calls_for(make, 100)) / 200
    assert each <= MOST[name]
