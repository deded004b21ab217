"""What a text of the model cites is kept with the text: whole and streamed, stored, and sent back where the vendor wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from _wire import Reply, Wire
from kit import (
    BOTH_WAYS,
    block,
    chunks,
    completion,
    message,
    message_events,
    response,
    response_events,
    text_deltas,
    text_item,
)

from stead import Agent, ModelMessagesTypeAdapter, TextPart
from stead.messages import (
    Citation,
    ContentCitationAnchor,
    DocumentCitationSource,
    MarkerCitationAnchor,
    WebCitationSource,
)

PAGE = {'type': 'web_search_result_location', 'cited_text': 'w', 'encrypted_index': 'E', 'title': 'W', 'url': 'u'}
FILE = {'type': 'page_location', 'cited_text': 'p', 'document_index': 1, 'document_title': 'T', 'file_id': None}
NOTHING = {'type': 'char_location', 'cited_text': '', 'document_index': 0, 'document_title': None, 'file_id': None}
NOTES = [PAGE, FILE, NOTHING]
LINK = {'url': 'u', 'title': 'W', 'start_index': 0, 'end_index': 2}
MARKS = [
    {'type': 'url_citation', **LINK},
    {'type': 'file_citation', 'file_id': 'f', 'filename': 'n.txt', 'index': 1},
]
NESTED = [{'type': 'url_citation', 'url_citation': LINK}]
ITEM = {**text_item('hi'), 'content': [{'type': 'output_text', 'text': 'hi', 'annotations': MARKS}]}


def of_anthropic(stream: bool) -> Reply:
    if not stream:
        return message({'type': 'text', 'text': 'hi', 'citations': NOTES})
    deltas = [{'type': 'citations_delta', 'citation': note} for note in NOTES]
    text = {'type': 'text_delta', 'text': 'hi'}
    return message_events(block(0, {'type': 'text', 'text': '', 'citations': []}, *deltas[:1], text, *deltas[1:]))


def of_responses(stream: bool) -> Reply:
    done = {'type': 'response.output_item.done', 'output_index': 0, 'item': ITEM}
    return response_events(*text_deltas('hi'), done) if stream else response(ITEM)


def of_chat(stream: bool) -> Reply:
    if stream:
        return chunks({'content': 'h'}, {'content': 'i', 'annotations': NESTED})
    return completion({'role': 'assistant', 'content': 'hi', 'annotations': NESTED})


ANSWERS: dict[str, Callable[[bool], Reply]] = {
    'openai': of_chat,
    'openrouter': of_chat,
    'openai-responses': of_responses,
    'anthropic': of_anthropic,
}
WEB, MARK = WebCitationSource('u', title='W'), MarkerCitationAnchor(start=0, end=2)
EXPECTED: dict[str, list[Citation]] = {
    'openai': [Citation([WEB], anchor=MARK)],
    'openrouter': [Citation([WEB], anchor=MARK)],
    'openai-responses': [
        Citation([WEB], anchor=MARK),
        Citation([DocumentCitationSource(document_id='f', title='n.txt')]),
    ],
    'anthropic': [
        Citation(
            [WebCitationSource('u', title='W', excerpts=['w']), DocumentCitationSource(title='T', excerpts=['p'])],
            anchor=ContentCitationAnchor(start=0, end=2),
        )
    ],
}


OWN: dict[str, list[Any]] = {
    'openai': NESTED,
    'openrouter': NESTED,
    'openai-responses': MARKS,
    'anthropic': NOTES,
}
"""Citations as the vendor says them."""


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
@pytest.mark.parametrize('vendor', ANSWERS)
def test_a_text_has_its_citations(vendor: str, stream: bool) -> None:
    async def main(agent: Agent) -> tuple[Any, list[str]]:
        if not stream:
            return await agent.run('x'), []
        async with agent.run_stream('x') as result:
            return result, [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

    with Wire(ANSWERS[vendor](stream)) as wire:
        agent = Agent(BOTH_WAYS[vendor](wire))
        result, pieces = asyncio.run(main(agent))
        history = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())
        wire.expect(ANSWERS[vendor](False))
        asyncio.run(agent.run('y', message_history=history))
        sent = wire.bodies[0]
    for part in (result.response.parts[0], history[-1].parts[0]):
        assert isinstance(part, TextPart)
        assert (part.content, part.citations) == ('hi', EXPECTED[vendor])
        assert part.provider_details == {'citations': OWN[vendor]}
        assert part.provider_name == vendor.partition('-')[0]
    assert '' not in pieces
    if vendor == 'anthropic':  # it wants the pages back that it has cited
        [text] = sent['messages'][1]['content']
        assert text == {'type': 'text', 'text': 'hi', 'citations': [PAGE]}


def test_pages_that_another_vendor_cited_are_not_sent_to_anthropic() -> None:
    with Wire(of_responses(False)) as wire:
        history = asyncio.run(Agent(BOTH_WAYS['openai-responses'](wire)).run('x')).all_messages()
        wire.expect(of_anthropic(False))
        asyncio.run(Agent(BOTH_WAYS['anthropic'](wire)).run('y', message_history=history))
        assert wire.bodies[0]['messages'][1]['content'] == [{'type': 'text', 'text': 'hi'}]
