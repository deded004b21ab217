"""What responses of OpenRouter add to chat completions, whole or streamed. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from typing_extensions import Unpack

from ..._kit.json_types import JsonObject, as_dict, as_list
from ...messages import ModelResponse, ModelResponseStreamEvent, ThinkingPart
from ...profiles.openai import OpenAIModelProfile
from ...usage import RequestUsage
from .._chat_completions.response import ResponseOrigin, decode_completion
from .._chat_completions.stream import ChatFold
from ..openai import OpenAIStreamedResponse

TEXT, SUMMARY, ENCRYPTED = 'reasoning.text', 'reasoning.summary', 'reasoning.encrypted'
_CONTENT = {TEXT: 'text', SUMMARY: 'summary', ENCRYPTED: None}
_SIGNATURE = {TEXT: 'signature', SUMMARY: None, ENCRYPTED: 'data'}


class Reasoning(NamedTuple):
    """A piece of reasoning as OpenRouter sends it."""

    key: tuple[Any, Any]
    """What identifies the reasoning that it is a piece of."""
    id: str | None
    content: str
    signature: str | None
    details: JsonObject
    """What is needed to send it back."""


def reasoning_in(message: Mapping[str, Any]) -> Iterator[Reasoning]:
    """Yield the reasoning in a message or delta, of the kinds that can be sent back."""
    for place, item in enumerate(as_list(message.get('reasoning_details'))):
        detail = as_dict(item)
        kind: Any = detail.get('type')
        if kind not in _CONTENT:
            continue
        index = detail.get('index')
        content, signature = _CONTENT[kind], _SIGNATURE[kind]
        yield Reasoning(
            key=(kind, place if index is None else index),
            id=detail.get('id'),
            content=str(detail.get(content) or '') if content else '',
            signature=detail.get(signature) if signature else None,
            details={'format': detail.get('format'), 'index': index, 'type': kind},
        )


def decode_answer(data: Any, *, model_profile: OpenAIModelProfile, **origin: Unpack[ResponseOrigin]) -> ModelResponse:
    """Return the response in a completion; arguments and errors as `decode_completion`."""
    body = as_dict(data)
    choice = as_dict(next(iter(as_list(body.get('choices'))), None))
    reasoning = list(reasoning_in(as_dict(choice.get('message'))))
    response = decode_completion(data, model_profile=model_profile, **origin)
    details = response.provider_details
    assert details is not None  # it has at least the time
    if reasoning and 'refusal' not in details:
        # The field `reasoning` has the same text, without what is needed to send it back.
        response.parts = [
            *(
                ThinkingPart(
                    piece.content,
                    id=piece.id,
                    signature=piece.signature,
                    provider_name=origin['provider_name'],
                    provider_details=piece.details,
                )
                for piece in reasoning
            ),
            *(part for part in response.parts if not (isinstance(part, ThinkingPart) and part.id != 'content')),
        ]
    note(body, details, response.usage)
    return response


def note(body: Mapping[str, Any], details: JsonObject, usage: RequestUsage | None) -> None:
    """Note what a completion or chunk says about its provider, why it ended and what it cost.

    Args:
        body: The completion or chunk.
        details: The details of the response.
        usage: The usage of the response, if it is known yet.
    """
    if (provider := body.get('provider')) is not None:
        details['downstream_provider'] = provider
    choice = as_dict(next(iter(as_list(body.get('choices'))), None))
    if (reason := choice.get('native_finish_reason')) and 'finish_reason' in details:
        details['finish_reason'] = reason
    if error := choice.get('error'):
        details['error'] = error
    counts = as_dict(body.get('usage'))
    if cost := counts.get('cost'):
        details['cost'] = cost
        if usage is not None and isinstance(cost, (int, float)):
            usage.cost = Decimal(str(cost))
    if (costs := counts.get('cost_details')) is not None:
        details['upstream_inference_cost'] = as_dict(costs).get('upstream_inference_cost')
    if (own_key := counts.get('is_byok')) is not None:
        details['is_byok'] = own_key
        if usage is not None:
            usage.details['is_byok'] = own_key


@dataclass
class OpenRouterFold(ChatFold):
    """A completion in the dialect of OpenRouter."""

    def feed(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        yield from super().feed(chunk)
        note(chunk, self.details, self.usage)

    def _thinking(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        reasoning = list(reasoning_in(delta))
        if not reasoning:
            yield from super()._thinking(delta)
        for piece in reasoning:
            started = str(piece.key) in self._started
            self._started.add(str(piece.key))
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=piece.key,
                id=piece.id,
                content=piece.content,
                signature=piece.signature,
                provider_name=None if started else self.provider_name,
                provider_details=piece.details,
            )


@dataclass
class OpenRouterStreamedResponse(OpenAIStreamedResponse):
    """The streamed response of an `OpenRouterModel`."""

    _fold_class: ClassVar[type[ChatFold]] = OpenRouterFold


__all__ = ('OpenRouterFold', 'OpenRouterStreamedResponse', 'decode_answer', 'note', 'reasoning_in')
