"""`TemplateStr`: what templates print, what they refuse, and that they only read declared fields."""

from __future__ import annotations

import datetime
import enum
import time
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, computed_field

from stead import Agent, TemplateStr, UserError
from stead.bounds import set_input_bounds
from stead.models.test import TestModel


class Level(enum.Enum):
    HIGH = 'high'


@dataclass
class Home:
    city: str = 'Oslo'
    rooms: list[str] = field(default_factory=lambda: ['bath', 'hall'])


@dataclass
class User:
    name: str = '<Ann & "co">'
    age: int = 3
    home: Home = field(default_factory=Home)
    tags: list[str] = field(default_factory=lambda: ['a', 'b'])
    nothing: str | None = None
    yes: bool = True
    no: bool = False
    share: float = 1.5
    born: datetime.date = datetime.date(2024, 1, 2)
    level: Level = Level.HIGH
    pairs: dict[str, int] = field(default_factory=lambda: {'x': 1, 'y': 2})
    grid: list[list[int]] = field(default_factory=lambda: [[1, 2], [3]])
    _secret: str = 'secret'


RENDERED = {
    'Hello {{name}}': 'Hello <Ann & "co">',
    '{{{name}}}|{{& name}}|{{ age }}': '<Ann & "co">|<Ann & "co">|3',
    '{{home.city}}|{{home/city}}|{{home.rooms.0}}|{{tags.[1]}}': 'Oslo|Oslo|bath|b',
    '{{tags}}|{{pairs}}': "['a', 'b']|{'x': 1, 'y': 2}",
    '{{nothing}}|{{yes}} {{no}}|{{share}}|{{born}}|{{level}}': '|true false|1.5|2024-01-02|high',
    '{{missing}}|{{missing.a.b}}|{{name.upper}}|{{tags.7}}|{{tags.x}}': '||||',
    '{{_secret}}|{{__class__}}|{{name.__class__}}|{{home.__init__}}': '|||',
    '{{#if yes}}Y{{else}}N{{/if}}{{#if no}}Y{{else}}N{{/if}}{{#if missing}}Y{{/if}}': 'YN',
    '{{#unless no}}U{{/unless}}{{#unless yes}}U{{else}}E{{/unless}}': 'UE',
    '{{#if no}}A{{else if yes}}B{{else}}C{{/if}}{{#if no}}A{{else if no}}B{{else}}C{{/if}}': 'BC',
    '{{#each tags}}{{@index}}{{@first}}{{@last}}{{this}} {{/each}}': '0truefalsea 1falsetrueb ',
    '{{#each pairs}}{{@key}}={{this}};{{/each}}': 'x=1;y=2;',
    '{{#each tags as |tag at|}}{{at}}{{tag}}{{/each}}': '0a1b',
    '{{#each grid}}{{#each this}}{{@../index}}{{this}}{{../../age}} {{/each}}{{/each}}': '013 023 133 ',
    '{{#each missing}}x{{else}}none{{/each}}': 'none',
    '{{#with home}}{{city}}{{../age}}{{@root.name}}{{/with}}': 'Oslo3<Ann & "co">',
    '{{#with missing}}x{{else}}none{{/with}}{{#with home as |h|}}{{h.city}}{{/with}}': 'noneOslo',
    '{{#tags}}[{{.}}]{{/tags}}{{^nothing}}nothing{{/nothing}}{{#home}}{{city}}{{/home}}': '[a][b]nothingOslo',
    '{{lookup pairs "x"}}{{lookup tags 1}}{{#with (lookup tags 0)}}{{this}}{{/with}}': '1ba',
    '{{! a comment }}x{{!-- {{age}} --}}': 'x',
    '\\{{name}} \\\\{{age}} {age} }}': '{{name}} \\3 {age} }}',
    'a {{~age~}} b{{#if yes~}} c {{~/if}}': 'a3bc',
    '{{{{raw}}}} {{age}} {{{{/raw}}}}': ' {{age}} ',
    '{{"text"}}{{1}}{{true}}{{null}}': 'text1true',
    '{{#if yes}}{{age}}{{../age}}{{/if}}': '33',
    'plain': 'plain',
}


