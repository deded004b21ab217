"""What the cases that are small programs share: scripted models that also stream, and messages in short."""

import dataclasses
import json
import re

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

LEFT_OUT = {'timestamp', 'run_id', 'conversation_id', 'tool_call_id', 'usage', 'id'}


def out(*facts):
    """Print facts in one line."""
    print(*[fact if isinstance(fact, str) else json.dumps(fact, default=shown, sort_keys=True) for fact in facts])


def shown(value):
    """Return a value as JSON has it: of a record its class and the fields that say something."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.name not in LEFT_OUT]
        fields = {name: getattr(value, name) for name in names if not name.startswith('_')}
        return [type(value).__name__, {name: item for name, item in fields.items() if item not in (None, [], {}, '')}]
    return sorted(value) if isinstance(value, set) else type(value).__name__


def in_short(messages):
    """Return messages in short: their kinds, and what their parts say."""
    return [[message.kind, [_part(part) for part in message.parts]] for message in messages]


def _part(part):
    fields = [getattr(part, name, None) for name in ('tool_name', 'content', 'args', 'retry')]
    outcome = getattr(part, 'outcome', 'success')
    return [
        type(part).__name__,
        *(item for item in fields if item is not None),
        *([outcome] if outcome != 'success' else []),
    ]


def call(name, args=None, id=None):
    """Return a call of a tool."""
    return ToolCallPart(name, args or {}, tool_call_id=id or f'{name}-1')


def script(*steps, seen=None):
    """Return a model that gives one step after the other, and the last one forever: text, parts, or a function of both arguments.

    Args:
        steps: The responses.
        seen: Takes the messages and the information of each request.
    """

    def answer(messages, info):
        if seen is not None:
            seen.append(([*messages], info))
        step = steps[min(sum(isinstance(message, ModelResponse) for message in messages), len(steps) - 1)]
        step = step(messages, info) if callable(step) else step
        return ModelResponse(parts=[TextPart(step)] if isinstance(step, str) else [*step])

    async def stream(messages, info):
        for index, part in enumerate(answer(messages, info).parts):
            if isinstance(part, TextPart):
                for word in re.findall(r'\S+\s*', part.content):
                    yield word
            else:
                yield {index: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}

    return FunctionModel(answer, stream_function=stream)


async def told(title, work):
    """Print the title of a program, and the class of the error in which it ends."""
    print('==', title)
    try:
        await work()
    except Exception as error:
        print('error', type(error).__name__)
