"""What `apply` visits of wrappers and combinations, the places of capabilities with parts, and how hooks are shown."""

from _common import attempt, fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import (
    AbstractCapability,
    CapabilityOrdering,
    CombinedCapability,
    Hooks,
    WrapperCapability,
)


class A(AbstractCapability):
    pass


class B(AbstractCapability):
    pass


class Inner(AbstractCapability):
    def get_ordering(self):
        return CapabilityOrdering(position='innermost')


class Outer(AbstractCapability):
    def get_ordering(self):
        return CapabilityOrdering(position='outermost')


class Wrapper(WrapperCapability):
    pass


class Group(AbstractCapability):
    def __init__(self, *parts):
        self.parts = parts

    def apply(self, visitor):
        for part in self.parts:
            visitor(part)


def combined(*parts):
    return CombinedCapability(list(parts))


def wrapped(*parts):
    return Wrapper(combined(*parts))


def wrapped_group(*parts):
    return Wrapper(Group(*parts))


OWN = (A, B, Inner, Outer, Wrapper, Group)


def visited(capability):
    names = []
    capability.apply(lambda part: names.append(type(part).__name__))
    return [name for name in names if name in [kind.__name__ for kind in OWN] or name == 'PrefixTools']


def chain(*capabilities):
    return visited(Agent('test', capabilities=list(capabilities)).root_capability)


for name, capability in {
    'one': Wrapper(A()),
    'combination': wrapped(A(), B()),
    'twice': Wrapper(wrapped(A(), B())),
    'twice, one': Wrapper(Wrapper(A())),
    'prefix': combined(A(), B()).prefix_tools('x'),
    'inside': combined(A(), Wrapper(B())),
    'inside, combination': combined(A(), wrapped(A(), B())),
    'group': Group(A(), wrapped(A(), B())),
}.items():
    fact(name, visited(capability))

for build in (Group, combined, wrapped, wrapped_group):
    name = build.__name__
    fact(f'{name}: both', attempt(lambda: chain(A(), build(Inner(), Outer()))))
    fact(f'{name}: only both', attempt(lambda: chain(build(Inner(), Outer()))))
    fact(f'{name}: both, combined', attempt(lambda: visited(combined(build(Inner(), Outer()), A()))))
    both = build(Inner(), Outer()) if build is not combined else A()
    fact(f'{name}: both, run', attempt(lambda: Agent('test').run_sync('hi', capabilities=[both, A()]).output))
    if build is not Group:
        fact(f'{name}: innermost', attempt(lambda: chain(build(Inner(), B()), A())))
        fact(f'{name}: outermost', attempt(lambda: chain(A(), build(B(), Outer()))))
fact('wrapped innermost', chain(Wrapper(Inner()), A()))
fact('wrapped outermost', chain(A(), Wrapper(Outer())))


def nothing(*args, **kwargs):
    pass


hooks = Hooks(before_run=nothing, ordering=CapabilityOrdering(position='innermost'), id='h')
hooks.on.before_run(nothing)
hooks.on.model_request(nothing)
hooks.on.run_event_stream(nothing)
hooks.on.run_error(nothing)
hooks.on.before_tool_execute(tools=['x'], timeout=3)(nothing)
fact('hooks', [repr(Hooks()), repr(hooks), repr(CombinedCapability([hooks]))])
