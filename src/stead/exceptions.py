"""The errors and control signals of stead, and the record of the run that an error ended."""

# The tree. Left of the bar: what you catch. Right: who raises it, and when.
#
#   Exception
#   ├── signals: raised by tools, hooks and output functions to steer the run; they do not end it
#   │   ├── ModelRetry                        a tool or validator: tell the model what was wrong, let it try again
#   │   ├── ToolRetryError                    the framework: a tool call failed, with the part the model will read
#   │   ├── CallDeferred                      a tool: the result will come from outside this run
#   │   ├── ApprovalRequired                  a tool: a human must approve this call first
#   │   ├── SkipModelRequest                  a hook: use this response, do not call the model
#   │   ├── SkipToolValidation                a hook: use these arguments, do not validate
#   │   └── SkipToolExecution                 a hook: use this result, do not call the tool
#   ├── ExceptionGroup
#   │   └── FallbackExceptionGroup            every model of a FallbackModel failed
#   └── RuntimeError
#       ├── UserError                         the program that uses stead made a mistake: fix the code
#       │   └── UndrainedPendingMessagesError     a run ended with queued messages nobody can deliver
#       └── AgentRunError                     the run could not go on; carries the run (see RunRecord)
#           ├── UsageLimitExceeded            a limit of UsageLimits was passed
#           ├── ConcurrencyLimitExceeded      the queue of a ConcurrencyLimiter is full
#           ├── UnexpectedModelBehavior       the model answered something unusable
#           │   ├── ContentFilterError            the provider's content filter refused
#           │   └── IncompleteToolCall            the answer stopped in the middle of a tool call
#           └── ModelAPIError                 the provider could not be reached, or refused
#               └── ModelHTTPError                it answered with an HTTP error status

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup as ExceptionGroup  # anyio depends on it on these versions  # type: ignore[reportMissingImports, reportUnknownVariableType]

__all__ = (
    'AgentRunError',
    'ApprovalRequired',
    'CallDeferred',
    'ConcurrencyLimitExceeded',
    'ContentFilterError',
    'FallbackExceptionGroup',
    'IncompleteToolCall',
    'ModelAPIError',
    'ModelHTTPError',
    'ModelRetry',
    'RunRecord',
    'SkipModelRequest',
    'SkipToolExecution',
    'SkipToolValidation',
    'ToolRetryError',
    'UndrainedPendingMessagesError',
    'UnexpectedModelBehavior',
    'UsageLimitExceeded',
    'UserError',
    'attach_run_record',
    'run_record',
)


@dataclass
class RunRecord:
    """What a run had done when an error ended it."""

    messages: list[Any]
    """The run's message history, the live list and not a copy."""
    usage: Any
    """The `RunUsage` so far."""
    run_id: str | None = None
    """The id of the run."""
    conversation_id: str | None = None
    """The id of the conversation that the run belongs to."""
    run_step: int = 0
    """How many steps the run had begun."""
    inner_run: RunRecord | None = None
    """The record of a nested run that the same error ended first, if any."""


_RECORD_SLOT = '_run_record'
_RECORD_NAMES = ('messages', 'usage', 'run_id', 'conversation_id', 'run_step', 'inner_run')
_ABSENT: Any = object()


def attach_run_record(error: BaseException, record: RunRecord) -> None:
    """Put a run's record on the error that ended it: `error.messages`, `.usage`, `.run_id` and so on.

    Any exception will do. An attribute that the exception defines for itself is left alone; `run_record()` reads the
    record all the same. Attached again by an outer run, the outer record takes the attributes and the inner one moves
    to `error.inner_run`; attached again for the same `run_id`, the newer record replaces the older. An exception that
    accepts no attributes is left as it is.

    Args:
        error: The exception on its way out of the run.
        record: What the run had.
    """
    before = run_record(error)
    if before is not None and record is not before:
        same_run = record.run_id is not None and record.run_id == before.run_id
        record = replace(record, inner_run=before.inner_run if same_run else before)
    try:
        setattr(error, _RECORD_SLOT, record)
        for name in _RECORD_NAMES:
            if _is_free(error, name, before):
                setattr(error, name, getattr(record, name))
    except Exception:  # a frozen or guarded exception class: the error itself matters more than our note on it
        return


