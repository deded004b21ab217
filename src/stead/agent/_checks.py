"""Checks of the values of arguments, with errors that say what to pass instead."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from typing_extensions import TypeGuard

from .._calls.batch import EndStrategy
from ..concurrency import AbstractConcurrencyLimiter, ConcurrencyLimit
from ..exceptions import UserError
from ..models import Model
from ..tools import DeferredToolResults
from ..usage import RunUsage, UsageLimits

_STRATEGIES: tuple[str, ...] = get_args(EndStrategy)


@dataclass(frozen=True)
class _Rule:
    """The values that an argument may have."""

    fits: Callable[[object], bool]
    """Returns whether it may have a value."""
    what: str
    """What its values are, for the error."""
    remedy: str = ''
    """What to do instead, for the error."""


def _is(*types: type) -> Callable[[object], bool]:
    return lambda value: value is None or isinstance(value, types)


def _is_or_callable(*types: type) -> Callable[[object], bool]:
    return lambda value: value is None or callable(value) or isinstance(value, types)


def _is_list(value: object) -> TypeGuard[Sequence[object] | None]:
    return value is None or (isinstance(value, Sequence) and not isinstance(value, (str, bytes)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_retries(value: object) -> bool:
    if isinstance(value, Mapping):
        counts = cast('Mapping[str, object]', value)
        return counts.keys() <= {'tools', 'output'} and all(_is_count(count) for count in counts.values())
    return value is None or _is_count(value)


def _is_prompt(value: object) -> bool:
    if isinstance(value, str):
        return True
    return _is_list(value) and all(isinstance(item, str) or hasattr(item, 'kind') for item in value or ())


def _are_texts(value: object) -> bool:
    if isinstance(value, str):
        return True
    return value is not None and _is_list(value) and all(isinstance(item, str) for item in value or ())


_LIST = 'Put it in a list.'
_RULES = {
    'user_prompt': _Rule(_is_prompt, 'text, or a sequence of texts and content such as `ImageUrl` and `BinaryContent`'),
    'model': _Rule(_is(str, Model), 'a `Model` or its name', 'Pass an instance, such as `TestModel()`.'),
    'system_prompt': _Rule(
        _are_texts,
        'text or a sequence of texts',
        'Register functions with `@agent.system_prompt`.',
    ),
    'name': _Rule(_is(str), 'text'),
    'conversation_id': _Rule(_is(str), 'text'),
    'retries': _Rule(_are_retries, "a number of 0 or more, or such numbers as `{'tools': ..., 'output': ...}`"),
    'tools': _Rule(_is_list, 'a sequence of functions and `Tool` objects', _LIST),
    'toolsets': _Rule(_is_list, 'a sequence of toolsets and functions that return one', _LIST),
    'capabilities': _Rule(_is_list, 'a sequence of capabilities and functions that return one', _LIST),
    'native_tools': _Rule(_is_list, 'a sequence of native tools', _LIST),
    'end_strategy': _Rule(lambda value: value in _STRATEGIES, f'one of {", ".join(map(repr, _STRATEGIES))}'),
    'metadata': _Rule(_is_or_callable(dict), 'a dict, or a function of the run context that returns one'),
    'model_settings': _Rule(_is_or_callable(dict), 'a dict, or a function of the run context that returns one'),
    'tool_timeout': _Rule(_is(int, float), 'a number of seconds'),
    'max_concurrency': _Rule(
        _is(int, ConcurrencyLimit, AbstractConcurrencyLimiter), 'a number, a `ConcurrencyLimit` or a limiter'
    ),
    'message_history': _Rule(  # the run checks each message, and names those that are of another type
        _is_list,
        'a sequence of `ModelRequest` and `ModelResponse` messages',
        'Pass `result.all_messages()`; read stored ones with `ModelMessagesTypeAdapter.validate_json(...)`.',
    ),
    'deferred_tool_results': _Rule(_is(DeferredToolResults), 'a `DeferredToolResults`'),
    'usage': _Rule(_is(RunUsage), 'a `RunUsage`'),
    'usage_limits': _Rule(_is(UsageLimits), 'a `UsageLimits`', 'Such as `UsageLimits(request_limit=5)`.'),
}
CHECKED = frozenset(_RULES)
"""The arguments that have a rule."""
CHECKED_WHERE_USED = frozenset(
    {
        'instructions',  # when they are split into text and functions
        'max_tool_concurrency',  # with all limits of calls
        'on_tool_error',
        'output_type',  # when its schema is built
        'spec',  # when it is read
    }
)
"""The arguments that are checked where they are used."""
ANYTHING = frozenset(
    {
        'deps',
        'deps_type',
        'description',
        'defer_model_check',
        'infer_name',
        'validation_context',
        'event_stream_handler',
        'until',
    }
)
"""The arguments that may be anything, and flags."""


def check_values(where: str, values: Mapping[str, object]) -> None:
    """Check the values of arguments by name; those without a rule are not checked.

    Args:
        where: The public function, for the error.
        values: The arguments.

    Raises:
        UserError: An argument has a value that it does not take; the message names the argument and what it takes.
    """
    for name, value in values.items():
        rule = _RULES.get(name)
        if rule is not None and not rule.fits(value):
            remedy = rule.remedy and f' {rule.remedy}'
            raise UserError(
                f'`{where}({name}=...)` must be {rule.what}, not {type(value).__name__}: {reprlib.repr(value)}.{remedy}'
            )
