"""Temporal and each other feature of `tests/pairs`, in workflows on its server; what cannot be there says so."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

for package in ('temporalio', 'mcp.server.mcpserver', 'opentelemetry.sdk'):
    pytest.importorskip(package, reason=f'the package {package} is not installed')
from tests.durable.servers import TemporalServer, find_temporal

find_temporal()

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.worker import Worker

from stead.exceptions import UserError
from tests.pairs.parts import PARTS, Feature, InWorkspace, Journaled, Taped
from tests.pairs.program import Program
from tests.pairs.ways import Plain, Streaming, Synchronous, Temporal, build

REFUSED: list[Feature] = [Streaming(), Synchronous(), InWorkspace()]
FEATURES = [part for part in PARTS if not isinstance(part, (Journaled, InWorkspace, Taped))]
PROGRAMS: dict[str, Program] = {}


@workflow.defn(sandboxed=False)
class InWorkflow:
    """Holds a session with a program."""

    @workflow.run
    async def run(self, name: str) -> str:
        """Return why it cannot be held; nothing if it was."""
        try:
            if name == Synchronous.title:  # a workflow has no threads
                PROGRAMS[name].agent.run_sync('Where is order 17?')
            await (Streaming() if name == Streaming.title else Plain()).drive(PROGRAMS[name], 17)
        except (UserError, ActivityError) as error:  # of a tool: it ran in an activity
            return str(error.__cause__ or error)
        return ''


def test_each_feature_in_a_workflow(temporal: TemporalServer, tmp_path: Path) -> None:
    for feature in (*FEATURES, *REFUSED):
        folder = tmp_path / feature.title.strip('`')
        folder.mkdir()
        PROGRAMS[feature.title] = build(folder, (feature, Temporal()), name=f'shop {feature.title}', in_workflow=True)
    InWorkflow.__pydantic_ai_agents__ = [program.agent for program in PROGRAMS.values()]  # type: ignore[attr-defined]

    async def main() -> dict[str, str]:
        client = await temporal.client()
        runs: dict[str, Any] = {}
        async with Worker(client, task_queue='pairs', workflows=[InWorkflow]):
            for name in PROGRAMS:
                runs[name] = client.execute_workflow(
                    InWorkflow.run, name, id=f'pairs-{name}', task_queue='pairs', execution_timeout=timedelta(minutes=2)
                )
            answers = await asyncio.gather(*runs.values())
        for feature in FEATURES:
            for one in (feature, Plain()):
                await one.look(PROGRAMS[feature.title], 17)
        return dict(zip(runs, answers))

    answers = asyncio.run(main())
    assert {name: answer for name, answer in answers.items() if answer} == {
        feature.title: answers[feature.title] for feature in REFUSED
    }
    assert '`run_stream_events` does not work inside of Temporal' in answers['streaming']
    assert '`run_sync` does not work inside of Temporal' in answers['`run_sync`']
    assert '`ctx.workspace` is not sent to activities' in answers['workspaces']
