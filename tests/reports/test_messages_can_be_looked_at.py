"""Messages have a representation whatever they hold, and runs in tools are captured apart from the run around them."""

from __future__ import annotations

from typing import Any

from stead import Agent, ModelRequest, TextPart, ToolCallPart, ToolReturnPart, capture_run_messages

from ..instrumentation.kit import script


class Array:
    """Compares like the arrays of numpy, item by item."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:
        return Array()

    def __bool__(self) -> bool:
        raise ValueError('ambiguous')

    def __repr__(self) -> str:
        return 'Array()'


def test_a_part_that_holds_an_array_can_be_shown() -> None:
    part = ToolReturnPart('t', Array(), tool_call_id='1', metadata=Array())
    assert 'content=Array()' in repr(part)
    assert 'metadata=Array()' in repr(ModelRequest(parts=[part]))
    assert 'Array()' in repr(ToolCallPart('t', {'a': Array()}))


def test_a_run_in_a_tool_is_captured_apart() -> None:
    inner, captured = Agent(script([TextPart('inner')])), list[Any]()
    agent = Agent(script([ToolCallPart('ask', {})], [TextPart('outer')]))

    @agent.tool_plain
    async def ask() -> str:
        with capture_run_messages() as messages:
            result = await inner.run('inner prompt')
        captured.extend(messages)
        return result.output

    with capture_run_messages() as outer, capture_run_messages() as same:
        agent.run_sync('outer prompt')
    assert [len(outer), len(captured)] == [4, 2]
    assert outer[0].parts[0].content == 'outer prompt'  # type: ignore[union-attr]
    assert captured[0].parts[0].content == 'inner prompt'
    assert same is outer
