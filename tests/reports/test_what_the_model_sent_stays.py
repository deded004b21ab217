"""What a tool does to its arguments and results, or a program to the lists it is passed, is not done to the history."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, RunContext, TextPart, ToolCallPart, ToolReturn, UserPromptPart
from stead.capabilities import Hooks
from stead.models.test import TestModel

from ..instrumentation.kit import script

ARGS = {'opts': {'a': [1]}, 'items': [1, 2]}


def asking(name: str, args: dict[str, Any], **options: Any) -> Agent[Any, Any]:
    return Agent(script([ToolCallPart(name, args)], [TextPart('done')]), **options)


def copy_of_args() -> dict[str, Any]:
    return {'opts': {'a': [1]}, 'items': [1, 2]}


@pytest.mark.parametrize('hooked', [False, True])
def test_arguments(hooked: bool) -> None:
    hooks = Hooks[Any]()

    @hooks.on.before_tool_validate
    async def change(ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any) -> Any:
        args['opts']['hook'] = True
        return args

    agent = asking('work', copy_of_args(), capabilities=[hooks] if hooked else [])

    @agent.tool_plain
    def work(opts: dict[str, Any], items: list[int]) -> str:
        opts['a'].append(99)
        opts['z'] = 1
        items.clear()
        return 'done'

    result = agent.run_sync('x')
    call = result.all_messages()[1].parts[0]
    assert isinstance(call, ToolCallPart)
    assert call.args == ARGS


def test_an_output() -> None:
    agent = Agent(script([ToolCallPart('final_result', {'response': {'a': [1]}})]), output_type=dict[str, Any])
    result = agent.run_sync('x')
    result.output['a'].append(2)
    call = result.all_messages()[1].parts[0]
    assert isinstance(call, ToolCallPart)
    assert call.args == {'response': {'a': [1]}}


def test_results() -> None:
    kept: dict[str, Any] = {'state': [1], 'pair': ([1], 2)}
    agent = asking('look', {})

    @agent.tool_plain
    def look() -> dict[str, Any]:
        return kept

    result = agent.run_sync('x')
    kept['state'].append(2)
    kept['pair'][0].append(2)
    assert result.all_messages()[2].parts[0].content == {'state': [1], 'pair': ([1], 2)}  # type: ignore[union-attr]


def test_lists_of_messages() -> None:
    history: list[Any] = []
    result = Agent(TestModel()).run_sync('x', message_history=history)
    assert history == []
    result.all_messages().clear()
    result.new_messages().append('junk')  # type: ignore[arg-type]
    assert len(result.all_messages()) == len(result.new_messages()) == 2


def test_a_prompt_that_its_program_changes_later() -> None:
    prompt = ['a', 'b']
    result = Agent(TestModel()).run_sync(prompt)
    prompt.append('c')
    part = result.all_messages()[0].parts[0]
    assert isinstance(part, UserPromptPart)
    assert part.content == ['a', 'b']


def test_metadata_that_its_program_changes_later() -> None:
    about: dict[str, Any] = {'state': [1]}
    agent = asking('look', {})

    @agent.tool_plain
    def look() -> Any:
        return ToolReturn('seen', metadata=about)

    result = agent.run_sync('x', metadata=about)
    about['state'].append(2)
    assert result.metadata == {'state': [1]}
    assert result.all_messages()[2].parts[0].metadata == {'state': [1]}  # type: ignore[union-attr]
