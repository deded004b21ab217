"""What the cases about streams share: a scripted model that streams, and ways to print events."""

import warnings

from _common import fact
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from typing_extensions import TypedDict

warnings.simplefilter('ignore')


def script(*responses, seen=None):
    """A model that streams one response after the other; a response is a list of text chunks and deltas."""
    left = list(responses)

    async def stream(messages, info: AgentInfo):
        if seen is not None:
            seen.append([[part.part_kind for part in message.parts] for message in messages])
        for chunk in left.pop(0):
            if isinstance(chunk, BaseException):
                raise chunk
            yield chunk

    return FunctionModel(stream_function=stream)


def call(name, args='{}', call_id=None, index=0):
    """One tool call as deltas: the name, then the arguments in two pieces."""
    half = len(args) // 2
    return [
        {index: DeltaToolCall(name=name, json_args='', tool_call_id=call_id or f'id_{name}_{index}')},
        {index: DeltaToolCall(json_args=args[:half])},
        {index: DeltaToolCall(json_args=args[half:])},
    ]


def show(event):
    """An event in one line."""
    kind = type(event).__name__
    if kind == 'PartStartEvent':
        return [kind, event.index, event.part.part_kind, body(event.part), event.previous_part_kind]
    if kind == 'PartDeltaEvent':
        delta = event.delta
        return [kind, event.index, getattr(delta, 'content_delta', None) or getattr(delta, 'args_delta', None)]
    if kind == 'PartEndEvent':
        return [kind, event.index, body(event.part), event.next_part_kind]
    if kind == 'FinalResultEvent':
        return [kind, event.tool_name, event.tool_call_id]
    if kind in ('FunctionToolCallEvent', 'OutputToolCallEvent'):
        return [kind, event.part.tool_name, event.part.tool_call_id, event.args_valid]
    if kind in ('FunctionToolResultEvent', 'OutputToolResultEvent'):
        part = event.part
        return [kind, part.part_kind, part.tool_call_id, str(part.content)]
    return [kind]


def settled(lines):
    """Lines of events with results of tools that follow each other in one order: tools that run together end in any."""
    out, results = [], []
    for line in [*lines, None]:
        if line is not None and line[0] == 'FunctionToolResultEvent':
            results.append(line)
            continue
        out += sorted(results, key=repr)
        results = []
        if line is not None:
            out.append(line)
    return out


def body(part):
    """What a part says, or which tool it calls with which arguments."""
    return [part.tool_name, part.args] if hasattr(part, 'tool_name') else str(getattr(part, 'content', part.part_kind))


def parts(messages):
    """Messages as rows: kind and content of every part, and the state of responses that are not complete."""
    rows = []
    for message in messages:
        state = getattr(message, 'state', None)
        row = [[part.part_kind, str(getattr(part, 'content', getattr(part, 'args', '')))] for part in message.parts]
        rows.append(row + ([state] if state not in (None, 'complete') else []))
    return rows


async def attempt(name, work):
    """Print what an awaitable comes to, or its error."""
    try:
        fact(name, await work)
    except Exception as error:
        fact(name, [type(error).__name__, None if 'UserError' in type(error).__name__ else str(error)])


class Out(TypedDict, total=False):
    v: int
    w: str
