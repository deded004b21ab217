"""How a builder of messages cuts parts into requests and responses, and what it says was modified."""

from _ui import CALL, NATIVE, NATIVE_RETURN, short
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.ui import MessagesBuilder

PARTS = [SystemPromptPart('s'), UserPromptPart('a'), TextPart('b'), ThinkingPart('c'), CALL, NATIVE, NATIVE_RETURN]
PARTS += [ToolReturnPart('t', 'r', 'c1'), RetryPromptPart('again'), UserPromptPart('d'), TextPart('e')]

builder = MessagesBuilder()
for part in PARTS:
    builder.add(part)
for message in builder.messages:
    print(short(message))


def index(message):
    return next((number for number, item in enumerate(builder.messages) if item is message), None)


builder = MessagesBuilder()
start = builder.checkpoint()
print(start.message_count, start.last_message, start.last_message_part_count)
for part in (UserPromptPart('a'), TextPart('t'), UserPromptPart('c'), TextPart('u')):
    builder.add(part)
print([index(builder.last_modified(start, of_type=kind)) for kind in (ModelRequest, ModelResponse)])
middle = builder.checkpoint()
print(middle.message_count, index(middle.last_message), middle.last_message_part_count)
print([index(builder.last_modified(middle, of_type=kind)) for kind in (ModelRequest, ModelResponse)])
for part in (TextPart('v'), UserPromptPart('z'), TextPart('w')):
    builder.add(part)
print([index(builder.last_modified(middle, of_type=kind)) for kind in (ModelRequest, ModelResponse)])
