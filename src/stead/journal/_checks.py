"""Checks of the arguments of journals, before anything is done with them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from .._kit.meant import unknown_name
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import ModelMessage, ModelRequest, ModelResponse
from ..tools import DeferredToolResults
from ._store import Record, RunFilter, RunInfo

_OF_THE_RUN = ('user_prompt', 'message_history', 'conversation', 'deferred_tool_results', 'conversation_id')
_results: TypeAdapter[DeferredToolResults] = TypeAdapter(DeferredToolResults)


def check_number(
    value: object, what: str, *, least: float = 0, above: bool = False, whole: bool = False, unit: str = ''
) -> None:
    """Raise `UserError` if a value is not a finite number from a lowest one on.

    Args:
        value: The value.
        what: What it is, for the message.
        least: The lowest number.
        above: Whether it has to be more than that.
        whole: Whether it has to be an integer.
        unit: What it counts.
    """
    right = int if whole else (int, float)
    try:
        valid = isinstance(value, right) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer that no float can hold
        valid = False
    if not valid or not (cast(float, value) > least if above else cast(float, value) >= least):
        kind = f'a number{f" of {unit}" if unit else ""}'
        lowest = f'more than {least}' if above else f'{least} or more'
        raise UserError(f'{what} must be {kind}, {lowest}, not {short_repr(value)}.')


def check_name(name: object, known: Sequence[str], what: str) -> None:
    """Raise `UserError` if something is not one of a few names."""
    if not isinstance(name, str) or name not in known:
        text = unknown_name(name, known, what) if isinstance(name, str) else f'a {what} is text, not {name!r}.'
        raise UserError(text[0].upper() + text[1:])


def check_key(key: object) -> None:
    """Raise `UserError` if a run cannot be found by a key again."""
    if not isinstance(key, str) or not key:
        raise UserError(
            f'The `key` of a run must be text that says what the run is for, such as "order-17", not {key!r}.'
        )
    check_text(key, 'The `key` of a run')


def check_run_id(run_id: object) -> None:
    """Raise `UserError` if something cannot be the id of a run."""
    check_text(run_id, 'The id of a run')


def check_text(value: object, what: str) -> None:
    """Raise `UserError` if something is not text that a store can keep and find again.

    Args:
        value: The value.
        what: What it is, for the message.
    """
    if not isinstance(value, str):
        raise UserError(f'{what} must be text, not {short_repr(value)}.')
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UserError(f'{what} must be text that can be stored, not {short_repr(value)}.') from error
    if '\0' in value:  # which PostgreSQL does not store
        raise UserError(f'{what} must be text that can be stored, without a null character, not {short_repr(value)}.')


def check_agent(agent: object) -> None:
    """Raise `UserError` if something is not an agent."""
    if not callable(getattr(agent, 'run', None)) or isinstance(agent, type):
        raise UserError(f'The journal continues runs of an agent, not of {agent!r}.')


def check_resume_options(options: dict[str, Any]) -> None:
    """Raise `UserError` if options say something that the records of the run say."""
    if known := [name for name in _OF_THE_RUN if options.get(name) is not None]:
        answer = ' Record decisions with `journal.answer`.' if 'deferred_tool_results' in known else ''
        raise UserError(f'A run is resumed with what is recorded of it: leave out `{known[0]}`.{answer}')


def check_results(results: object) -> None:
    """Raise `UserError` if decisions are not valid, or cannot be recorded."""
    if not isinstance(results, DeferredToolResults):
        raise UserError(f'Decisions are given to a journal as `DeferredToolResults`, not as {short_repr(results)}.')
    if twice := sorted(str(call_id) for call_id in results.calls.keys() & results.approvals.keys()):
        raise UserError(f'There are both a result and an approval for call {twice[0]!r}. Pass one of them.')
    try:  # halves of surrogate pairs pass here, and are repaired when the results are recorded
        _results.dump_python(results, mode='json', warnings=False)
    except (PydanticSerializationError, UnicodeDecodeError) as error:
        raise UserError(f'A result cannot be recorded, because there is no JSON for it: {error}') from error


def check_history(messages: object, *, to_send: bool) -> list[ModelMessage]:
    """Return an edited history.

    Args:
        messages: What the function returned that edits it.
        to_send: Whether its end is sent to a model next.

    Raises:
        UserError: It is not a sequence of messages, or the model would have nothing to answer.
    """
    history = list(cast('Sequence[object]', messages)) if isinstance(messages, Sequence) else [messages]
    if not all(isinstance(one, (ModelRequest, ModelResponse)) for one in history):
        raise UserError(f'A function that edits a history must return a list of messages, not {messages!r}.')
    if to_send and not (history and isinstance(history[-1], ModelRequest)):
        raise UserError('The edited history of a fork must end with a request, which is sent to the model next.')
    return cast('list[ModelMessage]', history)


def check_edit(edit: object, calls: object, by: object) -> None:
    """Raise `UserError` if something is not an edit of a fork."""
    if edit is not None and not callable(edit):
        raise UserError(f'`edit` of a fork must be a function that returns another history, not {short_repr(edit)}.')
    if edit is not None and calls is not None:
        raise UserError(
            'A fork continues with a request that is sent (`edit`), or with calls that are made (`calls`), not with both.'
        )
    if calls is not None:
        known = cast('dict[object, object]', calls) if isinstance(calls, Mapping) else {}
        if not known or not all(isinstance(args, Mapping) for args in known.values()):
            raise UserError(
                f'`calls` of a fork must have arguments by call id, `{{"id": {{"name": value}}}}`, not {short_repr(calls)}.'
            )
    if by is not None:
        check_text(by, '`by` of a fork')


def check_step(at: object, what: str) -> None:
    """Raise `UserError` if something cannot be the number of a step."""
    if at is not None:
        check_number(at, what, whole=True, unit='a step')


def check_function(value: object, what: str) -> None:
    """Raise `UserError` if something cannot be called."""
    if not callable(value):
        raise UserError(f'{what} must be a function, not {short_repr(value)}.')


def check_filter(wanted: object) -> None:
    """Raise `UserError` if something does not describe runs."""
    if not isinstance(wanted, RunFilter):
        raise UserError(f'Runs are found with a `RunFilter`, not with {short_repr(wanted)}.')
    check_number(wanted.limit, '`limit` of a `RunFilter`', least=0, whole=True, unit='runs')


def check_ticket(waiting: object, call_id: object, seconds: object) -> None:
    """Raise `UserError` if arguments of a ticket have no meaning."""
    if not isinstance(getattr(waiting, 'run', None), RunInfo):
        raise UserError(f'A ticket is for a call of a run that `waiting()` returns, not of {short_repr(waiting)}.')
    check_text(call_id, 'The id of the call of a ticket')
    if seconds != math.inf:
        check_number(seconds, '`seconds` of a ticket', least=-math.inf, unit='seconds')


def check_lines(lines: object) -> None:
    """Raise `UserError` if something is one text, where several are wanted."""
    if isinstance(lines, (str, bytes)) or not isinstance(lines, Iterable):
        raise UserError(f'Pass a list, such as `[text]` or `text.splitlines()`, not {type(lines).__name__}.')


@cache
def _run_info() -> TypeAdapter[RunInfo]:
    return TypeAdapter(RunInfo)


def imported_run(data: dict[str, Any], records: Sequence[Record]) -> RunInfo:
    """Return a run from its data.

    Raises:
        ValueError: A field is missing, unknown or of another type; or the records are not those that it says it has.
    """
    if unknown := data.keys() - {field.name for field in fields(RunInfo)}:
        raise ValueError(f'a run has no {sorted(unknown)[0]!r}')
    run = _run_info().validate_json(json.dumps(data), strict=True)
    if not run.run_id:
        raise ValueError('a run has an id')
    numbers = (run.begun_at, run.updated_at, run.steps, run.last_seq, run.base_seq, run.token, run.lease_until)
    if not all(0 <= number < 2**53 for number in numbers):
        raise ValueError('a number of a run is not one')
    if any('\0' in value for value in data.values() if isinstance(value, str)):
        raise ValueError('a text of a run has a null character')
    if [record.seq for record in records] != list(range(run.base_seq + 1, run.base_seq + 1 + len(records))) or (
        run.last_seq != run.base_seq + len(records)
    ):
        raise ValueError(f'the run has the records {run.base_seq + 1} to {run.last_seq}, others were found')
    return run


def check_options(
    durability: object, on_change: object, lease_seconds: float, conversations: object, secret: object, redact: object
) -> None:
    """Raise `UserError` if an argument of a `Journal` has no meaning."""
    for name, value, known in (
        ('durability', durability, ('sync', 'async', 'exit')),
        ('on_change', on_change, ('warn', 'refuse', 'accept')),
        ('conversations', conversations, (True, False, 'wait', 'refuse')),
    ):
        if not any(value is one or (isinstance(value, str) and value == one) for one in known):
            raise UserError(f'`{name}` of a `Journal` is one of {known}, not {value!r}.')
    check_number(lease_seconds, '`lease_seconds` of a `Journal`', above=True, unit='seconds')
    if secret is not None and not (isinstance(secret, bytes) and len(secret) >= 16):
        raise UserError('`secret` of a `Journal` must be 16 bytes or more, such as `secrets.token_bytes(32)`.')
    if redact is not None and not callable(redact):
        raise UserError(
            f'`redact` of a `Journal` must be a function of the kind and the data of a record, not {redact!r}.'
        )
