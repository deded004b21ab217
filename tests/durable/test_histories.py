"""Histories of workflows that this and earlier versions recorded are replayed: what a run does next is what it did then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip('temporalio')
pytest.importorskip('mcp')

from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.workflow import NondeterminismError

from stead.durable_exec.temporal import PydanticAIPlugin
from tests.durable.record_histories import FOLDER, WORKFLOWS

RECORDED = sorted(FOLDER.glob('*/*.json'))


def replay(text: str) -> None:
    async def main() -> None:
        replayer = Replayer(workflows=WORKFLOWS, plugins=[PydanticAIPlugin()])
        await replayer.replay_workflow(WorkflowHistory.from_json('replayed', text))

    asyncio.run(main())


@pytest.mark.parametrize('path', RECORDED, ids=[f'{path.parent.name}-{path.stem}' for path in RECORDED])
def test_a_recorded_history_is_replayed(path: Path) -> None:
    replay(path.read_text(encoding='utf-8'))


def test_a_run_that_did_something_else_is_noticed() -> None:
    text = next(path for path in RECORDED if path.stem == 'small').read_text(encoding='utf-8')
    with pytest.raises(NondeterminismError):
        replay(text.replace('agent__small__model_request', 'agent__small__count_tokens'))
    assert len(RECORDED) > 10
