"""Conversation stores of 2.x: order, scopes, deletion."""

import asyncio
from typing import Any

from pydantic_ai import Conversation
from pydantic_ai.conversation_store import ConversationConflict, InMemoryConversationStore
from pydantic_ai.messages import ModelRequest, UserPromptPart


def m(t):
    return ModelRequest(parts=[UserPromptPart(t)])


async def attempt(name: str, coro: Any, f: Any = lambda x: x) -> Any:
    try:
        r = await coro
        print(name, 'ok', f(r))
        return r
    except Exception as e:
        print(name, type(e).__name__, isinstance(e, ConversationConflict))


async def main() -> None:
    s = InMemoryConversationStore()
    for i in 'abc':
        await s.save(Conversation(conversation_id=i, messages=[m(i)]), scope='bob')
    print([r.conversation_id for r in await s.list_conversations()])
    c = await s.load('a')
    await s.save(c)
    print([r.conversation_id for r in await s.list_conversations()], (await s.read_record('a')).scope)
    c = await s.load('b')
    await attempt('eve', s.save(c, scope='eve'), len)
    c = await s.load('b')
    await attempt('none', s.save(c, scope=None), len)
    await attempt('branch eve', s.branch('b', at=0, expected_revision=c.revision, scope='eve'))
    await attempt('fork eve', s.fork('b', source_scope='eve'))
    print((await s.read_record('b')).scope)
    e = (await s.load_entries('b'))[0]
    await s.delete('b')
    await attempt('entry', s.read_entry(e.id), lambda x: x.kind)
    await attempt('same id other scope', s.save(Conversation(conversation_id='a', messages=[m('q')]), scope='eve'), len)
    c = await s.load('c')
    c.messages.insert(0, m('first'))
    await attempt('inserted', s.save(c), len)
    print([x.message.parts[0].content for x in await s.load_entries('c')], len((await s.read_record('c')).branches))
    c = await s.load('c')
    c.messages.pop()
    await attempt('shorter', s.save(c), len)
    print([x.message.parts[0].content for x in await s.load_entries('c')], len((await s.read_record('c')).branches))
    c = Conversation(conversation_id='z', messages=[m('1')])
    await s.save(c)
    c.messages.append(m('2'))
    c.messages.append(m('3'))
    await attempt('more', s.save(c), len)
    c.messages[1:] = [m('x')]
    await attempt('changed', s.save(c), len)
    print([x.message.parts[0].content for x in await s.load_entries('z')], len((await s.read_record('z')).branches))
    c.new_message_index = None
    await attempt('no index', s.save(c), len)
    c.new_message_index = 0
    await attempt('index 0', s.save(c), len)
    print([x.message.parts[0].content for x in await s.load_entries('z')], len((await s.read_record('z')).branches))


asyncio.run(main())
