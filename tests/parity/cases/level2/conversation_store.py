"""Conversation stores of 2.x, more."""

import asyncio
from typing import Any

from pydantic_ai import Agent, CallDeferred, Conversation, DeferredToolRequests
from pydantic_ai.conversation_store import InMemoryConversationStore
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage, RunUsage

agent = Agent(TestModel(custom_output_text='hi'))


def conv(c):
    if c is None:
        return None
    return (
        len(c.messages),
        (c.usage.requests, c.usage.input_tokens, c.usage.tool_calls),
        c.conversation_id,
        c.deferred_tool_requests is not None,
        c.revision is not None,
        c.new_message_index,
    )


def rec(r):
    if r is None:
        return None
    return (
        r.conversation_id,
        r.head_id is not None,
        r.usage.requests,
        r.scope,
        r.forked_from,
        r.forked_at is not None,
        len(r.branches),
        type(r.revision).__name__,
        r.format_version,
    )


async def attempt(name: str, coro: Any, f: Any = lambda x: x) -> Any:
    try:
        r = await coro
        print(name, 'ok', f(r))
        return r
    except Exception as e:
        print(name, type(e).__name__, getattr(e, 'conversation_id', None))


class Spy(InMemoryConversationStore):
    async def write_record(self, record, *, new_entries=(), expected_revision):
        print(
            '   write',
            rec(record)[1:],
            len(new_entries),
            expected_revision is not None,
            record.revision == expected_revision,
        )
        return await super().write_record(record, new_entries=new_entries, expected_revision=expected_revision)

    async def read_record(self, cid):
        return await super().read_record(cid)

    async def read_history(self, head_id, *, limit=None):
        return await super().read_history(head_id, limit=limit)

    async def read_entry(self, entry_id):
        return await super().read_entry(entry_id)

    async def read_records(self, **k):
        return await super().read_records(**k)

    async def delete_record(self, cid, *, expected_revision):
        print('   delete_record')
        return await super().delete_record(cid, expected_revision=expected_revision)


async def main() -> None:
    s = Spy()
    r = await agent.run('one', conversation=Conversation(conversation_id='c1'))
    await attempt('save result', s.save(r), len)
    print(conv(r.conversation))
    r = await agent.run('two', conversation=await s.load('c1'))
    await attempt('save result 2', s.save(r), len)
    await attempt('save result 2 again', s.save(r), len)
    print(conv(r.conversation))
    c = await s.load('c1')
    await attempt('unchanged', s.save(c), len)
    part = await s.load('c1', limit=2)
    print([m.kind for m in part.messages])
    r = await agent.run('three', conversation=part)
    print(conv(r.conversation))
    await attempt('save part', s.save(r), len)
    await attempt('full', s.load('c1'), conv)
    part = await s.load('c1', limit=2)
    part.messages[0] = ModelRequest(parts=[UserPromptPart('changed')])
    await attempt('save edited part', s.save(part), len)
    await attempt('full', s.load('c1'), conv)
    c = await s.load('c1')
    print([type(p).__name__ + str(getattr(p, 'content', '')) for m in c.messages for p in m.parts])
    part = await s.load('c1', limit=1)
    part.messages.clear()
    await attempt('save cleared part', s.save(part), len)
    await attempt('full', s.load('c1'), conv)
    s = Spy()
    c = Conversation(
        conversation_id='u',
        usage=RunUsage(requests=5, input_tokens=9, tool_calls=2),
        messages=[
            ModelRequest(parts=[UserPromptPart('a')]),
            ModelResponse(parts=[TextPart('b')], usage=RequestUsage(input_tokens=4)),
            ModelRequest(parts=[UserPromptPart('a')]),
            ModelResponse(parts=[TextPart('b')], usage=RequestUsage(input_tokens=5)),
        ],
    )
    await s.save(c)
    for at in (0, 1, 2, 3, 4):
        await attempt(f'fork {at}', s.fork('u', at=at), conv)
    f = await attempt('fork all', s.fork('u', new_conversation_id='u2'), conv)
    print([m.conversation_id for m in f.messages], rec(await s.read_record('u2')))
    a, b = (await s.read_record('u'), await s.read_record('u2'))
    print('shared head', a.head_id == b.head_id, b.forked_at == b.head_id)
    await attempt('branch 2', s.branch('u', at=2, expected_revision=(await s.read_record('u')).revision), conv)
    es = await s.load_entries('u2')
    await attempt('fork from left', s.fork('u', from_entry=es[3].id, new_conversation_id='u3'), conv)
    r = await s.read_record('u')
    print('branches', [x == es[3].id for x in r.branches])
    await attempt('branch back', s.branch('u', from_entry=es[3].id, expected_revision=r.revision), conv)
    r = await s.read_record('u')
    print('branches', [x == es[3].id for x in r.branches], [x == es[1].id for x in r.branches])
    await attempt('delete', s.delete('u'), conv)
    await attempt('entry stays', s.read_entry(es[0].id), lambda x: x.kind)
    await attempt('u2 stays', s.load('u2'), conv)
    await attempt('delete_record', s.delete_record('u2', expected_revision='x'))
    await attempt('delete_record', s.delete_record('none', expected_revision='x'))
    d = Agent(TestModel(), output_type=[str, DeferredToolRequests])

    @d.tool_plain
    def ask(q: str) -> str:
        raise CallDeferred(kind='question')

    r = await d.run('go', conversation=Conversation(conversation_id='d'))
    await attempt('save d', s.save(r), len)
    one = await s.load('d')
    print(
        conv(one),
        one.deferred_tool_requests == r.output,
        one.deferred_tool_requests is r.output,
        one.messages[0] is r.all_messages()[0],
    )
    await attempt('fork d', s.fork('d'), conv)
    await attempt('fork d 2', s.fork('d', at=2), conv)
    await attempt('fork d 1', s.fork('d', at=1), conv)
    await attempt('branch d', s.branch('d', at=1, expected_revision=one.revision), conv)
    one = await s.load('d')
    await attempt('branch d again', s.branch('d', at=1, expected_revision=one.revision), conv)
    s = Spy()
    c = Conversation(conversation_id='x', messages=[ModelRequest(parts=[UserPromptPart('a')])])
    await s.save(c)
    c.messages[0].parts[0].content = 'changed'
    one = await s.load('x')
    print(one.messages[0].parts[0].content)
    one.messages.append(ModelResponse(parts=[TextPart('q')]))
    await attempt('append', s.save(one), len)
    print(conv(one))
    one.messages.append(ModelRequest(parts=[UserPromptPart('q')]))
    await attempt('append', s.save(one), len)
    await attempt('list', s.list_conversations(limit=-1))
    await attempt('load_entries', s.load_entries('nope'))
    await attempt('load_entries', s.load_entries('x', limit=1), len)
    await attempt('load_entries', s.load_entries('x', limit=-1), len)
    await attempt('read_history', s.read_history('nope'))
    await attempt('read_history', s.read_history(None))
    one.conversation_id = 'y'
    await attempt('renamed', s.save(one), len)
    n = Conversation(conversation_id='y', messages=list(one.messages))
    await attempt('same messages, other conversation', s.save(n), len)
    print([(await s.read_record('x')).head_id == (await s.read_record('y')).head_id])


asyncio.run(main())
