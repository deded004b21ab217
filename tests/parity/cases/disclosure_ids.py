"""Which capabilities are refused: deferred ones without an id, and two with one id."""

from _disclosure import attempt, capability, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import Capability, DynamicCapability, WrapperCapability


def build(*capabilities):
    Agent(model(), capabilities=capabilities)
    return 'built'


attempt('no id', lambda: build(Capability(defer_loading=True)))
attempt('one id twice', lambda: build(capability('a'), capability('a')))
attempt('one id, deferred and not', lambda: build(capability('a'), Capability(id='a')))
attempt('not deferred, no id', lambda: build(Capability(), Capability()))
attempt('dynamic', lambda: DynamicCapability(lambda ctx: None, id='d', defer_loading=True))
attempt('wrapped', lambda: build(WrapperCapability(capability('a'))))
attempt('wrapped without id', lambda: build(WrapperCapability(Capability(defer_loading=True))))
run(Agent(model()), capabilities=[Capability(defer_loading=True)])
