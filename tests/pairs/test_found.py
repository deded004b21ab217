"""What the pairs have found, each alone."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead import Agent
from stead.journal import Journal, MemoryStore
from stead.messages import ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from stead.models.function import FunctionModel
from stead.ui._pages._inspector import create_inspector


def test_the_call_of_an_output_has_its_answer_and_a_run_without_a_prompt_the_last_one_of_its_history() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        answers = iter(['many', 2])
        model = FunctionModel(
            lambda messages, info: ModelResponse([ToolCallPart('final_result', {'response': next(answers)})])
        )
        history = [ModelRequest([UserPromptPart('How many?')])]
        await Agent(model, output_type=int, capabilities=[journal]).run(message_history=history)
        transport = httpx.ASGITransport(app=create_inspector(journal))
        page = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')
        (run,) = (await page.get('runs')).json()['runs']
        assert (run['prompt'], run['output']) == ('How many?', '2')
        steps = (await page.get(f'runs/{run["id"]}')).json()['steps']
        calls = [call for step in steps for call in step['calls']]
        assert [call['outcome'] for call in calls] == ['failed', 'success']
        assert all(call['at'] <= call['ended'] for call in calls)

    asyncio.run(main())
