"""Checks of arguments, their names and their values, with errors that say what to pass instead."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Any, cast, get_args

from typing_extensions import TypeGuard

from .. import capabilities as all_capabilities
from .._contracts.call_policy import AgentRetries, EndStrategy
from .._kit import deprecated
from .._kit.deprecated import warn_caller
from .._kit.meant import close_names, names_meant
from .._kit.records import is_count
from ..concurrency import AbstractConcurrencyLimiter, CancellationToken, ConcurrencyLimit
from ..exceptions import UserError
from ..models import Model
from ..native_tools import AbstractNativeTool
from ..settings import ModelSettings
from ..tools import DeferredToolResults
from ..usage import RunUsage, UsageLimits
from ._options import RUN_OPTIONS

_SETTINGS = frozenset(ModelSettings.__annotations__)
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


def _are_native_tools(value: object) -> bool:
    return _is_list(value) and all(isinstance(tool, AbstractNativeTool) or callable(tool) for tool in value or ())


def _are_old_items(value: object) -> bool:
    return value is None or value is False or (isinstance(value, Iterable) and not isinstance(value, (str, bytes)))


def _are_old_tools(value: object) -> bool:
    return _are_old_items(value) and (not _is_list(value) or _are_native_tools(value))


def _is_old_function(value: object) -> bool:
    return value is None or value is False or callable(value)


def _are_retries(value: object) -> bool:
    if isinstance(value, Mapping):
        counts = cast('Mapping[str, object]', value)
        return counts.keys() <= {'tools', 'output'} and all(is_count(count) for count in counts.values())
    return value is None or is_count(value)


def _is_prompt(value: object) -> bool:
    if isinstance(value, str):
        return True
    return _is_list(value) and all(isinstance(item, str) or hasattr(item, 'kind') for item in value or ())


def _are_texts(value: object) -> bool:
    if isinstance(value, str):
        return True
    return value is not None and _is_list(value) and all(isinstance(item, str) for item in value or ())


def _is_conversation(value: object) -> bool:
    if value is None:
        return True
    from ..conversation import Conversation

    return isinstance(value, Conversation)


def _is_budget(value: object) -> bool:
    if value is None:
        return True
    from ..budgets import Budget

    return isinstance(value, Budget)


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
    'conversation': _Rule(
        _is_conversation, 'a `Conversation`, such as `result.conversation`', 'Pass the id of one as `conversation_id`.'
    ),
    'run_id': _Rule(lambda value: value is None or (isinstance(value, str) and value != ''), 'text that is not empty'),
    'timeout': _Rule(_is(int, float), 'a number of seconds'),
    'cancellation_token': _Rule(_is(CancellationToken), 'a `CancellationToken`'),
    'retries': _Rule(_are_retries, "a number of 0 or more, or such numbers as `{'tools': ..., 'output': ...}`"),
    'tools': _Rule(
        lambda value: value is not None and _is_list(value), 'a sequence of functions and `Tool` objects', _LIST
    ),
    'toolsets': _Rule(_is_list, 'a sequence of toolsets and functions that return one', _LIST),
    'capabilities': _Rule(_is_list, 'a sequence of capabilities and functions that return one', _LIST),
    'native_tools': _Rule(_are_native_tools, 'a sequence of native tools and functions that return one', _LIST),
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
    'event_stream_handler': _Rule(_is_or_callable(), 'a function of the run context and the events'),
    'deferred_tool_results': _Rule(_is(DeferredToolResults), 'a `DeferredToolResults`'),
    'usage': _Rule(_is(RunUsage), 'a `RunUsage`'),
    'budget': _Rule(_is_budget, 'a `Budget`', 'Such as `Budget(usd=1)`.'),
    'usage_limits': _Rule(_is(UsageLimits), 'a `UsageLimits`', 'Such as `UsageLimits(request_limit=5)`.'),
}
_OLD_RULES = {
    'history_processors': _Rule(_are_old_items, 'a sequence of functions of the messages', _LIST),
    'builtin_tools': _Rule(_are_old_tools, 'a sequence of native tools', _LIST),
    'mcp_servers': _Rule(_are_old_items, 'a sequence of toolsets', _LIST),
    'prepare_tools': _Rule(_is_old_function, 'a function of the run context and the tool definitions'),
    'prepare_output_tools': _Rule(_is_old_function, 'a function of the run context and the tool definitions'),
    'event_stream_handler': _Rule(_is_old_function, 'a function of the run context and the events'),
}
_ALWAYS_THERE = ('model', 'tools', 'toolsets', 'capabilities', 'native_tools')
CHECKED = frozenset(_RULES)
"""The arguments that have a rule."""


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
            if name == 'user_prompt':
                raise _wrong_prompt(where, value, rule)
            raise _wrong(where, name, value, rule, rule.remedy)
        if name == 'model_settings' and isinstance(value, dict):
            _warn_of_settings(where, cast('dict[str, object]', value))


def check_old_values(values: Mapping[str, object], where: str = 'Agent') -> None:
    """Check the values of old arguments.

    Args:
        values: The arguments.
        where: The public function, for the error.

    Raises:
        UserError: An argument has a value that it does not take.
    """
    for name, value in values.items():
        rule = _OLD_RULES.get(name)
        if rule is not None and not rule.fits(value):
            raise _wrong(where, name, value, rule, rule.remedy)


def check_replacements(values: Mapping[str, object]) -> None:
    """Check the values of `Agent.override`: as `check_values` does, and that what an agent always has is not `None`.

    Raises:
        UserError: An option has a value that it does not take.
    """
    for name in _ALWAYS_THERE:
        if name in values and values[name] is None:
            raise _wrong('agent.override', name, None, _RULES[name], 'Leave it out to keep that of the agent.')
    check_values('agent.override', values)


def _warn_of_settings(where: str, settings: dict[str, object]) -> None:
    """Warn of a setting that is nearly one of the shared ones; others may be those of a provider, or of the caller's model."""
    for name in settings.keys() - _SETTINGS:
        if meant := _setting_meant(name):
            warn_caller(
                f'`{where}(model_settings=...)` has {name!r}, which no model knows. Did you mean {meant!r}?',
                UserWarning,
            )


