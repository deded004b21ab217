"""Evaluators of the output alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Union, cast

from ._base import EvaluationReason, Evaluator, EvaluatorContext

_LONGEST = 100


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f'{text[:50]}...{text[-51:]}'


@dataclass(repr=False)
class Equals(Evaluator):
    """Whether the output is a value."""

    value: object
    """The value."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Return whether they are equal."""
        return ctx.output == self.value


@dataclass(repr=False)
class EqualsExpected(Evaluator):
    """Whether the output is the expected one; nothing is said of a case that has none."""

    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: EvaluatorContext) -> bool | dict[str, bool]:
        """Return whether they are equal."""
        return {} if ctx.expected_output is None else ctx.output == ctx.expected_output


@dataclass(repr=False)
class Contains(Evaluator):
    """Whether the output contains a value: a part of its text, an item, or keys with their values."""

    value: object
    """The value."""
    case_sensitive: bool = True
    """Whether capitals matter in texts."""
    as_strings: bool = False
    """Whether both are compared as texts, whatever they are."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: EvaluatorContext) -> EvaluationReason:
        """Return whether it does, and why not."""
        output, value = ctx.output, self.value
        if self.as_strings or (isinstance(output, str) and isinstance(value, str)):
            text, part = str(output), str(value)
            if not self.case_sensitive:
                text, part = text.lower(), part.lower()
            reason = f'Output string {_short(text)} does not contain expected string {_short(part)}'
            return EvaluationReason(True) if part in text else EvaluationReason(False, reason)
        if isinstance(output, dict):
            return self._in_dict(cast('dict[object, object]', output), value)
        try:
            holds = value in cast(Any, output)
        except TypeError as error:
            return EvaluationReason(False, f'Containment check failed: {error}')
        reason = f'Output {_short(output)} does not contain provided value'
        return EvaluationReason(True) if holds else EvaluationReason(False, reason)

    def _in_dict(self, output: dict[object, object], value: object) -> EvaluationReason:
        if not isinstance(value, dict):
            holds = value in output
            reason = f'Output {_short(output)} does not contain provided value as a key'
            return EvaluationReason(True) if holds else EvaluationReason(False, reason)
        for key, item in cast('dict[object, object]', value).items():
            if key not in output:
                return EvaluationReason(False, f'Output does not contain expected key {_short(key)}')
            if output[key] != item:
                different = f'{_short(output[key])} != {_short(item)}'
                return EvaluationReason(False, f'Output has different value for key {_short(key)}: {different}')
        return EvaluationReason(True)


@dataclass(repr=False)
class IsInstance(Evaluator):
    """Whether the output is of a type, or of a subclass, by name."""

    type_name: str
    """The name of the type."""
    evaluation_name: str | None = None
    """What the result is called."""

    def evaluate(self, ctx: EvaluatorContext) -> EvaluationReason:
        """Return whether it is, and what it is if not."""
        kind = cast('type[object]', type(ctx.output))
        if any(self.type_name in (one.__name__, one.__qualname__) for one in kind.__mro__):
            return EvaluationReason(True)
        return EvaluationReason(False, f'output is of type {kind.__name__}')


@dataclass(repr=False)
class MaxDuration(Evaluator):
    """Whether the task took no longer than that."""

    seconds: Union[float, timedelta]
    """The seconds."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """Return whether it did."""
        most = self.seconds.total_seconds() if isinstance(self.seconds, timedelta) else self.seconds
        return ctx.duration <= most
