"""What happened in a run, as a tree of short texts that a terminal can show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .._kit.secret import masked_text
from .._kit.short import CONTROLS
from .._kit.shown_arguments import marked, shown_arguments
from .._kit.shown_json import shown_json
from ..messages import (
    BinaryContent,
    FilePart,
    FileUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UnknownPart,
    UserPromptPart,
    is_retry,
)
from .causes import problems_in_words

LONGEST = 1000
"""How many characters of a text are shown at all."""


@dataclass
class Node:
    """A thing that happened in a run, and what belongs to it."""

    kind: str
    """What it is: a status for runs, else `prompt`, `text`, `thinking`, `call`, `answer`, `doubt`, `waits`, `error`,
    `output` or `note`."""
    text: str
    children: list[Node] = field(default_factory=lambda: [])


def one_line(text: object, width: int = LONGEST) -> str:
    """Return the beginning of a text in one line, without characters that a terminal would obey."""
    shown = CONTROLS.sub('\N{REPLACEMENT CHARACTER}', ' '.join(str(text).split()))
    return shown if len(shown) <= width else f'{shown[: width - 1]}…'


def shown(text: object) -> str:
    """Return the beginning of what a run was asked, did or answered in one line, without secrets."""
    return one_line(masked_text(str(text)[: LONGEST * 4]))


def counted(number: int, noun: str) -> str:
    """Return a number of things in words."""
    return f'{number:,} {noun}{"" if number == 1 else "s"}'


def as_json(output: object) -> str:
    """Return an output that is not text as text of many lines."""
    return shown_json(output, indent=2).decode()


def call_text(call: ToolCallPart | NativeToolCallPart) -> str:
    """Return a tool call in one line, without secrets."""
    return f'{one_line(call.tool_name)}({shown(call.args_as_json_str())})'


def waiting_text(call: ToolCallPart) -> str:
    """Return a call that someone has to decide about in one line: they see all of it."""
    shown = shown_arguments(call)
    return f'{marked(call.tool_name)}({shown.text}) waits: {marked(call.tool_call_id)}{shown.remarks}'


def nodes_of(
    messages: Sequence[ModelMessage],
    answers: Mapping[str, Sequence[ModelRequestPart]] | None = None,
    inner: dict[str, list[Node]] | None = None,
) -> Iterator[Node]:
    """Yield what happened, in its order; the answers of calls stand with their calls, and so do the runs inside of these.

    Args:
        messages: The messages of the run.
        answers: Answers of calls that are not in the messages, by the id of the call.
        inner: The runs inside of calls, by the id of the call; those that are used are taken out.
    """
    inner = {} if inner is None else inner
    calls: dict[str, Node] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart, NativeToolReturnPart)) and part.tool_call_id in calls:
                calls.pop(part.tool_call_id).children.append(_answer(part))
                continue
            node = _node_of(part, isinstance(message, ModelRequest))
            if node is None:
                continue
            if isinstance(part, (ToolCallPart, NativeToolCallPart)):
                calls[part.tool_call_id] = node
                node.children += inner.pop(part.tool_call_id, [])
            yield node
    for call_id, parts in (answers or {}).items():  # of the last response, while other calls of it are not answered
        if call_id in calls:
            calls[call_id].children.append(_answer(parts[0]))


def _node_of(part: ModelRequestPart | ModelResponsePart, is_request: bool) -> Node | None:
    if isinstance(part, (ToolReturnPart, RetryPromptPart, NativeToolReturnPart)):
        return Node(
            'answer', f'{one_line(part.tool_name)}: {answer_text(part)}' if part.tool_name else answer_text(part)
        )
    if isinstance(part, (UserPromptPart, SystemPromptPart)):
        return Node('prompt', prompt_text(part.content))
    if isinstance(part, (ToolCallPart, NativeToolCallPart)):
        return Node('call', call_text(part))
    if isinstance(part, ThinkingPart):
        return Node('thinking', shown(part.content)) if part.content else None
    if isinstance(part, FilePart):
        return Node('text', _file(part.content))
    text = getattr(part, 'content', part.part_kind)
    return None if is_request or isinstance(part, UnknownPart) or text == '' else Node('text', shown(text))


def _answer(part: ModelRequestPart | NativeToolReturnPart) -> Node:
    return Node('answer', answer_text(part))


def answer_text(part: ModelRequestPart | NativeToolReturnPart) -> str:
    """Return the answer to a call in one line."""
    if not is_retry(part):
        return shown(_plain(getattr(part, 'content', '')))
    content = part.content
    return f'retry: {shown(content) if isinstance(content, str) else problems_in_words(content, len(content))}'


def prompt_text(content: str | Sequence[object] | None) -> str:
    """Return the content of a prompt in one line; files by their kind and size or address."""
    if content is None or isinstance(content, str):
        return shown(content or '')
    return shown(' '.join(str(_plain(item)) for item in content))


def _plain(content: object) -> object:
    if isinstance(content, BinaryContent):
        return _file(content)
    if isinstance(content, FileUrl):
        return f'<{content.url}>'
    if isinstance(content, TextContent):
        return content.content
    return content


def _file(content: BinaryContent) -> str:
    return f'<{content.media_type}, {len(content.data):,} bytes>'
