"""What functions may return that make capabilities, when they are called, and errors they raise."""

from _hooks import Boom
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, DynamicCapability, WrapperCapability
from pydantic_ai.models.test import TestModel

calls = []


def noted(name, outcome):
    def make(ctx):
        calls.append([name, ctx.run_step, ctx.prompt, type(ctx.model).__name__, ctx.deps, len(ctx.messages)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return make


class Plain(AbstractCapability):
    pass


class OfRun(AbstractCapability):
    async def for_run(self, ctx):
        calls.append(['for_run', ctx.run_step])
        return Plain()


def show(label, *capabilities):
    calls.clear()
    try:
        agent = Agent(TestModel(), deps_type=int, capabilities=list(capabilities))
        print(label, agent.run_sync('hi', deps=3).output, calls)
        calls.clear()
        print(label, 'again', agent.run_sync('ho', deps=4).output, calls)
    except Exception as error:
        print(label, type(error).__name__ if isinstance(error, Boom) else 'refused', calls)


show('plain', noted('f', Plain()))
show('none', noted('f', None))
show('text', noted('f', 'text'))
show('class', noted('f', Plain))
show('raises', noted('f', Boom('no')))
show('with a for_run', noted('f', OfRun()))
show('wrapped', WrapperCapability(DynamicCapability(noted('f', OfRun()))))
show('combined', CombinedCapability([DynamicCapability(noted('f', OfRun())), DynamicCapability(noted('g', None))]))
show('makes a dynamic one', noted('f', DynamicCapability(noted('g', Plain()))))
show('two', noted('f', Plain()), noted('g', Plain()))
print(type(DynamicCapability(noted('f', None)).get_serialization_name()))
