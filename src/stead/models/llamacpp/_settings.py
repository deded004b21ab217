"""Settings of local models."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

from ...exceptions import UserError
from ...settings import ModelSettings


class LlamaCppModelSettings(ModelSettings, total=False):
    """Settings of requests to local models.

    Bounds hold where a schema has none of its own: a decoder that may continue forever sometimes does.
    """

    llamacpp_max_string: int
    """The most characters of a string in arguments and outputs; 512 by default. Plain answers may have four times as many."""
    llamacpp_max_items: int
    """The most items of an array or keys of a mapping; 8 by default, and fewer for arrays inside of arrays."""
    llamacpp_max_calls: int
    """The most calls in a response when the setting `parallel_tool_calls` is true; 4 by default."""
    llamacpp_repeat_penalty: float
    """How much less likely recent tokens become; 1, the default, has no effect."""
    llamacpp_stop_loops: bool
    """Whether a text ends where a passage has come at least four times in a row, over 200 characters or more; true by default.
    Then `provider_details['finish_reason']` is `'repetition'`."""
    llamacpp_cache_prompt: bool
    """Whether the decoder caches prompts; true by default."""


def _whole(least: int, most: float = math.inf) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _number(least: float, most: float = math.inf) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and least <= value <= most
    )


def _texts(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) and item for item in cast('list[Any]', value))


def _timeout(value: Any) -> bool:
    return hasattr(value, 'read') or (_number(0)(value) and value > 0)


_ALLOWED: dict[str, tuple[Callable[[object], bool], str]] = {
    'max_tokens': (_whole(1), 'a whole number from 1 on'),
    'temperature': (_number(0), 'a number from 0 on'),
    'top_p': (_number(0, 1), 'a number from 0 to 1'),
    'top_k': (_whole(0), 'a whole number from 0 on'),
    'seed': (_whole(0, 2**32 - 1), 'a whole number from 0 to 4294967295'),
    'presence_penalty': (_number(-math.inf), 'a number'),
    'frequency_penalty': (_number(-math.inf), 'a number'),
    'logit_bias': (lambda value: isinstance(value, dict), 'a mapping'),
    'stop_sequences': (_texts, 'a list of texts that are not empty'),
    'timeout': (_timeout, 'a number of seconds over 0, or a timeout of httpx'),
    'extra_body': (lambda value: isinstance(value, dict), 'a mapping'),
    'llamacpp_max_string': (_whole(1), 'a whole number from 1 on'),
    'llamacpp_max_items': (_whole(1), 'a whole number from 1 on'),
    'llamacpp_max_calls': (_whole(1), 'a whole number from 1 on'),
    'llamacpp_repeat_penalty': (_number(0), 'a number from 0 on'),
    'llamacpp_stop_loops': (lambda value: isinstance(value, bool), 'true or false'),
    'llamacpp_cache_prompt': (lambda value: isinstance(value, bool), 'true or false'),
}


def checked(settings: ModelSettings | None, model_name: str) -> LlamaCppModelSettings:
    """Return the settings without those that are `None`.

    Raises:
        UserError: A value is not allowed. The engine itself would misread it, or report it obscurely.
    """
    kept = {name: value for name, value in (settings or {}).items() if value is not None}
    for name, value in kept.items():
        check, wanted = _ALLOWED.get(name, (None, ''))
        if check is not None and not check(value):
            raise UserError(f'The setting `{name}` of the local model {model_name!r} must be {wanted}, not {value!r}.')
    return cast(LlamaCppModelSettings, kept)


__all__ = ('LlamaCppModelSettings',)
