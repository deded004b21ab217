"""Run contexts: copies of them, and what a run that waits keeps in memory."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle

import pytest

from stead import Agent, RunContext, RunUsage
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.tool_manager import ToolManager

MOST_NAMES_SHARED = 29
"""The number of attributes up to which CPython lets instances share the table of their names."""


def context() -> RunContext[object]:
    return RunContext(deps=1, model=TestModel(), usage=RunUsage())


def test_contexts_share_the_table_of_their_names() -> None:
    assert len(vars(context())) <= MOST_NAMES_SHARED
    assert len(vars(context().fork(retry=1))) <= MOST_NAMES_SHARED


@pytest.mark.parametrize('copied', ['fork', 'replace', 'copy'])
def test_a_copy_reports_to_the_same_reader(copied: str) -> None:
    seen: list[object] = []
    one = context()
    assert one.report_progress is None
    one.report_progress = seen.append
    other = {'fork': one.fork, 'replace': lambda: dataclasses.replace(one), 'copy': lambda: copy.copy(one)}[copied]()
    assert other.report_progress is not None
    other.report_progress('x')
    assert seen == ['x']


def test_a_fork_may_report_to_another_reader() -> None:
    seen: list[object] = []
    one = context()
    other = one.fork(report_progress=seen.append, retry=3)
    assert one.report_progress is None
    assert other.report_progress is not None
    other.report_progress('x')
    assert (seen, other.retry, one.retry) == (['x'], 3, 0)


def test_contexts_are_equal_and_stored_by_their_fields() -> None:
    one = context().fork(retry=2, model='m', tracer=None)
    assert one == one.fork() != one.fork(retry=3)
    assert pickle.loads(pickle.dumps(one)) == one


def test_a_run_that_waits_keeps_one_tool_manager() -> None:
    def managers() -> int:
        gc.collect()
        return sum(isinstance(one, ToolManager) for one in gc.get_objects())

    counts: list[int] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        counts.append(managers() - before)
        return ModelResponse(parts=[TextPart('done')])

    before = managers()
    Agent(FunctionModel(reply)).run_sync('go')
    assert counts == [1]


class SizedModel(TestModel):
    """A model that knows the size of its context window."""

    context_window = 1_000


def test_a_context_says_how_much_of_the_window_is_used() -> None:
    agent = Agent(SizedModel())
    seen: list[float | None] = []

    @agent.tool
    def look(ctx: RunContext) -> str:
        seen.append(ctx.context_window_used)
        return 'x'

    @agent.instructions
    def note(ctx: RunContext) -> str:
        seen.append(ctx.context_window_used)
        return 'Look.'

    result = agent.run_sync('q')
    first = next(one.usage for one in result.all_messages() if isinstance(one, ModelResponse))
    assert seen == [None, *[first.total_tokens / 1_000] * 2]
    assert context().context_window_used is None
