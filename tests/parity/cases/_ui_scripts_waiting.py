"""Scripts of calls that wait: approvals, calls that others execute, and tools of the interface."""

import asyncio

from _ui_talk import APPROVED, ASKS, DENIED, Call, Say, Script, Think
from pydantic_ai import (
    ApprovalRequired,
    CallDeferred,
    DeferredToolResults,
    ModelRetry,
    ToolApproved,
    ToolDenied,
    ToolReturn,
)


async def ask_pay(amount: int) -> str:
    return f'paid {amount}'


async def ask_send(to: str = 'Ada') -> str:
    await asyncio.sleep(0.02)
    return f'sent to {to}'


async def look(at: str = 'it') -> str:
    return f'saw {at}'


async def queue(job: str = 'j') -> str:
    raise CallDeferred(metadata={'job': job})


async def careful(amount: int = 1) -> str:
    raise ApprovalRequired(metadata={'amount': amount})


PAY = Call('ask_pay', '{"amount"|: 5}', 'c1')
SEND = Call('ask_send', '{"to": "Bo"}', 'c2')
LOOK = Call('look', '{}', 'c3')
DONE = [Say('done')]
ASKING = {'output_type': ASKS}


def waiting(title, parts, *turns, tools=(ask_pay, ask_send, look, queue, careful), **more):
    return Script(title, [parts, DONE, [Say('well')]], ['Hi', *turns], list(tools), ASKING, **more)


def server(**decisions):
    """Options of a run for which the server decides."""
    return {'deferred_tool_results': DeferredToolResults(**decisions)}


def go_on(client):
    """The interface sends its messages again, and nothing new."""


def decided(title, parts, **decisions):
    """The server decides when the messages come a second time."""

    def turn(client):
        client.options.update(server(**decisions))

    return waiting(title, parts, turn, options={})


BOTH = [
    waiting('asks', [PAY]),
    waiting('asks, with text', [Say('I shall'), PAY]),
    waiting('asks, with thinking', [Think('hm', 's', {'provider_name': 'p'}), PAY]),
    waiting('asks twice', [PAY, SEND]),
    waiting('asks beside a call', [LOOK, PAY]),
    waiting('left behind', [PAY], 'never mind'),
    waiting('sent again', [PAY], go_on),
    waiting('asked by the tool', [Call('careful', '{"amount": 3}', 'c1')]),
    waiting('queued', [Call('queue', '{}', 'c1')]),
    waiting('queued beside a question', [Call('queue', '{}', 'c4'), PAY]),
    Script('no place to ask', [[PAY], DONE], ['Hi'], [ask_pay]),
    decided('the server approves', [PAY], approvals={'c1': True}),
    decided('the server approves other arguments', [PAY], approvals={'c1': ToolApproved(override_args={'amount': 9})}),
    decided('the server denies', [PAY], approvals={'c1': False}),
    decided('the server denies with a reason', [PAY], approvals={'c1': ToolDenied('no money')}),
    decided('the server approves one of two', [PAY, SEND], approvals={'c1': False, 'c2': True}),
    decided('the server has a result', [Call('queue', '{}', 'c1')], calls={'c1': {'ok': 1}}),
    decided('the server has more', [Call('queue', '{}', 'c1')], calls={'c1': ToolReturn('short', content='long')}),
    decided('the server asks for more', [Call('queue', '{}', 'c1')], calls={'c1': ModelRetry('again')}),
    decided('the server decides beside a call', [LOOK, PAY], approvals={'c1': True}),
]


def answered(*contents):
    """The interface executes its calls."""

    def turn(client):
        for call, content in zip(client.calls(), contents):
            client.result(call['id'], content)

    return turn


def front(title, parts, *turns, names=('paint', 'hide'), **more):
    return Script(
        title, [parts, DONE, [Say('well')]], ['Hi', *turns], [look, ask_pay], ASKING, front=list(names), **more
    )


PAINT = Call('paint', '{"colour": |"red"}', 'c1')
HIDE = Call('hide', '{}', 'c2')
FRONT = [
    front('a tool of the interface', [PAINT]),
    front('its result', [PAINT], answered('painted')),
    front('its result, and a prompt', [PAINT], answered('painted'), 'more'),
    front('a result of JSON', [PAINT], answered('{"ok": true}')),
    front('an empty result', [PAINT], answered('')),
    front('two', [PAINT, HIDE], answered('painted', 'hidden')),
    front('left behind', [PAINT], 'never mind'),
    front('beside a tool of the agent', [LOOK, PAINT]),
    front('with text', [Say('I paint'), PAINT], answered('painted')),
    front('beside a question', [PAINT, Call('ask_pay', '{"amount": 1}', 'c4')]),
    front('not used', [Say('no need')], 'more'),
    front('the name of a tool of the agent', [PAINT], names=['look']),
]


def approves_and_says(client):
    """The user answers the questions, and writes something."""
    client.answer(APPROVED)
    client.user('next')


def says(*answers):
    """The user answers the questions."""

    def turn(client):
        client.answer(*answers)

    return turn


WHY = {**DENIED, 'reason': 'too much'}
ANSWERS = [
    waiting('approved', [PAY], says(APPROVED), 'more'),
    waiting('denied', [PAY], says(DENIED), 'more'),
    waiting('denied with a reason', [PAY], says(WHY), 'more'),
    waiting('approved with a reason', [PAY], says({**APPROVED, 'reason': 'fine'})),
    waiting('both approved', [PAY, SEND], says(APPROVED, APPROVED)),
    waiting('one of each', [PAY, SEND], says(WHY, APPROVED)),
    waiting('approved beside a call', [LOOK, PAY], says(APPROVED)),
    waiting('approved, with text', [Say('I shall'), PAY], says(APPROVED)),
    waiting('approved, and then a prompt', [PAY], approves_and_says),
    waiting('asked by the tool, and denied', [Call('careful', '{}', 'c1')], says(DENIED)),
]
