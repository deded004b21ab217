"""`Past`: the part of a conversation that is not sent, and what of it is sent all the same.

A conversation is cut at a *start*: messages before it are folded, the others are sent as they are. The start only moves forward,
and by large steps, since each fold changes the beginning of what is sent, which providers then have to read again. Of what is
folded, this is sent in its order: system prompts; what is pinned; summaries that a provider made; calls that loaded a capability
or found tools, with their results; and the prompts of the run that the start is in, since the messages after it answer them. A
note about the rest comes first. Calls and their results are on one side of a start, both or none of a pair is kept, and thinking
that the provider signed stays with the calls that it led to.

All of this follows from the messages alone. So a run that is resumed in another process, or the next run of the conversation,
folds the same messages at the same places, and nothing has to be stored but texts that a model wrote.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import TypeAlias

from ...messages import (
    LOAD_CAPABILITY,
    NATIVE_TOOL_SEARCH,
    SEARCH_TOOLS,
    BaseToolCallPart,
    BaseToolReturnPart,
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from .numbers import call_id
from .pins import is_marked, is_pinned, pinned_content
from .sizes import message_tokens

KeepFunc: TypeAlias = Callable[[Any], bool]
"""Says of a part of a message whether it is sent word for word, as if it were pinned."""
_NEEDED = frozenset({LOAD_CAPABILITY, SEARCH_TOOLS, NATIVE_TOOL_SEARCH})
"""The tools whose calls stay, since the model could not know of what they made available."""
_GAP = '[Messages are left out here.]'


@dataclass
class Kept:
    """What is sent of a message although it is before the start."""

    message: ModelMessage | None
    """What is left of it; `None` if that is nothing."""
    prompt: ModelRequest | None = None
    """Its prompts, which are sent in its place while the start is in its run."""
    reason: str = ''
    """What is pinned in it, for errors."""


class Past:
    """What is known of a conversation that grows: sizes, where it may be cut, where it is cut, and what is kept of its past."""

    def __init__(self, keep: KeepFunc | None = None, *, measured: bool = True) -> None:
        """Begin with nothing.

        Args:
            keep: Says of a part whether it is kept.
            measured: Whether sizes are asked for.
        """
        self.keep = keep
        self._measured = measured
        self.is_pinned_tool: Callable[[str], bool] = no_tool  # set for each request
        """Says of the name of a tool whether its results are pinned."""
        self._start_over()

    def _start_over(self) -> None:
        self.seen: list[ModelMessage] = []
        self.start = 0
        """How many messages are folded."""
        self.cuts: list[int] = []
        """The places at which the conversation may be cut."""
        self._totals = [0]
        self._open: set[str] = set()
        self._systems: list[SystemPromptPart] = []
        self._kept: list[Kept] = []
        self._front: list[ModelMessage] = []
        self._front_tokens = 0
        self._rest = 0
        self._overhead = 0

    def follow(self, messages: Sequence[ModelMessage]) -> Iterator[int]:
        """Take note of a conversation, and yield how many messages each of its requests has that was not known yet.

        What is folded at such a place is folded before the messages after it are looked at, as in the run that sent them.
        """
        if not continues(messages, self.seen):
            self._start_over()
        last = len(messages) - 1
        for index in range(len(self.seen), len(messages)):
            message = messages[index]
            self.seen.append(message)
            if self._measured:
                self._totals.append(self._totals[-1] + message_tokens(message))
            if isinstance(message, ModelResponse):
                if index:
                    self.cuts.append(index)
                self._open = {part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)}
                if self._measured:
                    self._correct(index, message)
                continue
            self._find_cut(index, message)
            if index == last or isinstance(messages[index + 1], ModelResponse):
                yield index + 1

    def _find_cut(self, index: int, request: ModelRequest) -> None:
        answers = {
            part.tool_call_id for part in request.parts if isinstance(part, (BaseToolReturnPart, RetryPromptPart))
        }
        if answers:
            self._open -= answers
        elif index and not self._open:
            self.cuts.append(index)

    def _correct(self, index: int, response: ModelResponse) -> None:
        """Take what the provider counted for a request as its size: instructions, tools and its own way to count are in it."""
        counted = response.usage.input_tokens
        if counted:
            self._overhead = max(0, counted - self._estimate(index))

    def _estimate(self, end: int) -> int:
        return self._front_tokens + self._totals[end] - self._totals[self._rest]

    def size(self, end: int) -> int:
        """Return about how many tokens a request has that ends before a message."""
        return self._overhead + self._estimate(end)

    def latest_cut(self, end: int, tokens: int) -> int:
        """Return the first place to cut at after which a request up to `end` has at most so many tokens, or the last place.

        Args:
            end: How many messages the request has.
            tokens: What it may have, including what is kept of the messages before the start.
        """
        spare = tokens - self._overhead - self._front_tokens
        first = bisect_left(self._totals, self._totals[end] - max(spare, 0), 0, end)
        return self.next_cut(first, end)

    def next_cut(self, index: int, end: int) -> int:
        """Return the first place at or after `index` to cut a request with `end` messages at, or the last place there is."""
        place = bisect_left(self.cuts, index)
        last = bisect_left(self.cuts, end) - 1
        return self.cuts[min(place, last)] if last >= 0 else 0

    def fold(self, start: int, note: str | TextContent) -> None:
        """Fold the messages before a place.

        Args:
            start: A place to cut at that is not before the present one.
            note: What is said in place of them.
        """
        self._keep_of(self.start, start)
        self.start = start
        first = self.seen[start]
        self._kept = [one for one in self._kept if one.message is not None or _is_of_run(one, first)]
        prompts = [one for one in self._kept if _is_of_run(one, first)]
        if first.run_id is None:  # nothing says which run a prompt is of: the last one before the start is
            prompts = [] if _is_prompt(first) else prompts[-1:]
        front: list[ModelMessage] = [
            ModelRequest([*self._systems, UserPromptPart(note if isinstance(note, str) else [note])])
        ]
        for one in self._kept:
            message = one.prompt if any(one is prompt for prompt in prompts) else one.message
            if message is not None:
                _join(front, message)
        self._rest = start
        if isinstance(first, ModelRequest) == isinstance(front[-1], ModelRequest):
            _join(front, first)
            self._rest += 1
        self._front = front
        self._front_tokens = sum(map(message_tokens, front)) if self._measured else 0

    def sent(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return what is sent of the conversation."""
        return [*self._front, *messages[self._rest :]] if self.start else messages

    def pins(self) -> list[str]:
        """Return what is kept of the messages before the start, and why."""
        return [one.reason for one in self._kept if one.reason]

    def _keep_of(self, begin: int, end: int) -> None:
        """Take note of what is kept of messages that are now folded."""
        index = begin
        while index < end:
            message = self.seen[index]
            index += 1
            if not isinstance(message, ModelResponse):
                self._keep_of_request(message, index - 1)
                continue
            requests: list[ModelRequest] = []
            while index < end and isinstance(after := self.seen[index], ModelRequest):
                requests.append(after)
                index += 1
            if self._is_plain([message, *requests]):
                continue
            answers = {id: part for one in requests for part in one.parts if (id := call_id(part)) is not None}
            kept = self._keep_of_response(message, answers, index - len(requests) - 1)
            for offset, request in enumerate(requests):
                self._keep_of_request(request, index - len(requests) + offset, kept)

    def _is_plain(self, messages: Sequence[ModelMessage]) -> bool:
        """Return whether it is seen at a glance that nothing of a response and its results is kept, as of most."""
        if self.keep is not None:
            return False
        for message in messages:
            if message.metadata:
                return False
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    if part.metadata or self.is_pinned_tool(part.tool_name):
                        return False
                elif (
                    not isinstance(part, (TextPart, ThinkingPart, ToolCallPart))
                    or part.provider_details
                    or (isinstance(part, ToolCallPart) and part.tool_name in _NEEDED)
                ):
                    return False
        return True

    def _keep_of_response(self, response: ModelResponse, answers: dict[str, Any], index: int) -> set[str]:
        """Keep what is needed of a response, and return the ids of the calls among it."""
        if response.metadata and is_marked(response.metadata):
            self._kept.append(Kept(response, reason=f'message {index}, which is pinned'))
            return {part.tool_call_id for part in response.parts if isinstance(part, ToolCallPart)}
        ids: set[str] = set()
        why: list[str] = []
        for part in response.parts:
            if isinstance(part, BaseToolCallPart):
                answer = answers.get(part.tool_call_id)
                if part.tool_name in _NEEDED:
                    ids.add(part.tool_call_id)
                elif self._is_kept(part) or (answer is not None and self._is_kept(answer)):
                    ids.add(part.tool_call_id)
                    why.append(f'the call {part.tool_call_id!r} of the tool {part.tool_name!r} with its result')
            elif isinstance(part, BaseToolReturnPart) and self._is_kept(part):
                ids.add(part.tool_call_id)
                why.append(f'the result of {part.tool_name!r} in message {index}')
        parts = [part for part in response.parts if self._stays(part, ids)]
        why += [f'text of message {index}' for part in parts if call_id(part) is None and self._is_kept(part)]
        if parts:
            self._kept.append(Kept(replace(response, parts=parts), reason=', '.join(why)))
        return ids

    def _stays(self, part: Any, ids: set[str]) -> bool:
        if (id := call_id(part)) is not None:
            return id in ids
        if isinstance(part, ThinkingPart) and part.signature and ids:
            return True
        return isinstance(part, CompactionPart) or self._is_kept(part)

    def _is_kept(self, part: Any) -> bool:
        if getattr(part, 'metadata', None) or getattr(part, 'provider_details', None):  # most parts have neither
            if is_pinned(part):
                return True
        if self.keep is not None and self.keep(part):
            return True
        return isinstance(part, BaseToolReturnPart) and self.is_pinned_tool(part.tool_name)

    def _keep_of_request(self, request: ModelRequest, index: int, ids: Collection[str] = ()) -> None:
        whole = is_marked(request.metadata)
        parts: list[Any] = []
        prompts: list[Any] = []
        why: list[str] = []
        for part in request.parts:
            if isinstance(part, SystemPromptPart):
                self._systems.append(part)
            elif isinstance(part, (BaseToolReturnPart, RetryPromptPart)) and part.tool_name is not None:
                if part.tool_call_id in ids:
                    parts.append(part)
            elif whole or self._is_kept(part):
                parts.append(part)
                prompts += [part] if isinstance(part, UserPromptPart) else []
                why.append(f'message {index}, which is pinned' if whole else f'part of message {index}')
            elif isinstance(part, UserPromptPart):
                if items := pinned_content(part):
                    parts.append(replace(part, content=[*items]))
                    why.append(f'pinned content of message {index}')
                prompts.append(part)
        if parts or prompts:
            left = replace(request, parts=parts) if parts else None
            whole_prompt = replace(request, parts=[*_without_prompts(parts), *prompts]) if prompts else None
            self._kept.append(Kept(left, whole_prompt, ', '.join(why)))


def continues(messages: Sequence[ModelMessage], seen: list[ModelMessage]) -> bool:
    """Return whether messages begin with those that were seen before."""
    try:
        return (
            messages[: len(seen)] == seen
        )  # it compares what is not the same object only, and takes a nanosecond for the others
    except Exception:  # results of tools may be of any type, such as arrays, which have no one answer
        return False


def no_tool(name: str) -> bool:
    """Return that the results of a tool are not pinned."""
    return False


def _without_prompts(parts: Sequence[Any]) -> list[Any]:
    return [part for part in parts if not isinstance(part, UserPromptPart)]


def _is_of_run(kept: Kept, first: ModelMessage) -> bool:
    return kept.prompt is not None and kept.prompt.run_id == first.run_id


def _is_prompt(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts)


def _join(messages: list[ModelMessage], message: ModelMessage) -> None:
    """Add a message, so that requests and responses alternate."""
    last = messages[-1]
    if isinstance(last, ModelRequest) and isinstance(message, ModelRequest):
        messages[-1] = replace(message, parts=[*last.parts, *message.parts])
        return
    if isinstance(last, ModelResponse) and isinstance(message, ModelResponse):
        messages.append(ModelRequest([UserPromptPart(_GAP)]))
    messages.append(message)
