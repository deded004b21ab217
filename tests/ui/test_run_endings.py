"""Runs of front ends that are cancelled or time out: what was done is shown, what ran is unknown, and the client is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, CancellationToken, RunContext
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter
from stead.ui.vercel_ai.request_types import SubmitMessage, TextUIPart, UIMessage

from .ag_ui_requests import run_input


def ag_ui(agent: Agent[Any, Any]) -> Any:
    return AGUIAdapter(agent=agent, run_input=run_input())


def vercel_ai(agent: Agent[Any, Any]) -> Any:
    message = UIMessage(id='1', role='user', parts=[TextUIPart(text='go')])
    return VercelAIAdapter(agent=agent, run_input=SubmitMessage(id='x', trigger='submit-message', messages=[message]))


@pytest.mark.parametrize('adapter', [ag_ui, vercel_ai])
@pytest.mark.parametrize('ending', ['token', 'context', 'timeout'])
def test_the_client_is_told_what_was_done_and_what_was_interrupted(adapter: Callable[..., Any], ending: str) -> None:
    token = CancellationToken()
    agent = Agent('test')

    @agent.tool_plain(effect='read')
    async def quick() -> str:
        return 'quickly done'

    @agent.tool
    async def slow(ctx: RunContext[Any]) -> str:
        await asyncio.sleep(0.05)
        if ending != 'timeout':
            (token if ending == 'token' else ctx).cancel('The customer hung up.')
        await asyncio.sleep(60)
        return 'never'

    async def main() -> list[str]:
        options: Any = {'timeout': 0.2} if ending == 'timeout' else {'cancellation_token': token}
        return [str(event) for event in [event async for event in adapter(agent).run_stream(**options)]]

    events = '\n'.join(asyncio.run(main()))
    assert 'quickly done' in events and 'interrupted' in events and 'never' not in events
    assert ('timed out' if ending == 'timeout' else 'cancelled: The customer hung up.') in events
