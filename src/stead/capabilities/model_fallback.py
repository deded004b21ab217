"""`ModelFallback` sends a request that failed to other models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from typing import Any, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.model import ModelRequestContext, ModelResolutionContext
from .._contracts.run_context import RunContext
from .._kit.keywords import dataclass
from ..exceptions import ContentFilterError, ModelAPIError, OutputTokenLimitExceeded, RetryModelRequest, UserError
from ..messages import ModelMessage, ModelResponse
from ..models import Model
from ..models.fallback import Failures, matches_any, sorted_handlers

FallbackErrors: TypeAlias = Union[
    type[Exception], Sequence[type[Exception]], Callable[[Exception], Union[bool, Awaitable[bool]]]
]
"""The errors after which another model is asked: classes, or a function that says it of an error."""


@dataclass(init=False)
class ModelFallback(AbstractCapability[Any]):
    """Send a request whose model failed to other models, one after the other.

    Each request begins with the model of the run, unless the capability is sticky. Unlike with `FallbackModel`, hooks around
    requests see each model. The response that comes in the end has the attempts before it in its `failed_attempts`.
    """

    models: tuple[Model | str, ...] = ()
    """The models, or their names, in the order in which they are asked."""
    fallback_on: FallbackErrors = (ModelAPIError, ContentFilterError, OutputTokenLimitExceeded)
    """The errors after which the next one is asked."""
    sticky: bool = False
    """Whether a conversation stays with the model that answered after others had failed."""

    def __init__(
        self,
        *models: Model | str,
        fallback_on: FallbackErrors = (ModelAPIError, ContentFilterError, OutputTokenLimitExceeded),
        sticky: bool = False,
        id: str | None = None,
    ) -> None:
        """Make the capability.

        Args:
            models: The models, or their names.
            fallback_on: The errors after which the next one is asked: classes, or a function that says it of an error.
            sticky: Whether a conversation stays with the model that answered after others had failed, also in the runs that
                continue its history. When that model fails, those after it are asked, and then the model of the run.
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
        self.sticky = sticky
        self.id = id
        self._begin_run()

    def _begin_run(self) -> None:
        self._asked: tuple[Model | str, ...] = ()
        """The model of the run and those to fall back to: after the last, the first one follows."""
        self._place: int | None = None
        """The place of the model that the step began with; `None` before the first step."""
        self._failures = Failures()

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
        own._begin_run()
        return own

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Let the request begin with the model that the conversation stays with."""
        self._asked = (request_context.model, *self.models)
        if not self.sticky:
            self._place = 0
        elif self._place is None:
            self._place = await self._place_in(ctx, request_context.messages)
        else:
            self._place = (self._place + len(self._failures)) % len(self._asked)
        self._failures = Failures()
        if self._place:
            request_context.model = await _resolved(ctx, self._asked[self._place])
        return request_context

    async def _place_in(self, ctx: RunContext[Any], history: Sequence[ModelMessage]) -> int:
        """Return the place of the model that a history stays with: the one that was asked after the last one that failed."""
        responses = (message for message in reversed(history) if isinstance(message, ModelResponse))
        failed = next((response.failed_attempts for response in responses if response.failed_attempts), None)
        if failed is None:
            return 0
        for place, name in enumerate(self._asked):
            model = await _resolved(ctx, name)
            if (model.model_name, model.system) == (failed[-1].model_name, failed[-1].provider_name):
                return (place + 1) % len(self._asked)
        return 0

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Let the request be sent to the next model.

        Raises:
            FallbackExceptionGroup: All models failed.
        """
        if not await matches_any(self._handlers, error):
            raise error
        raise self._next(request_context, error)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Return the response, unless the content filter of the provider cut it off, which counts as a `ContentFilterError`.

        Raises:
            FallbackExceptionGroup: All models failed.
        """
        types = [handler for handler in self._handlers if isinstance(handler, type)]
        if response.finish_reason == 'content_filter' and issubclass(ContentFilterError, tuple(types)):
            raise self._next(request_context, response)
        return response

    def _next(self, request: ModelRequestContext, why: Exception | ModelResponse) -> Exception:
        """Return the signal that sends the request to the next model, or the error if there is none."""
        failures, known = self._failures, len(self._failures.attempts)
        failures.add(request.model, why)
        request.failed_attempts += failures.attempts[known:]
        if len(failures) > len(self.models):
            return failures.as_group('ModelFallback')
        return RetryModelRequest(self._asked[((self._place or 0) + len(failures)) % len(self._asked)])


async def _resolved(ctx: RunContext[Any], name: Model | str) -> Model:
    """Return the model for a name, as other capabilities of the run may know it."""
    about = ModelResolutionContext(agent=ctx.agent, deps=ctx.deps)
    return await cast(Any, ctx.tool_manager).chain.choices.model_named(about, name)
