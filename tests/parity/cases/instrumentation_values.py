"""Arguments and results of tools on their spans."""

from dataclasses import dataclass
from datetime import date

from _common import M, call, script
from _instrumentation import REQUEST, trace
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


@dataclass
class D:
    day: date
    text: str


RESULTS = {
    'text': 'é "quoted"',
    'number': 1,
    'none': None,
    'nan': {'a': float('nan')},
    'bytes': b'\xff\x00',
    'model': M(n=1),
    'dataclass': D(date(2024, 1, 2), 'ü'),
    'list': [M(n=2), 'x'],
    'set': (1, 2),
    'bool': True,
}


def make(capabilities):
    agent = Agent(
        script(
            [call('echo', {'name': name}, f'c{name}') for name in RESULTS],
            [call('echo', '{"name": "text"}')],
            [TextPart('ok')],
        ),
        name='v',
        capabilities=capabilities,
    )

    @agent.tool_plain(sequential=True)
    def echo(name: str):
        return RESULTS[name]

    return agent


for version in (2, 3):
    trace(f'version {version}', make, 'x', settings={'version': version}, without=REQUEST)
