"""Whatever a function takes and whatever a model sends: a validated call or a message to try again, and nothing else."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
import functools
import json
import os
import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional, Union

from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import BaseModel, Field
from typing_extensions import NotRequired, TypedDict

from stead import Agent, RunContext, Tool
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, FunctionModel

from .kit import decorated

EXAMPLES = 670 if os.environ.get('STEAD_TRUST_FULL') == '1' else 200
"""Functions, each of which is called three times."""


class Color(enum.Enum):
    RED = 'red'
    BLUE = 'blue'


class Item(BaseModel):
    name: str
    count: int = 1


class Tree(BaseModel):
    value: int = 0
    children: list[Tree] = []


class Strict(BaseModel, strict=True, extra='forbid'):
    day: datetime.date
    pair: tuple[int, int]


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


class Options(TypedDict):
    deep: bool
    a: NotRequired[int]


def is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def list_of(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(check, value))


def instance(kind: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


words = st.text(max_size=5)
numbers = st.integers(-(2**70), 2**70)
items = st.fixed_dictionaries({'name': words}, optional={'count': numbers})
trees = st.recursive(
    st.fixed_dictionaries({'value': numbers}),
    lambda inner: st.fixed_dictionaries({'children': st.lists(inner, max_size=2)}),
    max_leaves=3,
)
# Annotation, JSON values that fit it, and what an argument of that type must be.
TYPES: dict[str, tuple[Any, st.SearchStrategy[Any], Callable[[Any], bool]]] = {
    'int': (int, numbers, is_int),
    'float': (float, st.floats(allow_nan=False, allow_infinity=False), instance(float)),
    'str': (str, words, instance(str)),
    'bool': (bool, st.booleans(), instance(bool)),
    'anything': (Any, st.none() | words | numbers, lambda value: True),
    'ints': (list[int], st.lists(numbers, max_size=3), list_of(is_int)),
    'words': (dict[str, str], st.dictionaries(words, words, max_size=2), instance(dict)),
    'maybe': (Optional[int], st.none() | numbers, lambda value: value is None or is_int(value)),
    'either': (Union[int, str], numbers | words, instance((int, str))),
    'positive': (Annotated[int, Field(gt=0, lt=100)], st.integers(1, 99), lambda value: 0 < value < 100),
    'choice': (Literal['a', 'b'], st.sampled_from('ab'), lambda value: value in ('a', 'b')),
    'color': (Color, st.sampled_from(['red', 'blue']), instance(Color)),
    'day': (datetime.date, st.just('2020-02-29'), instance(datetime.date)),
    'pair': (tuple[int, str], st.tuples(numbers, words).map(list), lambda value: isinstance(value, tuple) and len(value) == 2),
    'item': (Item, items, instance(Item)),
    'items': (list[Item], st.lists(items, max_size=2), list_of(instance(Item))),
    'tree': (Tree, trees, instance(Tree)),
    'strict': (Strict, st.just({'day': '2020-01-01', 'pair': [1, 2]}), instance(Strict)),
    'point': (Point, st.fixed_dictionaries({'x': numbers}, optional={'y': numbers}), instance(Point)),
    'options': (Options, st.fixed_dictionaries({'deep': st.booleans()}, optional={'a': numbers}), instance(dict)),
}  # fmt: skip
FLAT = ('item', 'tree', 'strict', 'point', 'options')  # the fields of a single parameter of these may stand in for it
NAMES = ['a', 'b', 'self', 'cls', 'args', 'kwargs', 'ctx', 'name', 'value', 'validate', 'model_config', 'é', '_x']
HIDDEN = ['context', 'this']  # parameters that the model does not see
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | words, inner, max_size=3),
    max_leaves=6,
)
GARBAGE = ['', ' ', '{', '[', 'null', '"', '{"a":', '{"a": 1,}', "{'a': 1}", '[' * 5000, '{"a":' * 3000, 'NaN', '\x00', '{"a": 1} x',
           '{"\\ud800": 1}', '\ud800', '{"a": 1e999}', '{"a": ' + '9' * 5000 + '}', '{"a": 1, "a": "z"}', '\ufeff{}']  # fmt: skip


TYPE_NAMES = st.sampled_from(list(TYPES))
PARAMETER_NAMES = st.lists(st.sampled_from(NAMES), max_size=4, unique=True)
COLLECTS = st.sampled_from([(False, False)] * 3 + [(True, False), (False, True), (True, True)])
FORMS = st.sampled_from(['function', 'function', 'method', 'partial', 'decorated'])


@dataclasses.dataclass
class Case:
    """A function, and how its calls are to be judged."""

    form: str
    """What is made of the function before it is a tool."""
    source: str
    namespace: dict[str, Any]
    checks: dict[str, tuple[str, Callable[[Any], bool]]]
    fitting: st.SearchStrategy[dict[str, Any]]
    more: list[st.SearchStrategy[Any]]
    """Other keywords, for each of `NAMES_TO_ADD`: of the type that it takes; anything if it takes none."""
    strict: bool
    """Whether it has to be JSON, because strict types take no strings for dates as data."""

    def __repr__(self) -> str:
        return f'{self.form}: {self.source}'

    def tool(self, seen: list[dict[str, Any]]) -> Callable[..., Any]:
        exec(self.source, namespace := {**self.namespace, 'seen': seen})
        function = namespace['tool']
        forms: dict[str, Callable[[], Any]] = {
            'function': lambda: function,
            'method': lambda: types.MethodType(function, 'this'),
            'partial': lambda: functools.partial(function, 'this'),
            'decorated': lambda: decorated(function),
        }
        return forms[self.form]()


@dataclasses.dataclass
class Signature:
    """Collects the parameters of a function."""

    draw: st.DrawFn
    parts: list[str] = dataclasses.field(default_factory=list[str])
    namespace: dict[str, Any] = dataclasses.field(default_factory=lambda: {'RunContext': RunContext, 'Any': Any})
    checks: dict[str, tuple[str, Callable[[Any], bool]]] = dataclasses.field(default_factory=dict[str, Any])
    required: dict[str, st.SearchStrategy[Any]] = dataclasses.field(default_factory=dict[str, Any])
    optional: dict[str, st.SearchStrategy[Any]] = dataclasses.field(default_factory=dict[str, Any])
    types: list[str] = dataclasses.field(default_factory=list[str])

    def add(self, name: str, kind: str, prefix: str = '', suffix: str = '') -> st.SearchStrategy[Any]:
        """Add a parameter of some type, and return the values that fit it."""
        self.types.append(self.draw(TYPE_NAMES))
        annotation, fitting, check = TYPES[self.types[-1]]
        self.namespace[f'T_{name}'] = annotation
        self.parts.append(f'{prefix}{name}: T_{name}{suffix}')
        self.checks[name] = kind, check
        return fitting

    def add_all(self) -> None:
        names = self.draw(PARAMETER_NAMES)
        ends = sorted(self.draw(st.lists(st.integers(0, len(names)), min_size=2, max_size=2)))
        many, keywords = self.draw(COLLECTS)
        defaulted = False
        for position, name in enumerate(names):
            if position == ends[0] and self.parts:
                self.parts.append('/')
            if position == ends[1]:
                defaulted = False
                if many:
                    self.required['more'] = st.lists(self.add('more', 'many', '*'), max_size=2)
                else:
                    self.parts.append('*')
            defaulted = self.draw(st.booleans()) or (defaulted and position < ends[1])
            fitting = self.add(name, 'default' if defaulted else 'one', suffix=' = None' if defaulted else '')
            (self.optional if defaulted else self.required)[name] = fitting
        if many and 'more' not in self.required:
            self.required['more'] = st.lists(self.add('more', 'many', '*'), max_size=2)
        if keywords:
            self.optional['other'] = self.add('others', 'named', '**')


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a function: parameters of all kinds, with annotations and defaults, sync or async, with context or without."""
    form = draw(FORMS)
    signature = Signature(draw)
    signature.parts += ['this'] if form in ('method', 'partial') else []
    signature.parts += ['context: RunContext[Any]'] if (takes_ctx := draw(st.booleans())) else []
    signature.add_all()
    arguments = ', '.join(f'{name!r}: {name}' for name in signature.checks)
    source = (
        f'{draw(st.sampled_from(["def", "async def"]))} tool({", ".join(signature.parts)}) -> str:\n'
        f'    {"assert isinstance(context, RunContext)" if takes_ctx else "pass"}\n'
        f'    seen.append({{{arguments}}})\n    return "called"'
    )
    fitting: st.SearchStrategy[Any] = st.fixed_dictionaries(signature.required, optional=signature.optional)
    if list(signature.checks) == [*signature.required, *signature.optional] and signature.types[1:] == []:
        for name, inner in (signature.required | signature.optional).items():
            if name != 'more' and signature.types[0] in FLAT:
                fitting = inner | st.fixed_dictionaries({name: inner})
    other = signature.optional.get('other')
    more = [st.dictionaries(names, other, max_size=2) for names in NAMES_TO_ADD] if other is not None else JUNK_TO_ADD
    return Case(
        form,
        source,
        signature.namespace,
        signature.checks,
        fitting,
        more,
        'strict' in signature.types,
    )


