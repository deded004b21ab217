"""The rows of the table: each asks an interface whether a thing reaches it, or comes from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from ag_ui.core import CustomEvent, StateDeltaEvent, StateSnapshotEvent

from stead import Agent, DeferredToolRequests, ModelRetry, RunContext, ToolReturn
from stead.messages import (
    BinaryContent,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)
from stead.ui import StateDeps
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter
from stead.ui.vercel_ai.response_types import DataChunk

from ._sides import Events, Replies, Side

Probe = Callable[[Side], bool]
PIXEL = 'eA=='
NATIVE = [
    NativeToolCallPart('web_search', {'q': 1}, 'n1', provider_name='p'),
    NativeToolReturnPart('web_search', 'found', 'n1', provider_name='p'),
]
ASKS: Any = [str, DeferredToolRequests]
CALL = ToolCallPart('add', {'a': 1}, 'c1')
PAY = ToolCallPart('pay', {'amount': 5}, 'c1')


@dataclass
class Row:
    """A row of the table."""

    section: str
    title: str
    out: Probe | None
    """Whether it reaches the interface."""
    back: Probe | None
    """Whether it comes from the interface to the agent."""


ROWS: list[Row] = []


def row(section: str, title: str, out: Probe | None = None, back: Probe | None = None) -> None:
    ROWS.append(Row(section, title, out, back))


def add(a: int) -> int:
    return a + 1


def pay(amount: float) -> str:
    return f'paid {amount}'


def agent_of(model: Replies, *tools: Any, **options: Any) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = Agent(model, output_type=options.pop('output_type', str), **options)
    for tool in tools:
        agent.tool_plain(tool, requires_approval=tool is pay)
    return agent


def answer(side: Side, *replies: list[Any], tools: Any = (), **fields: Any) -> Events:
    """What an interface gets for these responses of the model."""
    agent = agent_of(Replies(*replies), *tools, output_type=fields.pop('output_type', str))
    return side.ask(agent, side.user('hi'), **fields)


def kinds(events: Events) -> list[str]:
    return [str(event.get('type')) for event in events]


def gets(side: Side, *messages: dict[str, Any], **fields: Any) -> list[Any]:
    """The parts that a model gets for these messages."""
    model = Replies(*[['ok']] * len(messages))
    more = fields.pop('more', None)
    side.ask(agent_of(model), *messages, more=more, **fields)
    return model.parts()


def history(side: Side, messages: list[ModelMessage], **fields: Any) -> list[dict[str, Any]]:
    """A history as the interface keeps it, with a prompt at the end; empty if it keeps none."""
    if side.kind == 'ag_ui':
        dumped = cast(Any, AGUIAdapter).dump_messages(messages, ag_ui_version=side.title.split()[-1], **fields)
    elif side.kind == 'ai':
        dumped = cast(Any, VercelAIAdapter).dump_messages(messages, sdk_version=int(side.title.split()[-1]))
    else:
        return []
    bodies = [message.model_dump(mode='json', by_alias=True, exclude_none=True) for message in dumped]
    return [*bodies, side.user('more')]


def comes_back(part: Any, *more: Any, **fields: Any) -> Probe:
    """Whether a part of a response comes back with the history."""

    def probe(side: Side) -> bool:
        rest = [item for item in more if isinstance(item, ToolReturnPart)]
        response = ModelResponse([part, *(item for item in more if item not in rest)])
        messages: list[ModelMessage] = [ModelRequest([UserPromptPart('hi')]), response]
        earlier = history(
            side, [*messages, *([ModelRequest(list(rest))] if rest else [])], **_dump_fields(side, fields)
        )
        found = gets(side, *earlier, **fields) if earlier else []
        return any(_like(part, item) for item in found)

    return probe


def _dump_fields(side: Side, fields: dict[str, Any]) -> dict[str, Any]:
    return fields if side.kind == 'ag_ui' else {}


def _like(wanted: Any, found: Any) -> bool:
    names = ('content', 'tool_name', 'tool_call_id', 'signature', 'outcome')
    same = all(getattr(wanted, name, None) == getattr(found, name, None) for name in names)
    return type(wanted) is type(found) and same


def reaches(*parts: Any, ag_ui: Any = None, ai: Any = None, a2a: Any = None, **fields: Any) -> Probe:
    """Whether what a model answers reaches the interface, by what the events of each protocol must be like."""

    def probe(side: Side) -> bool:
        test = {'ag_ui': ag_ui, 'ai': ai, 'a2a': a2a}[side.kind]
        if test is None:
            return False
        replies = parts if parts and isinstance(parts[0], list) else (list(parts),)
        return bool(test(answer(side, *cast(Any, replies), **fields)))

    return probe


def has(kind: str, **values: Any) -> Callable[[Events], bool]:
    return lambda events: any(
        event.get('type') == kind and all(event.get(name) == value for name, value in values.items())
        for event in events
    )


def mentions(text: str) -> Callable[[Events], bool]:
    return lambda events: text in json.dumps(events)


# What is said.
row(
    'Messages',
    'text, as it comes',
    reaches(
        'hello',
        ag_ui=has('TEXT_MESSAGE_CONTENT', delta='hello'),
        ai=has('text-delta', delta='hello'),
    ),
    lambda side: any(_like(part, UserPromptPart('hello')) for part in gets(side, side.user('hello'))),
)
row(
    'Messages',
    'the answer as a whole',
    reaches('hello', a2a=mentions('"text": "hello"')),
)
row(
    'Messages',
    'earlier turns',
    None,
    lambda side: (
        comes_back(TextPart('said'))(side)
        if side.kind != 'a2a'
        else 'ok' in str(gets(side, side.user('a'), side.user('b')))
    ),
)
row(
    'Messages',
    'thinking',
    reaches(
        ThinkingPart('hm'),
        'done',
        ag_ui=lambda events: (
            has('REASONING_MESSAGE_CONTENT', delta='hm')(events)
            or has('THINKING_TEXT_MESSAGE_CONTENT', delta='hm')(events)
        ),
        ai=has('reasoning-delta', delta='hm'),
        a2a=mentions('"text": "hm"'),
    ),
    comes_back(ThinkingPart('hm')),
)
row(
    'Messages',
    'signatures of thinking',
    reaches(
        ThinkingPart('hm', signature='sig', provider_name='p'),
        'done',
        ag_ui=mentions('sig'),
        ai=mentions('sig'),
        a2a=mentions('sig'),
    ),
    comes_back(ThinkingPart('hm', signature='sig', provider_name='p')),
)


def sent_file(link: bool) -> Probe:
    def probe(side: Side) -> bool:
        url = 'https://example.com/a.png'
        source = {'type': 'url', 'value': url} if link else {'type': 'data', 'value': PIXEL}
        if side.title == 'AG-UI 0.1.10':  # before there were parts for images
            ag_ui: Any = {'type': 'binary', **({'url': url} if link else {'data': PIXEL})}
            ag_ui['mimeType'] = 'image/png'
        else:
            ag_ui = {'type': 'image', 'source': {**source, 'mimeType': 'image/png'}}
        ai = {'type': 'file', 'mediaType': 'image/png', 'url': url if link else f'data:image/png;base64,{PIXEL}'}
        part: Any = {'ag_ui': ag_ui, 'ai': ai, 'a2a': {'url': url} if link else b'x'}[side.kind]
        wanted = ImageUrl if link else BinaryContent
        content = [part.content for part in gets(side, side.user(part)) if isinstance(part, UserPromptPart)]
        return any(isinstance(item, wanted) for items in content for item in items)

    return probe


row('Messages', 'files of the user', None, sent_file(False))
row('Messages', 'links to files', None, sent_file(True))


def model_files(side: Side) -> bool:
    messages: list[ModelMessage] = [ModelRequest([UserPromptPart('hi')]), ModelResponse([IMAGE])]
    earlier = history(side, messages, **_dump_fields(side, {'preserve_file_data': True}))
    found = gets(side, *earlier, preserve_file_data=True) if earlier else []
    return any(isinstance(part, FilePart) and part.content.data == b'x' for part in found)


IMAGE = FilePart(BinaryContent(b'x', media_type='image/png'))
row(
    'Messages',
    'files of the model',
    reaches(IMAGE, 'here', ai=has('file', mediaType='image/png')),
    model_files,
)


def uploads(side: Side) -> bool:
    file = UploadedFile('f1', provider_name='openai', media_type='text/plain')
    messages = [ModelRequest([UserPromptPart(['see', file])]), ModelResponse([TextPart('ok')])]
    earlier = history(side, messages, **_dump_fields(side, {'preserve_file_data': True}))
    return bool(earlier) and "file_id='f1'" in str(gets(side, *earlier, preserve_file_data=True))


row('Messages', 'references to uploaded files', None, uploads)


def system_prompts(side: Side) -> bool:
    if side.kind == 'a2a':
        return False
    message = {'id': 's', 'role': 'system', 'content': 'be brief'}
    if side.kind == 'ai':
        message = {'id': 's', 'role': 'system', 'parts': cast(Any, [{'type': 'text', 'text': 'be brief'}])}
    parts = gets(side, message, side.user('hi'), manage_system_prompt='client')
    return any(isinstance(part, SystemPromptPart) for part in parts)


row('Messages', 'system prompts, where they are accepted', None, system_prompts)

# What tools do.
row(
    'Tools',
    'calls of tools, with their arguments',
    reaches(
        [CALL],
        ['done'],
        tools=[add],
        ag_ui=mentions('"toolCallName": "add"'),
        ai=has('tool-input-available', input={'a': 1}),
    ),
    comes_back(CALL, ToolReturnPart('add', '2', 'c1')),
)
row(
    'Tools',
    'their results',
    reaches(
        [CALL],
        ['done'],
        tools=[add],
        ag_ui=has('TOOL_CALL_RESULT', content='2'),
        ai=has('tool-output-available', output=2),
    ),
    lambda side: comes_back(ToolReturnPart('add', '2', 'c1'), CALL)(side) or _result_back(side),
)


def _result_back(side: Side) -> bool:
    messages = [
        ModelRequest([UserPromptPart('hi')]),
        ModelResponse([CALL]),
        ModelRequest([ToolReturnPart('add', '2', 'c1')]),
    ]
    earlier = history(side, cast(Any, messages))
    return bool(earlier) and any(isinstance(part, ToolReturnPart) for part in gets(side, *earlier))


def never(a: int) -> int:
    raise ModelRetry('not that')


NEVER = ToolCallPart('never', {'a': 1}, 'c1')
row(
    'Tools',
    'results that are errors, as such',
    reaches([NEVER], ['done'], tools=[never], ai=lambda events: 'tool-output-error' in kinds(events)),
)
row(
    'Tools',
    'tools of the provider',
    reaches(*NATIVE, 'done', ag_ui=mentions('found'), ai=has('tool-output-available', output='found')),
    lambda side: comes_back(NATIVE[0], NATIVE[1])(side) and comes_back(NATIVE[1], NATIVE[0])(side),
)


def front_tool(side: Side) -> bool:
    """The tool of an interface is called, and its result comes with the next request."""
    if side.kind != 'ag_ui':
        return False
    tools = {'tools': [{'name': 'paint', 'description': 'Paint.', 'parameters': {'type': 'object'}}]}
    model = Replies([ToolCallPart('paint', {}, 'c1')], ['done'])
    agent = agent_of(model)
    events = side.ask(agent, side.user('hi'), more=tools)
    return 'TOOL_CALL_END' in kinds(events) and 'TOOL_CALL_RESULT' not in kinds(events) and model.tools == ['paint']


def front_result(side: Side) -> bool:
    if side.kind == 'a2a':
        return False
    if side.kind == 'ai':
        part = {'type': 'tool-paint', 'toolCallId': 'c1', 'state': 'output-available', 'input': {}, 'output': 'painted'}
        messages = [side.user('hi'), {'id': 'a', 'role': 'assistant', 'parts': [part]}]
    else:
        call = {'id': 'c1', 'type': 'function', 'function': {'name': 'paint', 'arguments': '{}'}}
        called = {'id': 'a', 'role': 'assistant', 'toolCalls': [call]}
        messages = [side.user('hi'), called, {'id': 't', 'role': 'tool', 'toolCallId': 'c1', 'content': 'painted'}]
    return 'painted' in str(gets(side, *messages))


row('Tools', 'tools of the interface, which it declares', front_tool, front_result)


def noting(a: int) -> ToolReturn:
    return ToolReturn('ok', metadata=[CustomEvent(name='seen', value=a), DataChunk(type='data-seen', data=a)])


row(
    'Tools',
    'events of your own from tools',
    reaches(
        [ToolCallPart('noting', {'a': 1}, 'c1')],
        ['done'],
        tools=[noting],
        ag_ui=has('CUSTOM', name='seen'),
        ai=has('data-seen', data=1),
    ),
)

# What waits for a person.
OPTIONS = {'tools': [pay], 'output_type': ASKS}
row(
    'Approvals',
    'the question',
    reaches(
        [PAY],
        ag_ui=lambda events: events[-1].get('outcome', {}).get('type') == 'interrupt',
        ai=lambda events: 'tool-approval-request' in kinds(events),
        **OPTIONS,
    ),
)


def decided(decision: dict[str, Any], wanted: str, **fields: Any) -> Probe:
    """Whether the answer of the user has this effect."""

    def probe(side: Side) -> bool:
        model = Replies([PAY], ['done'])
        agent = agent_of(model, pay, output_type=ASKS)
        events = side.ask(agent, side.user('hi'), **(fields if side.kind == 'ag_ui' else {}))
        if side.kind == 'ag_ui':
            interrupts = events[-1].get('outcome', {}).get('interrupts', [])
            call = {'id': 'c1', 'type': 'function', 'function': {'name': 'pay', 'arguments': '{"amount": 5}'}}
            messages = [side.user('hi'), {'id': 'a', 'role': 'assistant', 'toolCalls': [call]}]
            entries = [{'interruptId': item['id'], 'status': 'resolved', 'payload': decision} for item in interrupts]
            more: Any = {'resume': entries}
        elif side.kind == 'ai':
            ids = [event['approvalId'] for event in events if event['type'] == 'tool-approval-request']
            if not ids or 'editedArgs' in decision:
                return False
            part = {'type': 'tool-pay', 'toolCallId': 'c1', 'state': 'approval-responded', 'input': {'amount': 5}}
            answered = {**part, 'approval': {'id': ids[0], **decision}}
            messages, more = [side.user('hi'), {'id': 'a', 'role': 'assistant', 'parts': [answered]}], None
        else:
            return False
        side.ask(agent, *messages, more=more, **(fields if side.kind == 'ag_ui' else {}))
        returned = [part.content for part in model.parts() if isinstance(part, ToolReturnPart)]
        return returned == [wanted]

    return probe


row('Approvals', 'yes', None, decided({'approved': True}, 'paid 5.0'))
row('Approvals', 'no, with a reason', None, decided({'approved': False, 'reason': 'too much'}, 'too much'))
edited = {'approved': True, 'editedArgs': {'amount': 3}}
row('Approvals', 'yes, with other arguments', None, decided(edited, 'paid 3.0', accept_edited_args=True))

# What both sides keep.


def state_back(side: Side) -> bool:
    if side.kind != 'ag_ui':
        return False
    seen: list[Any] = []
    agent: Agent[Any, Any] = Agent(Replies(['ok']), deps_type=StateDeps[Any])

    @agent.instructions
    def note(ctx: RunContext[Any]) -> str:
        seen.append(ctx.deps.state)
        return ''

    deps = StateDeps(cast(Any, {}))
    old, side.options = side.options, {'deps': deps}
    try:
        side.ask(agent, side.user('hi'), more={'state': {'x': 1}})
    finally:
        side.options = old
    return seen == [{'x': 1}]


def stating(a: int) -> ToolReturn:
    delta = [{'op': 'add', 'path': '/x', 'value': a}]
    return ToolReturn('ok', metadata=[StateSnapshotEvent(snapshot={'x': a}), StateDeltaEvent(delta=delta)])


STATING = ToolCallPart('stating', {'a': 1}, 'c1')
for title, kind in (('the shared state', 'STATE_SNAPSHOT'), ('changes of it', 'STATE_DELTA')):
    row(
        'State',
        title,
        reaches([STATING], ['done'], tools=[stating], ag_ui=has(kind)),
        state_back if kind == 'STATE_SNAPSHOT' else None,
    )


def conversation(side: Side) -> bool:
    model = Replies(['ok'], ['ok'])
    agent = agent_of(model)
    side.ask(agent, side.user('hi'), *([side.user('more')] if side.kind == 'a2a' else []))
    ids = {message.conversation_id for message in model.seen[-1]}
    return ids in ({'th'}, {'chat'}) or len(model.seen[-1]) == 3


row('State', 'the id of the conversation', None, conversation)

# How it ends.
row(
    'The run',
    'steps',
    reaches([CALL], ['done'], tools=[add], ai=lambda events: kinds(events).count('start-step') == 2),
)
row(
    'The run',
    'that it failed',
    reaches(
        'half',
        ValueError('broke'),
        ag_ui=lambda events: 'RUN_ERROR' in kinds(events),
        ai=lambda events: 'error' in kinds(events),
        a2a=mentions('"state": "failed"'),
    ),
)
row(
    'The run',
    'why it failed',
    reaches('half', ValueError('broke'), ag_ui=has('RUN_ERROR', message='broke'), ai=has('error', errorText='broke')),
)


def breaking(a: int) -> int:
    raise ValueError('broke')


row(
    'The run',
    'calls that were running when it failed',
    reaches(
        [ToolCallPart('breaking', {'a': 1}, 'c1')],
        tools=[breaking],
        ag_ui=mentions('interrupted'),
        ai=mentions('interrupted'),
    ),
)
row(
    'The run',
    'why the model stopped',
    reaches('half', {'finish_reason': 'length'}, ai=has('finish', finishReason='length')),
)
