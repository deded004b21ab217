"""What SDKs know and stead does not, or not yet: it is passed over, whole and streamed."""

from __future__ import annotations

import asyncio
from typing import Any, get_args, get_origin

import pytest
from _wire import Wire, as_sse
from kit import (
    anthropic_model,
    block,
    body_of_response,
    message,
    message_events,
    response,
    response_events,
    responses_model,
    text_block,
    text_deltas,
    text_item,
)
from typing_extensions import Annotated

from stead import Agent


def kinds(union: Any) -> list[str]:
    """The kinds of what an SDK has a union for."""
    while get_origin(union) is Annotated:
        union = get_args(union)[0]
    return sorted(kind for each in get_args(union) for kind in get_args(each.model_fields['type'].annotation))


def openai_kinds() -> list[tuple[str, str]]:
    responses = pytest.importorskip('openai.types.responses', reason='the SDK openai is not installed')
    items = [('item', kind) for kind in [*kinds(responses.ResponseOutputItem), 'smell']]
    return items + [('event', kind) for kind in [*kinds(responses.ResponseStreamEvent), 'response.smell']]


def anthropic_kinds() -> list[tuple[str, str]]:
    beta = pytest.importorskip('anthropic.types.beta', reason='the SDK anthropic is not installed')
    blocks = [('block', kind) for kind in [*kinds(beta.BetaContentBlock), 'smell']]
    return blocks + [('delta', kind) for kind in [*kinds(beta.BetaRawContentBlockDelta), 'smell_delta']]


async def stream(model: Any) -> str:
    async with Agent(model).run_stream('hi') as result:
        return await result.get_output()


ENDS = ('response.completed', 'response.failed', 'response.incomplete', 'error', 'response.output_text.delta')


def test_items_and_events_of_openai_that_say_nothing() -> None:
    for what, kind in openai_kinds():
        if kind in ('message', 'function_call', 'tool_search_call', *ENDS):
            continue
        thing = {'type': kind, 'id': 'x-1', 'item_id': 'x-1', 'output_index': 0, 'status': 'completed'}
        if what == 'item':
            with Wire(response(thing, text_item('hello'))) as wire:
                assert Agent(responses_model(wire)).run_sync('hi').output == 'hello', kind
            events = [
                {'type': f'response.output_item.{way}', 'output_index': 0, 'item': thing} for way in ('added', 'done')
            ]
        else:
            events = [thing]
        with Wire(response_events(*events, *text_deltas('hello'))) as wire:
            assert asyncio.run(stream(responses_model(wire))) == 'hello', kind


def test_blocks_and_deltas_of_anthropic_that_say_nothing() -> None:
    for what, kind in anthropic_kinds():
        if kind in ('text', 'tool_use', 'text_delta'):
            continue
        thing = {'type': kind, 'id': 'x-1', 'tool_use_id': 'x-1', 'name': 'smell', 'input': {}}
        if what == 'block':
            with Wire(message(thing, {'type': 'text', 'text': 'hello'})) as wire:
                assert Agent(anthropic_model(wire)).run_sync('hi').output == 'hello', kind
            before = block(1, thing)
        else:
            before = block(1, {'type': 'smell'}, thing)
        with Wire(message_events(before, text_block('hello'))) as wire:
            assert asyncio.run(stream(anthropic_model(wire))) == 'hello', kind


def test_events_without_what_they_are_about() -> None:
    created = {'type': 'response.created', 'response': body_of_response(status='in_progress', usage=None)}
    deltas = [
        {'type': 'response.function_call_arguments.delta', 'item_id': 'none', 'output_index': 0, 'delta': ''},
        {'type': 'response.mcp_call_arguments.done', 'item_id': 'none', 'output_index': 0, 'arguments': '{}'},
        {'type': 'response.code_interpreter_call_code.done', 'item_id': 'none', 'output_index': 0, 'code': 'x'},
    ]
    end = {'type': 'response.completed', 'response': body_of_response()}
    with Wire(as_sse([created, *deltas, *text_deltas('hello'), end], done=False, named=True)) as wire:
        assert asyncio.run(stream(responses_model(wire))) == 'hello'
