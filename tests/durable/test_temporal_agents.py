"""Agents for Temporal as they are built: what cannot work is an error then, which names the argument and the remedy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

pytest.importorskip('temporalio')

from pydantic import BaseModel, ConfigDict

from stead import Agent, RunContext, RunUsage
from stead.caches import ResponseCache
from stead.capabilities import Capability, Journal, LocalWorkspace, OffloadToolResults
from stead.durable_exec.temporal import AgentPlugin, PydanticAIPlugin, TemporalAgent, TemporalRunContext
from stead.exceptions import UserError
from stead.models.test import TestModel
from stead.toolsets import DynamicToolset, ExternalToolset, FunctionToolset


async def look(ctx: RunContext[Any], order: int) -> str:
    """Look an order up."""
    return f'order {order}'


def count(words: str) -> int:
    """Count words."""
    return len(words.split())


class Connection:
    """Something that cannot be sent."""


@dataclass
class Callbacks:
    """A function cannot be sent either."""

    done: Callable[[str], None]


class Holder(BaseModel):
    """A model that holds something that cannot be sent."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    connection: Connection


def names(agent: TemporalAgent[Any, Any]) -> list[str]:
    return [one.__temporal_activity_definition.name for one in agent.temporal_activities]  # type: ignore[attr-defined]


def test_activities_have_the_names_of_the_mirrored_interface() -> None:
    toolsets = [
        FunctionToolset([count], id='words'),
        DynamicToolset(lambda ctx: None, id='made'),
        ExternalToolset([], id='outside'),
    ]
    agent = TemporalAgent(Agent(TestModel(), name='desk', tools=[look], toolsets=toolsets))
    assert {
        'agent__desk__event_stream_handler',
        'agent__desk__model_request',
        'agent__desk__model_request_stream',
        'agent__desk__toolset__<agent>__call_tool',
        'agent__desk__toolset__words__call_tool',
        'agent__desk__dynamic_toolset__made__get_tools',
        'agent__desk__dynamic_toolset__made__call_tool',
    } <= set(names(agent))
    assert not any('outside' in name for name in names(agent))


def test_functions_of_capabilities_need_no_id() -> None:
    agent = TemporalAgent(Agent(TestModel(), name='desk', capabilities=[Capability(tools=[count], id='words')]))
    assert 'agent__desk__toolset__with_count__call_tool' in names(agent)


