"""Ctrl+C and SIGTERM: runs of sync code are cancelled, the process continues or ends, and nothing is left behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from stead.journal import Journal

from .interruptions import MAY_HAVE_RUN

signals = pytest.mark.skipif(sys.platform == 'win32', reason='signals')


def run_program(program: str) -> str:
    """Run a program whose runs are interrupted, and return what it prints; it has to end by itself."""
    start = """
        import asyncio, signal, sys, threading, time
        from stead import Agent, Tool, capture_run_messages
        from tests.loop.kit import call, calling, script, text
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def interrupt(number=signal.SIGINT):
            signal.raise_signal(number)
    """
    process = subprocess.run(
        [sys.executable, '-W', 'error', '-c', textwrap.dedent(start) + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert (process.returncode, process.stderr) == (0, '')
    return process.stdout


TOOLS = """
    async def quick() -> str:
        return 'quick'

    async def stop() -> str:
        interrupt(NUMBER)
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0)
            print('cleaned up')

    def outcome(run):
        with capture_run_messages() as messages:
            try:
                run()
            except BaseException as error:
                print(type(error).__name__, [part.content for part in messages[-1].parts])
                assert error.messages == messages
        print(Agent('test').run_sync('again').output)
"""
UNKNOWN = f"['quick', {MAY_HAVE_RUN!r}]"


@signals
def test_ctrl_c_cancels_the_run_and_is_raised_when_it_is_done() -> None:
    program = """
        NUMBER = signal.SIGINT
        outcome(lambda: calling(call('quick'), call('stop'), tools=[quick, stop]).run_sync('go'))
    """
    printed = run_program(textwrap.dedent(TOOLS) + textwrap.dedent(program))
    assert printed == f'cleaned up\nKeyboardInterrupt {UNKNOWN}\nsuccess (no tool calls)\n'


@signals
def test_sigterm_does_what_the_program_says_when_the_run_is_done() -> None:
    program = """
        NUMBER = signal.SIGTERM
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
        outcome(lambda: calling(call('quick'), call('stop'), tools=[quick, stop]).run_sync('go'))
    """
    printed = run_program(textwrap.dedent(TOOLS) + textwrap.dedent(program))
    assert printed == f'cleaned up\nSystemExit {UNKNOWN}\nsuccess (no tool calls)\n'


@signals
def test_ctrl_c_reaches_a_run_in_another_thread_of_a_notebook() -> None:
    program = """
        NUMBER = signal.SIGINT
        async def cell():
            def stopped():  # the handler of a notebook raises, that of `asyncio.run` does not
                signal.signal(signal.SIGINT, signal.default_int_handler)
                main = threading.main_thread().ident
                agent = calling(call('quick'), call('stop'), tools=[quick, stop])
                agent.run_sync('go')
            outcome(stopped)
        interrupt_main = interrupt
        def interrupt(number):
            signal.pthread_kill(threading.main_thread().ident, number)
        asyncio.run(cell())
    """
    printed = run_program(textwrap.dedent(TOOLS) + textwrap.dedent(program))
    assert printed == f'cleaned up\nKeyboardInterrupt {UNKNOWN}\nsuccess (no tool calls)\n'


@signals
def test_a_second_ctrl_c_is_raised_at_once_and_the_process_ends() -> None:
    printed = run_program("""
        async def stubborn() -> None:
            interrupt()
            while True:
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError:
                    interrupt()

        def idle() -> str:
            return 'its thread now waits for more work'

        import logging
        logging.disable()  # a task that was left is reported
        try:
            calling(call('idle'), call('stubborn'), tools=[Tool(idle, sequential=True), stubborn]).run_sync('go')
        except KeyboardInterrupt:
            print('at once')
        print(Agent('test').run_sync('again').output)
    """)
    assert printed == 'at once\nsuccess (no tool calls)\n'


SECOND_SIGNAL = """
    import logging
    logging.disable()  # tasks that were left are reported
    held = []

    def profile(frame, event, arg):
        code = frame.f_code
        place = (code.co_filename.rpartition('/')[2], code.co_qualname if hasattr(code, 'co_qualname') else code.co_name)
        if event == EVENT and place[0] == FILE and place[1].endswith(FUNCTION) and threading.current_thread() is threading.main_thread():
            sys.setprofile(None)
            handler = signal.getsignal(signal.SIGINT)
            handler(signal.SIGINT, frame)  # as the interpreter calls it for a signal that arrives here
            held.append('held back')

    async def stubborn() -> str:
        interrupt()
        for _ in range(3):
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                sys.setprofile(profile)
        await asyncio.to_thread(int)
        return 'x'

    def idle() -> str:
        return 'its thread now waits for more work'

    def streamed():
        with agent.run_stream_sync('go') as result:
            result.get_output()

    agent = Agent('test', tools=[Tool(idle, sequential=True), stubborn])
    for way in (lambda: agent.run_sync('go'), streamed):
        held.clear()
        try:
            way()
        except KeyboardInterrupt:
            print('interrupted', *held)
    print(Agent('test', tools=[idle]).run_sync('again').output)
