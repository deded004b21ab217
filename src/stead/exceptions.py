"""The errors and signals of stead, and the record of a run that an error ended."""

# The tree. Left: the class. Right: the source, and the reason.
#
#   Exception
#   ├── signals: raised by tools, hooks and output functions to control the run; they do not end it
#   │   ├── ModelRetry                        a tool or validator: send the model a message, let it try again
#   │   ├── ToolRetryError                    the framework: a tool call failed; has the part for the model
#   │   ├── CallDeferred                      a tool: the result will come from outside this run
#   │   ├── ApprovalRequired                  a tool: a human must approve this call first
#   │   ├── SkipModelRequest                  a hook: use this response, do not call the model
#   │   ├── SkipToolValidation                a hook: use these arguments, do not validate
#   │   └── SkipToolExecution                 a hook: use this result, do not call the tool
#   ├── ExceptionGroup
#   │   └── FallbackExceptionGroup            every model of a FallbackModel failed
#   └── RuntimeError
#       ├── UserError                         the program that uses stead made a mistake: fix the code
#       │   ├── UnsupportedRequestError       a model cannot stream, or can do nothing else
#       │   └── UndrainedPendingMessagesError     a run ended before queued messages were delivered
#       └── AgentRunError                     the run could not continue; has a record of it (see RunRecord)
#           ├── UsageLimitExceeded            a limit of UsageLimits was exceeded
#           ├── ConcurrencyLimitExceeded      the queue of a ConcurrencyLimiter is full
#           ├── UnexpectedModelBehavior       the response of the model is unusable
#           │   ├── ContentFilterError            the content filter of the provider stopped the response
#           │   └── IncompleteToolCall            the response ends in the middle of a tool call
#           └── ModelAPIError                 the provider could not be reached, or rejected the request
#               ├── ModelHTTPError                it returned an HTTP error status
#               └── InvalidModelResponse          what it returned is not a response; an UnexpectedModelBehavior, too

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

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
    'InvalidModelResponse',
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
    'UnsupportedRequestError',
    'UsageLimitExceeded',
    'UserError',
    'attach_run_record',
    'run_record',
)


# The methods are written by hand, because the decorator would compile them while the package is imported.
@dataclass(init=False, repr=False, eq=False)
class RunRecord:
    """The messages, usage and position of a run that an error ended."""

    messages: list[Any]
    """The message history of the run: the live list, not a copy."""
    usage: Any
    """The `RunUsage` so far."""
    run_id: str | None = None
    """The id of the run."""
    conversation_id: str | None = None
    """The id of the conversation the run belongs to."""
    run_step: int = 0
    """The number of steps that the run had started."""
    inner_run: RunRecord | None = None
    """The record of a nested run that the same error ended first."""

    def __init__(
        self,
        messages: list[Any],
        usage: Any,
        run_id: str | None = None,
        conversation_id: str | None = None,
        run_step: int = 0,
        inner_run: RunRecord | None = None,
    ) -> None:
        self.messages = messages
        self.usage = usage
        self.run_id = run_id
        self.conversation_id = conversation_id
        self.run_step = run_step
        self.inner_run = inner_run

    def __repr__(self) -> str:
        shown = ', '.join(f'{name}={getattr(self, name)!r}' for name in _RECORD_NAMES)
        return f'{type(self).__qualname__}({shown})'

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return vars(self) == vars(other)


_RECORD_SLOT = '_run_record'
_RECORD_NAMES = ('messages', 'usage', 'run_id', 'conversation_id', 'run_step', 'inner_run')
_ABSENT = object()


