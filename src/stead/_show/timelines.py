"""What happened in a run as plain data, for pages: its messages, and its steps with the time that each thing took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, cast

from .._kit.json_types import JsonObject
from .._kit.secret import is_secret, masked_data, masked_text
from ..messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    UserPromptPart,
    is_retry,
    retry_text,
)
from .costs import cost_of

LONGEST = 400_000
"""How many characters of one text are shown."""
BRIEF = 160


def shown_messages(messages: Sequence[ModelMessage]) -> list[JsonObject]:
    """Return messages as JSON data; texts that are too long for a page are cut."""
    return cast('list[JsonObject]', bounded(ModelMessagesTypeAdapter.dump_python([*messages], mode='json')))


def bounded(value: object) -> object:
    """Return JSON data with every text at most `LONGEST` characters long, and without secrets."""
    if isinstance(value, str):
        text = masked_text(value[:LONGEST])
        return text if len(value) <= LONGEST else f'{text} ... and {len(value) - LONGEST:,} more characters'
    if isinstance(value, dict):
        items = cast('dict[object, object]', value).items()
        return {str(key): masked_data(bounded(item)) if is_secret(key) else bounded(item) for key, item in items}
    if isinstance(value, list):
        return [bounded(item) for item in cast('list[object]', value)]
    return value


def brief(value: object, most: int = BRIEF) -> str:
    """Return the beginning of a value in one line, without secrets."""
    text = masked_text(' '.join(str(value if value is not None else '')[: most * 4].split()))
    return text if len(text) <= most else f'{text[: most - 1]}…'


def prompt_text(content: object) -> str:
    """Return the text of a prompt, without secrets; what is not text in it is left out."""
    items = cast('Sequence[object]', content) if isinstance(content, (list, tuple)) else [content]
    return masked_text(' '.join(item for item in items if isinstance(item, str)))


def price(messages: Iterable[ModelMessage]) -> float | None:
    """Return what responses cost, in US dollars; `None` if that is not known."""
    with suppress(ImportError, LookupError, ValueError, TypeError):
        return float(cost_of(messages).total)
    return None


def response_data(response: ModelResponse, index: int, at: float, *, cost: float | None = None) -> JsonObject:
    """Return what a step says of its response."""
    return {
        'response': index,
        'responded': at,
        'model': response.model_name,
        'input': response.usage.input_tokens,
        'cached': response.usage.cache_read_tokens,
        'output': response.usage.output_tokens,
        'cost': cost,
    }


def call_data(call: Any, at: float | None, effect: str | None = None) -> JsonObject:
    """Return what a step says of a call that has started."""
    return {
        'id': call.tool_call_id,
        'tool': call.tool_name,
        'args': bounded(call.args_as_dict()),
        'effect': effect,
        'at': at,
        'ended': None,
        'outcome': None,
        'result': None,
        'progress': [],
    }


def note_answer(call: JsonObject, part: object, at: float | None) -> None:
    """Note what a call was answered with."""
    call['ended'] = at
    if is_retry(part):
        call['outcome'], call['result'] = 'failed', bounded(retry_text(part))
    elif isinstance(part, BaseToolReturnPart):
        call['outcome'] = part.outcome
        data = shown_messages([ModelRequest([cast(Any, part)])])
        call['result'] = data[0]['parts'][0]['content']


def steps_of_messages(messages: Sequence[ModelMessage]) -> list[JsonObject]:
    """Return the steps that messages tell of; a step has a request, a response and its calls."""
    steps: list[JsonObject] = []
    calls: dict[str, JsonObject] = {}
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if (call := calls.get(getattr(part, 'tool_call_id', None) or '')) is not None:
                    note_answer(call, part, _seconds(getattr(part, 'timestamp', None)))
            continue
        before = messages[index - 1] if index else None
        at = _seconds(getattr(before, 'timestamp', None)) or _seconds(message.timestamp) or 0.0
        if steps and isinstance(before, ModelRequest) and at == 0.0:
            at = steps[-1]['responded']
        responded = max(at, _seconds(message.timestamp) or at)
        calls = {call.tool_call_id: call_data(call, responded) for call in message.tool_calls}
        steps.append(
            {
                'step': len(steps) + 1,
                'at': at,
                'shared': False,
                'request': [0, index],
                **response_data(message, index, responded, cost=price([message])),
                'calls': [*calls.values()],
                'waits': [],
            }
        )
    return steps


def _seconds(moment: object) -> float | None:
    return moment.timestamp() if isinstance(moment, datetime) else None


def first_prompt(messages: Iterable[ModelMessage]) -> str:
    """Return the text of the first prompt."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                return prompt_text(part.content)
    return ''
