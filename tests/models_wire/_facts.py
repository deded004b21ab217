"""What a request and its answer come to, as plain data that can be compared."""

from __future__ import annotations

import dataclasses
import re
import warnings
from datetime import datetime
from typing import Any

from _wire import Wire

added_settings: dict[str, Any] = {}
"""Settings of all requests besides those of the cases."""
_LEFT_OUT = ('timestamp', 'run_id', 'conversation_id')
_LATER = ('output_reasoning_tokens', 'cache_write_1h_tokens', 'cost')
"""Fields of usage that 1.x does not have."""
_LATER_DEFAULTS = {('ModelRequest', 'state'): 'complete'}
"""Fields of messages that 1.x does not have, and the defaults that nothing is shown of. Those that are empty are never shown."""


def show(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        found = {
            f.name: show(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if f.name not in (*_LEFT_OUT, *_LATER)
        }
        kind, empty = type(value).__name__, (None, {}, [], 0, False)
        facts = {
            name: item
            for name, item in found.items()
            if item not in empty and item != _LATER_DEFAULTS.get((kind, name))
        }
        return {'_': kind, **facts}
    if isinstance(value, (list, tuple)):
        return [show(item) for item in value]
    if isinstance(value, dict):
        return {str(name): show(item) for name, item in value.items()}
    if isinstance(value, datetime):
        return 'NOW' if value.year >= 2025 else value.isoformat()
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, str):
        return re.sub(r'pyd_ai_[0-9a-f]{32}', 'ID', re.sub(r'http://127.0.0.1:\d+', 'URL', value))
    return value


async def facts(
    model: Any, wire: Wire, messages: Any, params: Any, settings: Any, *, stream: bool, headers: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Send a request, and return what was sent and what came of it; of an error only that there was one."""
    if added_settings:
        settings = {**(settings or {}), **added_settings}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        warnings.simplefilter('ignore', DeprecationWarning)  # SDKs know which models are about to go
        try:
            if stream:
                async with model.request_stream(messages, settings, params) as response:
                    events = [show(event) async for event in response]
                    result: Any = {'events': events, 'response': show(response.get())}
            else:
                result = show(await model.request(messages, settings, params))
        except Exception:
            result = 'error'
    sent = [
        {'path': item.path.partition('?')[0], 'body': item.body, **{name: item.headers.get(name) for name in headers}}
        for item in wire.requests
    ]
    return {'sent': sent, 'result': result}
