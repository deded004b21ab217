"""`ModelOfRun`: the model of a run whose capabilities have a say in it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, cast

from .._contracts.hooks import AnyAgent
from .._contracts.model import ModelResolutionContext, ModelSelectionContext
from .._contracts.run_context import RunContext
from ..capabilities.combined import Choices
from ..exceptions import UserError
from ..models import Model
from ..usage import RunUsage


@dataclass
class ModelOfRun:
    """Chooses the model of a run: the one that was passed, one of the capabilities, or that of the agent, in this order."""

    passed: Model | str | None
    """The one that was passed to the run, or that an `override` sets."""
    of_agent: Model | str | None
    """That of the agent."""
    choices: Choices
    """What capabilities say about it."""
    selector: Any = field(default=None, init=False)
    """The `ModelSelector` of a capability, which chooses the model of each step, if one has it."""
    name: str | None = field(default=None, init=False)
    """The name of the model that was chosen last, if it was chosen by name."""
    _first: Model | None = field(default=None, init=False)
    """What the selector chose before the first step, where nothing else says which model the run has."""
    _last: Model | None = field(default=None, init=False)

    async def choose(self, agent: AnyAgent, deps: object, **known: Any) -> Model:
        """Return the model with which a run starts.

        Args:
            agent: The agent.
            deps: Its dependencies.
            known: Fields of `ModelSelectionContext`.

        Raises:
            UserError: There is none, or its name is not known.
            ValueError: The provider of the model is not known.
            ImportError: The package of a vendor is not installed.
        """
        about = ModelResolutionContext(agent=agent, deps=deps)
        asked: Any = self.passed or self.choices.first('get_model') or self.of_agent
        if callable(asked) and not isinstance(asked, Model):
            self.selector, asked = asked, self.of_agent
        if asked is not None:
            self.name = asked if isinstance(asked, str) else None
            return await self.choices.model_named(about, cast('Model | str', asked))
        if self.selector is None:
            raise UserError(
                'There is no model: pass `model` to `Agent`, to the run, or to `agent.override`, or return one from '
                '`get_model` of a capability.'
            )
        context = ModelSelectionContext(agent=agent, deps=deps, model=None, run_step=1, usage=RunUsage(), **known)
        self._first = await self._select(context)
        return self._first

    async def of_step(self, ctx: RunContext[Any]) -> Model:
        """Return the model of a step; the selector sees the model of the last one."""
        first, self._first = self._first, None
        if first is None:
            context = ModelSelectionContext(
                model=ctx.model if self._last is None else self._last,
                usage_limits=ctx.usage_limits,
                **{name: getattr(ctx, name) for name in _OF_CONTEXT},
            )
            first = await self._select(context)
        self._last, ctx.stopper.model_id = first, self.name
        return first

    async def _select(self, context: ModelSelectionContext[Any]) -> Model:
        selected: Any = self.selector(context)
        if inspect.isawaitable(selected):
            selected = await selected
        if not isinstance(selected, (Model, str)):
            raise UserError(
                f'The function that `get_model` of a capability returned must choose a model, not {selected!r}.'
            )
        self.name = selected if isinstance(selected, str) else None
        return await self.choices.model_named(context, cast(Any, selected))


_OF_CONTEXT = (
    *('agent', 'deps', 'run_step', 'prompt', 'messages', 'usage', 'retry', 'max_retries'),
    *('deadline', 'run_id', 'conversation_id'),
)
