"""Agents on DBOS: runs are workflows; requests and tool calls are steps in a database.

    agent = DBOSAgent(Agent('openai:gpt-5', name='desk'))
    DBOS(config={'name': 'desk', 'system_database_url': 'sqlite:///desk.db'})
    DBOS.launch()
    result = await agent.run('Hello!')

When the process dies, the next one that launches DBOS continues its runs. A tool with `effect='write'`, the default, is not
called again if it was started: its `reconcile` is asked whether it was done, and otherwise a person, or the model is told.

From Python 3.12 on, DBOS needs SQLite 3.42 or newer, or Postgres; `sqlite3.sqlite_version` is the version that Python has.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, Literal, cast

from typing_extensions import TypeAlias, TypedDict

from .._calls.manager import ToolManager
from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.aio import run_coroutine_sync
from .._kit.extras import load_extra
from ..agent import AbstractAgent, EventStreamHandler
from ..exceptions import UserError
from ..messages import UserContent
from ..models import Model
from ..run import AgentRun, AgentRunResult
from ._agent import DurableAgent
from ._engine import DurableStep, JsonData
from ._here import HereEngine, Record
from ._model import DurableModel
from ._toolset import DurableToolset

_dbos: Any = load_extra('dbos', extra='dbos', what='`stead.durable_exec.dbos`')

DBOSParallelExecutionMode: TypeAlias = Literal['sequential', 'parallel_ordered_events']
"""How the calls of one response run: one after the other, or together with their events in call order."""


class StepConfig(TypedDict, total=False):
    """How many times a step is tried."""

    retries_allowed: bool
    """Whether it is tried again when it fails."""
    interval_seconds: float
    """Seconds before the second try."""
    max_attempts: int
    """How many times it is tried at most."""
    backoff_rate: float
    """What the seconds are multiplied by for each further try."""


@dataclass
class DBOSEngine(HereEngine):
    """Runs the steps of an agent as steps of DBOS."""

    name: str
    """The name of the agent."""
    model: StepConfig
    """How many times requests are tried."""
    mcp: StepConfig
    """How many times MCP servers are asked."""
    tools: StepConfig
    """How many times tools are called that may be called twice."""
    by_name: Mapping[str, StepConfig | None] = field(default_factory=lambda: {})
    """The same for tools by name; `None` for a tool that is called in the workflow itself."""

    title = 'DBOS'

    def is_active(self) -> bool:
        """Return whether the code that runs now belongs to a workflow, and not to one of its steps."""
        return _dbos.DBOS.workflow_id is not None and _dbos.DBOS.step_id is None

    async def known_by(self) -> tuple[str, datetime]:
        """Return the id of the workflow with the place of the run in it, and when the workflow was created."""
        workflow, place = _dbos.DBOS.workflow_id, _dbos.DBOS.reserve_step()
        status: Any = await _dbos.DBOS.get_workflow_status_async(workflow)
        return f'{workflow}/{place.step_id}', datetime.fromtimestamp(status.created_at / 1000, timezone.utc)

    def reserve(self, step: DurableStep, suffix: str = '') -> Record:
        """Take the id of the next step of the workflow."""
        place: Any = _dbos.DBOS.reserve_step()
        options = {'name': self._name_of(step) + suffix, **({} if suffix else self._config(step))}
        return lambda work: place.run_async(options, work)

    def _config(self, step: DurableStep) -> StepConfig:
        if step.toolset is None:
            return self.model if step.kind != 'event_stream_handler' else {}
        if step.effect == 'write':
            return {}
        options = {**self.tools, **self.mcp} if step.toolset_kind == 'mcp_server' else self.tools
        return cast(StepConfig, {**options, **((step.kind == 'call_tool' and self.by_name.get(step.title)) or {})})

    def _name_of(self, step: DurableStep) -> str:
        if step.toolset is None:
            return f'{self.name}__{step.kind.replace("model_", "model.")}'
        name = f'{self.name}__{step.toolset_kind}__{step.toolset}.{step.kind}'
        return f'{name}.{step.title}' if step.kind in ('call_tool', 'reconcile') else name


def make_engine(name: str, *options: Mapping[str, Any]) -> DBOSEngine:
    """Return the engine for `Durable`; the options of steps are those of `StepConfig`."""
    return DBOSEngine(name, *(cast(Any, dict(some)) for some in options))


_Instance: Any = _dbos.DBOSConfiguredInstance


class DBOSAgent(DurableAgent[AgentDepsT, OutputDataT], _Instance):
    """An agent whose runs are workflows of DBOS."""

    def __init__(
        self,
        wrapped: AbstractAgent[AgentDepsT, OutputDataT],
        *,
        name: str | None = None,
        event_stream_handler: EventStreamHandler[AgentDepsT] | None = None,
        mcp_step_config: StepConfig | None = None,
        model_step_config: StepConfig | None = None,
        parallel_execution_mode: DBOSParallelExecutionMode = 'parallel_ordered_events',
        tool_step_config: StepConfig | None = None,
        tool_step_config_by_name: Mapping[str, StepConfig | None] | None = None,
    ) -> None:
        """Wrap an agent. Do this before `DBOS.launch()`, so that DBOS can continue the runs of a process that died.

        Args:
            wrapped: The agent; it needs a name and a model.
            name: The name to use instead of the agent's.
            event_stream_handler: Is shown the events of runs, in steps.
            mcp_step_config: How many times MCP servers are asked.
            model_step_config: How many times requests are tried.
            parallel_execution_mode: How the calls of one response run.
            tool_step_config: How many times tools are tried that may be called twice: those with an `effect` other than
                `'write'`.
            tool_step_config_by_name: The same for tools by name; `None` for a tool that is called in the workflow itself, so
                that it can wait (`DBOS.recv`, `DBOS.sleep`) and start workflows. Only the steps that it takes are kept.

        Raises:
            UserError: There is no name or no model, or a toolset has no id.
        """
        engine = DBOSEngine(
            '', model_step_config or {}, mcp_step_config or {}, tool_step_config or {}, tool_step_config_by_name or {}
        )
        build: Any = DurableAgent.__init__
        build(self, wrapped, engine, name=name, models={}, event_stream_handler=event_stream_handler)
        engine.name = cast(str, self._name)
        self._mode: DBOSParallelExecutionMode = parallel_execution_mode
        _Instance.__init__(self, config_name=self._name)
        durably = super().run

        @_dbos.DBOS.workflow(name=f'{self._name}.run')
        async def run(user_prompt: Any, output_type: Any, options: JsonData) -> Any:
            with ToolManager.parallel_execution_mode(self._mode):
                return await durably(user_prompt, output_type=output_type, **options)

        self._workflow: Any = run

    async def run(  # type: ignore[reportIncompatibleMethodOverride]
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Any,
    ) -> AgentRunResult[Any]:
        """Run the agent in a workflow and return its result; inside of a step, in a plain run.

        Arguments and errors as for `AbstractAgent.run`. `SetWorkflowID` of DBOS sets the id of the workflow.

        Raises:
            UserError: An argument cannot be kept, so that no other process could continue the run.
        """
        if _dbos.DBOS.step_id is not None:
            return await self.wrapped.run(user_prompt, output_type=cast(Any, output_type), **options)
        for name, value in {'user_prompt': user_prompt, 'output_type': output_type, **options}.items():
            try:
                pickle.dumps(value)
            except Exception as error:
                raise UserError(
                    f'`{name}` of the run cannot be pickled, so that DBOS cannot keep it: {error}. Pass plain values, and make '
                    'clients and connections in the tools; pass models and handlers to the agent.'
                ) from error
        return await self._workflow(user_prompt, output_type, options)

    def iter(
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Any,
    ) -> AbstractAsyncContextManager[AgentRun[AgentDepsT, Any]]:
        """DurableStep through a run; inside of a workflow, its requests and calls are steps. See `AbstractAgent.iter`."""
        return super().iter(user_prompt, output_type=output_type, **options)

    def run_sync(self, *args: Any, **options: Any) -> Any:
        """Run the agent in a workflow from synchronous code; see `run`."""
        return run_coroutine_sync(self.run(*args, **options))

    @property
    def toolsets(self) -> Sequence[AbstractToolset[AgentDepsT]]:
        """The toolsets of the agent."""
        return self.wrapped.toolsets


@dataclass(init=False)
class DBOSModel(DurableModel):
    """A model whose requests are steps, in runs of a `DBOSAgent`."""

    def __init__(self, wrapped: Model, *, step_name_prefix: str = '', step_config: StepConfig | None = None) -> None:
        """Wrap a model.

        Args:
            wrapped: The model.
            step_name_prefix: What the names of its steps begin with.
            step_config: How many times requests are tried.
        """
        super().__init__(wrapped, DBOSEngine(step_name_prefix, step_config or {}, {}, {}))


@dataclass(init=False)
class DBOSMCPServer(DurableToolset[AgentDepsT]):
    """The tools of an MCP server, which is asked in steps."""

    def __init__(
        self,
        wrapped: AbstractToolset[AgentDepsT],
        *,
        step_name_prefix: str = '',
        step_config: StepConfig | None = None,
    ) -> None:
        """Wrap the toolset of a server.

        Args:
            wrapped: The toolset; it needs an id.
            step_name_prefix: What the names of its steps begin with.
            step_config: How many times it is asked.
        """
        engine = DBOSEngine(step_name_prefix, {}, step_config or {}, {})
        super().__init__(wrapped, engine, 'mcp_server', wrapped.id or '')

    def tool_for_tool_def(self, tool_def: ToolDefinition) -> ToolsetTool[AgentDepsT]:
        """Return the tool of a definition, without asking the server."""
        server: Any = self.wrapped
        return replace(server.tool_for_tool_def(tool_def), toolset=self)


__all__ = ('DBOSAgent', 'DBOSMCPServer', 'DBOSModel', 'DBOSParallelExecutionMode', 'StepConfig')
