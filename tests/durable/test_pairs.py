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
from temporalio.worker import Worker

from stead.caches import ResponseCache
from stead.exceptions import UserError
from tests.pairs.kept import CachedResults, Taped
from tests.pairs.parts import PARTS, Feature, InWorkspace, Journaled
from tests.pairs.program import Program
from tests.pairs.ways import Plain, Streaming, Synchronous, Temporal, build

REFUSED: list[Feature] = [Streaming(), Synchronous(), Taped()]
FEATURES = [*(part for part in PARTS if not isinstance(part, (Journaled, InWorkspace))), CachedResults()]
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
        except UserError as error:
            return str(error)
        return ''


@workflow.defn(sandboxed=False)
class Asked:
    """Asks the agent of a program."""

    @workflow.run
    async def run(self, name: str) -> str:
        """Return what it answers."""
        return (await PROGRAMS[name].agent.run('Where is order 17?')).output


def start(client: Any, name: str) -> Any:
    return client.execute_workflow(
        InWorkflow.run, name, id=f'pairs-{name}', task_queue='pairs', execution_timeout=timedelta(minutes=2)
    )


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
                if name != Taped.title:
                    runs[name] = start(client, name)
            answers = await asyncio.gather(*runs.values())
            with PROGRAMS[Taped.title].recording():  # for all agents of the process
                runs[Taped.title] = None
                answers.append(await start(client, Taped.title))
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
    assert 'a cassette is open, and would record nothing' in answers['cassettes']
    assert 'outside of `with cassette(...)`' in answers['cassettes']
    assert not PROGRAMS['cassettes'].lines()


def test_activities_answer_from_the_cache_of_the_model(temporal: TemporalServer, tmp_path: Path) -> None:
    program = build(tmp_path, [Temporal()], name='shop cached', in_workflow=True, wrap_model=ResponseCache[Any]().model)
    PROGRAMS['cached'] = program
    Asked.__pydantic_ai_agents__ = [program.agent]  # type: ignore[attr-defined]

    async def main() -> list[str]:
        client = await temporal.client()
        async with Worker(client, task_queue='cached', workflows=[Asked]):
            return [
                await client.execute_workflow(Asked.run, 'cached', id=f'cached-{number}', task_queue='cached')
                for number in (1, 2)
            ]

    assert asyncio.run(main()) == ['Order 17 was a lamp.'] * 2
    assert len(program.noted('request', 17)) == 2, 'a call and an answer, of the first workflow'
    assert program.ran('look_up', 17) == 2
