"""The forms of a capability in a spec, and how each is read and written."""

from _common import fact
from _spec import show
from pydantic_ai import AgentSpec
from pydantic_ai.agent.spec import CapabilitySpec

for entry in (
    'A',
    {'A': 1},
    {'A': 'x'},
    {'A': None},
    {'A': [1, 2]},
    {'A': []},
    {'A': {}},
    {'A': {'b': 1, 'c': [2]}},
    {'A': True},
    {'A': 1.5},
    {'A': {1: 2}},
    {'name': 'A', 'arguments': None},
    {'name': 'A', 'arguments': [3]},
    {'name': 'A', 'arguments': {'b': 1}},
):
    spec = AgentSpec(capabilities=[entry]).capabilities[0]
    print(repr(spec), spec.args, spec.kwargs)
    print('   ', spec.model_dump(), spec.model_dump(context={'use_short_form': True}), spec.model_dump_json())
for arguments in (None, (1,), ([1],), ({'a': 1},), ({},), {}, {'a': 1}):
    spec = CapabilitySpec(name='A', arguments=arguments)
    print(arguments, spec.args, spec.kwargs, spec.model_dump(context={'use_short_form': True}))
    fact(
        'again',
        AgentSpec(capabilities=[spec.model_dump(mode='json', context={'use_short_form': True})]).capabilities[0]
        == spec,
    )
for entry in (3, None, ['a'], {}, {'a': 1, 'b': 2}, {3: 4}, ''):
    show(repr(entry), lambda: AgentSpec(capabilities=[entry]).capabilities[0].name)
for arguments in ((), (1, 2), 3, 'a'):
    show(repr(arguments), lambda: CapabilitySpec(name='A', arguments=arguments).name)
