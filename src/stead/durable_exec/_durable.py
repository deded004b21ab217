"""`Durable`: a capability. Code of an engine begins runs of the agent, and the engine carries them out."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._kit.ids import uuid7_str
from .._kit.json_types import JsonValue
from .._kit.meant import unknown_name
from ..exceptions import UserError
from ..output import OutputSchema
from ._capability import DurableSteps
from ._engine import StepEngine

MakeEngine = Callable[..., StepEngine]
"""Makes an engine, for what its steps are named after, and the options of steps of models, MCP servers, tools, tools by name."""


def _maker(engine: str) -> MakeEngine:
    """Return what makes an engine, by the name of its module here.

    Raises:
        UserError: There is no such engine.
        ImportError: Its package is not installed.
    """
    names = [one.name for one in pkgutil.iter_modules([str(Path(__file__).parent)]) if not one.name.startswith('_')]
    if engine not in names:
        raise UserError(f'`Durable(engine)`: {unknown_name(engine, names, "engine")}')
    return import_module(f'{__package__}.{engine}').make_engine


class Durable(AbstractCapability[AgentDepsT]):
    """Makes what an agent does steps of an engine, in runs that code of the engine begins; other runs stay plain.

    For engines that run steps in the process of the run. Call `agent.run` in a workflow or a flow of yours, which the engine
    runs again after the process has died: what was done is not done again.
    """

    def __init__(
        self,
        engine: str | StepEngine,
        *,
        name: str | None = None,
        model: Mapping[str, Any] | None = None,
        mcp: Mapping[str, Any] | None = None,
        tools: Mapping[str, Any] | None = None,
        tools_by_name: Mapping[str, Mapping[str, Any] | None] | None = None,
        id: str | None = None,
    ) -> None:
        """Choose an engine.

        Args:
            engine: The name of its module in `stead.durable_exec`, or an engine.
            name: What the steps are known by; by default the name of the agent. No two agents may have the same.
            model: How requests are tried: the options that the engine's agent class takes for them.
            mcp: The same for MCP servers.
            tools: The same for tools that may be called twice: those with another `effect` than `'write'`.
            tools_by_name: The same for some tools, by name; `None` for a tool that is called in the code of the run itself.
            id: The id of the capability.

        Raises:
            UserError: There is no such engine, or it runs steps in other processes, which have to know the agent before.
            ImportError: Its package is not installed.
        """
        super().__init__(id=id)
        self.name = name
        options = model or {}, mcp or {}, tools or {}, tools_by_name or {}
        if isinstance(engine, StepEngine):
            if any(options):
                raise UserError('`Durable` takes options of steps with the name of an engine, not with an engine.')
            self._make: Callable[[str], StepEngine] = lambda _: engine
        else:
            make = _maker(engine)
            self._make = lambda known_as: make(known_as, *options)
        self.engine: StepEngine = self._make(name or '')
        if self.engine.elsewhere:
            raise UserError(
                f'`Durable` cannot let {self.engine.title} carry out runs, because its workers have to know the agent before. '
                'Wrap the agent in the class that the module of the engine has for that.'
            )

    @classmethod
    def from_spec(
        cls,
        engine: str,
        name: str | None = None,
        model: dict[str, JsonValue] | None = None,
        mcp: dict[str, JsonValue] | None = None,
        tools: dict[str, JsonValue] | None = None,
        tools_by_name: dict[str, dict[str, JsonValue] | None] | None = None,
        id: str | None = None,
    ) -> Durable[Any]:
        """Build it from the arguments in an agent spec."""
        return cls(engine, name=name, model=model, mcp=mcp, tools=tools, tools_by_name=tools_by_name, id=id)

    def get_ordering(self) -> CapabilityOrdering:
        """Return the innermost place: what hooks change is part of the step."""
        return CapabilityOrdering(position='innermost')

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return what makes the steps of the run, if code of the engine begins it.

        Raises:
            UserError: Neither the agent nor the capability has a name.
        """
        if not self.engine.is_active():
            return self
        name = self.name or (ctx.agent.name if ctx.agent is not None else None)
        if not name:
            raise UserError(
                f'The agent has no `name`, by which {self.engine.title} would know its steps. Pass `name=...` to the agent or to '
                '`Durable`, one that no other agent has.'
            )
        output: Any = ctx.agent.output_type if ctx.agent is not None else str
        engine = self._make(name).for_run(ctx.prompt)
        with await engine.ids():
            run_id = uuid7_str()
        return DurableSteps(
            id=self.id,
            engine=engine,
            can_wait=OutputSchema[Any].build(output).allows_deferred_tools,
            # It has the same id, and so its calls the same keys, when the engine continues it.
            state=RunState(
                message_history=list(ctx.messages),
                new_message_index=len(ctx.messages),
                run_id=run_id,
                conversation_id=ctx.conversation_id or uuid7_str(),
            ),
        )
