"""`RaiseContentFilterError` lets responses fail that the content filter of the provider cut off."""

from __future__ import annotations

from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import RunContext
from .._kit.keywords import dataclass
from ..messages import ModelResponse, content_filter_error


@dataclass
class RaiseContentFilterError(AbstractCapability[Any]):
    """Let a response that the content filter of the provider cut off be an error, also if it has text."""

    id: str | None = 'raise_content_filter_error'

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: specs do not name it."""
        return None

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Return the response.

        Raises:
            ContentFilterError: The content filter has cut it off; `body` has the response.
        """
        if response.finish_reason == 'content_filter':
            raise content_filter_error(response)
        return response