@pytest.mark.parametrize(('source', 'text'), RENDERED.items(), ids=list(RENDERED))
def test_a_template_renders_the_fields_it_names(source: str, text: str) -> None:
    assert TemplateStr(source).render(User()) == text


@pytest.mark.parametrize(
    ('value', 'text'),
    [({}, 'YW-'), ([], 'Nwe'), ('', 'Nwe'), (0, 'Nwe'), (None, 'Nwe'), (False, 'Nwe'), ('0', 'YWe'), ([0], 'YWE')],
)
def test_what_counts_as_a_value(value: Any, text: str) -> None:
    source = '{{#if v}}Y{{else}}N{{/if}}{{#with v}}W{{else}}w{{/with}}{{#each v}}E{{else}}e{{/each}}'
    assert TemplateStr(source).render({'v': value}) == text.replace('-', 'e')


def test_values_are_not_templates() -> None:
    assert TemplateStr('{{v}}').render({'v': '{{x}}', 'x': 1}) == '{{x}}'


class Model(BaseModel):
    a: int = 1

    @computed_field
    def double(self) -> int:
        return self.a * 2

    @property
    def hidden(self) -> int:
        raise AssertionError('properties are not read')


@dataclass
class Slotted:
    __slots__ = ('a',)
    a: int


@pytest.mark.parametrize(
    ('deps', 'text'),
    [
        ({'a': 1}, '1'),
        (Model(), '1'),
        (Slotted(1), '1'),
        (namedtuple('Point', 'a b')(1, 2), '1'),
        (None, ''),
        ('text', ''),
    ],
)
def test_kinds_of_dependencies(deps: Any, text: str) -> None:
    assert TemplateStr('{{a}}').render(deps) == text


def test_fields_that_models_compute() -> None:
    assert TemplateStr('{{double}}|{{hidden}}').render(Model()) == '2|'


class Client:
    """Has secrets in attributes, and code in properties."""

    def __init__(self) -> None:
        self.api_key = 'sk-1'

    @property
    def balance(self) -> int:
        raise AssertionError('properties are not read')


def test_only_declared_fields_are_read() -> None:
    @dataclass
    class Deps:
        client: Client

    deps = Deps(Client())
    assert TemplateStr('{{client.api_key}}|{{client.balance}}|{{client}}').render(deps) == '||<Client>'
    with pytest.raises(UserError, match='cannot read dependencies of the type Client, which declares no fields'):
        TemplateStr('{{api_key}}').render(Client())


class Armed:
    """Notes everything that is done with it."""

    def __init__(self) -> None:
        self.__dict__['uses'] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith('__'):  # pydantic asks whether it can write this down
            self.uses.append(name)
        raise AttributeError(name)

    def __str__(self) -> str:
        self.uses.append('str')
        return 'armed'

    def __bool__(self) -> bool:
        self.uses.append('bool')
        return True

    def __len__(self) -> int:
        self.uses.append('len')
        return 1

    def __iter__(self) -> Any:
        self.uses.append('iter')
        return iter('ab')

    def __call__(self, *args: Any) -> str:
        self.uses.append('call')
        return 'called'

    def fire(self) -> str:
        self.uses.append('fire')
        return 'fired'


@dataclass
class Target:
    armed: Armed
    function: Any
    generator: Any
    user: User

    def method(self) -> str:
        raise AssertionError('methods are not called')


ATTACKS = {
    '{{armed}}|{{function}}|{{generator}}': '<Armed>|<function>|<generator>',
    '{{#if armed}}a{{/if}}{{#armed}}b{{/armed}}{{#with armed}}c{{/with}}{{#each armed}}d{{/each}}': 'abc',
    '{{#if function}}a{{/if}}{{#function}}b{{/function}}{{#each function}}d{{/each}}': 'ab',
    '{{#each generator}}{{this}}{{/each}}{{generator.gi_frame}}': '',
    '{{method}}|{{armed.fire}}|{{armed.uses}}|{{lookup armed "fire"}}|{{lookup armed function}}': '||||',
    '{{armed.__class__}}|{{lookup this "__class__"}}|{{function.__globals__}}|{{lookup function "__code__"}}': '|||',
    '{{@root.__class__}}|{{@__class__}}|{{user.name.format}}|{{user.tags.pop}}|{{user.pairs.clear}}': '||||',
    '{{user._secret}}|{{lookup user "_secret"}}|{{#with user}}{{_secret}}{{/with}}': '||',
    '{{user.born.year}}|{{user.level.__objclass__}}|{{user.level.value}}|{{constructor}}|{{__proto__}}': '||||',
    '{{#each this}}{{@key}} {{/each}}': 'armed function generator user ',
}


