"""A streamed response knows whether more of it may come, without being put together for that."""

from __future__ import annotations

from typing import Any

from stead.messages import ModelRequest, ModelResponse
from stead.models import ModelRequestParameters, StreamedResponse
from stead.models.test import TestModel
from stead.models.wrapper import CompletedStreamedResponse


def opened() -> Any:
    return TestModel().request_stream([ModelRequest.user_text_prompt('q')], None, ModelRequestParameters())


async def test_open_until_it_is_read():
    async with opened() as stream:
        assert stream.is_open
        async for _ in stream:
            assert stream.is_open
        assert not stream.is_open


async def test_open_until_it_is_cancelled():
    async with opened() as stream:
        await stream.cancel()
        assert not stream.is_open


def test_a_response_that_is_there_is_not_open():
    assert not CompletedStreamedResponse(ModelRequestParameters(), ModelResponse(parts=[])).is_open


async def test_classes_that_answer_for_another_stream_decide():
    class Passes(CompletedStreamedResponse):
        inner: StreamedResponse

        def get(self) -> ModelResponse:
            return self.inner.get()

    async with opened() as stream:
        passes = Passes(ModelRequestParameters(), stream.get())
        passes.inner = stream
        assert passes.is_open
        async for _ in stream:
            pass
        assert not passes.is_open
