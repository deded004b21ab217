"""What capabilities choose for a run: its model, its ids, its clock. Each question is a row of `CHOICES` in the hook table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.hooks import CHOICES, FROM_OUTSIDE
from .._contracts.model import ModelResolutionContext
from ..models import Model, infer_model

AnyCapability: TypeAlias = AbstractCapability[Any]
"""A capability, whatever dependencies it needs."""
T = TypeVar('T')


@lru_cache(maxsize=1024)
def _overridden(kind: type[AnyCapability]) -> frozenset[str]:
    return frozenset(name for name in CHOICES if getattr(kind, name) is not getattr(AbstractCapability, name))


class Choices:
    """The answers of capabilities to questions about a run.

    A deferred capability is not asked: it is not loaded when a run starts.
    """

    def __init__(self, capabilities: Sequence[AnyCapability]) -> None:
        """Find out which capability may answer what.

        Args:
            capabilities: The capabilities, outermost first.
        """
        self.asked: dict[str, tuple[AnyCapability, ...]] = {}
        """By question, the capabilities that may answer it, in the order in which they are asked."""
        for capability in capabilities:
            if (names := _overridden(type(capability))) and not capability.defer_loading:
                for name in names:
                    known = self.asked.get(name, ())
                    self.asked[name] = (*known, capability) if name in FROM_OUTSIDE else (capability, *known)

    def first(self, name: str, *args: object) -> Any:
        """Return the first answer to a question that is not `None`."""
        for capability in self.asked.get(name, ()):
            if (answer := getattr(capability, name)(*args)) is not None:
                return answer
        return None

    async def first_later(self, name: str, *args: object, **named: object) -> Any:
        """Return the first answer that is not `None` to a question whose answers are awaited."""
        for capability in self.asked.get(name, ()):
            if (answer := await getattr(capability, name)(*args, **named)) is not None:
                return answer
        return None

    async def model_named(self, ctx: ModelResolutionContext[Any], name: Model | str) -> Model:
        """Return the model for a name: as the first capability says that knows it, and otherwise as for all agents.

        Raises:
            UserError: The name is not known, or there is no API key.
            ValueError: The provider is not known.
            ImportError: The package of a vendor is not installed.
        """
        if isinstance(name, str):
            name = await self.first_later('resolve_model_id', ctx, model_id=name) or name
        return infer_model(name)

    def wrapped(self, model: Model) -> Model:
        """Return a model with the wrappers of the capabilities around it, that of the innermost one innermost."""
        for capability in self.asked.get('get_wrapper_model', ()):
            model = capability.get_wrapper_model(model) or model
        return model
