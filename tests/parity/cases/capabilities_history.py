"""`ProcessHistory`: what processors are given, and what happens to the history."""

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

sent = []


def respond(messages, info):
    sent.append(
        [
            [
                str(processor.content) if hasattr(processor, 'content') else processor.part_kind
                for processor in message.parts
            ]
            for message in messages
        ]
    )
    if len(sent) < 3:
        return ModelResponse(parts=[ToolCallPart('step', {}, f'c{len(sent)}')])
    return ModelResponse(parts=[TextPart('done')])


def show(label, *processors, history=None):
    sent.clear()
    agent = Agent(FunctionModel(respond), capabilities=[ProcessHistory(processor) for processor in processors])

    @agent.tool_plain
    def step() -> int:
        return 1

    try:
        result = agent.run_sync('hi', message_history=history)
    except Exception as error:
        print(label, type(error).__name__)
        return
    print(label, result.output)
    for line in sent:
        print('   ', line)
    print('    all', len(result.all_messages()), 'new', len(result.new_messages()))
    print('   ', [[processor.part_kind for processor in message.parts] for message in result.all_messages()])


def same(messages):
    return messages


async def async_same(messages):
    return messages


def with_ctx(ctx: RunContext, messages):
    return [*messages[:-1], ModelRequest(parts=[*messages[-1].parts, UserPromptPart(f'step {ctx.run_step}')])]


def last_two(messages):
    return messages[-2:] if len(messages) > 2 else messages


class Processor:
    def __call__(self, messages):
        return messages


class AsyncProcessor:
    async def __call__(self, ctx: RunContext, messages):
        return messages


history = [
    ModelRequest(parts=[UserPromptPart('old')]),
    ModelResponse(parts=[TextPart('older answer')]),
]
for label, processor in (
    ('same', same),
    ('async', async_same),
    ('object', Processor()),
    ('async object', AsyncProcessor()),
):
    show(label, processor)
show('ctx', with_ctx)
show('ctx with history', with_ctx, history=history)
show('first dropped', lambda messages: messages[2:] if len(messages) == 3 else messages, history=history)
show('two', with_ctx, same)
show('only requests', lambda messages: [message for message in messages if message.kind == 'request'], history=history)
show('nothing', lambda messages: [])
show('ends in a response', lambda messages: [*messages, ModelResponse(parts=[TextPart('x')])])
print(repr(type(ProcessHistory(same).processor).__name__), ProcessHistory.get_serialization_name())
