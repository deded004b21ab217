"""`Compaction`: the summary of the provider where it has one, and `Summarise` elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

from .._contracts.capability import AbstractCapability
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.keywords import dataclass
from ..exceptions import UserError
from ..messages import ModelMessage
from ..models import Model
from ..models.wrapper import WrapperModel
from ..settings import ModelSettings
from .summarise import Summarise

_LEAST_OF_ANTHROPIC = 50_000


@dataclass
class Compaction(Summarise[AnyDepsT]):
    """Summarise the earlier messages of a long conversation: as its provider does it, if it does, otherwise with `Summarise`.

    With `'auto'`, that is chosen for each request by its model, so that a fallback to another provider is compacted too.
    Anthropic and the Responses API of OpenAI write summaries of their own; see `AnthropicCompaction` and `OpenAICompaction`.
    """

    leaves_requests_alone = True  # it puts other messages into a request of its own

    how: Literal['auto', 'summary'] = 'auto'
    """`'auto'`, or `'summary'` to use `Summarise` with each model."""

    def __init__(
        self,
        how: Literal['auto', 'summary'] = 'auto',
        *,
        at: int = 100_000,
        model: Model[Any] | str | None = None,
        into: int = 2_000,
        ahead: float = 1.0,
        keep: Callable[[Any], bool] | None = None,
        recall: bool = True,
    ) -> None:
        """Choose how and when to summarise.

        Args:
            how: `'auto'` for the provider's own summary where there is one, or `'summary'` for `Summarise`.
            at: The tokens of a request from which on its earlier messages are summarised; Anthropic begins at 50,000.
            model: The model that writes the summaries of `Summarise`; by default that of the run.
            into: The most tokens of such a summary.
            ahead: As that of `Summarise`.
            keep: As that of `Summarise`. A provider's own summary knows of no pins.
            recall: Whether the model gets the tool `recall`.

        Raises:
            UserError: An argument is not valid.
        """
        if how not in ('auto', 'summary'):
            raise UserError(f"`Compaction` is 'auto' or 'summary', not {how!r}.")
        self.how = how
        super().__init__(at=at, model=model, into=into, ahead=ahead, keep=keep, recall=recall)

    def get_model_settings(self) -> Callable[[RunContext[AnyDepsT]], ModelSettings]:
        """Return a function of the run context that asks its provider to summarise, if it can."""

        def resolve(ctx: RunContext[AnyDepsT]) -> ModelSettings:
            own = self._of_provider(ctx.model)
            settings: Any = own.get_model_settings() if own is not None else None
            return settings(ctx) if settings is not None else {}

        return resolve

    async def shorten(self, ctx: RunContext[AnyDepsT], request: ModelRequestContext) -> list[ModelMessage]:
        """Return the messages to send, all of them to a provider that summarises by itself."""
        if self._of_provider(request.model) is not None:
            return request.messages
        return await super().shorten(ctx, request)

    def _of_provider(self, model: Any) -> AbstractCapability[Any] | None:
        """Return the capability that has a model's provider summarise; `None` if it cannot."""
        while isinstance(model, WrapperModel):
            model = model.wrapped
        if self.how == 'auto':
            # The modules of models that are in use are loaded.
            if (home := sys.modules.get('stead.models.anthropic')) and isinstance(model, home.AnthropicModel):
                return home.AnthropicCompaction(token_threshold=max(self.at, _LEAST_OF_ANTHROPIC))
            if (home := sys.modules.get('stead.models.openai')) and isinstance(model, home.OpenAIResponsesModel):
                return home.OpenAICompaction(token_threshold=self.at)
        return None
