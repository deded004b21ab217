"""What OpenAI cites is kept with the text: as citations, and as it says them; streamed and not."""

import asyncio
import json

import httpx
from _programs import out
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

PLACE = {'start_index': 0, 'end_index': 2, 'url': 'https://a.example', 'title': 'A'}
NOTES = [
    {'type': 'url_citation', **PLACE},
    {'type': 'file_citation', 'file_id': 'file-1', 'filename': 'a.txt', 'index': 1},
]
NESTED = [{'type': 'url_citation', 'url_citation': PLACE}]
TEXT = {'type': 'output_text', 'text': 'hi', 'annotations': NOTES, 'logprobs': []}
ITEM = {'id': 'm1', 'type': 'message', 'role': 'assistant', 'status': 'completed', 'content': [TEXT]}
RESPONSE = {
    'id': 'r1',
    'object': 'response',
    'created_at': 1,
    'model': 'gpt-4o',
    'status': 'completed',
    'output': [ITEM],
    'parallel_tool_calls': True,
    'tool_choice': 'auto',
    'tools': [],
}


def stream(events):
    lines = [f'event: {event["type"]}\n' if 'type' in event else '' for event in events]
    body = ''.join(f'{line}data: {json.dumps(event)}\n\n' for line, event in zip(lines, events))
    return httpx.Response(200, headers={'content-type': 'text/event-stream'}, content=body.encode())


def of_responses(streamed):
    if not streamed:
        return httpx.Response(200, json=RESPONSE)
    place = {'item_id': 'm1', 'output_index': 0, 'content_index': 0}
    events = [
        {'type': 'response.created', 'response': {**RESPONSE, 'output': [], 'status': 'in_progress'}},
        {'type': 'response.output_item.added', 'output_index': 0, 'item': {**ITEM, 'content': []}},
        {'type': 'response.content_part.added', 'part': {**TEXT, 'text': '', 'annotations': []}, **place},
        {'type': 'response.output_text.delta', 'delta': 'hi', 'logprobs': [], **place},
        *(
            {'type': 'response.output_text.annotation.added', 'annotation_index': index, 'annotation': note, **place}
            for index, note in enumerate(NOTES)
        ),
        {'type': 'response.output_text.done', 'text': 'hi', 'logprobs': [], **place},
        {'type': 'response.content_part.done', 'part': TEXT, **place},
        {'type': 'response.output_item.done', 'output_index': 0, 'item': ITEM},
        {'type': 'response.completed', 'response': RESPONSE},
    ]
    return stream([{**event, 'sequence_number': index} for index, event in enumerate(events)])


def of_chat(streamed):
    if not streamed:
        message = {'role': 'assistant', 'content': 'hi', 'annotations': NESTED}
        choice = {'index': 0, 'message': message, 'finish_reason': 'stop'}
        whole = {'id': 'c', 'object': 'chat.completion', 'created': 1, 'model': 'gpt-4o', 'choices': [choice]}
        return httpx.Response(200, json=whole)
    chunk = {'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'gpt-4o'}
    deltas = [{'content': 'h'}, {'content': 'i', 'annotations': NESTED}, {'annotations': NESTED}, {}]
    return stream(
        [
            {**chunk, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': None if delta else 'stop'}]}
            for delta in deltas
        ]
    )


def answer(request):
    streamed = json.loads(request.content).get('stream')
    return (of_responses if 'responses' in request.url.path else of_chat)(streamed)


async def main():
    client = AsyncOpenAI(api_key='k', http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)))
    for kind in (OpenAIChatModel, OpenAIResponsesModel):
        agent = Agent(kind('gpt-4o', provider=OpenAIProvider(openai_client=client)))
        whole = (await agent.run('x')).response.parts[0]
        async with agent.run_stream('x') as result:
            await result.get_output()
        streamed = result.response.parts[0]
        for part in (whole, streamed):
            out(kind.__name__, part.provider_name, part.provider_details, repr(part.citations))


asyncio.run(main())
