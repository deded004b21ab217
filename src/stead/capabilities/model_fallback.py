"""`ModelFallback` sends a request that failed to other models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import RunContext
from .._kit.keywords import dataclass
from ..exceptions import ContentFilterError, FallbackExceptionGroup, ModelAPIError, RetryModelRequest, UserError
from ..messages import ModelResponse
from ..models import Model
from ..models.fallback import ResponseRejected, matches_any, sorted_handlers

FallbackErrors: TypeAlias = Union[
    type[Exception], Sequence[type[Exception]], Callable[[Exception], Union[bool, Awaitable[bool]]]
]
"""The errors after which another model is asked: classes, or a function that says it of an error."""


@dataclass(init=False)
class ModelFallback(AbstractCapability[Any]):
    """Send a request whose model failed to other models, one after the other.

    Each request begins with the model of the run. Unlike with `FallbackModel`, hooks around requests see each model.
    """

    models: tuple[Model | str, ...] = ()
    """The models, or their names, in the order in which they are asked."""
    fallback_on: FallbackErrors = (ModelAPIError, ContentFilterError)
    """The errors after which the next one is asked."""

    def __init__(
        self,
        *models: Model | str,
        fallback_on: FallbackErrors = (ModelAPIError, ContentFilterError),
        id: str | None = None,
    ) -> None:
        """Make the capability.

        Args:
            models: The models, or their names.
            fallback_on: The errors after which the next one is asked: classes, or a function that says it of an error.
            id: The id of the capability.

        Raises:
            UserError: There are no models, or `fallback_on` is empty, has something else, or is about responses.
        """
        if not models:
            raise UserError('`ModelFallback` has no models to fall back to: pass at least one, or its name.')
        self._handlers, of_responses = sorted_handlers(fallback_on, type(self).__name__)
        if of_responses:
            raise UserError(
                f'`fallback_on` has a function of a response, {of_responses[0]!r}, but `ModelFallback` sees errors only. '
                'Use a `FallbackModel`, or raise an error in `after_model_request`.'
            )
        self.models = models
        self.fallback_on = fallback_on
        self.id = id
        self._step = -1
        self._errors: list[Exception] = []

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold models."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Return the innermost place: other hooks see the response of the model that answered."""
        return CapabilityOrdering(position='innermost')

    async def for_run(self, ctx: RunContext[Any]) -> ModelFallback:
        """Return the capability of one run, which knows what has failed in its step."""
        own = copy(self)
        own._step, own._errors = -1, []
        return own

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Let the request be sent to the next model.

        Raises:
            FallbackExceptionGroup: All models failed.
        """
        if not await matches_any(self._handlers, error):
            raise error
        raise self._next(ctx, error)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Return the response, unless the content filter of the provider cut it off, which counts as a `ContentFilterError`.

        Raises:
            FallbackExceptionGroup: All models failed.
        """
        types = [handler for handler in self._handlers if isinstance(handler, type)]
        if response.finish_reason == 'content_filter' and issubclass(ContentFilterError, tuple(types)):
            raise self._next(ctx, ResponseRejected(1))
        return response

    def _next(self, ctx: RunContext[Any], error: Exception) -> Exception:
        """Return the signal that sends the request to the next model, or the error if there is none."""
        if self._step != ctx.run_step:
            self._step, self._errors = ctx.run_step, []
        self._errors.append(error)
        if len(self._errors) > len(self.models):
            errors = [error for error in self._errors if not isinstance(error, ResponseRejected)]
            if rejected := len(self._errors) - len(errors):
                errors.append(ResponseRejected(rejected))
            return FallbackExceptionGroup('All models from ModelFallback failed', errors)
        return RetryModelRequest(self.models[len(self._errors) - 1])
