"""`SelectModel`: the model of a run, chosen by a capability."""

from __future__ import annotations

from .._contracts.capability import AbstractCapability
from .._contracts.model import AgentModel
from .._contracts.run_context import AnyDepsT
from .._kit.keywords import dataclass


@dataclass
class SelectModel(AbstractCapability[AnyDepsT]):
    """Choose the model of runs that are given none, in place of that of the agent; of several, the last one chooses."""

    selector: AgentModel[AnyDepsT]
    """A model, its name, or a function of the context of a step that returns one of these, also asynchronously."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec says the model itself."""
        return None

    def get_model(self) -> AgentModel[AnyDepsT] | None:
        """Return the model, or what chooses it."""
        return self.selector
