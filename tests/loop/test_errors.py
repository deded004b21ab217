"""Errors that end a run: what they carry, how the caller continues from them, and how little they print."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, ModelRetry, RunContext, TextOutput, UnexpectedModelBehavior, UsageLimitExceeded, UsageLimits
from stead.exceptions import AgentRunError, ModelHTTPError, run_record
from stead.messages import ModelMessagesTypeAdapter
from stead.usage import RunUsage

from .kit import call, kinds, outline, script, text

MOST_LINES = 25
# Before Python 3.11 an error leaves `async with` with the traceback it came with, whatever was done to it.
short_tracebacks = pytest.mark.skipif(sys.version_info < (3, 11), reason='tracebacks cannot be cut before Python 3.11')


class Unwilling(Exception):
    """An error that has attributes of the same names."""

    def __init__(self) -> None:
        super().__init__('unwilling')
        self.messages = 'mine'
        self.usage = 'mine, too'


def fails_in_tool(agent: Agent[Any, Any]) -> None:
    @agent.tool_plain
    def t() -> None:
        raise ValueError('no such row')


def fails_on_retries(agent: Agent[Any, Any]) -> None:
    @agent.tool_plain(retries=0)
    def t() -> None:
        raise ModelRetry('no')


def fails_in_instructions(agent: Agent[Any, Any]) -> None:
    @agent.instructions
    def later(ctx: RunContext) -> str:
        if ctx.run_step == 2:
            raise KeyError('no instructions')
        return 'x'

    agent.tool_plain(name='t')(lambda: 'x')


def fails_in_validator(agent: Agent[Any, Any]) -> None:
    agent.tool_plain(name='t')(lambda: 'x')

    @agent.output_validator
    def check(value: str) -> str:
        raise OSError('disk full')


@pytest.mark.parametrize(
    ('prepare', 'error', 'counts', 'parts'),
    [
        (fails_in_tool, ValueError, (1, 1), ['user-prompt', 'tool-call']),
        (fails_on_retries, UnexpectedModelBehavior, (1, 1), ['user-prompt', 'tool-call']),
        (fails_in_instructions, KeyError, (1, 2), ['user-prompt', 'tool-call', 'tool-return']),
        (fails_in_validator, OSError, (2, 2), ['user-prompt', 'tool-call', 'tool-return', 'text']),
    ],
)
def test_an_error_carries_what_the_run_had(
    prepare: Callable[[Any], None], error: type[Exception], counts: tuple[int, int], parts: list[str]
):
    agent = Agent(script([call('t')], text('ok')))
    prepare(agent)
    with pytest.raises(error) as caught:
        agent.run_sync('go', conversation_id='c-1')
    failure: Any = caught.value
    assert kinds(failure.messages) == parts
    assert isinstance(failure.usage, RunUsage)
    assert (failure.usage.requests, failure.run_step) == counts
    assert failure.conversation_id == 'c-1'
    assert {message.run_id for message in failure.messages} == {failure.run_id}
    ModelMessagesTypeAdapter.dump_json(failure.messages)


def test_an_error_of_the_model_carries_the_prompt():
    with pytest.raises(ModelHTTPError) as caught:
        Agent(script(ModelHTTPError(503, 'm', {'detail': 'busy'}))).run_sync('go')
    assert outline(caught.value.messages) == [[('user-prompt', 'go')]]
    assert (caught.value.usage.requests, caught.value.run_step) == (0, 1)


def test_a_failed_request_can_be_sent_again():
    agent = Agent(script([call('t')], ModelHTTPError(503, 'm'), text('back again')))
    agent.tool_plain(name='t')(lambda: 'x')
    with pytest.raises(ModelHTTPError) as caught:
        agent.run_sync('go')
    result = agent.run_sync(message_history=caught.value.messages)
    assert result.output == 'back again'
    assert kinds(result.all_messages()) == ['user-prompt', 'tool-call', 'tool-return', 'text']


def test_a_failed_tool_is_called_again_when_the_run_is_continued():
    broken = [True]
    agent = Agent(script([call('t')], text('mended')))

    @agent.tool_plain
    def t() -> str:
        if broken[0]:
            raise ValueError('not now')
        return 'x'

    with pytest.raises(ValueError, match='not now') as caught:
        agent.run_sync('go')
    broken[0] = False
    result = agent.run_sync(message_history=caught.value.messages)  # type: ignore[attr-defined]
    assert result.output == 'mended'
    assert kinds(result.all_messages()) == ['user-prompt', 'tool-call', 'tool-return', 'text']


def test_tools_that_had_finished_are_not_called_again():
    ran: list[str] = []
    broken = [True]
    agent = Agent(script([call('good'), call('bad')], text('ok')))

    @agent.tool_plain(sequential=True)
    def good() -> str:
        ran.append('good')
        return 'G'

    @agent.tool_plain(sequential=True)
    def bad() -> str:
        ran.append('bad')
        if broken[0]:
            raise ValueError('not now')
        return 'B'

    with pytest.raises(ValueError, match='not now') as caught:
        agent.run_sync('go')
    messages = caught.value.messages  # type: ignore[attr-defined]
    assert outline(messages)[-1] == [('tool-return', 'G')]
    broken[0] = False
    assert agent.run_sync(message_history=messages).output == 'ok'
    assert ran == ['good', 'bad', 'bad']


def test_a_run_over_its_limit_can_be_continued_with_another():
    agent = Agent(script([call('t')], [call('t')], text('ok')))
    agent.tool_plain(name='t')(lambda: 'x')
    with pytest.raises(UsageLimitExceeded) as caught:
        agent.run_sync('go', usage_limits=UsageLimits(request_limit=1))
    result = agent.run_sync(message_history=caught.value.messages, usage=caught.value.usage)
    assert result.output == 'ok' and result.usage.requests == 3


def test_errors_with_attributes_of_their_own_keep_them():
    with pytest.raises(Unwilling) as caught:
        Agent(script(Unwilling())).run_sync('go')
    assert (caught.value.messages, caught.value.usage) == ('mine', 'mine, too')
    record = run_record(caught.value)
    assert record is not None and kinds(record.messages) == ['user-prompt']
    assert caught.value.run_id == record.run_id  # type: ignore[attr-defined]


def test_the_record_of_a_nested_run_is_kept():
    inner = Agent(script(ModelHTTPError(500, 'inner')))
    agent = Agent(script([call('ask')]))

    @agent.tool_plain
    def ask() -> str:
        return inner.run_sync('inside').output

    with pytest.raises(ModelHTTPError) as caught:
        agent.run_sync('outside')
    assert outline(caught.value.messages)[0] == [('user-prompt', 'outside')]
    assert caught.value.inner_run is not None
    assert outline(caught.value.inner_run.messages) == [[('user-prompt', 'inside')]]
    assert caught.value.inner_run.run_id != caught.value.run_id


def test_errors_with_a_record_can_be_pickled():
    with pytest.raises(UsageLimitExceeded) as caught:
        Agent(script(text('x'))).run_sync('go', usage_limits=UsageLimits(request_limit=0))
    copy: AgentRunError = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.run_id, list(copy.messages)) == (
        str(caught.value),
        caught.value.run_id,
        caught.value.messages,
    )


def test_a_run_stepped_by_hand_puts_its_record_on_errors_too():
    async def main() -> None:
        async with Agent(script(ModelHTTPError(500, 'm'))).iter('go') as run:
            async for _ in run:
                pass

    with pytest.raises(ModelHTTPError) as caught:
        asyncio.run(main())
    assert kinds(caught.value.messages) == ['user-prompt']


def test_an_error_of_the_caller_inside_the_block_says_what_was_paid():
    async def main() -> None:
        async with Agent(script(text('x'))).iter('go') as run:
            async for node in run:
                if Agent.is_call_tools_node(node):
                    raise ZeroDivisionError('mine')

    with pytest.raises(ZeroDivisionError) as caught:
        asyncio.run(main())
    assert caught.value.usage.requests == 1  # type: ignore[attr-defined]


# What is printed


def test_the_note_names_tool_attempt_and_remedy():
    agent = Agent(script([call('lookup', {'row': 0})], [call('lookup', {'row': 1})]), retries=4)

    @agent.tool
    def lookup(ctx: RunContext, row: int) -> None:
        if row == 0:
            raise ModelRetry('another row')
        raise ValueError('no such row')

    with pytest.raises(ValueError, match='no such row') as caught:
        agent.run_sync('go')
    (note,) = caught.value.__notes__  # type: ignore[attr-defined]
    assert "Tool 'lookup' raised ValueError on attempt 2 of 5 (run step 2)" in note
    assert '`ModelRetry`' in note and '`message_history=error.messages`' in note


def unhappy(value: str) -> int:
    raise ValueError(f'not {value}')


@pytest.mark.parametrize('output_type', [unhappy, TextOutput(unhappy)])
def test_the_note_names_the_output_function(output_type: Any):
    agent = Agent('test', output_type=output_type)
    with pytest.raises(ValueError, match='not ') as caught:
        agent.run_sync('go')
    (note,) = caught.value.__notes__  # type: ignore[attr-defined]
    assert note.startswith("Output function 'unhappy' raised ValueError (run step 1). Raise `ModelRetry`")


def test_the_note_names_the_output_validator_and_not_one_that_asks_again():
    agent = Agent(script(text('a'), text('b')), retries=1)

    @agent.output_validator
    def check(output: str) -> str:
        if output == 'a':
            raise ModelRetry('another')
        raise KeyError(output)

    with pytest.raises(KeyError) as caught:
        agent.run_sync('go')
    (note,) = caught.value.__notes__  # type: ignore[attr-defined]
    assert note.startswith("Output validator 'check' raised KeyError (run step 2).")


def printed(program: str) -> list[str]:
    """Run a program that fails, and return the lines of its traceback."""
    opening = """
        import asyncio
        from stead import Agent, ModelRetry
        from stead.messages import ModelResponse, ToolCallPart
        from stead.models.function import FunctionModel

        calls = lambda *names: FunctionModel(lambda m, i: ModelResponse([ToolCallPart(name, {}) for name in names]))
    """
    code = textwrap.dedent(opening) + textwrap.dedent(program)
    process = subprocess.run([sys.executable, '-W', 'error', '-c', code], capture_output=True, text=True, timeout=60)
    assert process.returncode == 1 and process.stdout == ''
    return process.stderr.splitlines()


PROGRAMS = {
    'async tool, run': """
        agent = Agent(calls('lookup'))
        @agent.tool_plain
        async def lookup():
            raise ValueError('no such row')
        asyncio.run(agent.run('go'))
    """,
    'async tool, iter': """
        agent = Agent(calls('lookup'))
        @agent.tool_plain
        async def lookup():
            raise ValueError('no such row')
        async def main():
            async with agent.iter('go') as run:
                async for node in run:
                    pass
        asyncio.run(main())
    """,
}


@short_tracebacks
@pytest.mark.parametrize('program', PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_failing_tool_prints_little(program: str):
    lines = printed(program)
    assert len(lines) <= MOST_LINES, '\n'.join(lines)
    assert 'ValueError: no such row' in lines
    assert any('in lookup' in line for line in lines), 'the frame of the tool is there'
    assert sum(line.startswith('Traceback') for line in lines) == 1, 'no other error is told about'


@short_tracebacks
def test_the_note_is_printed():
    assert printed(PROGRAMS['async tool, run'])[-1].startswith("Tool 'lookup' raised ValueError on attempt 1 of 2")


def test_the_whole_traceback_can_be_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('STEAD_FULL_TRACEBACK', '1')
    lines = printed(PROGRAMS['async tool, run'])
    assert len(lines) > MOST_LINES and any('execute.py' in line for line in lines)
