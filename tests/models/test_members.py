"""What models say about themselves, and what hooks see of a request."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from stead import Agent, UserError
from stead.capabilities import Hooks
from stead.exceptions import ModelHTTPError, RetryModelRequest
from stead.messages import ModelResponse, TextPart
from stead.models import CompletedStreamedResponse, Model, ModelRequestParameters, _request_tools, infer_model
from stead.models.function import FunctionModel
from stead.models.test import TestModel
from stead.models.wrapper import WrapperModel
from stead.native_tools import WebSearchTool


def test_hooks_see_the_attempt_and_whether_it_streams() -> None:
    seen: list[tuple[str, int, bool]] = []
    hooks: Hooks[object] = Hooks()

    @hooks.on.model_request_error
    async def again(ctx: Any, *, request_context: Any, error: Exception) -> Any:
        seen.append(('failed', request_context.attempt, request_context.streaming))
        raise RetryModelRequest

    @hooks.on.after_model_request
    async def after(ctx: Any, *, request_context: Any, response: ModelResponse) -> ModelResponse:
        seen.append(('answered', request_context.attempt, request_context.streaming))
        return response

    failures = 2

    def respond(messages: Any, info: Any) -> ModelResponse:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise ModelHTTPError(500, 'busy')
        return ModelResponse(parts=[TextPart('done')])

    async def stream(messages: Any, info: Any) -> Any:
        yield respond(messages, info).text

    agent = Agent(FunctionModel(respond, stream_function=stream), capabilities=[hooks])
    agent.run_sync('go')
    failures = 1
    agent.run_stream_sync('go').get_output()
    assert seen == [
        *[('failed', 1, False), ('failed', 2, False), ('answered', 3, False)],
        *[('failed', 1, True), ('answered', 2, True)],
    ]


def test_a_restriction_that_would_be_dropped_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'k')
    model = infer_model('openai-chat:gpt-4o-search-preview')
    params = ModelRequestParameters(native_tools=[WebSearchTool(allowed_domains=['example.org'])])
    assert model.prepare_request(None, params)[1].native_tools, 'as 1.x does'
    monkeypatch.setattr(_request_tools, 'REFUSE_UNSENT_RESTRICTIONS', True)
    with pytest.raises(UserError, match=r'WebSearchTool\.allowed_domains.*would do more'):
        infer_model('openai-chat:gpt-4o-search-preview').prepare_request(None, params)
    optional = ModelRequestParameters(native_tools=[WebSearchTool(max_uses=1, optional=True)])
    assert infer_model('openai-chat:gpt-4o-search-preview').prepare_request(None, optional)[1].native_tools == []


@pytest.mark.parametrize('wrap', [lambda model: model, WrapperModel])
def test_models_without_batches_say_so(wrap: Any) -> None:
    model: Model = wrap(TestModel())
    assert model.batch_max_requests is None
    with pytest.raises(NotImplementedError, match='does not support batches'):
        asyncio.run(model.batch_create([]))


class Batching(TestModel):
    """A model of another package, with batches and a cache of its own."""

    batch_max_requests = 5  # type: ignore[assignment]
    batch_max_bytes = 6  # type: ignore[assignment]

    def batch_request_size(self, request: Any) -> int:
        return len(request)

    def batch_decode(self, result: Any, request: Any) -> Any:
        return 'decoded', result, request

    async def batch_encode(self, request: Any) -> Any:
        return 'encoded', request

    async def batch_create(self, requests: Any) -> Any:
        return 'created', requests

    async def batch_status(self, batch: Any) -> Any:
        return 'status', batch

    async def batch_results(self, batch: Any) -> Any:
        return 'results', batch

    async def batch_cancel(self, batch: Any) -> Any:
        return 'cancelled', batch

    def resolve_cache_retention(self, model_settings: Any) -> timedelta:
        return timedelta(days=1)


def test_a_wrapper_has_the_batches_and_the_cache_of_its_model() -> None:
    model = WrapperModel(Batching())
    assert (model.batch_max_requests, model.batch_max_bytes) == (5, 6)
    assert (model.batch_request_size('abc'), model.batch_decode(1, 2)) == (3, ('decoded', 1, 2))

    async def send() -> list[Any]:
        names = ('encode', 'create', 'status', 'results', 'cancel')
        return [await getattr(model, f'batch_{name}')('x') for name in names]

    outcomes = ('encoded', 'created', 'status', 'results', 'cancelled')
    assert asyncio.run(send()) == [(word, 'x') for word in outcomes]
    assert model.resolve_cache_retention({'cache': True}) == timedelta(days=1)


def test_a_complete_stream_needs_a_response_and_parameters() -> None:
    with pytest.raises(TypeError, match='takes a `ModelResponse` and `ModelRequestParameters`'):
        CompletedStreamedResponse(ModelRequestParameters(), ModelRequestParameters())