def run_record(error: BaseException) -> RunRecord | None:
    """Return the record of the outermost run that this error ended, or None if no run put one there.

    Args:
        error: An exception caught around a run.
    """
    found = getattr(error, _RECORD_SLOT, None)
    return found if isinstance(found, RunRecord) else None


def _is_free(error: BaseException, name: str, before: RunRecord | None) -> bool:
    """Say whether `name` holds nothing, our own default, or what an earlier record put there."""
    own = getattr(error, '__dict__', {}).get(name, _ABSENT)
    if own is not _ABSENT:
        return before is not None and own is getattr(before, name)
    inherited = getattr(type(error), name, _ABSENT)
    return inherited is _ABSENT or (isinstance(error, AgentRunError) and inherited == getattr(AgentRunError, name))


def _rebuild(cls: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    error = cls.__new__(cls, *args)
    error.args = args
    return error


class _Portable(Exception):
    """Make subclasses picklable and copyable whatever their constructor takes, by not calling it again."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args), self.__dict__.copy()


class ModelRetry(_Portable):
    """Raise in a tool, output function or validator to send the model a message and let it try again.

    Args:
        message: What the model reads: what was wrong, and how to do better.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.message == other.message

    def __hash__(self) -> int:
        return hash((type(self), self.message))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Read and write the error as `{'message': ..., 'kind': 'model-retry'}` in pydantic models."""
        from pydantic_core import core_schema

        fields = core_schema.typed_dict_schema(
            {
                'message': core_schema.typed_dict_field(core_schema.str_schema()),
                'kind': core_schema.typed_dict_field(core_schema.literal_schema(['model-retry'])),
            }
        )

        def read(value: Any, handler: Any) -> Any:
            return value if isinstance(value, cls) else cls(handler(value)['message'])

        def write(error: ModelRetry) -> dict[str, str]:
            return {'message': error.message, 'kind': 'model-retry'}

        return core_schema.no_info_wrap_validator_function(
            read,
            fields,
            serialization=core_schema.plain_serializer_function_ser_schema(write, return_schema=fields),
        )


class _DeferringSignal(_Portable):
    metadata: dict[str, Any] | None

    def __init__(self, metadata: dict[str, Any] | None = None):
        self.metadata = metadata
        super().__init__()


class CallDeferred(_DeferringSignal):
    """Raise in a tool whose result will be produced outside this run.

    Args:
        metadata: Handed to whoever fulfils the call, under the tool call's id in `DeferredToolRequests.metadata`.
    """


class ApprovalRequired(_DeferringSignal):
    """Raise in a tool that must not go on before a human has approved this call.

    Args:
        metadata: Handed to whoever decides, under the tool call's id in `DeferredToolRequests.metadata`.
    """


class SkipModelRequest(_Portable):
    """Raise in a hook before or around a model request to use a response of your own instead.

    Args:
        response: The `ModelResponse` the run goes on with.
    """

    response: Any

    def __init__(self, response: Any):
        self.response = response
        super().__init__()


class SkipToolValidation(_Portable):
    """Raise in a hook before or around a tool's validation to use arguments of your own unchecked.

    Args:
        validated_args: The arguments the tool is called with.
    """

    validated_args: dict[str, Any]

    def __init__(self, validated_args: dict[str, Any]):
        self.validated_args = validated_args
        super().__init__()


class SkipToolExecution(_Portable):
    """Raise in a hook before or around a tool's execution to use a result of your own instead of calling it.

    Args:
        result: What the tool is taken to have returned.
    """

    result: Any

    def __init__(self, result: Any):
        self.result = result
        super().__init__()


class ToolRetryError(_Portable):
    """Carry the retry prompt that answers a failed tool call out of the tool machinery.

    Args:
        tool_retry: The `RetryPromptPart` the model will read; the error's text is made from it.
    """

    tool_retry: Any

    def __init__(self, tool_retry: Any):
        self.tool_retry = tool_retry
        content = tool_retry.content
        super().__init__(content if isinstance(content, str) else _describe(content, tool_retry.tool_name))


def _describe(details: Sequence[Any], tool_name: str | None) -> str:
    """Write pydantic's error details the way pydantic prints a ValidationError."""
    noun = 'validation error' if len(details) == 1 else 'validation errors'
    lines = [f'{len(details)} {noun}' + (f' for {tool_name!r}' if tool_name else '')]
    for detail in details:
        lines.append('.'.join(str(step) for step in detail.get('loc', ())) or '__root__')
        lines.append(f'  {detail.get("msg")} [type={detail.get("type")}, input_value={detail.get("input")!r}]')
    return '\n'.join(lines)


class UserError(_Portable, RuntimeError):
    """Report a mistake in the program that uses stead; the text says what to change.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class UndrainedPendingMessagesError(UserError):
    """Report a run that ended while messages were still queued for a next step that will not come."""


class AgentRunError(_Portable, RuntimeError):
    """The base of the errors that end a run.

    Raised out of a run, it carries what the run had: `messages`, `usage`, `run_id`, `conversation_id` and `run_step`,
    and in `inner_run` the record of a nested run that it ended first. Outside a run these keep their defaults.

    Args:
        message: What happened, to what, and what to do about it.
    """

    message: str
    messages: Sequence[Any] = ()
    usage: Any = None
    run_id: str | None = None
    conversation_id: str | None = None
    run_step: int = 0
    inner_run: RunRecord | None = None

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)

    def __str__(self) -> str:
        return self.message


class UsageLimitExceeded(AgentRunError):
    """Report that a run reached a limit of its `UsageLimits`."""


class ConcurrencyLimitExceeded(AgentRunError):
    """Report that a `ConcurrencyLimiter` is full and so is its queue."""


class UnexpectedModelBehavior(AgentRunError):
    """Report an answer of the model that the run cannot use.

    Args:
        message: What was wrong with the answer.
        body: The answer as received; JSON text is indented.
    """

    body: str | None

    def __init__(self, message: str, body: str | None = None):
        super().__init__(message)
        if body is not None:
            try:
                body = json.dumps(json.loads(body), indent=2)
            except (ValueError, RecursionError):  # not JSON, or nested too deep to be worth indenting
                pass
        self.body = body

    def __str__(self) -> str:
        return f'{self.message}, body:\n{self.body}' if self.body else self.message


class ContentFilterError(UnexpectedModelBehavior):
    """Report that the provider's content filter stopped the answer."""


class IncompleteToolCall(UnexpectedModelBehavior):
    """Report an answer that hit the token limit in the middle of a tool call's arguments."""


class ModelAPIError(AgentRunError):
    """Report that a provider could not be reached or refused the request.

    Args:
        model_name: The model that was asked.
        message: What happened.
    """

    model_name: str

    def __init__(self, model_name: str, message: str):
        self.model_name = model_name
        super().__init__(message)


class ModelHTTPError(ModelAPIError):
    """Report an HTTP error status from a provider.

    Args:
        status_code: The HTTP status, 400 to 599.
        model_name: The model that was asked.
        body: The body of the answer, parsed where it was JSON.
    """

    status_code: int
    body: object | None
    retry_after: float | None = None
    """Seconds after which the provider wants to be asked again, if it said so."""

    def __init__(self, status_code: int, model_name: str, body: object | None = None):
        self.status_code = status_code
        self.body = body
        super().__init__(model_name, f'status_code: {status_code}, model_name: {model_name}, body: {body}')


class FallbackExceptionGroup(ExceptionGroup[Any]):  # type: ignore[reportUntypedBaseClass]
    """Hold the errors of every model a `FallbackModel` tried, in the order they were tried."""