def attach_run_record(error: BaseException, record: RunRecord) -> None:
    """Attach the record of a run to the error that ended it: `error.messages`, `.usage`, `.run_id` and so on.

    This works with any exception. Attributes that the exception defines itself are not changed; `run_record()` returns
    the record in any case. If an outer run attaches its record too, the attributes are those of the outer run and the
    inner record moves to `error.inner_run`; a newer record with the same `run_id` replaces the older one. Nothing
    happens if the exception does not accept attributes.

    Args:
        error: The exception that leaves the run.
        record: The record of the run.
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
    except Exception:  # a frozen exception class: the error itself matters more than the record
        return


def run_record(error: BaseException) -> RunRecord | None:
    """Return the record of the outermost run that this error ended, or None if there is none.

    Args:
        error: An exception caught around a run.
    """
    record = getattr(error, _RECORD_SLOT, None)
    return record if isinstance(record, RunRecord) else None


def _is_free(error: BaseException, name: str, before: RunRecord | None) -> bool:
    """Return whether `name` is unset, has our default, or the value of an earlier record."""
    own = getattr(error, '__dict__', {}).get(name, _ABSENT)
    if own is not _ABSENT:
        return before is not None and own is getattr(before, name)
    inherited = getattr(type(error), name, _ABSENT)
    return inherited is _ABSENT or (isinstance(error, AgentRunError) and inherited == getattr(AgentRunError, name))


def _rebuild(cls: type[BaseException], args: tuple[object, ...]) -> BaseException:
    error = cls.__new__(cls, *args)
    error.args = args
    return error


class _Portable(Exception):
    """Base class that makes exceptions picklable whatever their constructor takes, by not calling it again."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args), self.__dict__.copy()


class ModelRetry(_Portable):
    """A signal from a tool, output function or validator: send the model a message and let it try again.

    Args:
        message: The message for the model: what was wrong, and how to correct it.
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
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:
        """Read and write the error as `{'message': ..., 'kind': 'model-retry'}` in pydantic models."""
        from pydantic_core import core_schema

        fields = core_schema.typed_dict_schema(
            {
                'message': core_schema.typed_dict_field(core_schema.str_schema()),
                'kind': core_schema.typed_dict_field(core_schema.literal_schema(['model-retry'])),
            }
        )

        def read(value: object, handler: Callable[[object], Any]) -> ModelRetry:
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
    for_people: ClassVar[bool] = False
    """Whether only a person can decide, so that policies and handlers of the run are not asked; subclasses may say so."""

    def __init__(self, metadata: dict[str, Any] | None = None):
        self.metadata = metadata
        super().__init__()


class CallDeferred(_DeferringSignal):
    """A signal from a tool: its result will be produced outside this run.

    Args:
        metadata: Data for the code that handles the call, under the id of the call in `DeferredToolRequests.metadata`.
    """


class ApprovalRequired(_DeferringSignal):
    """A signal from a tool: a human must approve this call first.

    Args:
        metadata: Data for the code that decides, under the id of the call in `DeferredToolRequests.metadata`.
    """


class SkipModelRequest(_Portable):
    """A signal from a hook before or around a model request: use this response instead.

    Args:
        response: The `ModelResponse` to continue with.
    """

    response: Any

    def __init__(self, response: Any):
        self.response = response
        super().__init__()


class SkipToolValidation(_Portable):
    """A signal from a hook before or around the validation of a tool call: use these arguments, unchecked.

    Args:
        validated_args: The arguments to call the tool with.
    """

    validated_args: dict[str, Any]

    def __init__(self, validated_args: dict[str, Any]):
        self.validated_args = validated_args
        super().__init__()


class SkipToolExecution(_Portable):
    """A signal from a hook before or around the execution of a tool: use this result instead of calling the tool.

    Args:
        result: The result of the tool call.
    """

    result: Any

    def __init__(self, result: Any):
        self.result = result
        super().__init__()


class ToolRetryError(_Portable):
    """A failed tool call, with the retry prompt that is sent to the model.

    Args:
        tool_retry: The `RetryPromptPart` for the model, which determines the message of the error.
    """

    tool_retry: Any

    def __init__(self, tool_retry: Any):
        self.tool_retry = tool_retry
        content = tool_retry.content
        super().__init__(content if isinstance(content, str) else _describe(content, tool_retry.tool_name))


def _describe(details: Sequence[Mapping[str, Any]], tool_name: str | None) -> str:
    """Format error details of pydantic in the style of a `ValidationError`."""
    noun = 'validation error' if len(details) == 1 else 'validation errors'
    lines = [f'{len(details)} {noun}' + (f' for {tool_name!r}' if tool_name else '')]
    for detail in details:
        lines.append('.'.join(str(step) for step in detail.get('loc', ())) or '__root__')
        lines.append(f'  {detail.get("msg")} [type={detail.get("type")}, input_value={_shown(detail.get("input"))}]')
    return '\n'.join(lines)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or deep nesting
        return f'a {type(value).__name__} that cannot be shown'


class UserError(_Portable, RuntimeError):
    """A mistake in the program that uses stead; the message says what to change.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class UnsupportedRequestError(UserError, NotImplementedError, AssertionError):
    """A model cannot stream, or can do nothing else.

    Programs tell by other types too that a model cannot stream, which is why this error is a `NotImplementedError` and an
    `AssertionError`.
    """


