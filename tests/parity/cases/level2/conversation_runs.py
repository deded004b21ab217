"""Conversations of 2.x: one object through several runs."""

import asyncio
from typing import Any

from pydantic_ai import Agent, CallDeferred, Conversation, ConversationTypeAdapter, DeferredToolRequests
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

agent = Agent(TestModel(custom_output_text='hi'))


def show(c):
    print(
        len(c.messages),
        c.usage.requests,
        c.conversation_id == 'c1',
        c.deferred_tool_requests is not None,
        c.revision,
        c.new_message_index,
    )


async def attempt(name: str, coro: Any) -> Any:
    try:
        r = await coro
        print(name, 'ok', len(r.all_messages()), len(r.new_messages()), r.conversation_id == 'c1')
        return r
    except Exception as e:
        print(name, type(e).__name__)


def sync(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__)


async def main() -> None:
    c = Conversation(conversation_id='c1')
    show(c)
    r = await agent.run('one', conversation=c)
    show(c)
    print(r.conversation_id, r.usage.requests, type(r.conversation).__name__, r.conversation is c)
    show(r.conversation)
    r2 = await agent.run('two', conversation=r.conversation)
    show(r2.conversation)
    show(r.conversation)
    print(r2.usage.requests, len(r2.new_messages()), len(r2.all_messages()))
    print([[type(p).__name__ for p in m.parts] for m in r2.conversation.messages])
    await attempt('both history', agent.run('x', conversation=c, message_history=[]))
    await attempt('both history2', agent.run('x', conversation=c, message_history=r.all_messages()))
    await attempt('both id', agent.run('x', conversation=c, conversation_id='c2'))
    await attempt('both id same', agent.run('x', conversation=c, conversation_id='c1'))
    await attempt('new', agent.run('x', conversation=c, conversation_id='new'))
    await attempt('usage', agent.run('x', conversation=c, usage=RunUsage()))
    u = RunUsage(requests=5)
    r = await attempt(
        'usage given',
        agent.run('x', conversation=Conversation(conversation_id='c1', usage=RunUsage(requests=7)), usage=u),
    )
    if r:
        print(r.usage.requests, u.requests, r.conversation.usage.requests)
    r = await agent.run('x', conversation=Conversation(conversation_id='c1', usage=RunUsage(requests=7)))
    print(r.usage.requests, r.conversation.usage.requests)
    r = await agent.run('x')
    show(r.conversation)
    print(
        r.conversation.conversation_id == r.conversation_id,
        r.conversation.messages == r.all_messages(),
        r.conversation.messages is r.all_messages(),
    )
    data = ConversationTypeAdapter.dump_python(r2.conversation, mode='json')
    print(sorted(data), data['revision'], data['new_message_index'])
    back = ConversationTypeAdapter.validate_python(data)
    print(back == r2.conversation)
    sync('partial', lambda: ConversationTypeAdapter.validate_json('{"messages": []}').usage)
    d = Agent(TestModel(), output_type=[str, DeferredToolRequests])

    @d.tool_plain
    def ask(q: str) -> str:
        raise CallDeferred(kind='question')

    r = await d.run('go', conversation=Conversation(conversation_id='c1'))
    show(r.conversation)
    req = r.conversation.deferred_tool_requests
    print(req == r.output)
    await attempt('prompt while open', d.run('more', conversation=r.conversation))
    await attempt('nothing while open', d.run(conversation=r.conversation))
    r3 = await attempt(
        'answer',
        d.run(
            conversation=r.conversation,
            deferred_tool_results=req.build_results(calls={c.tool_call_id: 'A' for c in req.calls}),
        ),
    )
    show(r3.conversation)
    print(r3.output)
    async with agent.run_stream('s', conversation=r2.conversation) as s:
        print(await s.get_output(), len(s.all_messages()))
        print(hasattr(s, 'conversation'))
    async with agent.iter('s', conversation=r2.conversation) as run:
        async for n in run:
            pass
    show(run.result.conversation)
    print(hasattr(run, 'conversation'))
    async with agent.run_stream_events('s', conversation=r2.conversation) as ev:
        async for e in ev:
            pass
    show(e.result.conversation)
    with agent.override(model=TestModel(custom_output_text='o')):
        show((await agent.run('s', conversation=r2.conversation)).conversation)

    class Boom(Exception):
        pass

    def f(m, i):
        raise Boom

    c9 = Conversation(conversation_id='c1', messages=list(r2.conversation.messages))
    await attempt('boom', agent.run('z', conversation=c9, model=FunctionModel(f)))
    show(c9)
    print(Conversation())


asyncio.run(main())