@lru_cache(
    1000
)  # comparing takes longer than all other checks of a run, and each run of a program has the same settings
def _setting_meant(name: object) -> str | None:
    """Return the shared setting that a name is nearly the same as."""
    return next(iter(close_names(name, _SETTINGS, cutoff=0.85)), None) if isinstance(name, str) else None


def _wrong_prompt(where: str, value: object, rule: _Rule) -> UserError:
    """Return the error for a prompt, which names the item that is wrong, if it is one of a sequence."""
    if not _is_list(value) or value is None:
        item, place = value, ''
    else:
        index = next(index for index, item in enumerate(value) if not _is_prompt([item]))
        item, place = value[index], f' (item {index})'
    if isinstance(item, (bytes, bytearray)):
        remedy = "Pass `BinaryContent(data, media_type='image/png')`, with the type of the data."
    elif isinstance(item, PurePath):
        remedy = 'Pass `BinaryContent.from_path(path)` for the file, or `str(path)` for the text of its name.'
    else:
        remedy = rule.remedy
    return _wrong(where, 'user_prompt', item, rule, remedy, place)


def _wrong(where: str, name: str, value: object, rule: _Rule, remedy: str, place: str = '') -> UserError:
    if value is None:
        found = 'None'
    elif isinstance(value, type):
        found = f'the class {value.__name__}'
    else:
        found = f'{type(value).__name__}: {reprlib.repr(value)}'
    return UserError(f'`{where}({name}=...)` must be {rule.what}, not {found}{place}.{remedy and f" {remedy}"}')


RUN = 'A run'
"""What can set retries of tools, too."""


def output_retries(retries: int | AgentRetries | None, *, where: str) -> int | None:
    """Return the output retries that a run or an override asks for; `None` for those of the agent.

    Raises:
        UserError: `retries` sets tool retries, which tools take when the agent is built.
    """
    if retries is None or isinstance(retries, int):
        return retries
    if 'tools' in retries and where != RUN:
        raise UserError(
            f'{where} cannot set tool retries, because tools take theirs when the agent is built: use '
            "`Agent(retries={'tools': ...})`. Here, set `retries={'output': ...}` or a plain number for output retries."
        )
    return retries.get('output')


# Names


UnknownArgument: type[Exception] = UserError
"""What an argument that does not exist is; 2.x lets Python answer, with a `TypeError`."""


