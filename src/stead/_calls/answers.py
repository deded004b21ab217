"""Answers to calls, as the model reads them: the texts of the framework, and the parts made of results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .._contracts.call_policy import ToolErrors
from .._kit.deep_copy import own_data, own_result, read_out
from .._kit.first_errors import first_errors, not_listed
from .._kit.input_bounds import input_bounds
from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from .._kit.tracebacks import add_note
from .._show.causes import cause_in_words
from ..exceptions import ModelRetry, ToolFailed, UnexpectedModelBehavior, UserError
from ..messages import (
    Media,
    ModelRequestPart,
    RetryPromptPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    UserPromptPart,
    not_storable,
    shown_retry,
    well_formed_part,
    without_json,
)
from ..tools import ToolDenied

LONGEST_NAME = 200
"""The most characters of a name that a model made up, where it is repeated."""
LONGEST_LIST = 10_000
"""Characters of the names of tools that are listed in an answer."""
MOST_ITEMS = 100_000
"""Items of an iterator that a tool returns."""
FINAL_RESULT_PROCESSED = 'Final result processed.'
OUTPUT_NOT_USED = 'Output tool not used - a final result was already processed.'
OUTPUT_INVALID = 'Output tool not used - output failed validation.'
OUTPUT_LOST = 'Output not used as the final result - addressing tool retries from this round first.'
OUTPUT_FAILED = 'Output tool not used - output function execution failed.'
MAY_HAVE_RUN = 'Tool result unknown - the run was interrupted while the tool was called, so it may have run.'
TOOL_NOT_EXECUTED = 'Tool not executed - a final result was already processed.'


def unknown_tool(name: str, known: Iterable[str], *, list_known: bool = True) -> str:
    """Return the text for a call of a tool that does not exist.

    Args:
        name: The name in the call.
        known: The names of the tools that exist.
        list_known: Whether to list them; a response with many such calls gets the list a few times only.
    """
    names = sorted(known)
    unknown = f'Unknown tool name: {short_repr(name, LONGEST_NAME)}.'
    if not names:
        return f'{unknown} No tools available.'
    if not list_known:
        return unknown
    listing = ', '.join(f'{known!r}' for known in names)
    if len(listing) > LONGEST_LIST:
        listing = f'{listing[:LONGEST_LIST].rpartition(", ")[0]}, …'
    return f'{unknown} Available tools: {listing}'


def called_too_often(name: str, limit: int | None) -> str:
    """Return the text for a call of a tool that has used up its calls."""
    often = 'once' if limit == 1 else f'{limit} times'
    return f'Tool {name!r} was called {often}, which is its limit. Do without it.'


def tool_error(name: str, error: Exception, errors: ToolErrors) -> str:
    """Return the text for an exception that a tool raised."""
    if not errors.show_text:
        return f'Tool {name!r} failed.'
    return f'Tool {name!r} failed: {type(error).__name__}: {error}'


def errors_of(error: ValidationError) -> list[ErrorDetails]:
    """Return the errors of a validation as the model reads them: of very many, the first ones, and how many there are more."""
    most = input_bounds().answer_errors
    errors = first_errors(error, most)
    if (more := error.error_count() - most) > 0:
        errors.append(not_listed(more))
    return errors


def exhausted_output(limit: int, cause: BaseException | None) -> UnexpectedModelBehavior:
    """Return the error for an output that was never valid; its last line says why the last one was not."""
    error = UnexpectedModelBehavior(f'Exceeded maximum output retries ({limit})')
    if cause is not None:
        note_cause(error, 'The output', limit, cause)
    return error


def note_cause(error: Exception, what: str, retry: int, cause: BaseException) -> None:
    """Say in the last line of an error why the model was not asked again; the message itself is one that programs compare."""
    attempts = 'the first attempt' if retry == 0 else f'{retry + 1} attempts'
    add_note(error, f'{what} was given up after {attempts}: {cause_in_words(cause)}')


def text_answer(call: ToolCallPart, text: str) -> ToolReturnPart:
    """Return an answer that the framework gives in place of a tool."""
    return ToolReturnPart(tool_name=call.tool_name, content=text, tool_call_id=call.tool_call_id)


def failed_answer(call: ToolCallPart, text: str, metadata: object = None) -> ToolReturnPart:
    """Return an answer to a call that failed."""
    return ToolReturnPart(
        tool_name=call.tool_name, content=text, tool_call_id=call.tool_call_id, metadata=metadata, outcome='failed'
    )


_WITH_JSON = frozenset({float, bool, type(None)})
_PLAIN = frozenset({str, int, dict})
_SHORT = 10**18


def answer_to(
    call: ToolCallPart, value: object, *, is_recorded: bool = False
) -> tuple[ToolReturnPart | RetryPromptPart, list[ModelRequestPart]]:
    """Return the answer to a call with a result, and content to add to the conversation.

    Args:
        call: The call.
        value: The result.
        is_recorded: Whether something records the run, so that the metadata must have a JSON form, too.

    Raises:
        UserError: The tool returned `ToolReturn` objects inside of something else.
    """
    name, call_id = call.tool_name, call.tool_call_id
    if (
        type(value) in _WITH_JSON
        or (type(value) is str and value.isascii())
        or (type(value) is int and -_SHORT < value < _SHORT)
    ):
        return ToolReturnPart(name, value, call_id), []  # certainly readable
    if type(value) in _PLAIN:
        return _readable(call, ToolReturnPart(tool_name=name, content=value, tool_call_id=call_id)), []
    if isinstance(value, ToolDenied):
        return ToolReturnPart(tool_name=name, content=value.message, tool_call_id=call_id, outcome='denied'), []
    if isinstance(value, ToolReturnPart):
        return _readable(call, value), []
    if isinstance(value, RetryPromptPart):
        value = replace(value, tool_name=name, tool_call_id=call_id)  # one may answer several calls
        return cast('ToolReturnPart', shown_retry(value, 'model_retry')), []  # of a call: no feedback about an output
    if isinstance(value, ModelRetry):
        prompt = RetryPromptPart(value.message, tool_name=name, tool_call_id=call_id)
        return cast('ToolReturnPart', shown_retry(prompt, 'model_retry')), []
    if isinstance(value, ToolFailed):
        return failed_answer(call, value.message), []
    if isinstance(value, ToolReturn):
        tool_return: ToolReturn[Any] = value  # type: ignore[reportUnknownVariableType]
        part = ToolReturnPart(
            tool_name=name,
            content=tool_return.return_value,
            tool_call_id=call_id,
            metadata=own_data(tool_return.metadata),
        )
        more: list[ModelRequestPart] = []
        if tool_return.content:
            more.append(well_formed_part(UserPromptPart(content=own_data(tool_return.content))))
        if more and (reason := not_storable(more[0])) is not None:
            return _unreadable(call, tool_return.content, reason, 'what it adds to the conversation'), []
        if is_recorded and part.metadata is not None and (reason := not_storable(part)) is not None:
            return _unreadable(call, part.metadata, reason, 'the metadata of what it returned'), []
        return _readable(call, part), more
    if isinstance(value, (list, tuple)) and any(isinstance(item, ToolReturn) for item in value):  # type: ignore[reportUnknownVariableType]
        raise UserError(
            f'Tool {name!r} returned `ToolReturn` objects inside a {type(value).__name__}. '  # type: ignore[reportUnknownArgumentType]
            'Return one `ToolReturn`, with all content in its `return_value` and `content`.'
        )
    return _readable(call, ToolReturnPart(tool_name=name, content=value, tool_call_id=call_id)), []


def _readable(call: ToolCallPart, part: ToolReturnPart) -> ToolReturnPart:
    """Return the answer with the result of a tool, or one that says that no model can read the result.

    Otherwise a result without a JSON form would be noticed only in the next request, and by everything that stores the
    history from then on. The tool has run, so its call is answered and not tried again.
    """
    try:
        part.content = read_out(part.content, MOST_ITEMS)
        reason = without_json(part)
    except ValueError as error:
        reason = str(error)
    if reason is None and part.files:  # a link, for one, may not tell what is behind it
        reason = not_storable(part)
    if reason is not None:
        return _unreadable(call, part.content, reason, 'what it returned')
    part.content = content = own_result(part.content)  # what the tool does to it later is not done to the history
    if type(content) is tuple:
        items = [*cast('tuple[object, ...]', content)]
        if any(isinstance(item, Media) for item in items):
            part.content = items  # as it is after the history was stored
    return part


def _unreadable(call: ToolCallPart, value: object, reason: str, what: str) -> ToolReturnPart:
    text = f'Tool {call.tool_name!r} ran, but {what} cannot be read: there is no JSON for it.'
    remedy = (
        'Return text, numbers, lists, dicts, dataclasses or pydantic models; what only the program needs can go along as the '
        '`metadata` of a `ToolReturn`.'
    )
    # The metadata is for developers; the model does not see it.
    return failed_answer(call, text, {'error': type(value).__name__, 'message': f'{reason[:1000]}. {remedy}'})


def typed_answer(part: ToolReturnPart | RetryPromptPart, call: ToolCallPart) -> ToolReturnPart | RetryPromptPart:
    """Return the answer to a call of a tool with a kind as the part of that, unless a hook changed its form."""
    if type(part) is not ToolReturnPart:
        return part
    try:
        return ToolReturnPart.narrow_type(part, tool_kind=call.tool_kind)
    except ValidationError:
        return part


_KINDS = {'run': 'run_id', 'call': 'tool_call_id', 'reconcile': 'message', 'redacted': 'message'}


def own_kind(metadata: object) -> str | None:
    """Return why a call waits, if its metadata is that of a journal: tools choose theirs as they like, also with a `kind`."""
    about = cast('JsonObject', metadata) if isinstance(metadata, dict) else {}
    kind = about.get('kind')
    return kind if isinstance(kind, str) and _KINDS.get(kind) in about else None