@pytest.mark.parametrize(('source', 'text'), ATTACKS.items(), ids=[key[:40] for key in ATTACKS])
def test_templates_call_nothing(source: str, text: str) -> None:
    called: list[Any] = []

    def items() -> Iterator[int]:
        called.append('generator')
        yield 1

    deps = Target(Armed(), lambda *args: called.append(args), items(), User())
    assert TemplateStr(source).render(deps) == text
    assert (called, deps.armed.uses, deps.user) == ([], [], User())


REFUSED = {
    '{{name': 'not closed with `}}` (line 1)',
    'a\n{{{name}}': 'not closed with `}}}` (line 2)',
    '{{#if a}}': 'The block `if` of line 1 is not closed',
    '{{#each a}}\n{{#if b}}{{/each}}': '`{{/each}}` in line 2 does not close the block `if` of line 2',
    '{{/if}}': '`{{/if}}` in line 1 belongs to no block',
    '{{else}}': '`{{else}}` in line 1 belongs to no block',
    '{{#if a}}{{else}}{{else}}{{/if}}': 'more than one `else`',
    '{{> part}}': 'Partials',
    '{{upper name}}': "There is no helper 'upper' (line 1). There are the blocks if, unless, each, with, and `lookup`",
    '{{#repeat 3}}x{{/repeat}}': "There is no helper 'repeat'",
    '{{#if (eq a 1)}}x{{/if}}': "There is no helper 'eq'",
    '{{#if}}x{{/if}}': '`{{#if}}` in line 1 needs a value',
    '{{#if a b}}x{{/if}}': 'takes one value',
    '{{lookup a}}': 'lacks a value',
    '{{}}': 'is not an expression',
    '{{a | b}}': "There is no helper 'a'",
    '{{#with (lookup a b}}{{/with}}': 'is not closed',
    '{{!-- x': 'A comment is not closed',
    '{{{{raw}}}} x': 'A raw block is not closed',
    '{{#if a}}' * 60 + '{{/if}}' * 60: 'nested more than 50 deep',
    '{{' + 'lookup (' * 60 + '}}': 'nested more than 50 deep',
}


