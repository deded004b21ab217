"""The tree of a run that its messages tell."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..messages import DeferredToolRequests, ModelMessage, ModelResponse
from ..usage import RunUsage
from .nodes import Node, counted, nodes_of, one_line, shown, waiting_text
from .trees import plain_lines


def result_tree(messages: Sequence[ModelMessage], usage: RunUsage, output: object) -> Node:
    """Return what happened in a run that has come to its end: its messages, its output and its usage.

    Args:
        messages: The messages of the run.
        usage: Its usage.
        output: Its output.
    """
    is_waiting = isinstance(output, DeferredToolRequests)
    root = Node('waiting' if is_waiting else 'done', headline(messages, usage))
    root.children += nodes_of(messages)
    if is_waiting:
        calls = (*output.approvals, *output.calls)
        root.children += [Node('waits', waiting_text(call)) for call in calls]
    elif not (root.children and root.children[-1].kind == 'text' and root.children[-1].text == shown(output)):
        root.children.append(Node('output', f'output: {shown(repr(output))}'))
    return root


def result_bundle(
    messages: Sequence[ModelMessage],
    usage: RunUsage,
    output: object,
    include: Collection[str] | None,
    exclude: Collection[str] | None,
) -> dict[str, str]:
    """Return a run as IPython shows it, by media types.

    Args:
        messages: The messages of the run.
        usage: Its usage.
        output: Its output.
        include: The media types that are wanted; `None` for all.
        exclude: Those that are not.
    """

    def text() -> str:
        return '\n'.join(plain_lines(result_tree(messages, usage, output)))

    def html() -> str:
        from .pages import summary_of

        return summary_of(messages, usage, output)

    forms = {'text/plain': text, 'text/html': html}
    wanted = (forms.keys() if include is None else forms.keys() & include) - set(exclude or ())
    return {media_type: form() for media_type, form in forms.items() if media_type in wanted}


def messages_tree(messages: Sequence[ModelMessage], error: BaseException | None = None) -> Node:
    """Return what messages tell, and the error that ended their run."""
    usage = RunUsage()
    for message in messages:
        if isinstance(message, ModelResponse):
            usage.requests += 1
            usage.tool_calls += len(message.tool_calls)
            usage.incr(message.usage)
    root = Node('note' if error is None else 'failed', headline(messages, usage))
    root.children += nodes_of(messages)
    if error is not None:
        root.children.append(Node('error', f'failed with {error_text(error)}'))
    return root


def error_text(error: BaseException) -> str:
    """Return an error in one line."""
    return f'{type(error).__name__}: {shown(error)}'


def headline(messages: Sequence[ModelMessage], usage: RunUsage) -> str:
    """Return what a run used, and how long it took by the times of its messages."""
    models = dict.fromkeys(
        message.model_name for message in messages if isinstance(message, ModelResponse) and message.model_name
    )
    requests = counted(usage.requests, 'request')
    parts = [f'{requests} to {one_line(", ".join(models))}' if models else requests]
    if usage.tool_calls:
        parts.append(counted(usage.tool_calls, 'tool call'))
    parts.append(counted(usage.total_tokens, 'token'))
    moments = [
        moment
        for message in messages
        for moment in (message.timestamp, *(getattr(part, 'timestamp', None) for part in message.parts))
        if moment is not None
    ]
    if len(moments) > 1:
        parts.append(f'{(max(moments) - min(moments)).total_seconds():.1f} s')
    return ', '.join(parts)
