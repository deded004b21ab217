"""`capture_run_messages`: the messages of a run that succeeded, failed, or never began."""

from __future__ import annotations

import asyncio

import pytest

from stead import Agent, ModelRetry, UnexpectedModelBehavior, capture_run_messages
from stead.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

from .kit import call, calling, kinds, outline, script, text


def test_messages_of_a_failed_run_are_there():
    agent = calling(call('broken'), retries=0)

    @agent.tool_plain
    def broken() -> None:
        raise ModelRetry('never')

    with capture_run_messages() as messages:
        with pytest.raises(UnexpectedModelBehavior, match=r"'broken' exceeded max retries count of 0"):
            agent.run_sync('go')
    assert kinds(messages) == ['user-prompt', 'tool-call']


def test_history_is_part_of_it():
    history = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[TextPart('b')])]
    with capture_run_messages() as messages:
        result = Agent(script(text('d'))).run_sync('c', message_history=history)
    assert outline(messages) == [[('user-prompt', 'a')], [('text', 'b')], [('user-prompt', 'c')], [('text', 'd')]]
    assert messages == result.all_messages()
    assert len(history) == 2


def test_only_the_first_run_of_a_block_is_captured():
    with capture_run_messages() as messages:
        Agent(script(text('one'))).run_sync('1')
        Agent(script(text('two'))).run_sync('2')
    assert outline(messages) == [[('user-prompt', '1')], [('text', 'one')]]


def test_blocks_may_be_nested():
    with capture_run_messages() as outer:
        with capture_run_messages() as inner:
            Agent(script(text('one'))).run_sync('1')
        assert outer is inner
    assert kinds(outer) == ['user-prompt', 'text']


def test_a_nested_run_is_not_taken_for_the_outer_one():
    agent = calling(call('ask'), then='outer')

    @agent.tool_plain
    def ask() -> str:
        return Agent(script(text('inner'))).run_sync('nested').output

    with capture_run_messages() as messages:
        agent.run_sync('go')
    assert outline(messages)[0] == [('user-prompt', 'go')]
    assert outline(messages)[-1] == [('text', 'outer')]


def test_tasks_capture_their_own():
    async def one(name: str) -> list[str]:
        with capture_run_messages() as messages:
            await Agent(script(text(name))).run(name)
        return [str(part.content) for message in messages for part in message.parts]  # type: ignore[union-attr]

    async def main() -> list[list[str]]:
        return await asyncio.gather(one('a'), one('b'))

    assert asyncio.run(main()) == [['a', 'a'], ['b', 'b']]


def test_nothing_is_captured_when_no_run_begins():
    with capture_run_messages() as messages:
        pass
    Agent(script(text('x'))).run_sync('late')
    assert messages == []