@pytest.mark.parametrize(
    ('build', 'words'),
    [
        (lambda: TemporalAgent(Agent(TestModel())), ['`name`', 'Temporal']),
        (lambda: TemporalAgent(Agent(name='desk')), ['`model`', 'Pass `model=...`']),
        (lambda: TemporalAgent(Agent(TestModel(), name='desk'), models={'default': TestModel()}), ["'default'"]),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', toolsets=[FunctionToolset([count])])),
            ['`id`', "FunctionToolset(id='orders')"],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk', toolsets=[FunctionToolset(id='a'), FunctionToolset(id='a')])
            ),
            ["the id 'a'"],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', deps_type=Connection)),
            ['`deps_type=Connection`', 'no JSON form'],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk', tools=[count]), tool_activity_config={'<agent>': {'count': False}}
            ),
            ["`tool_activity_config['<agent>']['count']`", 'async function'],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk', tools=[count]), tool_activity_config={'<agent>': {'cuont': {}}}
            ),
            ["`tool_activity_config['<agent>']['cuont']`", "there is no tool 'cuont'. Did you mean 'count'?"],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk', tools=[count]),
                tool_activity_config={'<agent>': {'count': {'summary': lambda: 'x'}}},  # type: ignore
            ),
            ["`tool_activity_config['<agent>']['count']['summary']`", 'is a function'],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk'),
                model_activity_config={'start_to_close': 5},  # type: ignore
            ),
            ['`model_activity_config`', "'start_to_close'", "'start_to_close_timeout'"],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk'),
                toolset_activity_config={'<agent>': {'heartbeat_timeout': 5}},  # type: ignore
            ),
            ["`toolset_activity_config['<agent>']['heartbeat_timeout']`", '`timedelta`', 'not 5'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', deps_type=Callbacks)),
            ['`deps_type=Callbacks`', 'no JSON form'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', deps_type=Holder)),
            ['`deps_type=Holder`', 'no JSON form'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk'), toolset_activity_config={'orders': {}}),
            ['`toolset_activity_config`', "'orders'", "['<agent>']"],
        ),
        (
            lambda: TemporalAgent(
                Agent(TestModel(), name='desk'),
                activity_config={'start_to_close_timeout': lambda: 1},  # type: ignore
            ),
            ["`activity_config['start_to_close_timeout']`", 'is a function'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', capabilities=[Journal()])),
            ['`Journal` keeps runs', "'desk'", 'Leave it out'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', capabilities=[ResponseCache()])),
            ['`ResponseCache`', "'desk'", 'Agent(cache.model(...))'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', capabilities=[OffloadToolResults(store={})])),
            ['`OffloadToolResults(store=...)`', "'desk'", 'Leave `store=` out'],
        ),
        (
            lambda: TemporalAgent(Agent(TestModel(), name='desk', capabilities=[LocalWorkspace('.')])),
            ['`LocalWorkspace`', "'desk'", 'Workspace(LocalWorkspaceBackend(path))'],
        ),
    ],
)
def test_what_cannot_work_is_an_error_when_the_agent_is_built(build: Any, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        build()
    for word in words:
        assert word in str(caught.value)


def test_outside_of_workflows_it_is_a_plain_agent() -> None:
    agent = TemporalAgent(Agent(TestModel(), name='desk', tools=[look]))
    assert agent.run_sync('Look!').output == '{"look":"order 0"}'
    with agent.override(model=TestModel(custom_output_text='Hi.', call_tools=[])):
        assert agent.run_sync('Look!').output == 'Hi.'


def test_the_name_does_not_change() -> None:
    agent = TemporalAgent(Agent(TestModel(), name='desk'), name='counter')
    assert agent.name == 'counter'
    with pytest.raises(UserError, match='cannot be changed'):
        agent.name = 'other'


def test_an_activity_knows_what_was_sent_of_the_context() -> None:
    sent = TemporalRunContext.serialize_run_context(
        RunContext(deps=1, model=TestModel(), usage=RunUsage(requests=2), run_id='r', tool_name='look')
    )
    ctx = TemporalRunContext.deserialize_run_context(sent, deps=5)
    assert (ctx.deps, ctx.run_id, ctx.tool_name, ctx.usage.requests, ctx.prompt) == (5, 'r', 'look', 2, None)
    for name in ('model', 'messages', 'tracer'):
        with pytest.raises(UserError, match=f'`{name}` of the run context is not known in an activity'):
            getattr(ctx, name)
    with pytest.raises(AttributeError):
        ctx.nothing  # type: ignore[attr-defined]


def test_what_a_tool_does_decides_how_often_it_is_tried() -> None:
    agent = TemporalAgent(
        Agent(TestModel(), name='desk', tools=[look]),
        tool_activity_config={'<agent>': {'look': {'start_to_close_timeout': timedelta(seconds=5)}}},
    )
    from stead.durable_exec import DurableStep

    def config(effect: Any) -> Any:
        ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
        step = DurableStep('call_tool', ctx, 'look', lambda: None, '<agent>', effect=effect)  # type: ignore
        return agent.configs.of(step)

    assert config('write')['retry_policy'].maximum_attempts == 1
    assert config('read')['retry_policy'].maximum_attempts == config('idempotent')['retry_policy'].maximum_attempts > 1
    assert config('read')['start_to_close_timeout'] == timedelta(seconds=5)


def test_plugins_bring_activities_to_the_worker() -> None:
    agent = TemporalAgent(Agent(TestModel(), name='desk', tools=[look]))

    class Desk:
        __pydantic_ai_agents__ = [agent]

    from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

    configuration: Any = {'workflows': [Desk], 'activities': [], 'workflow_runner': SandboxedWorkflowRunner()}
    configured = PydanticAIPlugin().configure_worker(configuration)
    assert configured['activities'] == agent.temporal_activities  # type: ignore[typeddict-item]
    assert 'stead' in configured['workflow_runner'].restrictions.passthrough_modules  # type: ignore
    assert AgentPlugin(agent).agent is agent


def test_what_reads_and_writes_messages_is_built_before_workflows_need_it() -> None:
    program = """
from stead import Agent
from stead.durable_exec.temporal import TemporalAgent
from stead.messages import ModelMessagesTypeAdapter

before = ModelMessagesTypeAdapter.pydantic_complete
TemporalAgent(Agent('test', name='desk'))
print(before, ModelMessagesTypeAdapter.pydantic_complete)
"""
    process = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ['False', 'True'], 'in the sandbox of a workflow it takes long'
