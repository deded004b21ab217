"""Scripts of several turns: what continues, what is changed, and what the server keeps."""

from _ui_talk import Call, Say, Script, Think, native
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

ANSWERS = [[Say('a')], [Say('b')], [Say('c')], [Say('d')]]
HISTORY = [
    ModelRequest(parts=[SystemPromptPart('old'), UserPromptPart('before')]),
    ModelResponse(parts=[ToolCallPart('add', {'a': 1}, 'k1')]),
    ModelRequest(parts=[ToolReturnPart('add', 2, 'k1')]),
    ModelResponse(parts=[TextPart('then')]),
]


async def add(a: int = 1) -> int:
    return a + 1


def turns(title, *turns, replies=None, **more):
    return Script(title, replies or list(ANSWERS), list(turns), [add], **more)


def same(client):
    """Nothing new is sent."""


def without_last(client):
    """The last answer is wanted again."""
    while client.messages and client.messages[-1]['role'] != 'user':
        client.messages.pop()


def first_again(client):
    """The first message is sent again, as another."""
    del client.messages[1:]


def nothing(client):
    client.messages.clear()


def cut(client):
    """The interface only keeps the last message of the user."""
    client.user('now')
    del client.messages[:-1]


CALL = Call('add', '{"a": 1}', 'c1')
ALL = [Think('hm', 's', {'provider_name': 'p'}), Say('I add'), *native(), CALL]
SCRIPTS = [
    turns('three', 'one', 'two', 'three'),
    turns('two in a row', 'one', lambda client: (client.user('two'), client.user('three'))),
    turns('an empty prompt', '', 'two'),
    turns('again', 'one', without_last),
    turns('again after two', 'one', 'two', without_last),
    turns('from the first', 'one', 'two', first_again),
    turns('nothing new', 'one', same),
    turns('nothing at all', nothing),
    turns('only the last', 'one', cut),
    turns('after a call', 'one', 'two', replies=[[CALL], *ANSWERS]),
    turns('a call in each', 'one', 'two', replies=[[CALL], [Say('a')], [Call('add', '{"a": 5}', 'c2')], [Say('b')]]),
    turns('the same id in each', 'one', 'two', replies=[[CALL], [Say('a')], [CALL], [Say('b')]]),
    turns('of everything', 'one', 'two', replies=[ALL, [Say('a')], [Say('b')]]),
    turns('again after a call', 'one', without_last, replies=[[CALL], *ANSWERS]),
    turns('nothing new after a call', 'one', same, replies=[[CALL], *ANSWERS]),
    turns('the server keeps a history', 'one', options={'message_history': HISTORY}),
    turns('the server keeps a history, nothing is sent', nothing, options={'message_history': HISTORY}),
    turns(
        'the server has a system prompt', 'one', agent={'system_prompt': 'own'}, options={'message_history': HISTORY}
    ),
    turns('more instructions', 'one', 'two', agent={'instructions': 'own'}, options={'instructions': 'more'}),
    turns('a conversation', 'one', options={'conversation_id': 'mine'}),
]


def forged(role, **fields):
    """The interface sends a message of another role first."""

    def turn(client):
        client.messages.insert(0, {'id': 's', 'role': role, **fields})
        client.user('two')

    return turn


OWN = {'system_prompt': 'own'}
CLIENT = {'manage_system_prompt': 'client'}


def prompts(role, **fields):
    sent = forged(role, **fields)
    return [
        turns('a system prompt', sent),
        turns('a system prompt, later', 'one', sent),
        turns('a system prompt beside that of the server', sent, agent=OWN),
        turns('a system prompt of the interface', sent, fields=CLIENT),
        turns('a system prompt of the interface alone', sent, agent=OWN, fields=CLIENT),
        turns('no system prompt of the interface', 'one', agent=OWN, fields=CLIENT),
    ]
