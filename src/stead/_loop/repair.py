"""Histories that no model would accept: they are repaired in what is sent if that is possible, and refused otherwise."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..exceptions import UserError
from ..messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UnknownPart,
    UserPromptPart,
    known_part,
)
from .history import interrupted

ORPHANS_ARE_LEFT_OUT = False
"""Whether results of calls that a history does not have are left out of what is sent, as in 2.x; otherwise they become text."""
SEPARATED = 'refused'
"""What happens if hooks separate a call from its result: that is `'refused'`, `'sent'`, or `'repaired'` in what is sent."""
_WITHOUT_CALL = 'The conversation so far no longer holds the call of {name!r} that came to this result: {content}'


@dataclass(slots=True)
class Soundness:
    """Whether every call in a history is answered by the request after it, and nothing else is answered.

    Calls of the last response may be open: the run that continues the history decides about them. A conversation has its
    system prompts at its beginning, and not a second time where two histories were joined. Nothing in it is of an unknown kind.
    """

    sound: bool = True
    """Whether that is so for the messages so far."""
    special: list[ModelMessage] = field(default_factory=lambda: [])
    """Those that are more than a single prompt or text."""
    open_calls: dict[str, int] = field(default_factory=lambda: {})
    """The ids of calls of the last response that were not answered yet, and how many have each: some models repeat them."""
    beginning: list[SystemPromptPart] | None = None
    """The system prompts of the first request that begins with any."""

    def update(self, messages: Sequence[Any], start: int = 0) -> None:
        """Look at the messages from a place on.

        Raises:
            UserError: An item is not a message, or a part is in a message of the wrong kind.
        """
        for index in range(start, len(messages)):
            message = messages[index]
            if not self.open_calls and len(message.parts if type(message) in _PLAIN else ()) == 1:
                if type(message.parts[0]) is _PLAIN[type(message)]:
                    continue  # most messages are plain: this keeps long histories cheap
            parts = _parts_of(message, index)
            self.special.append(message)
            in_request = isinstance(message, ModelRequest)
            self.sound = self.sound and all(known_part(part, in_request=in_request) is part for part in parts)
            if isinstance(message, ModelResponse):
                self.sound = self.sound and not self.open_calls
                self.open_calls = Counter(part.tool_call_id for part in parts if isinstance(part, ToolCallPart))
            else:
                self._look_at_request(parts)

    def is_sendable(self, messages: Sequence[ModelMessage]) -> bool:
        """Return whether another request may follow the messages: they are sound, and prompts do not follow open calls."""
        return self.sound and not (self.open_calls and isinstance(messages[-1], ModelRequest))

    def _look_at_request(self, parts: Sequence[Any]) -> None:
        open_calls = self.open_calls
        for part in parts:
            kind = part.part_kind
            if kind == 'tool-return' or (kind == 'retry-prompt' and part.tool_name is not None):
                if part.tool_call_id not in open_calls:
                    self.sound = False
                elif open_calls[part.tool_call_id] == 1:
                    del open_calls[part.tool_call_id]
                else:
                    open_calls[part.tool_call_id] -= 1
        if parts and parts[0].part_kind == 'system-prompt':
            prompts = _system_prompts(parts)
            if self.beginning is None:
                self.beginning = prompts
            elif _same(prompts, self.beginning):
                self.sound = False

    def __copy__(self) -> Soundness:
        return Soundness(self.sound, list(self.special), dict(self.open_calls), self.beginning)


def is_sound(messages: Sequence[Any]) -> bool:
    """Return whether a history is sound; see `Soundness`.

    Raises:
        UserError: An item is not a message, or a part is in a message of the wrong kind.
    """
    soundness = Soundness()
    soundness.update(messages)
    return soundness.sound


def refuse_separated(messages: Sequence[ModelMessage]) -> None:
    """Refuse messages if hooks have separated a call from its result, unless programs expect that they are sent.

    Args:
        messages: The messages that hooks left, which end in a request.

    Raises:
        UserError: A call has no result right after it, or a result no call right before it.
    """
    open_calls: list[ToolCallPart] = []
    for index, message in enumerate(messages if SEPARATED == 'refused' else ()):
        if isinstance(message, ModelResponse):
            if open_calls:
                raise _separated(open_calls[0], messages)
            open_calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            continue
        for part in message.parts:
            if _answer_or_text(part, open_calls) is not part:
                raise _separated(part, messages)
        if open_calls and not (index + 1 < len(messages) and isinstance(messages[index + 1], ModelRequest)):
            raise _separated(open_calls[0], messages)


def _separated(part: Any, messages: Sequence[ModelMessage]) -> UserError:
    """Return the error that names a call and its result."""
    is_call = isinstance(part, ToolCallPart)
    others: list[Any] = [
        other
        for message in messages
        for other in message.parts
        if getattr(other, 'tool_call_id', None) == part.tool_call_id and isinstance(other, ToolCallPart) is not is_call
    ]
    one, other = ('call', 'result') if is_call else ('result', 'call')
    where = 'is no longer in the history'
    remedy = (
        'Keep or drop both, or pass the messages to `stead.messages.repair_messages`, which answers calls without a result '
        'and drops results without a call.'
    )
    if others:
        where = f'does not stand right {"after" if is_call else "before"} it'
        remedy = 'Keep the response and the request with its results next to each other.'
    return UserError(
        f'Hooks or history processors separated the {one} {part.tool_call_id!r} of the tool {part.tool_name!r} from its '
        f'{other}, which {where}; providers refuse such a history. {remedy}'
    )


def is_sendable(messages: Sequence[ModelMessage]) -> bool:
    """Return whether a history is sound, and ends in no prompts that follow open calls."""
    soundness = Soundness()
    soundness.update(messages)
    return soundness.is_sendable(messages)


_PLAIN: dict[type, type] = {ModelRequest: UserPromptPart, ModelResponse: TextPart}
_REQUEST_KINDS = frozenset(
    {
        'system-prompt',
        'user-prompt',
        'tool-return',
        'retry-prompt',
        'retry-feedback',
        'instruction',
        'instruction-baseline',
        'instruction-delta',
        'tool-availability-delta',
        'capability-load-delta',
        'model-settings-delta',
    }
)


def _parts_of(message: object, index: int) -> Sequence[Any]:
    """Return the parts of a message.

    Raises:
        UserError: It is not a message, or a part does not belong there.
    """
    if not isinstance(message, (ModelRequest, ModelResponse)):
        raise UserError(
            f'Message {index} of `message_history` is a `{type(message).__name__}`, not a `ModelRequest` or '
            '`ModelResponse`. Load stored histories with `ModelMessagesTypeAdapter`.'
        )
    is_request = isinstance(message, ModelRequest)
    for part in message.parts:
        if isinstance(part, UnknownPart):
            continue
        kind = getattr(part, 'part_kind', None)
        if kind is None or ((kind in _REQUEST_KINDS) is not is_request and kind != 'compaction'):
            raise UserError(
                f'Message {index} of `message_history` is a `{type(message).__name__}` with {_described(part)} in it, which '
                f'belongs into no message of that kind. Take it out of `message_history[{index}].parts`.'
            )
    return message.parts


def _described(part: object) -> str:
    name = type(part).__name__
    return f'{name} {str(cast(object, part))[:60]!r}' if isinstance(part, (str, dict)) else f'a `{name}`'


def _system_prompts(parts: Sequence[object]) -> list[SystemPromptPart]:
    """Return the system prompts that a request begins with."""
    prompts: list[SystemPromptPart] = []
    for part in parts:
        if not isinstance(part, SystemPromptPart):
            break
        prompts.append(part)
    return prompts


def _same(prompts: list[SystemPromptPart], others: list[SystemPromptPart]) -> bool:
    return [(part.content, part.dynamic_ref) for part in prompts] == [
        (part.content, part.dynamic_ref) for part in others
    ]


def repaired(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return messages that every model accepts; those passed in are not changed.

    Calls without a result are answered as not executed. Results without a call become text, since they may matter, or are
    left out. The system prompts that a conversation begins with are not repeated. What is of an unknown kind is left out.

    Raises:
        UserError: Nothing is left to send.
    """
    sendable: list[ModelMessage] = []
    open_calls: list[ToolCallPart] = []
    ids: set[str] = set()
    response = ModelResponse(parts=[])
    beginning: list[SystemPromptPart] | None = None
    for index, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            if open_calls:
                sendable.append(ModelRequest(parts=[*_interrupted(open_calls, response, message)]))
            open_calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            ids.update(call.tool_call_id for call in open_calls)
            response = message
            kept = [part for part in message.parts if known_part(part) is not None]
            whole = len(kept) == len(message.parts)
            sendable.append(message if whole else dataclasses.replace(message, parts=kept))
            continue
        parts: list[ModelRequestPart] = []
        for part in message.parts:
            if (known := known_part(part, in_request=True)) is not None:
                sent = _answer_or_text(known, open_calls)
                # A result that comes late, or a second time, has its call: what it says is not lost.
                if sent is known or not ORPHANS_ARE_LEFT_OUT or known.tool_call_id in ids:
                    parts.append(sent)
        prompts = _system_prompts(parts)
        if prompts and beginning is None:
            beginning = prompts
        elif prompts and beginning is not None and _same(prompts, beginning):
            parts = parts[len(prompts) :]
        # Requests that follow each other are merged, or are one for the vendor: all of them may answer.
        if open_calls and not (index + 1 < len(messages) and isinstance(messages[index + 1], ModelRequest)):
            parts = [*_interrupted(open_calls, response, message), *parts]
            open_calls = []
        if parts or message is messages[-1]:
            same = len(parts) == len(message.parts) and all(a is b for a, b in zip(parts, message.parts))
            sendable.append(message if same else dataclasses.replace(message, parts=parts))
    if not any(message.parts or (message.kind == 'request' and message.instructions) for message in sendable):
        raise UserError(
            'Nothing is left to send: the `message_history` has only results of calls that are not in it. Pass a prompt.'
        )
    return sendable


def _answer_or_text(part: ModelRequestPart, open_calls: list[ToolCallPart]) -> ModelRequestPart:
    """Return a part unchanged if it answers an open call, or has nothing to do with calls; otherwise as text."""
    if isinstance(part, RetryPromptPart):
        if part.tool_name is None:
            return part
        name, content = part.tool_name, part.model_response()
    elif isinstance(part, BaseToolReturnPart):
        name, content = part.tool_name, part.model_response_str()
    else:
        return part
    for place, call in enumerate(open_calls):
        if call.tool_call_id == part.tool_call_id:
            del open_calls[place]
            return part
    return UserPromptPart(_WITHOUT_CALL.format(name=name, content=content), timestamp=part.timestamp)


def _interrupted(calls: list[ToolCallPart], response: ModelResponse, after: ModelMessage) -> list[ToolReturnPart]:
    answers = [interrupted(call, response) for call in calls]
    for part in answers:
        part.timestamp = after.timestamp or part.timestamp
    return answers
