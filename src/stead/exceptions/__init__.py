"""The errors and signals of stead, and the record of a run that an error ended."""

# The tree. Left: the class. Right: the source, and the reason.
#
#   Exception
#   ├── signals: raised by tools, hooks and output functions to control the run; they do not end it
#   │   ├── ModelRetry                        a tool or validator: send the model a message, let it try again
#   │   ├── ToolFailed                        a tool: it failed for good, tell the model
#   │   │   └── ToolFailedError                   the framework: has the part for the model
#   │   ├── ToolRetryError                    the framework: a tool call failed; has the part for the model
#   │   ├── CallDeferred                      a tool: the result will come from outside this run
#   │   ├── ApprovalRequired                  a tool: a human must approve this call first
#   │   ├── SkipModelRequest                  a hook: use this response, do not call the model
#   │   ├── RetryModelRequest                 a hook: send the request again, also to another model
#   │   ├── SkipToolValidation                a hook: use these arguments, do not validate
#   │   └── SkipToolExecution                 a hook: use this result, do not call the tool
#   ├── ExceptionGroup
#   │   └── FallbackExceptionGroup            every model of a FallbackModel failed
#   └── RuntimeError
#       ├── UserError                         the program that uses stead made a mistake: fix the code
#       │   ├── UnsupportedRequestError       a model cannot stream, or can do nothing else
#       │   ├── UndrainedPendingMessagesError     a run ended before queued messages were delivered
#       │   └── UnsupportedEventLoopError         `run_sync` was called where only `run` can be
#       └── AgentRunError                     the run could not continue; has a record of it (see RunRecord)
#           ├── UsageLimitExceeded            a limit of UsageLimits was exceeded
#           │   └── BudgetExceeded                a limit of a Budget was reached
#           ├── ConcurrencyLimitExceeded      the queue of a ConcurrencyLimiter is full
#           ├── ConversationTooLong           what has to be sent of a conversation is too long
#           ├── UnexpectedModelBehavior       the response of the model is unusable
#           │   ├── ContentFilterError            the content filter of the provider stopped the response
#           │   └── OutputTokenLimitExceeded      the response reached the token limit before it was usable
#           │       └── IncompleteToolCall            it ends in the middle of a tool call
#           ├── SuspendedResponseExpired      a response that was to continue later can no longer be fetched
#           ├── RunCancelled                  a token or a tool cancelled the run
#           │   └── RunTimedOut                   it took longer than its timeout
#           └── ModelAPIError                 the provider could not be reached, or rejected the request
#               ├── ModelConnectionError          the connection failed
#               │   └── ModelTimeoutError             it took longer than its timeout
#               ├── ModelRequestTimeout           the request took longer than a setting allows
#               ├── ModelRateLimitError, ModelQuotaExceededError, ModelServerError
#               ├── ModelUnavailableError, ModelOverloadedError
#               ├── ModelRequestRejectedError     also ModelAuthenticationError, ModelNotFoundError and
#               │                                 ModelContextWindowExceededError
#               ├── ModelHTTPError                it returned an HTTP error status; then also one of the classes above
#               └── InvalidModelResponse          what it returned is not a response; an UnexpectedModelBehavior, too

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol

from typing_extensions import Self

from ._base import (
    AgentRunError,
    Portable,
    RunRecord,
    UserError,
    attach_run_record,
    first_raised as first_raised,
    run_record,
)
from ._cancelled import RunCancelled, RunTimedOut
from ._models import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    RequestTimeoutSetting,
    TransportPhase,
)
from ._retry_after import bounded_wait as bounded_wait, wait_of as wait_of

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup as ExceptionGroup  # anyio depends on it on these versions  # type: ignore[reportMissingImports, reportUnknownVariableType]

__all__ = (
    'AgentRunError',
    'ApprovalRequired',
    'BudgetExceeded',
    'CallDeferred',
    'ConcurrencyLimitExceeded',
    'ContentFilterError',
    'ConversationTooLong',
    'CostCalculationFailedWarning',
    'CostNotFoundWarning',
    'FallbackExceptionGroup',
    'IncompleteToolCall',
    'InvalidModelResponse',
    'MessageHistoryMutatedWarning',
    'ModelAPIError',
    'ModelAuthenticationError',
    'ModelConnectionError',
    'ModelContextWindowExceededError',
    'ModelHTTPError',
    'ModelNotFoundError',
    'ModelOverloadedError',
    'ModelQuotaExceededError',
    'ModelRateLimitError',
    'ModelRequestRejectedError',
    'ModelRequestTimeout',
    'ModelRetry',
    'ModelServerError',
    'ModelTimeoutError',
    'ModelUnavailableError',
    'OutputTokenLimitExceeded',
    'PydanticAIDeprecationWarning',
    'RequestTimeoutSetting',
    'RetryModelRequest',
    'RunCancelled',
    'RunRecord',
    'RunTimedOut',
    'SkipModelRequest',
    'SkipToolExecution',
    'SkipToolValidation',
    'SuspendedResponseExpired',
    'ToolFailed',
    'ToolFailedError',
    'ToolRetryError',
    'TransportPhase',
    'UndrainedPendingMessagesError',
    'UnexpectedModelBehavior',
    'UnsupportedEventLoopError',
    'UnsupportedRequestError',
    'UnsupportedSettingWarning',
    'UsageExtractionFailedWarning',
    'UsageLimitExceeded',
    'UsageLimitUnavailableWarning',
    'UserError',
    'attach_run_record',
    'run_record',
)


