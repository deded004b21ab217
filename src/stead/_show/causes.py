"""Why something failed, in a line of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from .._kit.first_errors import first_errors
from .._kit.short import one_line, short
from ..exceptions import ModelRetry, ToolRetryError

_MOST = 3
"""Errors of a validation that are named."""


def cause_in_words(error: BaseException) -> str:
    """Return why something failed, in a line: the first errors of a validation, or the message of an error."""
    if isinstance(error, ToolRetryError):
        content: str | Sequence[Mapping[str, Any]] = error.tool_retry.content
        return short(one_line(content)) if isinstance(content, str) else problems_in_words(content, len(content))
    if isinstance(error, ValidationError):
        return problems_in_words(first_errors(error, _MOST), error.error_count())
    if isinstance(error, ModelRetry):
        return short(one_line(error.message))
    return short(one_line(f'{type(error).__name__}: {error}'))


def problems_in_words(problems: Sequence[Mapping[str, Any]], count: int) -> str:
    """Return errors of a validation in words: where the first ones are and what is wrong there, and how many there are more.

    Args:
        problems: The errors, or the first ones of them.
        count: How many there are.
    """
    words = '; '.join(_in_words(problem) for problem in problems[:_MOST])
    return short(one_line(words)) + (f'; and {count - _MOST} more' if count > _MOST else '')


def _in_words(problem: Mapping[str, Any]) -> str:
    place = '.'.join(map(str, problem.get('loc', ())))
    return f'{place}: {problem.get("msg")}' if place else str(problem.get('msg'))
