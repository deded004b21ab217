"""Which runs are traced, and what settings are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stead import Agent, InstrumentationSettings, UserError
from stead._kit.warnings import PydanticAIDeprecationWarning
from stead.capabilities import CAPABILITY_TYPES, Instrumentation
from stead.models.instrumented import InstrumentedModel, instrument_model
from stead.models.test import TestModel

from ..parity.cases._otel import Recorder
from .kit import named, recording, tree

RUN = [('agent run', None), ('chat test', 'agent run')]


@pytest.fixture(autouse=True)
def nobody_else_is_traced() -> Iterator[None]:
    yield
    Agent.instrument_all(False)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'version': 6}, r'There is no version 6 .* Use one of \(1, 2, 3, 4, 5\)'),
        ({'version': '2'}, "There is no version '2'"),
        ({'event_mode': 'attribute'}, "There is no event mode 'attribute'. Use 'attributes' or 'logs'"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        InstrumentationSettings(**options)


def test_log_events_belong_to_version_1() -> None:
    with pytest.warns(UserWarning, match='selects version 1') as caught:
        settings = InstrumentationSettings(version=3, event_mode='logs')
    assert settings.version == 1
    assert caught[0].filename == __file__


def test_instrument_argument_is_an_old_name() -> None:
    recorder, settings = recording()
    with pytest.warns(PydanticAIDeprecationWarning, match=r'capabilities=\[Instrumentation'):
        agent = Agent(TestModel(), instrument=settings)
    assert agent.instrument is settings
    agent.run_sync('x')
    assert tree(recorder) == RUN


def test_agents_and_the_default_can_change_between_runs() -> None:
    one, settings = recording()
    other, others = recording()
    agent = Agent(TestModel())
    agent.run_sync('x')
    agent.instrument = settings
    agent.run_sync('x')
    assert (tree(one), tree(other)) == (RUN, [])
    agent.instrument = None
    Agent.instrument_all(others)
    agent.run_sync('x')
    assert (tree(one), tree(other)) == (RUN, RUN)
    Agent.instrument_all(False)
    agent.run_sync('x')
    assert (tree(one), tree(other)) == (RUN, RUN)


def test_the_default_is_for_agents_that_do_not_say() -> None:
    recorder, settings = recording()
    Agent.instrument_all(settings)
    quiet = Agent(TestModel())
    quiet.instrument = False
    quiet.run_sync('x')
    assert tree(recorder) == []


def test_a_traced_model_traces_the_whole_run() -> None:
    recorder, settings = recording()
    agent = Agent(InstrumentedModel(TestModel(call_tools=['add']), settings))

    @agent.tool_plain
    def add(a: int) -> int:
        return a

    agent.run_sync('x')
    assert tree(recorder) == [*RUN, ('running tool', 'agent run'), ('chat test', 'agent run')]


def test_one_run_is_traced_by_its_own_capability() -> None:
    recorder, settings = recording()
    agent = Agent(TestModel())
    agent.run_sync('x', capabilities=[Instrumentation(settings)])
    agent.run_sync('x')
    assert tree(recorder) == RUN


def test_the_capability_stands_in_specs() -> None:
    assert CAPABILITY_TYPES['Instrumentation'] is Instrumentation
    settings = Instrumentation.from_spec(version=4, include_content=False).settings
    assert (settings.version, settings.include_content) == (4, False)


def test_models_are_wrapped_once() -> None:
    model = TestModel()
    traced = instrument_model(model, True)
    assert isinstance(traced, InstrumentedModel)
    assert traced.wrapped is model
    assert instrument_model(traced, True) is traced
    assert instrument_model(model, False) is model


def test_a_subclass_records_messages_in_its_own_way() -> None:
    class Short(InstrumentationSettings):
        def handle_messages(
            self, input_messages: Any, response: Any, system: str, span: Any, parameters: Any = None
        ) -> None:
            span.set_attribute('messages', len(input_messages))

    recorder = Recorder()
    settings = Short(tracer_provider=recorder, meter_provider=recorder, logger_provider=recorder)
    Agent(TestModel(), capabilities=[Instrumentation(settings=settings)]).run_sync('x')
    (request,) = named(recorder, 'chat test')
    assert request.attributes['messages'] == 1
    assert 'gen_ai.input.messages' not in request.attributes
    assert request.attributes['gen_ai.response.model'] == 'test'
