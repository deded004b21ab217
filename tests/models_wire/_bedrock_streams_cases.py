"""Answers of Bedrock that stream."""

from __future__ import annotations

from typing import Any

from _bedrock_bodies import (
    CLAUDE,
    COUNTED,
    NOVA,
    START,
    USAGE,
    answer,
    as_frames,
    begin,
    calling,
    delta,
    end,
    error,
    frame,
    stop,
    stream,
    text,
    texts,
    thinking,
)
from _vocabulary import WITH_TOOLS, Cases
from _wire import Cut, Reset

cases = Cases(CLAUDE, lambda: answer(text('hi')))
case = cases.add
QWEN = 'qwen.qwen3-32b-v1:0'


def came(name: str, *events: Any, model: str | None = None, reason: str = 'end_turn') -> None:
    """A stream that begins and ends as all do."""
    case(f's_{name}', params=WITH_TOOLS, model=model, reply=stream(*events, reason=reason))


def as_it_is(name: str, *events: Any) -> None:
    case(f's_{name}', params=WITH_TOOLS, reply=as_frames(events))


came('text', *texts('he', 'llo'))
came('texts', *texts('he', 'llo'), *texts('wor', 'ld', place=1))
came('text_empty', *texts('', 'he', ''))
came('text_same_place', *texts('he'), *texts('llo'))
came('space', *texts('\n', 'he'))
came('space/qwen', *texts('\n', 'he'), model=QWEN)
came('nothing')
came('call', *calling('t1', '{"x"', ': 1}'), reason='tool_use')
came('call_no_arguments', *calling('t1'), reason='tool_use')
came('call_empty_arguments', *calling('t1', ''), reason='tool_use')
came(
    'calls',
    *texts('well'),
    *calling('t1', '{}', place=1),
    *calling('t2', '{"y": 1}', call_id='i2', place=2),
    reason='tool_use',
)
came('calls_no_places', *calling('t1', '{}'), *calling('t2', '{"y": 1}', call_id='i2'), reason='tool_use')
came('thought', *thinking('h', 'm', signature='sig'), *texts('a', place=1))
came('thought_unsigned', *thinking('hm'), *texts('a', place=1))
came('thought_signature_only', *thinking(signature='sig'), *texts('a', place=1))
came('thought_and_call', *thinking('hm', signature='sig'), *calling('t1', '{}', place=1), reason='tool_use')
came('thoughts', *thinking('h', signature='a'), *thinking('m', signature='b', place=1), *texts('a', place=2))
came('sealed', delta({'reasoningContent': {'redactedContent': 'aGk='}}), stop(), *texts('a', place=1))
came(
    'sealed_twice',
    delta({'reasoningContent': {'redactedContent': 'aGk='}}),
    delta({'reasoningContent': {'redactedContent': 'aG8='}}),
    stop(),
    *texts('a', place=1),
)
came(
    'sealed_and_open',
    delta({'reasoningContent': {'redactedContent': 'aGk='}}),
    stop(),
    *thinking('h', place=1),
    *texts('a', place=2),
)
came('think_tags', *texts('<think>', 'hm', '</think>', 'a'))
came('thinking_tags', *texts('<thinking>', 'hm', '</thinking>', 'a'))
came('think_tags/nova', *texts('<think>', 'hm', '</think>', 'a'), model=NOVA)
came('unknown_delta', delta({'smell': {'x': 1}}), *texts('a'))
came('unknown_start', begin({'smell': {'x': 1}}), *texts('a'))
came('citation', delta({'citation': {'title': 't'}}), *texts('a'))
came('unknown_event', ('smell', {'x': 1}), *texts('a'))
SERVER = {'type': 'server_tool_use'}
RESULT = {'stdOut': '1', 'stdErr': '', 'exitCode': 0, 'isError': False}
for kind, model in {'nova': NOVA}.items():
    run = begin({'toolUse': {'toolUseId': 'n1', 'name': 'nova_code_interpreter', **SERVER}})
    code_call = [
        run,
        delta({'toolUse': {'input': '{"snippet": '}}),
        delta({'toolUse': {'input': '"print(1)"}'}}),
        stop(),
    ]
    for name, result in {
        'json': [{'json': RESULT}],
        'text': [{'text': 'out'}],
        'two': [{'json': RESULT}, {'text': 'out'}],
        'none': [],
    }.items():
        for status in ('success', 'error', None):
            start = {
                'toolUseId': 'n1',
                'type': 'nova_code_interpreter_result',
                **({'status': status} if status else {}),
            }
            came(
                f'code_{name}_{status}/{kind}',
                *code_call,
                begin({'toolResult': start}, 1),
                *([delta({'toolResult': result}, 1)] if result else []),
                stop(1),
                *texts('a', place=2),
                model=model,
            )
    came(
        f'code_two_deltas/{kind}',
        *code_call,
        begin({'toolResult': {'toolUseId': 'n1', 'status': 'success'}}, 1),
        delta({'toolResult': [{'json': RESULT}]}, 1),
        delta({'toolResult': [{'text': 'x'}]}, 1),
        stop(1),
        model=model,
    )
    came(
        f'code_no_type/{kind}',
        begin({'toolUse': {'toolUseId': 'n1', 'name': 'nova_code_interpreter'}}),
        delta({'toolUse': {'input': '{"snippet": "1"}'}}),
        stop(),
        model=model,
    )
    came(
        f'grounding/{kind}',
        begin({'toolUse': {'toolUseId': 'n1', 'name': 'nova_grounding', **SERVER}}),
        delta({'toolUse': {'input': '{}'}}),
        stop(),
        begin({'toolResult': {'toolUseId': 'n1', 'type': 'nova_grounding_result', 'status': 'success'}}, 1),
        delta({'toolResult': [{'text': 'x'}]}, 1),
        stop(1),
        *texts('a', place=2),
        model=model,
    )