class UndrainedPendingMessagesError(UserError):
    """A run ended while messages were still queued for a next step."""


class AgentRunError(_Portable, RuntimeError):
    """Base class of the errors that end a run.

    If it ends a run, it has the record of that run: `messages`, `usage`, `run_id`, `conversation_id` and `run_step`,
    and in `inner_run` the record of a nested run that it ended first. Otherwise these have their defaults.

    Args:
        message: The description of the error, and what to do about it.
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
    """A run reached a limit of its `UsageLimits`."""


class ConcurrencyLimitExceeded(AgentRunError):
    """A `ConcurrencyLimiter` and its queue are full."""


class UnexpectedModelBehavior(AgentRunError):
    """The run cannot use a response of the model.

    Args:
        message: What is wrong with the response.
        body: The response as received; JSON text is indented.
    """

    body: str | None

    def __init__(self, message: str, body: str | None = None):
        AgentRunError.__init__(self, message)
        if body is not None:
            try:
                body = json.dumps(json.loads(body), indent=2)
            except (ValueError, RecursionError):  # not JSON, or nested too deep to be worth indenting
                pass
        self.body = body

    def __str__(self) -> str:
        return f'{self.message}, body:\n{self.body}' if self.body else self.message


class ContentFilterError(UnexpectedModelBehavior):
    """The content filter of the provider stopped the response."""


class IncompleteToolCall(UnexpectedModelBehavior):
    """A response reached the token limit in the middle of the arguments of a tool call."""


class ModelAPIError(AgentRunError):
    """A provider could not be reached or rejected the request.

    Args:
        model_name: The model of the request.
        message: What happened.
    """

    model_name: str

    def __init__(self, model_name: str, message: str):
        self.model_name = model_name
        super().__init__(message)


class ModelHTTPError(ModelAPIError):
    """A provider returned an HTTP error status.

    Args:
        status_code: The HTTP status, 400 to 599.
        model_name: The model of the request.
        body: The body of the response, parsed if it is JSON.
    """

    status_code: int
    body: object | None
    retry_after: float | None = None
    """The number of seconds after which to retry, if the provider sent it."""

    def __init__(self, status_code: int, model_name: str, body: object | None = None):
        self.status_code = status_code
        self.body = body
        super().__init__(model_name, f'status_code: {status_code}, model_name: {model_name}, body: {body}')


class InvalidModelResponse(UnexpectedModelBehavior, ModelAPIError):
    """A provider answered with something that is not a response: a page, half of a response, or no content at all.

    Args:
        model_name: The model of the request.
        message: What is wrong with the response.
        body: The response as received; JSON text is indented.
    """

    def __init__(self, model_name: str, message: str, body: str | None = None):
        UnexpectedModelBehavior.__init__(self, message, body)
        self.model_name = model_name


class FallbackExceptionGroup(ExceptionGroup[Any]):  # type: ignore[reportUntypedBaseClass]
    """The errors of all models that a `FallbackModel` tried, in the order in which they were tried."""
