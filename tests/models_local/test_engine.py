"""The engine: shared, concurrent, stopped when no one waits, and gone when it is closed. The weights are noise."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, ConcurrencyLimitExceeded
from stead.models.llamacpp import EngineError, LlamaCppModel, close_engines

from ..waiting import until
from .kit import needs_engine, respond
from .tiny import tiny_model

pytestmark = needs_engine

ENDLESS = {'max_tokens': 7000, 'extra_body': {'ignore_eos': True, 'stop': []}}


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith('stead-tiny')]


async def until_idle(model: LlamaCppModel) -> None:
    """Wait until no request is in the engine."""
    end = time.monotonic() + 60
    while model.engine._running or model.engine._waiting:
        assert time.monotonic() < end, 'the decoder goes on'
        await asyncio.sleep(0.01)


def test_models_of_the_same_file_share_an_engine(tiny: LlamaCppModel, tiny_file: Path) -> None:
    assert LlamaCppModel(str(tiny_file), threads=1).engine is tiny.engine
    assert LlamaCppModel(str(tiny_file), threads=1, context_size=512).engine is not tiny.engine
    assert not LlamaCppModel(str(tiny_file), threads=1, context_size=512).engine.started


def test_more_requests_than_slots(tiny: LlamaCppModel) -> None:
    async def many() -> list[Any]:
        return await asyncio.gather(*(respond(tiny, f'{number}', max_tokens=30) for number in range(12)))

    assert len(asyncio.run(many())) == 12
    assert len(workers()) <= 4


def test_too_many_requests_are_refused(tiny_file: Path) -> None:
    model = LlamaCppModel(str(tiny_file), threads=1, parallel_requests=1, most_waiting=2)

    async def main() -> None:
        tasks = [asyncio.create_task(respond(model, 'Go', **ENDLESS)) for _ in range(3)]
        await until(lambda: (len(model.engine._running), len(model.engine._waiting)) == (1, 2))
        with pytest.raises(ConcurrencyLimitExceeded, match="2 requests wait for 'tiny' already"):
            await respond(model, 'Go')
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await until_idle(model)

    asyncio.run(main())


def test_cancelling_stops_the_decoder(tiny: LlamaCppModel) -> None:
    async def main() -> None:
        tasks = [asyncio.create_task(Agent(tiny).run('Go', model_settings=ENDLESS)) for _ in range(6)]  # type: ignore[arg-type]
        await asyncio.sleep(0.2)
        for task in tasks:
            task.cancel()
        assert all(
            isinstance(error, asyncio.CancelledError) for error in await asyncio.gather(*tasks, return_exceptions=True)
        )
        await until_idle(tiny)
        assert (await respond(tiny, 'Go', max_tokens=5)).parts

    asyncio.run(main())


def test_a_stream_that_is_left_stops_the_decoder(tiny: LlamaCppModel) -> None:
    async def main() -> None:
        async with Agent(tiny).run_stream('Go', model_settings=ENDLESS) as result:  # type: ignore[arg-type]
            async for _ in result.stream_text(delta=True):
                break
        await until_idle(tiny)

    asyncio.run(main())


def test_a_stream_can_be_cancelled_by_another_task(tiny: LlamaCppModel) -> None:
    async def main() -> None:
        async with tiny.request_stream([], ENDLESS, *_params()) as stream:  # type: ignore[arg-type]

            async def later() -> None:
                await asyncio.sleep(0.1)
                await stream.cancel()

            task = asyncio.create_task(later())
            async for _ in stream:
                pass
            await task
            assert stream.get().state == 'interrupted'
        await until_idle(tiny)

    asyncio.run(main())


def _params() -> list[Any]:
    from stead.models import ModelRequestParameters

    return [ModelRequestParameters()]


def test_event_loops_and_threads_share_it(tiny: LlamaCppModel) -> None:
    agent = Agent(tiny, model_settings={'max_tokens': 20})
    outputs: list[str] = []
    threads = [threading.Thread(target=lambda: outputs.append(agent.run_sync('Go').output)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    outputs += [asyncio.run(agent.run('Go')).output for _ in range(2)]
    assert len(outputs) == 8
    assert all(outputs)


def test_a_loop_that_ends_leaves_nothing_running(tiny: LlamaCppModel) -> None:
    async def forget() -> None:
        task = asyncio.create_task(respond(tiny, 'Go', **ENDLESS))
        await asyncio.sleep(0.1)
        del task

    asyncio.run(forget())
    asyncio.run(until_idle(tiny))


@pytest.mark.parametrize('inside', [True, False], ids=['in the loop', 'in a thread'])
def test_closing_ends_requests_and_threads_and_the_next_use_starts_anew(tiny: LlamaCppModel, inside: bool) -> None:
    async def main() -> None:
        tasks = [asyncio.create_task(respond(tiny, 'Go', **ENDLESS)) for _ in range(6)]
        await until(lambda: len(tiny.engine._running) + len(tiny.engine._waiting) == 6)
        close_engines() if inside else await asyncio.to_thread(close_engines)
        for error in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(error, EngineError)
            assert 'was closed before it had answered' in str(error)

    asyncio.run(main())
    assert workers() == []
    assert not tiny.engine.started
    assert Agent(tiny).run_sync('Go', model_settings={'max_tokens': 5}).output


def test_engines_of_several_files_hold_their_grammars(tmp_path: Path) -> None:
    from .kit import asking, tool

    schema = {'type': 'object', 'properties': {'a b': {'type': 'string'}}, 'required': ['a b']}
    models = [LlamaCppModel(str(tiny_model(tmp_path / f'{seed}.gguf', seed=seed)), threads=1) for seed in range(3)]

    async def main() -> None:
        calls = [
            respond(
                model, f'{number}', asking(tool('one', schema)), tool_choice='required', temperature=2.0, seed=number
            )
            for number in range(15)
            for model in models
        ]
        for response in await asyncio.gather(*calls):
            assert list(response.parts[0].args_as_dict(raise_if_invalid=True)) == ['a b']  # type: ignore[union-attr]

    asyncio.run(main())


def hold_grammars(folder: Path) -> None:
    from .kit import asking, tool

    schema = {'type': 'object', 'properties': {'a b': {'type': 'string'}}, 'required': ['a b']}
    for seed in range(6):
        file = tiny_model(
            folder / f'{seed}.gguf', seed=seed, more=[f'{chr(0x4E00 + seed * 7 + n)}x' for n in range(seed * 40)]
        )
        model = LlamaCppModel(str(file), threads=1)
        response = asyncio.run(
            respond(model, 'Go', asking(tool('one', schema)), tool_choice='required', temperature=2.0)
        )
        assert list(response.parts[0].args_as_dict(raise_if_invalid=True)) == ['a b']  # type: ignore[union-attr]
        close_engines()


def test_a_file_that_follows_another_holds_its_grammars(tmp_path: Path) -> None:
    program = 'import pathlib, sys; from tests.models_local.test_engine import hold_grammars; hold_grammars(pathlib.Path(sys.argv[1]))'
    command = [sys.executable, '-c', program, str(tmp_path)]
    # The native library aborts about once in twenty times when files with different tokenizers follow each other.
    for _ in range(2):
        process = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[2])
        if process.returncode != -signal.SIGABRT:
            break
    assert process.returncode == 0, process.stderr


def run(program: str, *arguments: str) -> tuple[str, str, int]:
    process = subprocess.run(
        [sys.executable, '-c', textwrap.dedent(program), *arguments], capture_output=True, text=True, timeout=120
    )
    return process.stdout.strip(), process.stderr, process.returncode


def test_a_program_ends_quietly_with_a_request_under_way(tiny_file: Path) -> None:
    program = """
        import asyncio, sys
        from stead import Agent
        agent = Agent('local:' + sys.argv[1])
        async def main():
            asyncio.create_task(agent.run('Go', model_settings={'max_tokens': 7000, 'extra_body': {'ignore_eos': True}}))
            await asyncio.sleep(0.5)
        asyncio.run(main())
        print('done')
    """
    assert run(program, str(tiny_file)) == ('done', '', 0)


@pytest.mark.skipif(sys.platform != 'linux', reason='what happens at the end of a fork depends on the C library')
@pytest.mark.parametrize('used', [True, False])
def test_a_forked_process_says_what_it_cannot_do(tiny_file: Path, used: bool) -> None:
    program = """
        import asyncio, os, sys, warnings
        warnings.simplefilter('ignore')
        from stead import Agent
        from stead.models.llamacpp import EngineError
        agent = Agent('local:' + sys.argv[1], model_settings={'max_tokens': 5, 'temperature': 2.0, 'seed': 2})
        if sys.argv[2] == 'True':
            asyncio.run(agent.run('Go'))
        child = os.fork()
        if not child:
            try:
                asyncio.run(agent.run('Go'))
                print('child answered', flush=True)
            except EngineError as error:
                print('this process was forked' in str(error), flush=True)
            sys.exit(3)
        _, status = os.waitpid(child, 0)
        print('parent', os.waitstatus_to_exitcode(status), bool(asyncio.run(agent.run('Go')).output))
    """
    line = 'True' if used else 'child answered'
    assert run(program, str(tiny_file), str(used)) == (f'{line}\nparent 3 True', '', 0)


@pytest.mark.skipif(sys.platform != 'linux', reason='the ports of a process are read from /proc')
def test_no_port_is_opened(tiny_file: Path) -> None:
    program = """
        import os, sys
        from stead import Agent
        Agent('local:' + sys.argv[1], model_settings={'max_tokens': 5}).run_sync('Go')
        own = {os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}')
               or os.path.islink(f'/proc/self/fd/{fd}')}
        rows = [line.split() for name in ('tcp', 'tcp6') for line in open(f'/proc/self/net/{name}')]
        print([row for row in rows if row[3] == '0A' and f'socket:[{row[9]}]' in own])
    """
    assert run(program, str(tiny_file)) == ('[]', '', 0)
