"""What the cases about user interfaces share: events of runs, streams of them, and ways to print what a protocol makes of them."""

import dataclasses
import re
import warnings

from pydantic_ai.messages import (
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
)
from pydantic_ai.run import AgentRunResult, AgentRunResultEvent

UUID = re.compile(r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
DONE = AgentRunResultEvent(AgentRunResult('x'))
CALL = ToolCallPart('t', {'x': 1}, 'c1')
OTHER = ToolCallPart('u', '{"y": 2}', 'c2')
OUTPUT = ToolCallPart('final_result', {'x': 1}, 'o1')
NATIVE = NativeToolCallPart('ws', {'q': 1}, 'n1', provider_name='p')
NATIVE_RETURN = NativeToolReturnPart('ws', {'r': 1}, 'n1', provider_name='p')


def text(content, *more, before=None, after=None):
    """The events of text: its start, a delta for each further piece, and its end."""
    return part(
        TextPart(content), *map(TextPartDelta, more), end=TextPart(content + ''.join(more)), **around(before, after)
    )


def thinking(content, *more, before=None, after=None, **fields):
    """The events of thinking."""
    deltas = [ThinkingPartDelta(content_delta=piece) for piece in more]
    end = ThinkingPart(content + ''.join(more), **fields)
    return part(ThinkingPart(content), *deltas, end=end, **around(before, after))


def called(call, *more, before=None, after=None):
    """The events of a tool call in a response."""
    deltas = [ToolCallPartDelta(args_delta=piece, tool_call_id=call.tool_call_id) for piece in more]
    return part(call, *deltas, end=call, **around(before, after))


def around(before, after):
    return {'before': before, 'after': after}


def part(start, *deltas, end=None, before=None, after=None):
    """The events of a part."""
    yield PartStartEvent(index=0, part=start, previous_part_kind=before)
    for delta in deltas:
        yield PartDeltaEvent(index=0, delta=delta)
    if end is not None:
        yield PartEndEvent(index=0, part=end, next_part_kind=after)


def ran(call, content='r', **fields):
    """The events of the execution of a call."""
    yield FunctionToolCallEvent(call)
    yield FunctionToolResultEvent(ToolReturnPart(call.tool_name, content, call.tool_call_id, **fields))


def answered(call, result=None):
    """The events of the handling of an output tool's call."""
    yield OutputToolCallEvent(call)
    yield OutputToolResultEvent(result or ToolReturnPart(call.tool_name, 'Final result processed.', call.tool_call_id))


def final(call=None):
    yield FinalResultEvent(tool_name=call and call.tool_name, tool_call_id=call and call.tool_call_id)


async def events(*groups, error=None):
    """The events of a run, one group after the other, and an error at the end."""
    for group in groups:
        for event in [group] if isinstance(group, AgentRunResultEvent) else group:
            yield event
    if error is not None:
        raise error


class Names:
    """Short names for the ids in a text, in the order in which they come."""

    def __init__(self):
        self.names = {}

    def __call__(self, line):
        line = re.sub(r'"timestamp":\d+,?', '"timestamp":T,', line)
        # Version 1.0 of AG-UI wants this, and the reference does not say it.
        line = line.replace(',"protocolVersion":"1.0"', '')
        return UUID.sub(lambda match: self.names.setdefault(match[0], f'id{len(self.names)}'), line)


async def stream(title, make, *groups, error=None, on_complete=None):
    """Print what an event stream makes of the events of a run."""
    print('==', title)
    named, target = Names(), make()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            async for event in target.transform_stream(events(*groups, error=error), on_complete=on_complete):
                print('  ', named(target.encode_event(event).strip()))
        except BaseException as error:
            print('   raised', type(error).__name__)


async def answer(title, adapter, **options):
    """Print what an adapter answers, and the classes of warnings."""
    print('==', title)
    named = Names()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        try:
            async for line in adapter.encode_stream(adapter.run_stream(**options)):
                print('  ', without_message(named(line.strip())))
        except Exception as error:
            print('   raised', type(error).__name__)
    for warning in seen:
        print('   warning', warning.category.__name__)


def without_message(line):
    """A line without the words of errors, which are our own."""
    return re.sub(r'("type":"RUN_ERROR".*?"message":|"errorText":)".*"', r'\1"..."', line)


def short(value):
    """Messages and parts without times, and without what is as usual."""
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(map(short, value)) + ']'
    if not dataclasses.is_dataclass(value):
        return repr(value)
    fields = []
    for field in dataclasses.fields(value):
        name, item = field.name, getattr(value, field.name)
        if name in ('timestamp', 'usage', 'run_id', 'conversation_id', 'model_name', '_identifier'):
            continue
        default = field.default_factory() if callable(field.default_factory) else field.default
        if name in ('content', 'parts') or item != default:
            fields.append(f'{name}={short(item)}')
    return f'{type(value).__name__}({", ".join(fields)})'
