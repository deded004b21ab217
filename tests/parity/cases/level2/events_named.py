"""Events of programs and of capabilities: their names, what they are stored as, and as what they are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    AgentStreamEvent,
    CapabilityEvent,
    CustomEvent,
    UnknownCapabilityEvent,
    UnknownCustomEvent,
)


def show(label: str, build: Callable[[], Any]) -> None:
    try:
        print(label, '=>', build())
    except Exception as error:
        print(label, '!!', type(error).__name__)


def define(title: str, base: type[Any] = CustomEvent, fields: str = 'x', **options: Any) -> Any:
    names = fields.split()
    body = {'__annotations__': dict.fromkeys(names, int), **dict.fromkeys(names, 0)}
    return dataclass(type(title, (base,), body, **options))


@dataclass(kw_only=True)
class Progress(CustomEvent, name='progress'):
    done: int
    of: int | None = None


@dataclass
class ThingLoadedEvent(CapabilityEvent, namespace='things', dispatch='immediate'):
    thing: str


adapter: TypeAdapter[Any] = TypeAdapter(AgentStreamEvent)
for event in (Progress(done=1, tool_call_id='c', tool_name='t'), ThingLoadedEvent('a', capability_id='k')):
    stored = adapter.dump_json(event)
    print(event, stored, adapter.validate_json(stored) == event)
print(Progress(done=1).to_payload(), Progress.ui, ThingLoadedEvent.event_dispatch, CapabilityEvent.event_dispatch)

for data in (
    {'event_kind': 'custom', 'name': 'progress', 'done': 'x'},
    {'event_kind': 'custom', 'name': 'progress', 'done': '5'},
    {'event_kind': 'custom', 'name': 'other', 'x': 3, 'tool_call_id': 'c'},
    {'event_kind': 'custom', 'name': 'other', 'data': {'x': 1}},
    {'event_kind': 'custom'},
    {'event_kind': 'capability', 'kind': 'things.thing_loaded', 'thing': 'b'},
    {'event_kind': 'capability', 'kind': 'other', 'x': [1]},
    {'event_kind': 'capability'},
):
    show(f'read {data}', lambda: adapter.validate_python(data))
    show('again', lambda: adapter.dump_python(adapter.validate_python(data)))

for unknown in (
    UnknownCustomEvent(name='n', data={'x': 1}),
    UnknownCustomEvent(name='n', data={'name': 'other', 'x': 1}),
    UnknownCustomEvent(name='n'),
    UnknownCapabilityEvent(kind='k', data={'x': 1}),
    UnknownCapabilityEvent(),
):
    print(unknown, adapter.dump_python(unknown))

for name in ('HTTPDone', 'FooEvent', 'Foo2Bar', 'XEvent', 'Event', '_Private', 'Foo_Baz', 'U1'):
    show(name, lambda: define(name)())
    show(f'{name} of a capability', lambda: define(name, CapabilityEvent, namespace='cap')())
show('the name of another', lambda: define('Another', name='progress'))
show('the kind of another', lambda: define('Another', CapabilityEvent, namespace='things', name='thing_loaded'))
show('defined again', lambda: define('HTTPDone')())
show('without a namespace', lambda: define('Plain', CapabilityEvent))
show('with an empty one', lambda: define('Plain', CapabilityEvent, namespace=''))
show('with a wrong dispatch', lambda: define('Plain', CapabilityEvent, namespace='a', dispatch='later'))
show('the base class', lambda: CustomEvent(name='x'))
show('the base class', lambda: CapabilityEvent(kind='x'))
show('no dataclass', lambda: type('Bare', (CustomEvent,), {})())
show('no dataclass', lambda: type('Bare', (CapabilityEvent,), {}, namespace='a')())
show('another name', lambda: Progress(name='other', done=1))
show('another kind', lambda: ThingLoadedEvent(kind='other', thing='b'))
show('without a name', lambda: UnknownCustomEvent())
for field in ('name', 'kind', 'capability_id', 'tool_call_id', 'tool_name', 'event_kind', 'data', 'ui'):
    show(f'with a field {field}', lambda: define(f'With_{field}', fields=field)())
    show('of a capability', lambda: define(f'Cap_{field}', CapabilityEvent, fields=field, namespace='w')())

base = define('Base', abstract=True)
show('abstract', lambda: base())
show('a child of it', lambda: define('Child', base, 'y')())
quiet = define('Quiet', ui=False)
print(quiet.ui, define('Quieter', quiet, 'y').ui)
shared = define('Shared', CapabilityEvent, namespace='shared', dispatch='immediate', abstract=True)
child = define('Kid', shared, 'y')
print(child(), child.event_dispatch, define('Moved', child, 'z', namespace='elsewhere')())
