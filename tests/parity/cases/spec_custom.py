"""Capabilities of one's own in specs."""

from dataclasses import dataclass
from typing import Any

from _spec import Broken, Needs, NotForSpecs, RateLimit, Renamed, build, capabilities, show
from pydantic_ai.capabilities import AbstractCapability

TYPES = [RateLimit, Needs, Renamed]


def capabilities_of(entries, types=TYPES):
    return [repr(item) for item in capabilities(build({'capabilities': entries}, custom_capability_types=types))]


show(
    'forms',
    lambda: capabilities_of(['RateLimit', {'RateLimit': 30}, {'RateLimit': {'rpm': 5, 'id': 'x'}}, {'renamed': 4}]),
)
show(
    'from_spec',
    lambda: capabilities_of(
        [{'Needs': ['a', 'b']}, {'Needs': {'words': ['c'], 'more': True}}, {'Needs': {'words': []}}]
    ),
)
show('inside of another', lambda: capabilities_of([{'PrefixTools': {'prefix': 'p', 'capability': {'RateLimit': 7}}}]))
show('under the name of the class', lambda: capabilities_of(['Renamed']))
show('not registered', lambda: capabilities_of(['RateLimit'], []))
show('not for specs', lambda: capabilities_of([], [NotForSpecs]))
show('twice', lambda: capabilities_of(['RateLimit'], [RateLimit, RateLimit]))
show('no class', lambda: capabilities_of([], [RateLimit()]))
show('no capability', lambda: capabilities_of([], [int]))
show('broken', lambda: capabilities_of(['Broken'], [Broken]))
show('wrong argument', lambda: capabilities_of([{'RateLimit': {'rpms': 3}}]))
show('missing argument', lambda: capabilities_of(['Needs']))


@dataclass
class Thinking(AbstractCapability[Any]):
    mine: bool = True


show('in the place of one', lambda: capabilities_of(['Thinking', {'Thinking': False}], [Thinking]))
show('and only there', lambda: capabilities_of(['Thinking'], []))
