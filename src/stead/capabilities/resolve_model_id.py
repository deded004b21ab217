"""`ResolveModelId`: names of models that a function knows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.model import ModelResolutionContext
from .._contracts.run_context import AnyDepsT
from .._kit.keywords import dataclass
from ..exceptions import UserError
from ..models import Model

ModelIdResolver: TypeAlias = Union[
    Callable[[ModelResolutionContext[AnyDepsT], str], Union[Model, None]],
    Callable[[ModelResolutionContext[AnyDepsT], str], Awaitable[Union[Model, None]]],
]
"""A function of agent and dependencies, and of the name of a model; it returns the model, or `None` if it does not know it."""


@dataclass
class ResolveModelId(AbstractCapability[AnyDepsT]):
    """Let a function find the model for a name, such as one with a prefix of your own; of several, the first that knows it."""

    resolver: ModelIdResolver[AnyDepsT]
    """The function. Names that it does not know mean the same as without it."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def resolve_model_id(self, ctx: ModelResolutionContext[AnyDepsT], *, model_id: str) -> Model[Any] | None:
        """Return the model that the function finds.

        Raises:
            UserError: What it returned is not a model.
        """
        model: object = self.resolver(ctx, model_id)
        if isawaitable(model):
            model = await model
        if model is not None and not isinstance(model, Model):
            raise UserError(
                f'The resolver of `ResolveModelId` returned {model!r} for the model {model_id!r}; it must return a `Model`, or '
                '`None` for a name that it does not know.'
            )
        return cast('Model[Any] | None', model)
