"""What happens to the keys of a spec, and which argument goes over which key."""

from _spec import build, seen, show
from pydantic_ai import Agent, AgentSpec
from pydantic_ai.models.test import TestModel

show('no model', lambda: Agent.from_spec({}).name)
show('model', lambda: type(build({}).model).__name__)
show('model given', lambda: build({'model': 'foo:bar'}, model=TestModel()).model.model_name)
show('model of nobody', lambda: build({'model': 'foo:bar'}).name)
show('model deferred', lambda: build({'model': 'foo:bar'}, defer_model_check=True).model)
show('names', lambda: [build({'name': 'a'}).name, build({'name': 'a'}, name='b').name, build({}).name])
show(
    'descriptions',
    lambda: [build({'description': 'a'}).description, build({'description': 'a'}, description='b').description],
)
show(
    'end',
    lambda: [
        build({'end_strategy': 'graceful'}).end_strategy,
        build({'end_strategy': 'graceful'}, end_strategy='early').end_strategy,
        build({}).end_strategy,
    ],
)
show(
    'settings',
    lambda: [
        build({'model_settings': {'temperature': 0.1, 'top_p': 0.2}}, **over).model_settings
        for over in ({}, {'model_settings': {'temperature': 0.9}})
    ],
)
show(
    'metadata',
    lambda: [
        build({'metadata': {'a': 1, 'b': 1}}, **over).run_sync('q').metadata
        for over in ({}, {'metadata': {'a': 2, 'c': 3}}, {'metadata': lambda ctx: {'z': 1}})
    ],
)
for spec in ({}, {'instructions': 'a'}, {'instructions': ['a', 'b']}):
    for over in ({}, {'instructions': 'c'}, {'instructions': ['c', lambda: 'd']}):
        show(f'{spec} {sorted(over)}', lambda: seen(build(spec, **over))[0][0])
show(
    'types',
    lambda: [
        build({}, deps_type=int).deps_type.__name__,
        build({}).deps_type.__name__,
        build({}, output_type=int).output_type.__name__,
    ],
)
show(
    'rest',
    lambda: (
        build({}, tools=[lambda x: x], toolsets=[], system_prompt='sp', max_concurrency=3, validation_context=3)
        .run_sync('x')
        .output
    ),
)
show('spec object', lambda: Agent.from_spec(AgentSpec(model='test', name='o')).name)
show('unknown argument', lambda: build({}, foo=1).name)
show('old argument', lambda: build({}, tool_retries=1).name)
for data in (3, 'test', None):
    show(repr(data), lambda: Agent.from_spec(data).name)
