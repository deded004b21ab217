"""The options of agents, runs and overrides: each list is written once, and everything that takes options agrees with it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, AgentSpec, UserError
from stead.agent import AgentOptions, EventOptions, FromSpecOptions, OverrideOptions, RunOptions, StreamOptions
from stead.agent._checks import CHECKED
from stead.agent._config import OVERRIDDEN_IN_CONFIG, OVERRIDDEN_IN_OPTIONS, AgentConfig
from stead.agent._rare_options import LegacyArguments
from stead.exceptions import UnexpectedModelBehavior
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models import PydanticAIDeprecationWarning
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel

AGENT, RUN, OVERRIDE = (set(options.__annotations__) for options in (AgentOptions, RunOptions, OverrideOptions))


def test_the_arguments_of_agents() -> None:
    parameters = inspect.signature(Agent.__init__).parameters
    assert set(parameters) - {'self', 'legacy'} == AGENT
    assert not AGENT & set(LegacyArguments.__annotations__)


def test_the_options_of_specs() -> None:
    assert set(FromSpecOptions.__annotations__) == AGENT | {'instrument', 'event_stream_handler'}
    fields = set(AgentSpec.model_fields)
    of_specs_only = {'json_schema_path', 'deps_schema', 'output_schema'}
    old = {'tool_retries', 'output_retries', 'instrument'}
    not_data = {
        'output_type',
        'system_prompt',
        'deps_type',
        'validation_context',
        'tools',
        'toolsets',
        'defer_model_check',
        'max_concurrency',
        'max_tool_concurrency',
        'on_tool_error',
        'budget',
    }
    assert fields - of_specs_only - old == AGENT - not_data
    assert of_specs_only.isdisjoint(AGENT)


def test_the_options_of_runs() -> None:
    assert set(EventOptions.__annotations__) - RUN <= {'event_stream_handler'}
    assert set(StreamOptions.__annotations__) - RUN <= {'event_stream_handler', 'until'}


def test_the_options_of_overrides() -> None:
    assert {*OVERRIDDEN_IN_CONFIG, *OVERRIDDEN_IN_OPTIONS, 'name', 'model'} == OVERRIDE - {'spec'}
    assert OVERRIDDEN_IN_CONFIG.keys() <= set(AgentConfig.__dataclass_fields__)
    assert set(OVERRIDDEN_IN_OPTIONS) <= RUN
    assert OVERRIDE <= AGENT | RUN | {'native_tools'}


CHECKED_WHERE_USED = frozenset(
    {
        'instructions',  # when they are split into text and functions
        'max_tool_concurrency',  # with all limits of calls
        'on_tool_error',
        'output_type',  # when its schema is built
        'spec',  # when it is read
        'workspace',  # when the run starts
    }
)
"""The arguments that are checked where they are used."""
ANYTHING = frozenset(
    {
        'deps',
        'deps_type',
        'description',
        'defer_model_check',
        'infer_name',
        'validation_context',
        'until',
    }
)
"""The arguments that may be anything, and flags."""


def test_every_option_is_checked_or_known_not_to_be() -> None:
    options = AGENT | RUN | OVERRIDE | {'user_prompt', 'event_stream_handler', 'until'}
    assert CHECKED | CHECKED_WHERE_USED | ANYTHING == options
    assert len(CHECKED) + len(CHECKED_WHERE_USED) + len(ANYTHING) == len(options), 'each stands in one of the lists'


UNKNOWN: dict[str, tuple[Callable[[Agent[None, str], dict[str, Any]], Any], str]] = {
    'Agent': (lambda agent, options: Agent('test', **options), '`Agent` has no argument'),
    'from_spec': (lambda agent, options: Agent.from_spec({'model': 'test'}, **options), '`Agent.from_spec` has no'),
    'run_sync': (lambda agent, options: agent.run_sync('x', **options), 'Runs have no option'),
    'iter': (lambda agent, options: agent.iter('x', **options), 'Runs have no option'),
    'run_stream_sync': (lambda agent, options: agent.run_stream_sync('x', **options).get_output(), 'Runs have no'),
    'run_stream_events': (lambda agent, options: agent.run_stream_events('x', **options), 'Runs have no option'),
    'override': (lambda agent, options: agent.override(**options).__enter__(), '`Agent.override` cannot replace'),
}


@pytest.mark.parametrize('name', UNKNOWN)
def test_unknown_options_are_named_with_those_that_were_meant(name: str) -> None:
    call, beginning = UNKNOWN[name]
    with pytest.raises(UserError) as caught:
        call(Agent('test'), {'toolsetz': []})
    message = str(caught.value)
    assert message.startswith(beginning)
    assert "'toolsetz'. Did you mean 'toolsets'" in message
    listed = message.partition('There are: ')[2].rstrip('.').split(', ')
    assert {'toolsets', 'retries', 'model'} <= set(listed)
    assert listed == sorted(listed)


def test_events_that_are_read_go_to_no_handler() -> None:
    def handle(*_: object) -> None: ...

    options: dict[str, Any] = {'event_stream_handler': handle}
    with pytest.raises(UserError, match='`run_stream_events` takes no `event_stream_handler`'):
        Agent('test').run_stream_events('x', **options)


def test_old_options_of_streamed_events_are_translated_at_the_call() -> None:
    options: dict[str, Any] = {'output_retries': 2}
    with pytest.warns(PydanticAIDeprecationWarning, match='`output_retries` is an old name') as caught:
        Agent('test').run_stream_events('x', **options)
    assert [warning.filename for warning in caught] == [__file__]


def test_several_names_may_have_been_meant() -> None:
    with pytest.raises(UserError, match="'toolz'. Did you mean 'tools' or 'toolsets'"):
        Agent('test', toolz=[])  # type: ignore[call-arg]


def test_agents_of_specs_take_every_argument() -> None:
    def explode() -> str:
        raise ValueError('no')

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        returns = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        return ModelResponse([TextPart(str(returns[0].content))] if returns else [ToolCallPart('explode', {}, 'c')])

    agent: Agent[None, str] = Agent.from_spec(
        {}, model=FunctionModel(model), tools=[explode], on_tool_error='inform', max_tool_concurrency=1
    )
    assert agent.run_sync('x').output == "Tool 'explode' failed."
    with pytest.raises(UserError, match='max_tool_concurrency'):
        Agent.from_spec({'model': 'test'}, max_tool_concurrency='two')  # type: ignore[arg-type]


def test_what_an_override_says_goes_over_its_spec() -> None:
    agent = Agent(TestModel(), name='own')
    with agent.override(name='said', spec={'name': 'written', 'model': 'test'}):
        assert agent.name == 'said'
    tries: list[int] = []

    def stubborn(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tries.append(1)
        return ModelResponse([TextPart('no number')])

    counting: Agent[None, int] = Agent(FunctionModel(stubborn), output_type=[int])
    with counting.override(retries=2, spec={'retries': {'output': 5}}):
        with pytest.raises(UnexpectedModelBehavior):
            counting.run_sync('x')
    assert len(tries) == 3


PAGES = Path(__file__).parents[2] / 'docs'
HOMES = {
    'AgentOptions': ('stead.agent', 'agents.md'),
    'ApprovalRule': ('stead.capabilities', 'deferred-tools.md'),
    'EventOptions': ('stead.agent', 'agents.md'),
    'Explanation': ('stead.agent', 'explain.md'),
    'OverrideOptions': ('stead.agent', 'agents.md'),
    'RunOptions': ('stead.agent', 'agents.md'),
    'RunRecord': ('stead.exceptions', 'agents.md'),
    'StreamOptions': ('stead.agent', 'agents.md'),
}


@pytest.mark.parametrize('name', HOMES)
def test_public_records_have_an_address_and_a_page(name: str) -> None:
    module, page = HOMES[name]
    assert name in importlib.import_module(module).__all__
    assert f'{name}`' in (PAGES / page).read_text(encoding='utf-8')
