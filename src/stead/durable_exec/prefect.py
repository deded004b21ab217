"""Agents on Prefect: runs are flows; requests and tool calls are tasks.

    agent = PrefectAgent(Agent('openai:gpt-5', name='desk'))

    @flow(retries=2)
    async def desk(prompt: str) -> str:
        return (await agent.run(prompt)).output

What a task returned is kept. When a flow is tried again, its tasks with the same inputs are not run again. A tool with
`effect='write'`, the default, is not called again if it was started: its `reconcile` is asked whether it was done, and
otherwise a person, or the model is told.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from hashlib import sha256
from typing import Any, cast

from pydantic_core import to_json
from typing_extensions import TypedDict

from .._contracts.output import OutputDataT, OutputSpec
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._kit.aio import run_coroutine_sync
from .._kit.extras import load_extra
from ..agent import AbstractAgent, EventStreamHandler
from ..messages import UserContent
from ..models import Model
from ..run import AgentRunResult
from ._agent import DurableAgent
from ._engine import DurableStep, JsonData
from ._here import HereEngine, Record
from ._model import DurableModel
from ._toolset import DurableToolset

_prefect: Any = load_extra('prefect', extra='prefect', what='`stead.durable_exec.prefect`')
_policies: Any = load_extra('prefect.cache_policies', extra='prefect', what='`stead.durable_exec.prefect`')
_context: Any = load_extra('prefect.context', extra='prefect', what='`stead.durable_exec.prefect`')
_CachePolicy: Any = _policies.CachePolicy


class TaskConfig(TypedDict, total=False):
    """Options of a task."""

    retries: int
    """How many times it is tried again when it fails."""
    retry_delay_seconds: float | list[float]
    """Seconds before it is tried again; for each try, if it is a list."""
    timeout_seconds: float
    """Seconds that it may take."""
    cache_policy: Any
    """A `CachePolicy` of Prefect: when what a task returned stands for what another one would."""
    persist_result: bool
    """Whether what it returned is kept."""
    result_storage: Any
    """A `ResultStorage` of Prefect, or its name: where that is kept."""
    log_prints: bool
    """Whether what it prints is logged."""


@dataclass
class PrefectAgentInputs(_CachePolicy):
    """Tells tasks apart by the step that they run: what it does, with which arguments, and its place among those like it."""

    def compute_key(self, task_ctx: Any, inputs: JsonData, flow_parameters: JsonData, **kwargs: Any) -> str | None:
        """Return the key of a task."""
        return str(inputs['step']) if 'step' in inputs else None


DEFAULT_PYDANTIC_AI_CACHE_POLICY: Any = PrefectAgentInputs() + _policies.TASK_SOURCE + _policies.RUN_ID
"""What a task returned stands for that of the same step in the same flow run."""
_DEFAULTS: TaskConfig = {'persist_result': True, 'cache_policy': DEFAULT_PYDANTIC_AI_CACHE_POLICY}


@dataclass
class _Run:
    """A run of an agent in a flow."""

    key: str
    """What tells it from other runs in the flow, the same when the flow is tried again."""
    steps: Counter[str] = field(default_factory=lambda: Counter())
    """How many equal steps it has started."""


@dataclass
class _FlowAttempt:
    """An attempt of a flow."""

    runs: Counter[str] = field(default_factory=lambda: Counter())
    """How many agent runs it has started, by agent and prompt."""
    outside: _Run = field(default_factory=lambda: _Run('-'))
    """What models and toolsets do that do not belong to a `PrefectAgent`."""


_attempts: OrderedDict[tuple[str, int], _FlowAttempt] = OrderedDict()
"""Attempts of flows; those of old flows are forgotten."""
MOST_FLOWS = 1000


def _this_attempt() -> _FlowAttempt:
    flow_run = _context.FlowRunContext.get().flow_run
    attempt = _attempts.setdefault((str(flow_run.id), flow_run.run_count or 0), _FlowAttempt())
    while len(_attempts) > MOST_FLOWS:
        _attempts.popitem(last=False)
    return attempt


def _begin_run(agent: str, prompt: object) -> _Run:
    """Return the next run of an agent with a prompt in the flow that runs now."""
    runs = _this_attempt().runs
    what = f'{agent} {sha256(to_json(prompt, fallback=repr)).hexdigest()[:16]}'
    runs[what] += 1
    return _Run(f'{what} {runs[what]}')


@dataclass
class PrefectEngine(HereEngine):
    """Runs the steps of an agent as tasks of Prefect."""

    name: str
    """The name of the agent."""
    model: TaskConfig
    """Options of requests."""
    mcp: TaskConfig
    """Options of questions to MCP servers."""
    tools: TaskConfig
    """Options of tool calls."""
    by_name: Mapping[str, TaskConfig | None]
    """Options of the calls of some tools; `None` for a tool that is called in the flow itself."""
    events: TaskConfig = field(default_factory=TaskConfig)
    """Options of events."""
    begun: _Run | None = None
    """The run that it is for; `None` for that of a model or a toolset alone."""

    title = 'Prefect'
    keeps_exceptions = False

    def is_active(self) -> bool:
        """Return whether the code that runs now belongs to a flow, and not to one of its tasks."""
        return _context.FlowRunContext.get() is not None and _context.TaskRunContext.get() is None

    def for_run(self, prompt: object) -> PrefectEngine:
        """Return the engine for the next run of the agent with a prompt in the flow that runs now."""
        return replace(self, begun=_begin_run(self.name, prompt))

    async def known_by(self) -> tuple[str, datetime]:
        """Return the id of the flow run with what the run is known by in it, and when the flow was to start."""
        flow_run, run = _context.FlowRunContext.get().flow_run, self.begun or _this_attempt().outside
        return f'{flow_run.id}/{run.key}', flow_run.expected_start_time or datetime.fromtimestamp(0, timezone.utc)

    def reserve(self, step: DurableStep, suffix: str = '') -> Record:
        """Take the place of the next step that does the same."""
        run = self.begun or _this_attempt().outside
        what = f'{run.key} {self._name_of(step)}{suffix} {_digest(step)}'
        run.steps[what] += 1
        number = run.steps[what]
        options: JsonData = {**_DEFAULTS, **self._config(step)}
        if suffix or step.effect == 'write':
            options['retries'] = 0
        return lambda work: _run_task(f'{self._name_of(step)}{suffix}', options, f'{what} {number}', work)

    def _config(self, step: DurableStep) -> TaskConfig:
        if step.toolset is None:
            return self.model if step.kind != 'event_stream_handler' else self.events
        if step.toolset_kind == 'mcp_server':
            return self.mcp
        if step.kind != 'call_tool':
            return self.tools
        return {**self.tools, **(self.by_name.get(step.title) or {})}

    def _name_of(self, step: DurableStep) -> str:
        if step.kind == 'call_tool':
            return f'Call Tool: {step.title}'
        if step.toolset is not None:
            return f'{step.kind.replace("_", " ").title()}: {step.toolset}'
        names = {'model_request': 'Model Request', 'model_request_stream': 'Model Request (Streaming)'}
        return f'{names.get(step.kind, step.kind.replace("_", " ").title())}: {step.title}'


def make_engine(name: str, *options: Mapping[str, Any]) -> PrefectEngine:
    """Return the engine for `Durable`; the options of tasks are those of `TaskConfig`."""
    return PrefectEngine(name, *(cast(Any, dict(some)) for some in options))


def _digest(step: DurableStep) -> str:
    """Return a digest of what a step does, without times and ids that differ when the flow is tried again."""
    call = (step.ctx.tool_call_id if step.ctx is not None else None) or ''
    return sha256(f'{call}/'.encode() + to_json({key: value.decode() for key, value in step.data.items()})).hexdigest()[
        :16
    ]


async def _run_task(name: str, options: JsonData, step: str, work: Callable[[], Any]) -> str:
    async def run(step: str) -> str:
        return await work()

    return await _prefect.task(name=name, **options)(run)(step)


class PrefectAgent(DurableAgent[AgentDepsT, OutputDataT]):
    """An agent whose runs are flows of Prefect."""

    def __init__(
        self,
        wrapped: AbstractAgent[AgentDepsT, OutputDataT],
        *,
        name: str | None = None,
        event_stream_handler: EventStreamHandler[AgentDepsT] | None = None,
        mcp_task_config: TaskConfig | None = None,
        model_task_config: TaskConfig | None = None,
        tool_task_config: TaskConfig | None = None,
        tool_task_config_by_name: dict[str, TaskConfig | None] | None = None,
        event_stream_handler_task_config: TaskConfig | None = None,
        prefectify_toolset_func: Callable[..., AbstractToolset[AgentDepsT]] | None = None,
    ) -> None:
        """Wrap an agent.

        Args:
            wrapped: The agent; it needs a name and a model.
            name: The name to use instead of the agent's.
            event_stream_handler: Is shown the events of runs, in tasks.
            mcp_task_config: Options of tasks that ask MCP servers.
            model_task_config: Options of tasks that send requests.
            tool_task_config: Options of tasks that call tools; those that must not be called twice have no `retries`.
            tool_task_config_by_name: The same for tools by name; `None` for a tool that is called in the flow itself.
            event_stream_handler_task_config: Options of tasks that show events.
            prefectify_toolset_func: Makes the toolset that stands in for one with tools of its own, in place of the one that
                this class makes.

        Raises:
            UserError: There is no name or no model, or a toolset has no id.
        """
        engine = PrefectEngine(
            '',
            model_task_config or {},
            mcp_task_config or {},
            tool_task_config or {},
            tool_task_config_by_name or {},
            event_stream_handler_task_config or {},
        )
        super().__init__(wrapped, engine, name=name, models={}, event_stream_handler=event_stream_handler)
        engine.name = cast(str, self._name)
        if prefectify_toolset_func is not None:
            for key, leaf in self._leaves.items():
                self._replacements[key] = prefectify_toolset_func(leaf, engine.mcp, engine.tools, engine.by_name)

    async def run(  # type: ignore[reportIncompatibleMethodOverride]
        self,
        user_prompt: str | Sequence[UserContent] | None = None,
        *,
        output_type: OutputSpec[Any] | None = None,
        **options: Any,
    ) -> AgentRunResult[Any]:
        """Run the agent and return its result: in a flow of its own, or in the one that runs; inside of a task, in a plain run.

        Arguments and errors as for `AbstractAgent.run`.
        """
        if _context.TaskRunContext.get() is not None:
            return await self.wrapped.run(user_prompt, output_type=cast(Any, output_type), **options)
        durably = super().run

        async def run() -> AgentRunResult[Any]:
            return await durably(user_prompt, output_type=output_type, **options)

        if self.engine.is_active():  # as a flow inside of the flow it would not be known when that is tried again
            return await run()
        return await _prefect.flow(name=f'{self._name} Run', persist_result=False)(run)()

    def run_sync(self, *args: Any, **options: Any) -> Any:
        """Run the agent in a flow from synchronous code; see `run`."""
        return run_coroutine_sync(self.run(*args, **options))


@dataclass(init=False)
class PrefectModel(DurableModel):
    """A model whose requests are tasks, in runs of a `PrefectAgent`."""

    def __init__(self, wrapped: Model, *, task_config: TaskConfig | None = None) -> None:
        """Wrap a model.

        Args:
            wrapped: The model.
            task_config: Options of its tasks.
        """
        super().__init__(wrapped, PrefectEngine('', task_config or {}, {}, {}, {}))


@dataclass(init=False)
class PrefectFunctionToolset(DurableToolset[AgentDepsT]):
    """Functions that are called in tasks."""

    def __init__(
        self,
        wrapped: AbstractToolset[AgentDepsT],
        *,
        task_config: TaskConfig | None = None,
        tool_task_configs: dict[str, TaskConfig | None] | None = None,
    ) -> None:
        """Wrap a toolset.

        Args:
            wrapped: The toolset; it needs an id.
            task_config: Options of its tasks.
            tool_task_configs: The same for tools by name; `None` for a tool that is called in the flow itself.
        """
        engine = PrefectEngine('', {}, {}, task_config or {}, tool_task_configs or {})
        super().__init__(wrapped, engine, 'toolset', wrapped.id or '', engine.in_place(''))


@dataclass(init=False)
class PrefectMCPServer(DurableToolset[AgentDepsT]):
    """The tools of an MCP server, which is asked in tasks."""

    def __init__(self, wrapped: AbstractToolset[AgentDepsT], *, task_config: TaskConfig | None = None) -> None:
        """Wrap the toolset of a server.

        Args:
            wrapped: The toolset; it needs an id.
            task_config: Options of its tasks.
        """
        engine = PrefectEngine('', {}, task_config or {}, {}, {})
        super().__init__(wrapped, engine, 'mcp_server', wrapped.id or '')


__all__ = (
    'DEFAULT_PYDANTIC_AI_CACHE_POLICY',
    'PrefectAgent',
    'PrefectFunctionToolset',
    'PrefectMCPServer',
    'PrefectModel',
    'TaskConfig',
)
