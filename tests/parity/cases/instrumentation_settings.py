"""Which settings win: of the capability, of the model, of the agent, of all agents."""

from _common import fact
from _instrumentation import recording
from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel


def show(title, run):
    recorders = {name: recording() for name in ('capability', 'model', 'agent', 'all')}
    settings = {name: own_settings for name, (_, own_settings) in recorders.items()}
    try:
        run(**settings)
    finally:
        Agent.instrument_all(False)
    fact(
        title,
        {name: [span.name for span in recorder.spans] for name, (recorder, _) in recorders.items() if recorder.spans},
    )


def all_agents(settings, value=None):
    Agent.instrument_all(settings)


show('capability', lambda capability, **_: Agent(TestModel(), capabilities=[Instrumentation(capability)]).run_sync('x'))
show(
    'capability of the run',
    lambda capability, **_: Agent(TestModel()).run_sync('x', capabilities=[Instrumentation(capability)]),
)
show('model', lambda model, **_: Agent(InstrumentedModel(TestModel(), model)).run_sync('x'))
show('agent', lambda agent, **_: Agent(TestModel(), instrument=agent).run_sync('x'))
show('all', lambda all, **_: (Agent.instrument_all(all), Agent(TestModel()).run_sync('x')))
show(
    'agent over all',
    lambda agent, all, **_: (Agent.instrument_all(all), Agent(TestModel(), instrument=agent).run_sync('x')),
)
show('not this one', lambda all, **_: (Agent.instrument_all(all), Agent(TestModel(), instrument=False).run_sync('x')))
show(
    'model over agent',
    lambda model, agent, **_: Agent(InstrumentedModel(TestModel(), model), instrument=agent).run_sync('x'),
)
show(
    'model though the agent is not',
    lambda model, **_: Agent(InstrumentedModel(TestModel(), model), instrument=False).run_sync('x'),
)
show(
    'model over all',
    lambda model, all, **_: (Agent.instrument_all(all), Agent(InstrumentedModel(TestModel(), model)).run_sync('x')),
)
show(
    'capability over model',
    lambda capability, model, **_: Agent(
        InstrumentedModel(TestModel(), model), capabilities=[Instrumentation(capability)]
    ).run_sync('x'),
)
show(
    'capability over agent',
    lambda capability, agent, **_: Agent(
        TestModel(), instrument=agent, capabilities=[Instrumentation(capability)]
    ).run_sync('x'),
)
show(
    'capability over all',
    lambda capability, all, **_: (
        Agent.instrument_all(all),
        Agent(TestModel(), capabilities=[Instrumentation(capability)]).run_sync('x'),
    ),
)
show('wrapped model', lambda model, **_: Agent(WrapperModel(InstrumentedModel(TestModel(), model))).run_sync('x'))
show(
    'model of the run', lambda model, **_: Agent(TestModel()).run_sync('x', model=InstrumentedModel(TestModel(), model))
)
show(
    'two',
    lambda capability, agent, **_: Agent(
        TestModel(), capabilities=[Instrumentation(capability), Instrumentation(agent)]
    ).run_sync('x'),
)


def overridden(model, **_):
    agent = Agent(TestModel())
    with agent.override(model=InstrumentedModel(TestModel(), model)):
        agent.run_sync('x')
    agent.run_sync('x')


def switched(agent, all, **_):
    own_agent = Agent(TestModel())
    own_agent.run_sync('x')
    own_agent.instrument = agent
    own_agent.run_sync('x')
    Agent.instrument_all(all)
    own_agent.instrument = None
    own_agent.run_sync('x')
    own_agent.instrument = False
    own_agent.run_sync('x')


show('overridden', overridden)
show('switched', switched)
fact(
    'property',
    [Agent('test').instrument, Agent('test', instrument=True).instrument, Agent('test', instrument=False).instrument],
)
without_content = InstrumentationSettings(version=3, include_content=False)
print(
    repr(without_content),
    repr(Instrumentation(without_content)),
    repr(Instrumentation.from_spec(version=4, include_binary_content=False)),
)
print(Instrumentation.get_serialization_name(), Instrumentation(without_content).get_ordering())
