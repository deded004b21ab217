"""Plugins for clients and workers, and the base class of workflows that name their agents."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic.errors import PydanticUserError
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import DataConverter, DefaultPayloadConverter
from temporalio.plugin import SimplePlugin
from temporalio.runtime import OpenTelemetryConfig, Runtime, TelemetryConfig
from temporalio.service import ConnectConfig, ServiceClient
from temporalio.worker import WorkerConfig, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from ..._kit.extras import load_extra
from ...agent import Agent
from ...exceptions import AgentRunError, UserError
from ._agent import TemporalAgent

PASSED_THROUGH = (
    'stead',
    'pydantic_ai',
    'pydantic_graph',
    'pydantic',
    'pydantic_core',
    'annotated_types',
    'typing_inspection',
    'opentelemetry',
    'anyio',
    'sniffio',
    'httpx',
    'httpcore',
    'griffe',
    'mcp',
    'fastmcp',
    'openai',
    'anthropic',
    'google',
    'groq',
    'cohere',
    'mistralai',
    'huggingface_hub',
    'boto3',
    'botocore',
    'xai_sdk',
    'logfire',
    'rich',
    'genai_prices',
    'yaml',
)
"""Packages that workflows share with the worker: they do nothing at import that a workflow must not do."""


# What is loaded when it is first needed would do things in the sandbox, as it is loaded, that workflows must not do.
for _module in ('anyio._backends._asyncio', 'opentelemetry.trace'):
    importlib.import_module(_module)


class PydanticAIWorkflow:
    """The base class of workflows with agents, whose activities the worker gets from `__pydantic_ai_agents__`."""

    __pydantic_ai_agents__: Sequence[TemporalAgent[Any, Any]]


def _data_converter(converter: DataConverter | None) -> DataConverter:
    if converter is None or converter.payload_converter_class in (DefaultPayloadConverter, PydanticPayloadConverter):
        return (
            pydantic_data_converter
            if converter is None
            else replace(converter, payload_converter_class=PydanticPayloadConverter)
        )
    return converter  # what activities send is JSON already, and needs no converter


def _workflow_runner(runner: WorkflowRunner | None) -> WorkflowRunner:
    runner = runner or SandboxedWorkflowRunner()
    if not isinstance(runner, SandboxedWorkflowRunner):
        return runner
    return replace(runner, restrictions=runner.restrictions.with_passthrough_modules(*PASSED_THROUGH))


class PydanticAIPlugin(SimplePlugin):
    """A plugin for clients and workers: data as pydantic writes it, stead in the sandbox, and activities of agents."""

    def __init__(self) -> None:
        super().__init__(  # type: ignore[reportUnknownMemberType]
            'PydanticAIPlugin',
            data_converter=_data_converter,
            workflow_runner=_workflow_runner,
            workflow_failure_exception_types=[AgentRunError, UserError, PydanticUserError],
        )

    def configure_worker(self, config: WorkerConfig) -> WorkerConfig:
        """Return the configuration of a worker with the activities of the agents of its workflows."""
        config = super().configure_worker(config)
        lists = cast('dict[str, list[object]]', config)
        known = list(lists.get('activities') or ())
        for each in lists.get('workflows') or ():
            for agent in getattr(each, '__pydantic_ai_agents__', ()):
                known.extend(one for one in agent.temporal_activities if one not in known)
        config['activities'] = cast(Any, known)
        return config


class AgentPlugin(SimplePlugin):
    """A plugin for workers that adds the activities of an agent."""

    def __init__(self, agent: TemporalAgent[Any, Any]) -> None:
        super().__init__('AgentPlugin', activities=agent.temporal_activities)  # type: ignore[reportUnknownMemberType]
        self.agent = agent


def _setup_logfire() -> Any:
    logfire = load_extra('logfire', extra='logfire', what='`LogfirePlugin`')
    instance = logfire.configure()
    # What Logfire has for this looks for a package that need not be there.
    Agent.instrument_all()
    return instance


class LogfirePlugin(SimplePlugin):
    """A plugin for clients that traces workflows and activities with Logfire."""

    def __init__(self, setup_logfire: Callable[[], Any] = _setup_logfire, *, metrics: bool = True) -> None:
        """Build the plugin.

        Args:
            setup_logfire: Sets Logfire up, and returns it. By default it is configured as the environment says, and traces all
                agents.
            metrics: Whether metrics of the SDK are sent to Logfire.
        """
        tracing = load_extra('temporalio.contrib.opentelemetry', extra='logfire', what='`LogfirePlugin`')
        trace = load_extra('opentelemetry.trace', extra='logfire', what='`LogfirePlugin`')
        interceptor = tracing.TracingInterceptor(trace.get_tracer('temporalio'))
        super().__init__('LogfirePlugin', interceptors=[interceptor])  # type: ignore[reportUnknownMemberType]
        self.setup_logfire = setup_logfire
        self.metrics = metrics

    async def connect_service_client(
        self, config: ConnectConfig, next: Callable[[ConnectConfig], Any]
    ) -> ServiceClient:
        """Set Logfire up before the client connects."""
        logfire = self.setup_logfire()
        if self.metrics and (token := logfire.config.token) is not None:
            url = logfire.config.advanced.generate_base_url(token)
            headers = {'Authorization': f'Bearer {token}'}
            export = OpenTelemetryConfig(url=f'{url}/v1/metrics', headers=headers, http=True)
            config.runtime = Runtime(telemetry=TelemetryConfig(metrics=export))
        return await next(config)
