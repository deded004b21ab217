"""Evaluators of the runs that happened in a task: which tools were called, in which order, and what it cost.

The reference interface does not have them. They look at all runs of agents in the task, those inside of tools too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._kit.json_types import JsonObject
from ..._show.costs import cost_of
from ...messages import ModelResponse, ToolCallPart
from ._base import EvaluationReason, Evaluator, EvaluatorContext

AnyContext = EvaluatorContext


def _calls(ctx: AnyContext) -> list[ToolCallPart]:
    return [call for run in ctx.runs for call in run.tool_calls]


def _fits(call: ToolCallPart, tool: str, args: Mapping[str, Any]) -> bool:
    if call.tool_name != tool:
        return False
    try:
        sent = call.args_as_dict()
    except ValueError:  # what a model wrote
        return False
    return all(name in sent and sent[name] == value for name, value in args.items())


def _reasoned(ctx: AnyContext, holds: bool, expected: str) -> EvaluationReason:
    if holds:
        return EvaluationReason(True)
    called = ', '.join(f'{call.tool_name}({call.args_as_json_str()})' for call in _calls(ctx)[:20]) or 'no tool'
    return EvaluationReason(False, f'expected {expected}; called: {called}')


def _responses(ctx: AnyContext) -> Iterator[ModelResponse]:
    for run in ctx.runs:
        yield from (message for message in run.messages if isinstance(message, ModelResponse))


@dataclass(repr=False)
class Called(Evaluator):
    """Whether a tool was called, with at least these arguments."""

    tool: str
    """The name of the tool."""
    args: JsonObject = field(default_factory=JsonObject)
    """Arguments, by name."""
    times: int | None = None
    """How many times; `None` for at least once."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: AnyContext) -> EvaluationReason:
        """Return whether it was, and what was called if not."""
        count = sum(_fits(call, self.tool, self.args) for call in _calls(ctx))
        often = 'a call' if self.times is None else f'{self.times} calls, not {count},'
        return _reasoned(ctx, count == self.times if self.times is not None else count > 0, f'{often} of {self.tool}')


@dataclass(repr=False)
class NeverCalled(Evaluator):
    """Whether a tool was not called, or not with these arguments."""

    tool: str
    """The name of the tool."""
    args: JsonObject = field(default_factory=JsonObject)
    """Arguments, by name."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: AnyContext) -> EvaluationReason:
        """Return whether it was not."""
        holds = not any(_fits(call, self.tool, self.args) for call in _calls(ctx))
        return _reasoned(ctx, holds, f'no call of {self.tool}')


@dataclass(repr=False)
class CalledInOrder(Evaluator):
    """Whether tools were called one after the other; other calls may stand between them."""

    tools: list[str]
    """The names of the tools."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: AnyContext) -> EvaluationReason:
        """Return whether they were, and what was called if not."""
        names = iter([call.tool_name for call in _calls(ctx)])
        return _reasoned(ctx, all(tool in names for tool in self.tools), ' then '.join(self.tools))


@dataclass(repr=False)
class AskedApproval(Evaluator):
    """Whether a call of a tool waited for an approval."""

    tool: str
    """The name of the tool."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: AnyContext) -> EvaluationReason:
        """Return whether one did."""
        holds = any(self.tool in run.asked for run in ctx.runs)
        return _reasoned(ctx, holds, f'a question about {self.tool}')


@dataclass(repr=False)
class MaxTokens(Evaluator):
    """Whether all requests together used no more tokens than that."""

    tokens: int
    """The tokens."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: AnyContext) -> EvaluationReason:
        """Return whether they did, and how many they used."""
        used = sum(response.usage.total_tokens for response in _responses(ctx))
        return EvaluationReason(used <= self.tokens, f'{used} tokens')


@dataclass(repr=False)
class MaxCost(Evaluator):
    """Whether all requests together cost no more than that, by the package genai-prices."""

    dollars: float
    """The US dollars."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: AnyContext) -> EvaluationReason:
        """Return whether they did, and what they cost.

        Raises:
            ImportError: The package genai-prices is not installed.
            LookupError: It does not know the price of a response.
        """
        cost = cost_of(_responses(ctx))
        return EvaluationReason(float(cost.total) <= self.dollars, str(cost))