# Strategies that do not depend on the case are made once: making one takes longer than drawing from it.
PAYLOAD_KINDS = st.sampled_from(['fitting', 'fitting', 'near', 'near', 'junk', 'garbage'])
ONE_IN_THREE = st.sampled_from([True, False, False])
NOT_JSON = st.sampled_from(GARBAGE) | st.text(max_size=20)
NAMES_TO_ADD = [st.sampled_from(NAMES), st.sampled_from(HIDDEN)]
JUNK_TO_ADD = [st.dictionaries(names, junk, max_size=2) for names in NAMES_TO_ADD]
ONE_OF_TWO = st.integers(0, 1)


@st.composite
def payloads(draw: st.DrawFn, case: Case) -> tuple[str, Any]:
    """Draw arguments: fitting, nearly fitting, or nothing of the kind; as JSON or as data. Say which."""
    kind = draw(PAYLOAD_KINDS)
    if kind == 'garbage':
        return kind, draw(NOT_JSON)
    value = draw(case.fitting if kind != 'junk' else junk)
    if kind == 'near' and isinstance(value, dict):
        if value and draw(ONE_IN_THREE):
            left_out = draw(st.sampled_from(sorted(value)))
            value = {name: item for name, item in value.items() if name != left_out}
        fits, where = draw(ONE_OF_TWO), draw(ONE_OF_TWO)
        value = value | draw((case.more if fits else JUNK_TO_ADD)[where])
    if isinstance(value, dict) and draw(st.booleans()):
        return 'near' if case.strict else kind, value
    return kind, json.dumps(value)


