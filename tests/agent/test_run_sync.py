"""`run_sync` wherever it may be called: without a loop, again and again, in a running loop, in tools, in threads."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextvars import ContextVar
from typing import Any

import pytest

from stead import Agent
from stead.messages import ModelResponse, TextPart
from stead.models.function import FunctionModel

from ..loop.kit import call, script, text

word: ContextVar[str] = ContextVar('word', default='unset')


def nested(depth: int) -> Agent[Any, str]:
    """Return an agent whose sync tool runs another agent's `run_sync`, and so on."""
    agent = Agent(script([call('ask')], text(f'level {depth}')))

    @agent.tool_plain
    def ask() -> str:
        return nested(depth - 1).run_sync('go').output if depth else 'bottom'

    return agent


def with_tools() -> Agent[Any, str]:
    agent = Agent('test')

    @agent.tool_plain
    async def a() -> str:
        await asyncio.sleep(0)
        return 'a'

    @agent.tool_plain
    def b() -> str:
        return 'b'

    return agent


ANSWER = '{"a":"a","b":"b"}'


def test_again_and_again():
    agent = with_tools()
    for _ in range(20):
        assert agent.run_sync('go').output == ANSWER


def test_one_loop_serves_all_runs_of_a_thread():
    """What is bound to a loop, such as the connections of an HTTP client, stays usable from run to run."""
    loops: list[Any] = []

    async def answer(messages: Any, info: Any) -> ModelResponse:
        loops.append(asyncio.get_running_loop())
        return ModelResponse(parts=[TextPart('ok')])

    agent = Agent(FunctionModel(answer))
    for _ in range(3):
        agent.run_sync('go')
    assert len(set(map(id, loops))) == 1 and not loops[0].is_closed()


def test_before_and_after_other_loops():
    agent = with_tools()
    assert agent.run_sync('go').output == ANSWER
    assert asyncio.run(agent.run('go')).output == ANSWER
    assert agent.run_sync('go').output == ANSWER
    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(agent.run('go')).output == ANSWER
    loop.close()
    assert agent.run_sync('go').output == ANSWER


def test_the_current_loop_of_the_caller_is_left_alone():
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        with_tools().run_sync('go')
        assert asyncio.get_event_loop_policy().get_event_loop() is loop if sys.version_info < (3, 12) else True
        assert not loop.is_closed()
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_in_a_running_loop_as_in_a_notebook():
    agent = with_tools()

    async def cell() -> list[str]:
        return [agent.run_sync('go').output for _ in range(3)]

    assert asyncio.run(cell()) == [ANSWER] * 3


def test_in_a_running_loop_errors_and_context_get_through():
    agent = Agent('test')

    @agent.tool_plain
    def speak() -> str:
        if word.get() == 'bad':
            raise LookupError(word.get())
        return word.get()

    async def cell(value: str) -> str:
        word.set(value)
        return agent.run_sync('go').output

    assert asyncio.run(cell('good')) == '{"speak":"good"}'
    with pytest.raises(LookupError, match='bad') as caught:
        asyncio.run(cell('bad'))
    assert caught.value.usage.requests == 1  # type: ignore[attr-defined]


def test_in_a_running_loop_overrides_hold():
    agent = with_tools()

    async def cell() -> str:
        with agent.override(model=script(text('overridden'))):
            return agent.run_sync('go').output

    assert asyncio.run(cell()) == 'overridden'


@pytest.mark.parametrize('way', ['run_sync', 'run', 'notebook'])
def test_nested_in_sync_tools(way: str):
    agent = nested(4)

    async def main() -> str:
        return (await agent.run('go')).output if way == 'run' else agent.run_sync('go').output

    outputs: list[str] = []
    thread = threading.Thread(
        target=lambda: outputs.append(agent.run_sync('go').output if way == 'run_sync' else asyncio.run(main())),
        daemon=True,
    )
    thread.start()
    thread.join(20)
    assert outputs == ['level 4'], 'it hangs'


def test_nested_in_many_sync_tools_at_once():
    inner = with_tools()
    agent = Agent(script([call('ask', {'n': n}, f'c{n}') for n in range(60)], text('ok')))
    agent.tool_plain(name='ask')(lambda n: inner.run_sync(f'{n}').output)
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(agent.run_sync('go')), daemon=True)
    thread.start()
    thread.join(30)
    assert results, 'more nested runs than worker threads must not wait for each other'
    assert [part.content for part in results[0].all_messages()[2].parts] == [ANSWER] * 60


def test_nested_in_an_async_tool():
    inner = with_tools()
    agent = Agent(script([call('ask')], text('ok')))

    @agent.tool_plain
    async def ask() -> str:
        return inner.run_sync('go').output

    result: Any = agent.run_sync('go')
    assert result.all_messages()[2].parts[0].content == ANSWER


def test_nested_in_prompts_and_validators():
    inner = with_tools()
    agent = Agent('test')
    agent.instructions(lambda: inner.run_sync('go').output)
    agent.system_prompt(lambda: inner.run_sync('go').output)
    agent.output_validator(lambda value: value + inner.run_sync('go').output)
    assert agent.run_sync('go').output == 'success (no tool calls)' + ANSWER


def test_in_several_threads_at_once():
    agent = with_tools()
    outputs: list[str] = []
    threads = [
        threading.Thread(target=lambda: outputs.extend(agent.run_sync('go').output for _ in range(3))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert outputs == [ANSWER] * 15


def test_tasks_that_a_tool_leaves_behind_end_with_the_run():
    ended: list[str] = []
    agent = Agent(script([call('t')], text('ok')))
    tasks: list[Any] = []

    @agent.tool_plain
    async def t() -> None:
        async def forever() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append('forever')

        tasks.append(asyncio.ensure_future(forever()))
        await asyncio.sleep(0)

    agent.run_sync('go')
    assert ended == ['forever']


def test_errors_leave_the_loop_usable():
    agent = Agent(script(LookupError('no'), text('ok')))
    with pytest.raises(LookupError, match='no'):
        agent.run_sync('go')
    assert agent.run_sync('go').output == 'ok'


def run_program(program: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-W', 'error', '-c', textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=30,
        **options,
    )


def test_a_program_ends_quietly():
    process = run_program("""
        import asyncio, threading
        from stead import Agent
        agent = Agent('test')
        agent.tool_plain(name='t')(lambda: 'x')
        agent.run_sync('go')
        async def cell():
            return agent.run_sync('go')
        asyncio.run(cell())
        thread = threading.Thread(target=agent.run_sync, args=('go',))
        thread.start()
        thread.join()
        print(agent.run_sync('go').output)
    """)
    assert (process.stdout, process.stderr, process.returncode) == ('{"t":"x"}\n', '', 0)


@pytest.mark.skipif(sys.platform == 'win32', reason='signals')
def test_ctrl_c_cancels_the_run_and_goes_on():
    program = """
        import asyncio
        import signal
        from stead import Agent
        from stead.messages import ModelResponse, TextPart
        from stead.models.function import FunctionModel

        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have background jobs ignore it

        async def answer(messages, info):
            try:
                print('asked', flush=True)
                await asyncio.sleep(30)
            finally:
                print('closed', flush=True)

        agent = Agent(FunctionModel(answer))
        try:
            agent.run_sync('go')
        except KeyboardInterrupt:
            print('interrupted', flush=True)
        print(Agent('test').run_sync('go').output)
    """
    process = subprocess.Popen(
        [sys.executable, '-W', 'error', '-c', textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == 'asked\n'
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (out, err) == ('closed\ninterrupted\nsuccess (no tool calls)\n', '')
