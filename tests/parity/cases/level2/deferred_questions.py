"""How deferred questions look."""

import asyncio

from pydantic import TypeAdapter
from pydantic_ai import Agent, ApprovalRequired, CallDeferred, DeferredToolRequests, DeferredToolResults
from pydantic_ai.models.test import TestModel

agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])


@agent.tool_plain
def ask(q: str) -> str:
    raise CallDeferred({'why': 'x'}, kind='question')


@agent.tool_plain
def ext(q: str) -> str:
    raise CallDeferred


@agent.tool_plain
def appr(q: str) -> str:
    raise ApprovalRequired


async def main() -> None:
    r = await agent.run('go')
    out = r.output
    ids = [c.tool_call_id for c in [*out.calls, *out.approvals]]
    for c in [*out.calls, *out.approvals]:
        print(c.tool_name, out.kind(c.tool_call_id))
    try:
        print(out.kind('nope'))
    except Exception as e:
        print(type(e).__name__)
    data = TypeAdapter(DeferredToolRequests).dump_python(out, mode='json')
    print(sorted(data), {k: v for k, v in data.items() if k not in ('calls', 'approvals', 'metadata')})
    back = TypeAdapter(DeferredToolRequests).validate_python(data)
    print([back.kind(i) for i in ids])

    def show(f):
        try:
            res = f()
            print(
                'calls',
                list(res.calls.values()),
                'approvals',
                [type(a).__name__ for a in res.approvals.values()],
                res.metadata,
                list(res.answered_by.values()),
                len(res.answered_by),
            )
        except Exception as e:
            print(type(e).__name__, e)
        else:
            return res

    show(lambda: out.build_results(calls={ids[0]: 'yes'}, answered_by={ids[0]: 'ann'}))
    show(lambda: out.build_results(calls={ids[0]: 'yes'}, answered_by={ids[1]: 'ann'}))
    show(lambda: out.build_results(calls={ids[0]: 'yes'}, answered_by={'zz': 'ann'}))
    show(lambda: out.build_results(calls={ids[0]: 'yes'}, approve_all=True, answered_by={ids[2]: 'ann'}))
    res = show(
        lambda: out.build_results(
            calls={ids[0]: 'yes', ids[1]: 3}, approvals={ids[2]: True}, answered_by={ids[0]: 'ann', ids[2]: 'bob'}
        )
    )
    print(TypeAdapter(DeferredToolResults).dump_python(res, mode='json')['answered_by'])
    other = DeferredToolResults(calls={'a': 1}, answered_by={'a': 'x'})
    other.update(DeferredToolResults(calls={'b': 1}, answered_by={'b': 'y'}))
    print(other.answered_by)
    rem = out.remaining(DeferredToolResults(calls={ids[0]: 'x'}))
    print([rem.kind(i) for i in ids[1:]], rem)
    try:
        print(rem.kind(ids[0]))
    except Exception as e:
        print(type(e).__name__)
    r2 = await agent.run(
        message_history=r.all_messages(),
        deferred_tool_results=DeferredToolResults(
            calls={ids[0]: 'yes', ids[1]: 'z'}, approvals={ids[2]: False}, answered_by={ids[0]: 'ann'}
        ),
    )
    for m in r2.new_messages():
        for p in m.parts:
            print(
                type(p).__name__,
                getattr(p, 'content', None),
                getattr(p, 'metadata', None),
                getattr(p, 'outcome', None),
                getattr(p, 'answered_by', None),
            )
    e = CallDeferred(kind='question')
    print(e.kind, e.metadata, str(e), repr(e), e.args)


asyncio.run(main())