async def outcome(agent: Agent[Any, Any], payload: Any) -> Any:
    """Return the part with which the run answers a call."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        is_first = len(messages) == 1
        return ModelResponse([ToolCallPart('tool', payload, tool_call_id='1') if is_first else TextPart('done')])

    result = await agent.run('go', model=FunctionModel(model))
    assert result.output == 'done'
    answers = [
        part for message in result.all_messages()[1:] if isinstance(message, ModelRequest) for part in message.parts
    ]
    assert len(answers) == 1, answers
    return answers[0]


def fits(kind: str, value: Any, check: Callable[[Any], bool]) -> bool:
    if kind == 'default':
        return value is None or check(value)
    if kind == 'many':
        return isinstance(value, tuple) and all(map(check, value))
    if kind == 'named':
        return isinstance(value, dict) and all(map(check, value.values()))
    return check(value)


@given(st.data())
@settings(max_examples=EXAMPLES, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_a_call_is_validated_or_retried(data: st.DataObject):
    case = data.draw(cases())
    seen: list[dict[str, Any]] = []
    agent = Agent(tools=[Tool(case.tool(seen), name='tool')])
    for _ in range(3):
        kind, payload = data.draw(payloads(case))
        part = LOOP.run_until_complete(outcome(agent, payload))
        if not seen:
            assert isinstance(part, RetryPromptPart)
            assert part.model_response()
            assert kind != 'fitting', part.content
            continue
        assert isinstance(part, ToolReturnPart)
        assert (part.content, len(seen)) == ('called', 1)
        for name, (parameter, check) in case.checks.items():
            assert fits(parameter, seen[0][name], check), (name, seen[0][name])
        seen.clear()


LOOP = asyncio.new_event_loop()


def teardown_module() -> None:
    LOOP.run_until_complete(LOOP.shutdown_default_executor())
    LOOP.close()
