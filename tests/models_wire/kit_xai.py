"""Answers of xAI, and a model that asks the loopback server."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip('xai_sdk', reason='the SDK xai-sdk is not installed')

from _grpc_wire import Answer, GrpcWire

from stead.models.xai import XaiModel
from stead.providers.xai import XaiProvider

HEAD: dict[str, Any] = {'id': 'r1', 'model': 'grok-x', 'created': '2024-01-01T00:00:00Z'}
USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}
ASSISTANT, TOOL = 'ROLE_ASSISTANT', 'ROLE_TOOL'
KEY = 'xai-secret-of-ours'


def xai_model(
    wire: GrpcWire | str, name: str = 'grok-4.3', *, retries: int = 0, metadata: Any = None, **options: Any
) -> XaiModel:
    """A model whose client tries once, so that faults show at once; its channel is in plain text."""

    class Provider(XaiProvider):
        def _client_options(self, sdk: Any) -> dict[str, Any]:
            client_options = super()._client_options(sdk)
            return {
                **client_options,
                'use_insecure_channel': True,
                'channel_options': [*client_options['channel_options'], ('grpc.enable_retries', retries)],
            }

    host = wire if isinstance(wire, str) else wire.host
    return XaiModel(name, provider=Provider(api_key=KEY, api_host=host, metadata=metadata), **options)


def output(
    content: str = '', reason: Any = 'REASON_STOP', index: int = 0, role: Any = ASSISTANT, **message: Any
) -> Any:
    return {'finish_reason': reason, 'index': index, 'message': {'content': content, 'role': role, **message}}


def whole(*outputs: Any, **fields: Any) -> Answer:
    return Answer([{**HEAD, 'usage': USAGE, 'outputs': list(outputs), **fields}])


def delta(content: str = '', index: int = 0, role: Any = ASSISTANT, reason: Any = 0, **fields: Any) -> Any:
    return {'finish_reason': reason, 'index': index, 'delta': {'content': content, 'role': role, **fields}}


def chunk(*deltas: Any, **fields: Any) -> Any:
    return {**HEAD, 'outputs': list(deltas), **fields}


def chunks(*deltas: Any, reason: Any = 'REASON_STOP', **fields: Any) -> Answer:
    end = chunk(delta(reason=reason), usage=USAGE, **fields)
    return Answer([*(chunk(item) for item in deltas), end], stream=True)


def call(name: str = 't', args: str = '{"x":1}', call_id: str = 'c1', kind: Any = 'CLIENT_SIDE', **fields: Any) -> Any:
    kind = kind if isinstance(kind, int) else f'TOOL_CALL_TYPE_{kind}_TOOL'
    return {'id': call_id, 'type': kind, 'function': {'name': name, 'arguments': args}, **fields}


def says(text: str, *, stream: bool) -> Answer:
    """An answer that says something."""
    return chunks(delta(text)) if stream else whole(output(text))
