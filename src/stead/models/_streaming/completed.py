"""Complete responses with the interface of a stream: one without events, and one whose events come all at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...messages import (
    FinalResultEvent,
    FinishReason,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartStartEvent,
)
from .streamed import StreamedResponse


@dataclass
class CompletedStreamedResponse(StreamedResponse):
    """A complete response with the interface of a stream, which yields no events."""

    response: ModelResponse | None = None
    """The response."""

    def __init__(self, model_request_parameters: ModelRequestParameters, response: ModelResponse) -> None:
        self.response = response
        self.final_result_event: FinalResultEvent | None = None
        self.provider_response_id: str | None = response.provider_response_id
        self.provider_details: JsonObject | None = response.provider_details
        self.finish_reason: FinishReason | None = response.finish_reason
        self._event_iterator = None
        self._usage = response.usage
        self._cancelled = False
        self._finished = False
        self.failure: BaseException | None = None
        self.model_request_parameters = model_request_parameters
        self.__post_init__()

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        return
        yield

    def get(self) -> ModelResponse:
        """Return the response."""
        assert self.response is not None
        return self.response

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self.get().model_name or ''

    @property
    def provider_name(self) -> str | None:
        """The provider."""
        return self.get().provider_name

    @property
    def provider_url(self) -> str | None:
        """The URL that the response came from."""
        return self.get().provider_url

    @property
    def timestamp(self) -> datetime:
        """When the response was created."""
        return self.get().timestamp


class ReplayedStreamedResponse(CompletedStreamedResponse):
    """A complete response as a stream that has each part whole at its start.

    Readers of a run see a response from a cache or a journal this way, though no model sent it.
    """

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        for index, part in enumerate(self.get().parts):
            yield PartStartEvent(index=index, part=part)

    def _part(self, index: int) -> ModelResponsePart:
        return self.get().parts[index]
