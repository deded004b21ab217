"""`Planning`: how the plan of a run follows from the agent, the overrides in effect and the options of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from .._calls import outputs
from .._contracts.capability import AbstractCapability, overrides
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from ..output import OutputSchema
from ..tools import AgentNativeTool
from . import _plan as plans, _scope as scopes
from ._instrument import Logged, tracing_settings
from ._options import UNSET, AgentModelSettings, Overrides, RunOptions
from ._sources import AgentFunctionToolset, Instructions, as_capabilities, as_toolset, leaves


class Planning(Logged, Generic[AgentDepsT]):
    """The part of `Agent` that plans runs."""

    model_settings: AgentModelSettings[AgentDepsT] | None
    _capabilities: list[AbstractCapability[AgentDepsT]]
    _dynamic_toolsets: list[AbstractToolset[AgentDepsT]]
    _function_toolset: AgentFunctionToolset[AgentDepsT]
    _output_schema: OutputSchema[Any]
    _output_validators: list[outputs.OutputValidator[AgentDepsT, Any]]
    _own_instructions: Instructions[AgentDepsT]
    _user_toolsets: list[AbstractToolset[AgentDepsT]]
    _plan: plans.RunPlan[AgentDepsT] | None
    """The plan of runs without options that change it; `None` until the first run, and after a change of the agent."""
    _planned_tracing: AbstractCapability[AgentDepsT] | None = None
    """The capability that traces the runs of `_plan`."""
    _planned_log: AbstractCapability[Any] | None = None
    """The capability that logs them."""

    def _toolsets(self, override: Overrides[AgentDepsT] | None) -> list[AbstractToolset[AgentDepsT]]:
        own: AbstractToolset[AgentDepsT] = self._function_toolset
        if override is not None and override.tools is not UNSET:
            own = AgentFunctionToolset[AgentDepsT](override.tools, timeout=self._function_toolset.timeout)
        if override is not None and override.toolsets is not UNSET:
            return [own, *(as_toolset(toolset) for toolset in override.toolsets)]
        return [own, *self._user_toolsets, *self._dynamic_toolsets]

    def _plan_for(
        self,
        override: Overrides[AgentDepsT] | None,
        options: RunOptions[AgentDepsT],
        schema: OutputSchema[Any],
        tracing: AbstractCapability[AgentDepsT] | None,
    ) -> plans.RunPlan[AgentDepsT]:
        """Return the plan of a run: the agent's own, unless the run or an override changes something in it.

        Args:
            override: The overrides in effect.
            options: The options of the run.
            schema: How the output is asked for.
            tracing: The capability that traces the run.
        """
        special = not (
            options.get('instructions') is None
            and options.get('model_settings') is None
            and options.get('toolsets') is None
            and options.get('capabilities') is None
        )
        if override is None and not special and schema is self._output_schema:
            if (
                self._plan is None
                or self._plan.chain.version
                or self._planned_tracing is not tracing
                or self._planned_log is not self._log
            ):
                self._plan = self._compile(None, {}, schema, self._leaves(None, {}, tracing))
                self._planned_tracing, self._planned_log = tracing, self._log
            return self._plan
        return self._compile(override, options, schema, self._leaves(override, options, tracing))

    def _leaves(
        self,
        override: Overrides[AgentDepsT] | None,
        options: RunOptions[AgentDepsT],
        tracing: AbstractCapability[AgentDepsT] | None,
    ) -> list[AbstractCapability[AgentDepsT]]:
        """Return the capabilities of a run in the order of the chain."""
        own = self._capabilities
        if override is not None and override.capabilities is not UNSET:
            own = as_capabilities(override.capabilities)
        capabilities = leaves([*own, *as_capabilities(options.get('capabilities') or ())])
        # A capability that traces takes precedence over the settings of the agent and of the model.
        if tracing is not None and not tracing_settings(capabilities):
            capabilities = leaves([tracing, *capabilities])
        if self._log is None or any(isinstance(capability, type(self._log)) for capability in capabilities):
            return capabilities
        return leaves([self._log, *capabilities])

    def _compile(
        self,
        override: Overrides[AgentDepsT] | None,
        options: RunOptions[AgentDepsT],
        schema: OutputSchema[Any],
        capabilities: Sequence[AbstractCapability[AgentDepsT]],
    ) -> plans.RunPlan[AgentDepsT]:
        replaced = [
            name for name in ('instructions', 'toolsets', 'native_tools') if getattr(override, name, UNSET) is not UNSET
        ]
        instructions, run_instructions = self._own_instructions, options.get('instructions')
        if override is not None and 'instructions' in replaced:
            instructions, run_instructions = Instructions[AgentDepsT].of(override.instructions), None
        settings = self.model_settings, options.get('model_settings')
        if override is not None and override.model_settings is not UNSET:
            settings = override.model_settings, None
        natives: list[AgentNativeTool[AgentDepsT]] = []
        if override is not None and override.native_tools is not UNSET:
            # The tools of the agent's capabilities are replaced too, those of the run's capabilities are not.
            of_run = leaves(as_capabilities(options.get('capabilities') or ()))
            natives = [
                *override.native_tools,
                *(tool for capability in of_run for tool in capability.get_native_tools()),
            ]
        toolsets = self._toolsets(override)
        if 'toolsets' not in replaced:
            toolsets += [as_toolset(toolset) for toolset in options.get('toolsets') or ()]
        return plans.build_plan(
            toolsets=toolsets,
            output_schema=schema,
            output_validators=self._output_validators,
            instructions=instructions,
            run_instructions=run_instructions,
            settings=settings,
            native_tools=natives,
            capabilities=capabilities,
            replaced=replaced,
        )

    def _plan_for_run(
        self,
        plan: plans.RunPlan[AgentDepsT],
        override: Overrides[AgentDepsT] | None,
        options: RunOptions[AgentDepsT],
        schema: OutputSchema[Any],
    ) -> scopes.PlanForRun[AgentDepsT] | None:
        """Return a function that plans again with the instances of capabilities for one run, or `None` if none has any."""
        if not plan.chain.capabilities:
            return None
        capabilities = list(plan.chain.capabilities)
        if not any(overrides(capability, 'for_run') for capability in capabilities):
            return None

        async def compile_for_run(
            ctx: RunContext[AgentDepsT], static: plans.RunPlan[AgentDepsT]
        ) -> plans.RunPlan[AgentDepsT]:
            of_run = [await capability.for_run(ctx) for capability in capabilities]
            if all(new is old for new, old in zip(of_run, capabilities)):
                return static
            return self._compile(override, options, schema, leaves(of_run))

        return compile_for_run