@pytest.mark.parametrize(('source', 'message'), REFUSED.items(), ids=[key[:30] for key in REFUSED])
def test_templates_that_cannot_be_understood(source: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        TemplateStr(source)
    assert message in str(caught.value)


FITTING = (
    '{{name}} {{home.city}} {{#each tags}}{{this}}{{/each}} {{#with home}}{{city}}{{../age}}{{/with}} {{pairs.any}}',
    '{{#each home.rooms as |room|}}{{room}}{{/each}}{{@root.x}}{{lookup pairs name}}{{tags.0}}',
)
WRONG = {
    '{{nam}}': "`nam` in line 1: there is no field 'nam'; there are: ",
    'a\n{{home.town}}': "`home.town` in line 2: there is no field 'town'; there are: city, rooms",
    '{{name.first}}': "there is no field 'first'; it is of the type string",
    '{{#with home}}{{age}}{{/with}}': "there is no field 'age'; there are: city, rooms",
    '{{#each tags}}{{name}}{{/each}}': "there is no field 'name'; it is of the type string",
    '{{#if yes}}{{nam}}{{/if}}': "there is no field 'nam'",
    '{{#with home as |h|}}{{h.x}}{{/with}}': "there is no field 'x'",
    '{{lookup home nam}}': "there is no field 'nam'",
}


@pytest.mark.parametrize('source', FITTING)
def test_templates_that_fit_the_dependencies(source: str) -> None:
    assert TemplateStr(source, deps_type=User).render(User())
    assert TemplateStr(source, deps_schema=TypeAdapter(User).json_schema())


@pytest.mark.parametrize(('source', 'message'), WRONG.items(), ids=list(WRONG))
def test_templates_that_do_not_fit(source: str, message: str) -> None:
    for options in ({'deps_type': User}, {'deps_schema': TypeAdapter(User).json_schema()}):
        with pytest.raises(UserError) as caught:
            TemplateStr(source, **options)  # type: ignore[arg-type]
        assert message in str(caught.value)


def test_types_that_say_nothing_are_not_checked() -> None:
    for deps_type in (dict[str, Any], Client, type(None), Any):
        assert TemplateStr('{{a.b}}', deps_type=deps_type).render({'a': {'b': 1}}) == '1'


def test_agents_take_templates() -> None:
    agent = Agent(
        TestModel(),
        deps_type=User,
        instructions=['First.', TemplateStr('Hi {{age}}')],
        description=TemplateStr('For {{name}}'),
    )
    result = agent.run_sync('x', deps=User(), instructions=TemplateStr('Of {{home.city}}'))
    assert result.all_messages()[0].instructions == 'First.\n\nHi 3\n\nOf Oslo'
    assert (agent.description, agent.render_description(User(name='B'))) == ('For {{name}}', 'For B')


def test_a_template_shows_its_source() -> None:
    template = TemplateStr('Hi {{a}}')
    assert (str(template), repr(template)) == ('Hi {{a}}', "TemplateStr('Hi {{a}}')")


def test_pydantic_reads_and_writes_templates() -> None:
    adapter = TypeAdapter(TemplateStr[Any])
    assert str(adapter.validate_python('{{a}}')) == '{{a}}'
    assert adapter.dump_json(TemplateStr('{{a}}')) == b'"{{a}}"'
    assert adapter.json_schema() == {'type': 'string'}
    for value, message in (('plain', 'text with `{{`'), (3, 'should be text'), ('{{#if}}', 'needs a value')):
        with pytest.raises(ValueError, match=message):
            adapter.validate_python(value)


# The first became 13 million characters, from 120.
NESTED = '{{#each a}}{{#each ../a}}{{#each ../../a}}{{#each ../../../a}}%s{{/each}}{{/each}}{{/each}}{{/each}}'
BOMBS = {
    NESTED
    % 'xxxxxxxxxxxxx': 'its text has more than 1000000 characters (set by `set_input_bounds(template_length=...)`',
    NESTED % '': 'its blocks repeat more than 200000 parts (set by `set_input_bounds(template_steps=...)`',
    NESTED % '{{#if a}}{{/if}}': 'its blocks repeat more than 200000 parts',
    '{{#each a}}{{#each ../many}}{{/each}}{{/each}}': 'its blocks repeat more than 200000 parts',
    '{{#a}}{{#../many}}{{/../many}}{{/a}}': 'its blocks repeat more than 200000 parts',
    '{{#each a}}{{../long}}{{/each}}': 'its text has more than 1000000 characters',
}


@pytest.mark.parametrize(('source', 'message'), BOMBS.items(), ids=[key[-40:] for key in BOMBS])
def test_the_text_of_a_template_and_the_work_for_it_are_bounded(source: str, message: str) -> None:
    start = time.process_time()
    with pytest.raises(UserError) as caught:
        TemplateStr(source).render({'a': [*range(32)], 'many': [0] * 50_000, 'long': 'x' * 100_000})
    assert message in str(caught.value)
    assert time.process_time() - start < 3


def test_a_large_value_is_not_written_out_to_be_a_key() -> None:
    class Written(dict[str, int]):
        def items(self) -> Any:
            raise AssertionError('it is written out')

    assert TemplateStr('{{lookup a b}}|{{lookup a 1}}').render({'a': {'1': 'x'}, 'b': Written(a=1)}) == '|x'


def test_bounds_of_templates_can_be_set() -> None:
    template = TemplateStr('{{#each a}}{{this}}{{/each}}')
    before = set_input_bounds(template_length=3, template_steps=8)
    try:
        assert template.render({'a': [1, 2, 3]}) == '123'
        with pytest.raises(UserError, match='more than 3 characters'):
            template.render({'a': [10, 20]})
        with pytest.raises(UserError, match='more than 8 parts'):
            template.render({'a': [1, 2, '', '']})
    finally:
        set_input_bounds(before)
