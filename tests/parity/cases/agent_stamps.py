"""Which run id, conversation id, timestamp and names each message carries, over five runs that continue one another."""

from _common import call, fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart


def stamps(result, known):
    for message in result.all_messages():
        fact(
            message.kind,
            [
                known.get(message.run_id, message.run_id),
                known.get(message.conversation_id, message.conversation_id),
                message.timestamp is not None,
                message.metadata,
                getattr(message, 'model_name', None),
                getattr(message, 'provider_name', None),
            ],
        )


agent = Agent(script([call('t', {})], [TextPart('ok')], [TextPart('two')]), instructions='i')


@agent.tool_plain
def t():
    return 't'


first = agent.run_sync('q')
known = {first.run_id: 'run 1', first.conversation_id: 'conversation 1'}
stamps(first, known)
second = agent.run_sync('q', message_history=first.all_messages())
known[second.run_id] = 'run 2'
stamps(second, known)
third = agent.run_sync('q', message_history=second.all_messages(), conversation_id='mine')
known[third.run_id] = 'run 3'
stamps(third, known)
strange = [
    ModelRequest(parts=[UserPromptPart('a')]),
    ModelResponse(parts=[TextPart('b')], run_id='other', conversation_id='theirs'),
]
fourth = agent.run_sync('q', message_history=strange)
known[fourth.run_id] = 'run 4'
stamps(fourth, known)
fact('ids', [fourth.conversation_id, third.conversation_id])
fifth = agent.run_sync(message_history=[ModelRequest(parts=[UserPromptPart('a')], run_id='old', metadata={'k': 1})])
known.update({fifth.run_id: 'run 5', fifth.conversation_id: 'conversation 5'})
stamps(fifth, known)
fact('new', len(fifth.new_messages()))