def check_names(complaint: str, names: Iterable[str], known: Collection[str]) -> None:
    """Check that keyword arguments exist.

    Args:
        complaint: The beginning of the message, before the name of the argument.
        names: The names of the arguments that were passed.
        known: The names that exist.

    Raises:
        UserError: A name does not exist; the message lists those that do, and the ones that may have been meant. It is a
            `TypeError` at level 2.
    """
    if unknown := sorted(set(names).difference(known)):
        written = _as_written(unknown[0], known)
        raise UnknownArgument(f'{complaint} {unknown[0]!r}.{names_meant(unknown[0], known, 3, written, _OLD_NAMES)}')


_OLD_NAMES = {
    'result_type': 'output_type',
    'response_type': 'output_type',
    'result_retries': 'retries',
    'result_tool_name': 'output_type',
    'result_tool_description': 'output_type',
    'response_format': 'output_type',
    'result_validators': 'capabilities',
    'guardrails': 'capabilities',
    'output_guardrails': 'capabilities',
    'input_guardrails': 'capabilities',
    'middleware': 'capabilities',
    'handoffs': 'tools',
    'context': 'deps',
    'session': 'message_history',
    'llm': 'model',
    'mcp_servers': 'toolsets',
    'functions': 'tools',
    'dependencies': 'deps',
    'messages': 'message_history',
    'history': 'message_history',
    'prompt': 'user_prompt',
    'max_turns': 'usage_limits',
}
"""What older tutorials, and other libraries, call arguments; far from the names that they have here."""


def _as_written(name: str, known: Collection[str]) -> str:
    """Return how something is written that belongs into the value of another argument; an empty text for other names."""
    if name in ModelSettings.__annotations__ and 'model_settings' in known:
        return f'model_settings={{{name!r}: ...}}'
    if name in UsageLimits.__dataclass_fields__ and 'usage_limits' in known:
        return f'usage_limits=UsageLimits({name}=...)'
    if name in ('api_key', 'base_url') and 'model' in known:
        return f'model=OpenAIChatModel(..., provider=OpenAIProvider({name}=...))'
    return ''


def check_options(options: dict[str, Any], *, reads_events: bool = False) -> None:
    """Translate old options of runs, in place.

    Args:
        options: The options.
        reads_events: Whether the caller reads the events.

    Raises:
        UserError: There is no such option; or there is an `event_stream_handler`, which would get no events.
    """
    if reads_events and 'event_stream_handler' in options:
        raise UserError(
            '`run_stream_events` takes no `event_stream_handler`, because its caller reads the events. '
            'Handle them where you read them, or pass the handler to `run`.'
        )
    old_names_work = deprecated.OLD_NAMES_WORK
    if 'output_retries' in options and old_names_work:
        warn_caller("`output_retries` is an old name; use `retries={'output': ...}`.")
        retries = options.pop('output_retries')
        options.setdefault('retries', None if retries is None else {'output': retries})
    if 'builtin_tools' in options and old_names_work:
        warn_caller('`builtin_tools` is an old name; use `capabilities=[NativeTool(...)]`.')
        check_old_values({'builtin_tools': options['builtin_tools']}, 'agent.run')
        tools = [all_capabilities.NativeTool(tool) for tool in options.pop('builtin_tools') or ()]
        if tools:
            options['capabilities'] = [*(options.get('capabilities') or ()), *tools]
    if not options.keys() <= RUN_OPTIONS:
        check_names('Runs have no option', options, RUN_OPTIONS | {'user_prompt', 'output_type'})


def with_conversation(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a run with what its conversation holds.

    Raises:
        UserError: Something that the conversation holds was passed beside it.
    """
    beside = ('message_history', 'conversation_id', 'usage')
    if twice := [name for name in beside if options.get(name) is not None]:
        raise UserError(
            f'`conversation` holds the `{twice[0]}` already. Leave that out; or pass `message_history`, `conversation_id` and '
            '`usage` in place of `conversation`.'
        )
    one = options['conversation']
    held = {'message_history': one.messages, 'conversation_id': one.conversation_id, 'usage': RunUsage() + one.usage}
    return {**options, **held}


def nothing_to_send(has_results: bool) -> UserError:
    """Return the error of a run that has neither a prompt nor anything else for the model.

    Args:
        has_results: Whether results of calls were passed.
    """
    if has_results:
        return UserError(
            'Tool call results were given without the calls that they belong to. Pass the messages of the run '
            'that returned the `DeferredToolRequests` as `message_history`.'
        )
    return UserError(
        'There is nothing to send to the model: pass a user prompt or a message history, '
        'or give the agent instructions or a system prompt.'
    )