class _MessageSignal(Portable):
    message: str
    kind: ClassVar[str]
    """What tells the classes apart in JSON."""

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
        """Read and write the error as `{'message': ..., 'kind': ...}` in pydantic models."""
        from pydantic_core import core_schema

        fields = core_schema.typed_dict_schema(
            {
                'message': core_schema.typed_dict_field(core_schema.str_schema()),
                'kind': core_schema.typed_dict_field(core_schema.literal_schema([cls.kind])),
            }
        )

        def read(value: object, handler: Callable[[object], Any]) -> Self:
            return value if isinstance(value, cls) else cls(handler(value)['message'])

        def write(error: Self) -> dict[str, str]:
            return {'message': error.message, 'kind': cls.kind}

        return core_schema.no_info_wrap_validator_function(
            read,
            fields,
            serialization=core_schema.plain_serializer_function_ser_schema(write, return_schema=fields),
        )


class ModelRetry(_MessageSignal):
    """A signal from a tool, output function or validator: send the model a message and let it try again.

    Args:
        message: The message for the model: what was wrong, and how to correct it.
    """

    kind = 'model-retry'


class _DeferringSignal(Portable):
    metadata: dict[str, Any] | None
    for_people: ClassVar[bool] = False
    """Whether only a person can decide, so that policies and handlers of the run are not asked; subclasses may say so."""

    def __init__(self, metadata: dict[str, Any] | None = None):
        self.metadata = metadata
        super().__init__()


class ToolFailed(_MessageSignal):
    """A signal from a tool: it failed, and to call it again in the same way would not help.

    The model reads the message as the result of the call, marked as failed. Unlike with `ModelRetry`, no retry is counted.

    Args:
        message: What failed, for the model.
    """

    kind = 'tool-failed'


class FailedResult(Protocol):
    """The result of a call that failed, which is a `ToolReturnPart`."""

    @property
    def tool_name(self) -> str:
        """The tool."""
        ...

    @property
    def tool_call_id(self) -> str:
        """The id of the call."""
        ...

    @property
    def content(self) -> object:
        """What the model reads."""
        ...

    @property
    def outcome(self) -> str:
        """That it failed."""
        ...


class ToolFailedError(ToolFailed):
    """A tool call that failed, with what is sent to the model: what hooks around the call see of a `ToolFailed`.

    Args:
        tool_failed: The `ToolReturnPart` for the model, with the message as its content.
    """

    tool_failed: FailedResult

    def __init__(self, tool_failed: FailedResult):
        self.tool_failed = tool_failed
        super().__init__(str(tool_failed.content))


class CallDeferred(_DeferringSignal):
    """A signal from a tool: its result will be produced outside this run.

    Args:
        metadata: Data for the code that handles the call, under the id of the call in `DeferredToolRequests.metadata`.
        kind: `'question'` if a person has to answer it, as `DeferredToolRequests.kind` tells those that show it.
    """

    kind: Literal['external', 'question']

    def __init__(self, metadata: dict[str, Any] | None = None, *, kind: Literal['external', 'question'] = 'external'):
        self.kind = kind
        super().__init__(metadata)


class ApprovalRequired(_DeferringSignal):
    """A signal from a tool: a human must approve this call first.

    Args:
        metadata: Data for the code that decides, under the id of the call in `DeferredToolRequests.metadata`.
    """


class SkipModelRequest(Portable):
    """A signal from a hook before or around a model request: use this response instead.

    Args:
        response: The `ModelResponse` to continue with.
    """

    response: Any

    def __init__(self, response: Any):
        self.response = response
        super().__init__()


class RetryModelRequest(Portable):
    """A signal from a hook that handles the error of a model request: send the request again.

    Args:
        model: The model to send it to, or its name; `None` for the same one.
    """

    model: Any

    def __init__(self, model: Any = None):
        self.model = model
        super().__init__()


