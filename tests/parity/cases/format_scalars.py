"""Plain values, mappings and iterables as XML: escaping, empty ones, names, nesting, indents."""

import collections
import datetime
import decimal
import enum
import json
import types
import uuid

from pydantic_ai import format_as_xml

UTC = datetime.timezone.utc


class Plain(enum.Enum):
    A = 'aa'


class Number(enum.IntEnum):
    X = 5


class Text(str, enum.Enum):
    Y = 'yy'


class Words(str):
    pass


VALUES = [
    'a<b>&"\'c',
    '',
    '  x  ',
    'one\ntwo',
    'a\x00b\r\nc\td',
    ']]>',
    'é☃😀',
    Words('w'),
    3,
    -1,
    1.5,
    1e20,
    float('inf'),
    float('nan'),
    True,
    False,
    None,
    decimal.Decimal('1.50'),
    b'ab<',
    b'\xffz',
    bytearray(b'x'),
    uuid.UUID(int=5),
    datetime.date(2024, 1, 2),
    datetime.datetime(2024, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
    datetime.datetime(2024, 1, 2),
    datetime.time(3, 4, 5),
    datetime.time(3, 4, 5, 6, tzinfo=UTC),
    datetime.timedelta(days=1, seconds=5),
    datetime.timedelta(seconds=-5),
    datetime.timedelta(0),
    Plain.A,
    Text.Y,
    {},
    {'a': 1, 'b': {'c': [1, 2]}, 'd': None},
    {1: 'x', True: 'y'},  # noqa: F601 - equal keys are what is asked about
    {'a b': 1, '': 3, 'é': 4},
    [],
    [1, 'x', None, [2, [3]], {'a': 1}],
    [[], [[]], {}, ''],
    (1, 2),
    {1},
    frozenset([2]),
    range(2),
    collections.deque([1]),
    {'a': 1}.values(),
    collections.OrderedDict(a=1),
    collections.Counter('aab'),
    types.MappingProxyType({'a': 1}),
    collections.UserDict({'a': 1}),
    collections.namedtuple('P', 'p q')(1, 2),
    {'a': '', 'b': ' ', 'c': '\n', 'd': [], 'e': {}},
]
OPTIONS = [
    {},
    {'root_tag': 'r'},
    {'indent': None},
    {'root_tag': 'r', 'indent': ''},
    {'root_tag': 'r', 'indent': '\t', 'item_tag': 'thing', 'none_str': 'nil'},
    {'item_tag': 'thing', 'none_str': ''},
    {'root_tag': 'a b'},
]
for value in VALUES:
    for options in OPTIONS:
        print(json.dumps([repr(value)[:60], options, format_as_xml(value, **options)]))
print(json.dumps(format_as_xml(n for n in (1, 2))))

for bad in (object(), 1j, len, int, ValueError('x'), {None: 1}, {(1, 2): 1}, {Plain.A: 1}, [1, object()]):
    try:
        format_as_xml(bad)
    except TypeError as error:
        print(type(error).__name__)
