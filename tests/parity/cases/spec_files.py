"""Specs in files: JSON as it is written and read, and where the schema goes."""

import os
import pathlib
import tempfile

from _common import fact
from _spec import RateLimit, show
from pydantic_ai import Agent, AgentSpec

spec = AgentSpec(
    model='test',
    name='né',
    instructions=['a', 'b'],
    capabilities=['ReinjectSystemPrompt', {'Thinking': 'high'}, {'SetToolMetadata': {'a': 1}}, {'RateLimit': 3}],
    retries={'tools': 2},
    model_settings={'temperature': 0.5},
    end_strategy='exhaustive',
    metadata={'n': None, 'l': [1, {'x': 2}]},
)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    here = pathlib.Path('.')
    for name, options in (
        ('a.json', {}),
        ('b.json', {'schema_path': None}),
        ('c.json', {'schema_path': 's_{stem}.json'}),
        ('d.txt', {'fmt': 'json'}),
        ('e.JSON', {}),
        ('f.json', {'schema_path': pathlib.Path('g.json')}),
        ('h.json', {'custom_capability_types': [RateLimit]}),
    ):
        spec.to_file(here / name, **options)
        text = pathlib.Path(name).read_text(encoding='utf-8')
        print(name, sorted(os.listdir()))
        print(text)
        again = AgentSpec.from_file(name, fmt='json' if name.endswith('txt') else None)
        fact(
            'again',
            [
                again == spec,
                again.json_schema_path,
                again.model_dump(exclude={'json_schema_path'}) == spec.model_dump(exclude={'json_schema_path'}),
            ],
        )
    fact('registered', ['RateLimit' in pathlib.Path(name).read_text() for name in ('a_schema.json', 'h_schema.json')])
    AgentSpec(model='test', end_strategy='early').to_file('small.json', schema_path=None)
    print(pathlib.Path('small.json').read_text())
    show('agent', lambda: Agent.from_file('a.json', custom_capability_types=[RateLimit]).name)
    show(
        'agent of a string path',
        lambda: [
            Agent.from_file('small.json', name='x').name,
            Agent.from_file(here / 'd.txt', fmt='json', custom_capability_types=[RateLimit], instructions='c').name,
        ],
    )
    show('read', lambda: AgentSpec.from_file('d.txt').name)
    show('written', lambda: spec.to_file('d.text'))
    pathlib.Path('bad.json').write_text('{"model": "test", "end_strategy": 3}')
    show('bad', lambda: Agent.from_file('bad.json').name)
    try:
        AgentSpec.from_file('missing.json')
    except FileNotFoundError:
        fact('missing', 'FileNotFoundError')
    os.chdir('/')
