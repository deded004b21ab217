"""System prompts in the middle of a conversation: what models are sent that have no place for them, and what is kept."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile
from pydantic_graph import End

User, System = UserPromptPart, SystemPromptPart


def request(*parts):
    return ModelRequest(parts=list(parts))


def response(text):
    return ModelResponse(parts=[TextPart(text)])


def prompts(messages):
    return [[f'{part.part_kind}: {part.content}' for part in message.parts] for message in messages]


def respond(messages, info):
    print('   sent', prompts(messages))
    return response('ok')


async def stream(messages, info):
    print('   sent', prompts(messages))
    yield 'ok'


class Own(WrapperModel):
    def prepare_messages(self, messages):
        print('   prepares', len(messages))
        return super().prepare_messages(messages)[-1:]


HISTORIES = {
    'middle': [request(User('a')), response('b'), request(System('late'), User('c')), response('d')],
    'first and middle': [
        request(System('first'), User('a')),
        response('b'),
        request(System('late'), User('c')),
        response('d'),
    ],
    'behind the prompt': [request(User('a'), System('behind'))],
    'alone': [request(System('alone'))],
    'after a response': [
        response('hello'),
        request(System('first'), User('a')),
        response('b'),
        request(System('late')),
    ],
    'two requests first': [
        request(System('one')),
        request(System('two'), User('x')),
        response('b'),
        request(User('q'), System('tail'), System('end')),
    ],
    'none': [request(User('a')), response('b')],
}
for label, history in HISTORIES.items():
    print(label)
    model = FunctionModel(respond, stream_function=stream)
    result = Agent(model).run_sync('now', message_history=history)
    print('   kept', prompts(result.all_messages()))
    fitted = model.prepare_messages(history)
    print('   fitted', prompts(fitted), fitted is history)


async def main():
    history = HISTORIES['middle']
    async with Agent(FunctionModel(stream_function=stream)).run_stream('now', message_history=history) as result:
        print('streamed', await result.get_output())
    inline = FunctionModel(respond, profile=ModelProfile(supports_inline_system_prompts=True))
    print('inline', (await Agent(inline).run('now', message_history=history)).output)
    print('own', (await Agent(Own(FunctionModel(respond))).run('now', message_history=history)).output)
    print(
        'wrapped', (await Agent(WrapperModel(Own(FunctionModel(respond)))).run('now', message_history=history)).output
    )

    def add(ctx, request_context):
        request_context.messages = [*request_context.messages[:-1], request(System('of a hook'), User('x'))]
        return request_context

    hooked = Agent(FunctionModel(respond), capabilities=[Hooks(before_model_request=add)])
    print('hook', (await hooked.run('now', message_history=HISTORIES['none'])).output)

    agent = Agent(FunctionModel(respond))
    async with agent.iter('now') as run:
        run.enqueue(request(System('enqueued'), User('y')), priority='when_idle')
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    print('enqueued', prompts(run.result.all_messages()))
    metadata = ModelRequest(parts=[System('x', dynamic_ref='r')], instructions='i', run_id='run', metadata={'k': 1})
    fitted = agent.model.prepare_messages([request(User('a')), metadata])[1]
    print(fitted.instructions, fitted.run_id, fitted.metadata, fitted.parts[0].timestamp == metadata.parts[0].timestamp)


asyncio.run(main())
