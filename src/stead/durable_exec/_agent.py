"""`DurableAgent`: the base class of agents on an engine, which carries out their runs."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from contextvars import ContextVar
from typing import Any, cast

from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.aio import disable_threads
from ..agent import AbstractAgent, EventStreamHandler, WrapperAgent
from ..agent.for_all import FOR_ALL
from ..exceptions import UserError
from ..messages import AgentStreamEvent, UserContent
from ..models import Model, infer_model
from ..output import OutputSchema
from ..run import AgentRun, AgentRunResult
from ._capability import DurableSteps, LeafIds, steps_of
from ._engine import AnyToolset, JsonData, StepEngine
from ._handover import RunSoFar, check_so_far
from ._model import DurableModel, NamedModel

_handler: ContextVar[Any] = ContextVar('stead_durable_handler', default=None)
"""The handler of events of the run that is being started."""
_REFUSED = {
    'restore_run': 'keeps runs, and so does the workflow, in which nothing may be read or written. Leave it out.',
    'get_wrapper_model': 'stands before the model, and would not be asked: activities send the requests. Leave it out.',
    'get_workspace': 'has a workspace, which is not sent to activities, as they may run on another machine. Make one in the '
    'tool, as in `Workspace(LocalWorkspaceBackend(path))`.',
}
"""What is said about a capability that has a hook, unless it says it itself."""


class DurableAgent(WrapperAgent[AgentDepsT, OutputDataT]):
    """An agent whose runs are carried out by an engine; where the engine is not at work, they are plain runs."""

    needs_names = True
    """Whether every toolset needs an id."""

    def __init__(
        self,
        wrapped: AbstractAgent[AgentDepsT, OutputDataT],
        engine: StepEngine,
        *,
        name: str | None,
        models: dict[str, Model],
        event_stream_handler: EventStreamHandler[AgentDepsT] | None,
    ) -> None:
        """Wrap an agent.

        Args:
            wrapped: The agent.
            engine: The engine.
            name: What its steps are known by; by default the name of the agent.
            models: Models that runs may choose by name, in addition to the one of the agent.
            event_stream_handler: Is shown the events of runs; by default the agent's.

        Raises:
            UserError: There is no name or no model, a model has a name that is taken, a toolset has no id, or a capability
                keeps runs, answers requests or has a workspace, where the engine runs steps elsewhere.
        """
        super().__init__(wrapped)
        self.engine = engine
        self._name = name or wrapped.name
        if not self._name:
            raise UserError(
                f'The agent has no `name`, by which {engine.title} would know its steps. Pass `name=...` to the agent, one '
                'that no other agent has.'
            )
        self._models = self._all_models(models)
        self._event_stream_handler = event_stream_handler or wrapped.event_stream_handler
        self._leaves = self._find_leaves()
        self._replacements: dict[str, AnyToolset] = {}
        self._refuse_what_acts([wrapped.root_capability])

    def _refuse_what_acts(self, capabilities: Sequence[Any]) -> None:
        """Raise `UserError` if a capability does what steps that run elsewhere do, or cannot reach them."""
        found: list[AbstractCapability[Any]] = []
        for capability in capabilities:
            if isinstance(capability, AbstractCapability):
                cast('AbstractCapability[Any]', capability).apply(found.append)
        for capability in found if self.engine.elsewhere else ():
            usual = (text for hook, text in _REFUSED.items() if capability.has_hook(hook))
            why = capability.refused_in_workflows or next(
                (f'`{type(capability).__name__}` {text}' for text in usual), ''
            )
            if why:
                raise UserError(f'The agent {self._name!r} cannot run in workflows of {self.engine.title}: {why}')

    def _all_models(self, models: dict[str, Model]) -> dict[str, Model]:
        default = self.wrapped.model
        if 'default' in models:
            raise UserError("`models` has the key 'default', which stands for the model of the agent. Use another one.")
        known: dict[str, Model] = {}
        if default is not None:
            known['default'] = infer_model(default) if isinstance(default, str) else default
        elif models:
            known['default'] = next(iter(models.values()))
        known.update(models)
        if not known:
            raise UserError(
                f'The agent has no `model`, which {self.engine.title} has to know before a run starts. Pass `model=...` to it.'
            )
        return known

    def _find_leaves(self) -> dict[str, AnyToolset]:
        ids = LeafIds(self.engine)
        toolsets, root = self.wrapped.toolsets, self.wrapped.root_capability
        last = len(toolsets) - 1 if root is not None and root.get_toolset() is not None else len(toolsets)
        for place, toolset in enumerate(toolsets):
            ids.strict = self.needs_names and place < last
            toolset.apply(ids.visit)
        return ids.leaves

    # Properties

    @property
    def name(self) -> str | None:
        """What the steps of the agent are known by."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        raise UserError(
            f'The name of a durable agent cannot be changed: {self.engine.title} knows its steps by it. Pass it when it is built.'
        )

    @property
    def model(self) -> Model:
        """The model, whose requests are steps in runs of the agent."""
        return DurableModel(self._models['default'], self.engine, key_of=lambda model: 'default')

    @property
    def event_stream_handler(self) -> EventStreamHandler[AgentDepsT] | None:
        """The handler of events; where the engine is at work, one that shows each event of a tool call in a step."""
        if self._event_stream_handler is None or not self.engine.is_active():
            return self._event_stream_handler
        return self._show_in_steps

    async def _show_in_steps(self, ctx: RunContext[AgentDepsT], events: AsyncIterable[AgentStreamEvent]) -> None:
        durable = steps_of(ctx)
        if durable is not None and durable.handler is not None:
            await durable.handle_events(ctx, events)

    # Runs

    def make_steps(
        self, engine: StepEngine, *, handler: Any, output_type: OutputSpec[Any] | None
    ) -> DurableSteps[AgentDepsT]:
        """Return the capability of a run, with the engine for it, that makes what it does steps."""
        output: Any = self.output_type if output_type is None else output_type
        return DurableSteps(
            engine=engine,
            models=self._models,
            handler=handler,
            known=self._leaves.keys() if self.engine.elsewhere else None,
            can_wait=OutputSchema[Any].build(output).allows_deferred_tools,
            replacements=self._replacements,
        )

    async def run(  # type: ignore[reportIncompatibleMethodOverride]
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Any,
    ) -> AgentRunResult[Any]:
        """Run the agent and return its result; arguments and errors as for `AbstractAgent.run`.

        With `so_far`, a `RunSoFar`, the run may be handed over when the engine is full, or continues where it was.

        Raises:
            RunHandedOver: It has to continue in another place.
            UserError: The engine cannot carry out a run with these options.
        """
        if not self.engine.is_active():
            return await super().run(user_prompt, output_type=output_type, **options)
        handler = options.pop('event_stream_handler', None)
        if handler is not None and self.engine.elsewhere:
            raise UserError(
                f'`event_stream_handler` cannot be passed to a run inside of {self.engine.title}, because the worker has to '
                f'know it before. Pass it to `{type(self).__name__}`.'
            )
        handler = handler or self._event_stream_handler
        token = _handler.set((handler,))
        try:
            shown = self._show_in_steps if handler is not None else None
            return await super().run(user_prompt, output_type=output_type, event_stream_handler=shown, **options)
        finally:
            _handler.reset(token)

    def iter(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Any,
    ) -> AbstractAsyncContextManager[AgentRun[AgentDepsT, Any]]:
        """Step through a run; arguments and errors as for `AbstractAgent.iter`.

        Raises:
            UserError: The engine cannot carry out a run with these options.
        """
        if not self.engine.is_active():
            if options.pop('so_far', None) is not None:
                raise UserError(
                    f'`so_far` is for runs inside of {self.engine.title}; other runs are never handed over.'
                )
            return self.wrapped.iter(user_prompt, output_type=output_type, **options)
        return self._iter_durably(user_prompt, output_type, options)

    @asynccontextmanager
    async def _iter_durably(
        self,
        user_prompt: str | Sequence[UserContent] | None,
        output_type: OutputSpec[Any] | None,
        options: JsonData,
    ) -> AsyncIterator[AgentRun[AgentDepsT, Any]]:
        handler = (_handler.get() or (self._event_stream_handler,))[0]
        engine = self.engine.for_run(user_prompt)
        steps = self.make_steps(engine, handler=handler, output_type=output_type)
        so_far: RunSoFar | None = options.pop('so_far', None)
        if so_far is not None:
            check_so_far(so_far)
            steps.may_hand_over, steps.state = True, so_far.state()
        others: Sequence[AbstractCapability[Any]] = options.get('capabilities') or ()
        self._refuse_what_acts([*others, *FOR_ALL.capabilities])
        options = {**options, 'capabilities': [*others, steps], 'infer_name': False}
        options['model'] = self._model_for(options.get('model'))
        with disable_threads() if self.engine.elsewhere else nullcontext():
            async with AsyncExitStack() as stack:
                with await engine.ids():
                    opened = self.wrapped.iter(user_prompt, output_type=output_type, **options)
                    run = await stack.enter_async_context(opened)
                yield run

    def _model_for(self, model: Model | str | None) -> Model:
        """Return the model of a run: one that is known by the name, or one that the steps build."""
        if isinstance(model, str):
            known = self._models.get(model)
            return known or (NamedModel(model) if self.engine.elsewhere else infer_model(model))
        if model is None:
            return self._models['default']
        return model.wrapped if isinstance(model, DurableModel) else model

    def override(self, **options: Any) -> AbstractContextManager[None]:
        """Return a context manager that replaces parts of the agent inside its block; see `AbstractAgent.override`.

        Raises:
            UserError: The engine is at work elsewhere, and would not know what replaces the part.
        """
        if self.engine.elsewhere and self.engine.is_active():
            for name in ('model', 'toolsets', 'tools'):
                if name in options:
                    raise UserError(
                        f'`{name}` cannot be overridden inside of {self.engine.title}, because the worker would not know '
                        f'what replaces it. Override it where the worker is started, or pass it to `{type(self).__name__}`.'
                    )
        return super().override(**options)

    def _refuse(self, method: str, remedy: str) -> None:
        """Raise `UserError` for a way to run the agent that does not work inside of the engine."""
        if self.engine.is_active():
            raise UserError(f'`{method}` does not work inside of {self.engine.title}: {remedy}')

    def run_sync(self, *args: Any, **options: Any) -> Any:
        """Run the agent from synchronous code; see `AbstractAgent.run_sync`.

        Raises:
            UserError: The engine is at work elsewhere, where nothing may block.
        """
        if self.engine.elsewhere:
            self._refuse('run_sync', 'nothing may block there. Use `await agent.run(...)`.')
        return super().run_sync(*args, **options)

    def run_stream(self, *args: Any, **options: Any) -> Any:
        """Stream a run; see `AbstractAgent.run_stream`.

        Raises:
            UserError: The engine is at work, where a response is there as a whole only.
        """
        self._refuse('run_stream', _NO_STREAM)
        return super().run_stream(*args, **options)

    def run_stream_events(self, *args: Any, **options: Any) -> Any:
        """Stream the events of a run; see `AbstractAgent.run_stream_events`.

        Raises:
            UserError: The engine is at work, where a response is there as a whole only.
        """
        self._refuse('run_stream_events', _NO_STREAM)
        return super().run_stream_events(*args, **options)

    def run_stream_sync(self, *args: Any, **options: Any) -> Any:
        """Stream a run from synchronous code; see `AbstractAgent.run_stream_sync`.

        Raises:
            UserError: The engine is at work, where a response is there as a whole only.
        """
        self._refuse('run_stream_sync', _NO_STREAM)
        return super().run_stream_sync(*args, **options)


_NO_STREAM = 'a response comes out of its step as a whole. Use `run`, and an `event_stream_handler` to see it grow.'
