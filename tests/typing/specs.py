"""Agents of specs have the types of the class that they are made by."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

from stead import Agent, AgentSpec, InstrumentationSettings, TemplateStr
from stead.capabilities import Instrumentation


def agents_of_specs() -> None:
    assert_type(Agent.from_spec({'model': 'test'}), Agent[None, str])
    typed = Agent[int, bool].from_spec(AgentSpec(model='test'), deps_type=int, output_type=bool, name='typed')
    assert_type(typed, Agent[int, bool])
    assert_type(typed.run_sync('x', deps=3).output, bool)
    assert_type(Agent[Any, Any].from_file('agent.yaml', model='test'), Agent[Any, Any])
    Agent.from_spec({}, modle='test')  # type: ignore[call-arg]

    traced = Agent('test', instructions=TemplateStr('Hi'), capabilities=[Instrumentation(InstrumentationSettings())])
    assert_type(traced, Agent[None, str])
    traced.instrument = InstrumentationSettings(version=3)
    traced.instrument = None
    Agent.instrument_all(False)
