"""Capabilities of one's own in specs."""

from dataclasses import dataclass
from typing import Any

from _spec import Broken, Needs, NotForSpecs, RateLimit, Renamed, build, capabilities, show
from pydantic_ai.capabilities import AbstractCapability

TYPES = [RateLimit, Needs, Renamed]


def made(entries, types=TYPES):
    return [repr(item) for item in capabilities(build({'capabilities': entries}, custom_capability_types=types))]


show('forms', lambda: made(['RateLimit', {'RateLimit': 30}, {'RateLimit': {'rpm': 5, 'id': 'x'}}, {'renamed': 4}]))
show(
    'from_spec',
    lambda: made([{'Needs': ['a', 'b']}, {'Needs': {'words': ['c'], 'more': True}}, {'Needs': {'words': []}}]),
)
show('inside of another', lambda: made([{'PrefixTools': {'prefix': 'p', 'capability': {'RateLimit': 7}}}]))
show('under the name of the class', lambda: made(['Renamed']))
show('not registered', lambda: made(['RateLimit'], []))
show('not for specs', lambda: made([], [NotForSpecs]))
show('twice', lambda: made(['RateLimit'], [RateLimit, RateLimit]))
show('no class', lambda: made([], [RateLimit()]))
show('no capability', lambda: made([], [int]))
show('broken', lambda: made(['Broken'], [Broken]))
show('wrong argument', lambda: made([{'RateLimit': {'rpms': 3}}]))
show('missing argument', lambda: made(['Needs']))


@dataclass
class Thinking(AbstractCapability[Any]):
    mine: bool = True


show('in the place of one', lambda: made(['Thinking', {'Thinking': False}], [Thinking]))
show('and only there', lambda: made(['Thinking'], []))