class SkipToolValidation(Portable):
    """A signal from a hook before or around the validation of a tool call: use these arguments, unchecked.

    Args:
        validated_args: The arguments to call the tool with.
    """

    validated_args: dict[str, Any]

    def __init__(self, validated_args: dict[str, Any]):
        self.validated_args = validated_args
        super().__init__()


class SkipToolExecution(Portable):
    """A signal from a hook before or around the execution of a tool: use this result instead of calling the tool.

    Args:
        result: The result of the tool call.
    """

    result: Any

    def __init__(self, result: Any):
        self.result = result
        super().__init__()


class ToolRetryError(Portable):
    """A failed tool call, with the retry prompt that is sent to the model.

    Args:
        tool_retry: The `RetryPromptPart` for the model, which determines the message of the error.
    """

    tool_retry: Any

    def __init__(self, tool_retry: Any):
        self.tool_retry = tool_retry
        content = tool_retry.content
        super().__init__(
            content if isinstance(content, str) else _describe(content, getattr(tool_retry, 'tool_name', None))
        )


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


class UnsupportedRequestError(UserError, NotImplementedError, AssertionError):
    """A model cannot stream, or can do nothing else.

    Programs tell by other types too that a model cannot stream, which is why this error is a `NotImplementedError` and an
    `AssertionError`.
    """


class UnsupportedEventLoopError(UserError):
    """`run_sync` or the like was called where nothing can wait for it, as in a workflow of Temporal: await `run` there."""


class UndrainedPendingMessagesError(UserError):
    """A run ended while messages were still queued for a next step."""


class UsageLimitExceeded(AgentRunError):
    """A run reached a limit of its `UsageLimits`."""


class BudgetExceeded(UsageLimitExceeded):
    """A run reached a limit of a `Budget`.

    Args:
        message: What was about to be used, and what is left.
        limit: The limit: `'usd'`, `'tokens'`, `'requests'`, `'tool_calls'` or `'seconds'`.
        budget_name: The name of the budget.
    """

    limit: str | None
    budget_name: str | None

    def __init__(self, message: str, limit: str | None = None, budget_name: str | None = None):
        super().__init__(message)
        self.limit = limit
        self.budget_name = budget_name


class ConversationTooLong(AgentRunError):
    """What has to be sent of a conversation is longer than a capability may send."""


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


class OutputTokenLimitExceeded(UnexpectedModelBehavior):
    """A response reached the token limit before it had anything that the run can use."""


class IncompleteToolCall(OutputTokenLimitExceeded):
    """A response reached the token limit in the middle of the arguments of a tool call."""


class InvalidModelResponse(UnexpectedModelBehavior, ModelAPIError):  # type: ignore[reportIncompatibleVariableOverride]
    """A provider answered with something that is not a response: a page, half of a response, or no content at all.

    Args:
        model_name: The model of the request.
        message: What is wrong with the response.
        body: The response as received; JSON text is indented.
    """

    def __init__(self, model_name: str, message: str, body: str | None = None):
        ModelAPIError.__init__(self, model_name, message)
        UnexpectedModelBehavior.__init__(self, message, body)


class SuspendedResponseExpired(AgentRunError):
    """A response that the provider continues with later can no longer be fetched."""


class FallbackExceptionGroup(ExceptionGroup[Any]):  # type: ignore[reportUntypedBaseClass]
    """The errors of all models that a `FallbackModel` tried, in the order in which they were tried."""

    failed_attempts: Sequence[Any] = ()
    """The requests, each a `ModelRequestAttempt`."""


class PydanticAIDeprecationWarning(UserWarning):
    """A name or behaviour is deprecated: it still works, but will be removed. A `UserWarning`, so it is shown by default."""


class CostCalculationFailedWarning(Warning):
    """The price of a response could not be calculated, so its trace has none."""


class CostNotFoundWarning(Warning):
    """The price of a response is not known, so `cost_limit` cannot count it."""


class UsageExtractionFailedWarning(Warning):
    """The usage in a response could not be read, so it is not counted."""


class UsageLimitUnavailableWarning(Warning):
    """A limit of `UsageLimits` cannot be checked, since the provider does not say what it counts."""


class MessageHistoryMutatedWarning(Warning):
    """A history was changed while a run used it."""


class UnsupportedSettingWarning(UserWarning):
    """A model does not have a setting, and the request is sent without it."""


for _class in list(vars().values()):  # they are known by their public address, in spans and in stored errors
    if isinstance(_class, type) and _class.__module__.startswith(f'{__name__}.'):
        _class.__module__ = __name__
