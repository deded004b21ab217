"""`RunSoFar`: the state of a run that continues in another place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python
from typing_extensions import Annotated, NotRequired, TypedDict

from .._contracts.facts import RequestReady
from .._contracts.pending import PendingMessage, PendingMessagePriority
from .._contracts.run_state import RunState
from .._kit.ids import uuid7_str
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, UserContent
from ..usage import RunUsage
from ._engine import AnyContext

_usage = TypeAdapter(RunUsage)
_prompt: TypeAdapter[Any] = TypeAdapter(Union[str, Sequence[UserContent], None])
_Count = Annotated[int, Field(ge=0, strict=True)]


class _Pending(TypedDict):
    messages: list[Any]
    priority: PendingMessagePriority
    id: NotRequired[str]


@dataclass
class RunSoFar:
    """What a run has done so far, as JSON. It is empty for a run that has not started."""

    messages: list[Any] = field(default_factory=lambda: [])
    """The messages. The last one is the next request."""
    run_id: Union[str, None] = None
    """The id of the run, which stays the same; `None` if the run has not started."""
    conversation_id: Union[str, None] = None
    """The id of its conversation."""
    following: _Count = 0
    """How many messages follow the next request."""
    new_message_index: _Count = 0
    """Where in the messages those of the run begin."""
    usage: dict[str, Union[_Count, dict[str, int]]] = field(default_factory=lambda: {})
    """What it has used."""
    run_step: _Count = 0
    """The number of its last step."""
    output_retries_used: _Count = 0
    """How many times the model was asked to give its output again."""
    retries: dict[str, _Count] = field(default_factory=lambda: {})
    """How many times each tool was retried."""
    call_counts: dict[str, _Count] = field(default_factory=lambda: {})
    """How many times each tool with a limit was called."""
    pending: list[_Pending] = field(default_factory=lambda: [])
    """Messages that wait to be delivered."""
    metadata: Union[dict[str, Any], None] = None
    """Its metadata, as far as there is JSON for it."""
    prompt: Union[str, list[Any], None] = None
    """Its prompt."""

    @classmethod
    def before_request(cls, ctx: AnyContext, fact: RequestReady) -> RunSoFar:
        """Return what a run has done before it sends a request."""
        return cls(
            messages=_dumped(ctx.messages),
            run_id=ctx.run_id,
            conversation_id=ctx.conversation_id,
            following=fact.following,
            new_message_index=fact.new_message_index,
            usage=_usage.dump_python(ctx.usage, mode='json'),
            run_step=fact.step - 1,  # the step starts again
            output_retries_used=fact.output_retries,
            retries=dict(fact.retries),
            call_counts=dict(fact.call_counts),
            pending=[
                {'messages': _dumped(item.messages), 'priority': item.priority, 'id': item.enqueue_id}
                for item in fact.pending
            ],
            metadata=to_jsonable_python(ctx.metadata, fallback=repr),
            prompt=_prompt.dump_python(ctx.prompt, mode='json'),
        )

    def all_messages(self) -> list[ModelMessage]:
        """Return the messages."""
        return ModelMessagesTypeAdapter.validate_python(self.messages)

    def state(self) -> RunState | None:
        """Return the state of the run; `None` if it has not started."""
        if self.run_id is None:
            return None
        return RunState(
            message_history=self.all_messages(),
            run_id=self.run_id,
            conversation_id=self.conversation_id or uuid7_str(),
            metadata=self.metadata,
            prompt=_prompt.validate_python(self.prompt),
            is_fresh=False,
            following=self.following,
            new_message_index=self.new_message_index,
            usage=_usage.validate_python(self.usage),
            run_step=self.run_step,
            output_retries_used=self.output_retries_used,
            retries=self.retries,
            call_counts=self.call_counts,
            pending_messages=[
                PendingMessage(
                    ModelMessagesTypeAdapter.validate_python(item['messages']),
                    priority=item['priority'],
                    **({'enqueue_id': item['id']} if 'id' in item else {}),
                )
                for item in self.pending
            ],
        )


_fields = TypeAdapter(RunSoFar)


def check_so_far(so_far: object) -> None:
    """Check the state that a run continues with. It may come from outside, like the arguments of a workflow.

    Raises:
        UserError: It is not a `RunSoFar`, a field has a wrong type, or a number is impossible for a run.
    """
    if not isinstance(so_far, RunSoFar):
        raise UserError(
            f'`so_far` must be a `RunSoFar`, not {short_repr(so_far)}: pass `handed_over.so_far`, or an empty one.'
        )
    try:
        _fields.validate_python(vars(so_far))
        state = so_far.state()
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = '.'.join(map(str, first['loc']))
        raise UserError(
            f'`so_far` is not what a run has done: {place}: {first["msg"]}, not {short_repr(first["input"])}. Pass '
            '`handed_over.so_far` as it is.'
        ) from error
    if state is None:
        return
    messages = state.message_history
    most = len(messages)
    if so_far.following and not (so_far.following < most and isinstance(messages[-1 - so_far.following], ModelRequest)):
        raise UserError(f'`so_far.following` is {so_far.following}, where no request is among the {most} messages.')
    if so_far.new_message_index > most:
        raise UserError(f'`so_far.new_message_index` is {so_far.new_message_index}, but there are {most} messages.')


def _dumped(messages: Sequence[ModelMessage]) -> list[Any]:
    return ModelMessagesTypeAdapter.dump_python(list(messages), mode='json')


class RunHandedOver(BaseException):
    """A run has to continue in another place. It is not an error, and nothing may catch it as one.

    Continue there with `agent.run(..., so_far=handed_over.so_far)`.
    """

    __module__ = 'stead.durable_exec'  # where it is imported from, as a traceback shows it

    def __init__(self, so_far: RunSoFar) -> None:
        super().__init__('The run continues in another place.')
        self.so_far = so_far
        """What it has done."""
