"""What cases of several vendors share: clients, models, whole answers and streams; see `record.py`."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import _vocabulary as vocabulary
import anthropic
import openai
from _facts import facts
from _wire import Reply, Wire, as_json, as_sse

from stead.models.anthropic import AnthropicModel
from stead.models.openai import OpenAIChatModel, OpenAIResponsesModel
from stead.providers.anthropic import AnthropicProvider
from stead.providers.openai import OpenAIProvider


class Clients:
    """A client of each SDK, which tries once."""

    def __init__(self, wire: Wire) -> None:
        self.openai = openai.AsyncOpenAI(base_url=wire.url, api_key='k', max_retries=0)
        self.anthropic = anthropic.AsyncAnthropic(base_url=wire.url, api_key='k', max_retries=0)

    async def close(self) -> None:
        await self.openai.close()
        await self.anthropic.close()

    def model(self, vendor: str, name: str | None = None, **options: Any) -> Any:
        if vendor == 'anthropic':
            provider = AnthropicProvider(anthropic_client=self.anthropic)
            return AnthropicModel(name or 'claude-sonnet-4-5', provider=provider, **options)
        kind = OpenAIChatModel if vendor == 'chat' else OpenAIResponsesModel
        return kind(name or 'gpt-4o', provider=OpenAIProvider(openai_client=self.openai), **options)


def text_answer(vendor: str) -> Reply:
    """An answer that says hi."""
    if vendor == 'anthropic':
        return message({'type': 'text', 'text': 'hi'})
    if vendor == 'responses':
        return response(text_item('hi'))
    return completion({'role': 'assistant', 'content': 'hi'})


def message(*content: Any, **fields: Any) -> Reply:
    """An answer of Anthropic."""
    head = {'id': 'msg_1', 'type': 'message', 'role': 'assistant', 'model': 'claude-x', 'content': list(content)}
    usage = {'input_tokens': 10, 'output_tokens': 5}
    return as_json({**head, 'stop_reason': 'end_turn', 'stop_sequence': None, 'usage': usage, **fields})


def message_stream(*blocks: Any, usage: Any = None, **end: Any) -> Reply:
    """A stream of Anthropic; a block is the block, followed by its deltas."""
    head = {'id': 'msg_1', 'type': 'message', 'role': 'assistant', 'model': 'claude-x', 'content': []}
    head.update(stop_reason=None, stop_sequence=None, usage={'input_tokens': 10, 'output_tokens': 1})
    events: list[Any] = [{'type': 'message_start', 'message': head}]
    for place, (block, *deltas) in enumerate(blocks):
        events.append({'type': 'content_block_start', 'index': place, 'content_block': block})
        events.extend({'type': 'content_block_delta', 'index': place, 'delta': delta} for delta in deltas)
        events.append({'type': 'content_block_stop', 'index': place})
    delta = {'stop_reason': 'end_turn', 'stop_sequence': None, **end}
    events.append({'type': 'message_delta', 'delta': delta, 'usage': usage or {'output_tokens': 7}})
    return as_sse([*events, {'type': 'message_stop'}], done=False, named=True)


def body_of(*output: Any, status: str = 'completed', **fields: Any) -> dict[str, Any]:
    head = {'id': 'resp_1', 'object': 'response', 'created_at': 1700000000, 'model': 'gpt-x', 'status': status}
    usage = {'input_tokens': 10, 'output_tokens': 5, 'total_tokens': 15}
    usage.update(input_tokens_details={'cached_tokens': 0}, output_tokens_details={'reasoning_tokens': 0})  # type: ignore[arg-type]
    settings = {'parallel_tool_calls': True, 'tool_choice': 'auto', 'tools': [], 'metadata': {}, 'error': None}
    return {**head, 'output': list(output), 'usage': usage, **settings, 'incomplete_details': None, **fields}


def response(*output: Any, **fields: Any) -> Reply:
    """An answer of the Responses API."""
    return as_json(body_of(*output, **fields))


def text_item(text: str, **fields: Any) -> dict[str, Any]:
    content = [{'type': 'output_text', 'text': text, 'annotations': []}]
    head = {'type': 'message', 'id': 'msg_1', 'role': 'assistant', 'status': 'completed'}
    return {**head, 'content': content, **fields}


def added(item: Any, place: int = 0) -> dict[str, Any]:
    return {'type': 'response.output_item.added', 'output_index': place, 'item': item}


def done(item: Any, place: int = 0) -> dict[str, Any]:
    return {'type': 'response.output_item.done', 'output_index': place, 'item': item}


def whole(item: Any, place: int = 0) -> list[Any]:
    """The events of an item that comes in one piece."""
    return [added(item, place), done(item, place)]


def response_stream(*events: Any, **fields: Any) -> Reply:
    """A stream of the Responses API."""
    start = {'type': 'response.created', 'response': body_of(status='in_progress', usage=None)}
    end = {'type': 'response.completed', 'response': body_of(**fields)}
    numbered = [{**event, 'sequence_number': number} for number, event in enumerate([start, *events, end])]
    return as_sse(numbered, done=False, named=True)


def completion(message: Any, reason: str | None = 'stop', choice: Any = None, **fields: Any) -> Reply:
    """A chat completion."""
    choices = [{'index': 0, 'message': message, 'finish_reason': reason, 'logprobs': None, **(choice or {})}]
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'gpt-x', 'choices': choices}
    return as_json({**head, 'usage': {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}, **fields})


def chunks(*deltas: Any, reason: str = 'stop', **fields: Any) -> Reply:
    """A stream of chat completions."""
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'gpt-x', **fields}
    contents = [{**head, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]} for delta in deltas]
    end = {**head, 'choices': [{'index': 0, 'delta': {}, 'finish_reason': reason}]}
    usage = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}
    return as_sse([*contents, end, {**head, 'choices': [], 'usage': usage}])


class Cases(vocabulary.Cases):
    """Cases by names that begin with their vendor; a case may also be a function of the wire and the clients."""

    async def run(self, name: str, wire: Wire, clients: Clients) -> Any:
        case, vendor = self[name], name.partition('/')[0]
        if inspect.isfunction(case):
            wire.expect(text_answer(vendor))
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', DeprecationWarning)  # SDKs know which models are about to go
                return await case(wire, clients)
        reply = case.reply or text_answer(vendor)
        wire.expect(reply)
        stream = reply.content_type == 'text/event-stream'
        model = clients.model(vendor, case.model, profile=case.profile)
        headers = ('anthropic-beta',)
        found = await facts(model, wire, case.messages, case.params, case.settings, stream=stream, headers=headers)
        if case.reply is None and found['result'] != 'error':  # what comes back is not what the case is about
            del found['result']
        return found