"""


@signals
@pytest.mark.parametrize(
    ('file', 'function', 'event'),
    [('threading.py', '__enter__', 'return'), ('base_events.py', '_run_once', 'call'), ('events.py', '_run', 'return')],
    ids=['lock', 'round', 'callback'],
)
def test_a_second_ctrl_c_in_the_middle_of_the_event_loop_leaves_no_lock_and_no_thread(
    file: str, function: str, event: str
) -> None:
    place = f'FILE, FUNCTION, EVENT = {file!r}, {function!r}, {event!r}\n'
    printed = run_program(place + textwrap.dedent(SECOND_SIGNAL))
    assert printed == 'interrupted held back\n' * 2 + '{"idle":"its thread now waits for more work"}\n'


@signals
def test_a_handler_that_raises_nothing_changes_nothing() -> None:
    printed = run_program("""
        signal.signal(signal.SIGINT, lambda *_: print('asked to stop'))

        async def ask() -> str:
            interrupt()
            await asyncio.sleep(0.01)
            return 'x'

        mine = signal.getsignal(signal.SIGINT)
        print(calling(call('ask'), tools=[ask]).run_sync('go').output)
        print(signal.getsignal(signal.SIGINT) is mine)
    """)
    assert printed == 'asked to stop\ndone\nTrue\n'


@signals
def test_a_handler_that_a_tool_sets_stays() -> None:
    printed = run_program("""
        def handler(*_): ...

        async def ask() -> None:
            signal.signal(signal.SIGINT, handler)

        calling(call('ask'), tools=[ask]).run_sync('go')
        print(signal.getsignal(signal.SIGINT) is handler)
    """)
    assert printed == 'True\n'


@signals
@pytest.mark.parametrize('error', ['KeyboardInterrupt', 'SystemExit'])
def test_tools_that_end_the_program_leave_no_thread_and_no_lease(error: str, tmp_path: Path) -> None:
    program = f"""
        from stead.capabilities import Journal
        journal = Journal({str(tmp_path / 'runs.db')!r})

        def first() -> None:
            raise {error}

        async def second() -> None:
            raise {error}

        def streamed(agent):
            with agent.run_stream_sync('go') as result:
                result.get_output()

        def end(way, names):
            calls = [call(name, call_id=f'id_{{place}}') for place, name in enumerate(names)]
            try:
                way(calling(*calls, tools=[first, second], capabilities=[journal]))
            except {error}:
                print('ended')

        for names in (['first'], ['first', 'first'], ['second'], ['first', 'second', 'second', 'first']):
            for way in (lambda agent: agent.run_sync('go'), streamed):
                thread = threading.Thread(target=end, args=[way, names])  # each has a loop of its own
                thread.start()
                thread.join()
    """
    assert run_program(program) == 'ended\n' * 8
    runs = asyncio.run(Journal(tmp_path / 'runs.db').runs())
    assert [(run.status, run.holder) for run in runs] == [('running', None)] * 8


@signals
def test_how_a_run_was_left_is_written_before_the_process_ends(tmp_path: Path) -> None:
    printed = run_program(f"""
        import atexit
        from stead.journal import Journal, SqliteStore

        class Slow(SqliteStore):
            def release(self, run_id, token):
                assert ending.wait(30)
                time.sleep(0.1)  # meanwhile the process could be gone
                super().release(run_id, token)
                print('given back')

        async def ask() -> None:
            interrupt()
            await asyncio.sleep(30)

        ending = threading.Event()
        try:
            calling(call('ask'), tools=[ask], capabilities=[Journal(Slow({str(tmp_path / 'runs.db')!r}))]).run_sync('go')
        except KeyboardInterrupt:
            atexit.register(ending.set)
    """)
    assert printed == 'given back\n'