for reason in (
    'tool_use',
    'max_tokens',
    'stop_sequence',
    'guardrail_intervened',
    'content_filtered',
    'model_context_window_exceeded',
    'bored',
):
    came(f'finish_{reason}', *texts('a'), reason=reason)
as_it_is('no_start', *texts('a'), end(), COUNTED)
as_it_is('no_usage', START, *texts('a'), end())
as_it_is('no_end', START, *texts('a'), COUNTED)
as_it_is('not_finished', START, *texts('a'))
as_it_is('no_events')
as_it_is('only_start', START)
as_it_is(
    'usage_cache',
    START,
    *texts('a'),
    end(),
    ('metadata', {'usage': {**USAGE, 'cacheReadInputTokens': 3, 'cacheWriteInputTokens': 4}}),
)
as_it_is('usage_twice', START, *texts('a'), COUNTED, end(), COUNTED)
as_it_is('usage_first', START, COUNTED, *texts('a'), end())
as_it_is(
    'trace',
    START,
    *texts('a'),
    end('guardrail_intervened'),
    ('metadata', {'usage': USAGE, 'metrics': {'latencyMs': 1}, 'trace': {'guardrail': {'modelOutput': ['x']}}}),
)
as_it_is('no_metadata_usage', START, *texts('a'), end(), ('metadata', {'metrics': {'latencyMs': 1}}))
as_it_is('more_fields', START, *texts('a'), end(additionalModelResponseFields={'stop_sequence': 'x'}), COUNTED)
as_it_is(
    'tier',
    START,
    *texts('a'),
    end(),
    ('metadata', {'usage': USAGE, 'metrics': {'latencyMs': 1}, 'serviceTier': {'type': 'flex'}}),
)
for kind in (
    'internalServerException',
    'modelStreamErrorException',
    'throttlingException',
    'validationException',
    'serviceUnavailableException',
):
    failed = frame(kind, {'message': 'bad'}, message='exception')
    as_it_is(f'{kind}', START, *texts('a'), failed)
    as_it_is(f'{kind}_first', failed)
as_it_is('cut', START, delta({'text': 'a'}), Cut())
as_it_is('reset', START, delta({'text': 'a'}), Reset())
as_it_is('garbage', START, delta({'text': 'a'}), b'garbage of some length that is no frame at all')
as_it_is('not_json', START, frame('contentBlockDelta', b'{"contentBlockIndex"'), end())
for kind, status in {'ValidationException': 400, 'ThrottlingException': 429, 'InternalServerException': 500}.items():
    case(f's_{kind}', reply=error(kind, status))
