"""Promises about YAML, in specs and at the beginning of skills: it costs little, or is refused by name, and bounds can be set."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stead.agent.spec import AgentSpec
from stead.bounds import InputBounds, input_bounds, set_input_bounds
from stead.capabilities import Capability
from stead.exceptions import UserError

pytest.importorskip('yaml')

LONGEST = 200_000
MOST_SECONDS = 0.5
"""The processor time that YAML may take here. It takes a tenth of that; without the bounds, these take seconds."""
SET_BY = r'set by `set_input_bounds\('


@pytest.fixture(autouse=True)
def bounds() -> Iterator[InputBounds]:
    before = input_bounds()
    yield before
    set_input_bounds(before)


def upto(line: str, length: int = LONGEST - 1_000) -> str:
    return line * (length // len(line))


def numbered(line: str, length: int = LONGEST - 1_000) -> str:
    return ''.join(line.format(number) for number in range(length // (len(line) + 3)))


WRITTEN = rf'more than 10000 values are written in it \({SET_BY}yaml_values=\.\.\.'
DEEP = rf'nested deeper than 100 levels \({SET_BY}yaml_depth=\.\.\.'
NUMBER = rf'has a number of \d+ characters, where the limit is 1000.*{SET_BY}yaml_digits=\.\.\.'
LARGE: dict[str, tuple[str, str]] = {
    # The YAML, and what is said about it.
    'numbers in a list': (f'[{upto("1,")}]', WRITTEN),
    'lists in a list': (f'[{upto("[],")}]', WRITTEN),
    'entries': (numbered('k{}: v\n'), WRITTEN),
    'keys without values': (upto('? a\n'), WRITTEN),
    'anchors': (numbered('- &a{} x\n'), WRITTEN),
    'aliases': (f'- &a x\n{upto("- *a" + chr(10))}', WRITTEN),
    'tags': (upto('- !!str x\n'), WRITTEN),
    'documents': (upto('---\n'), WRITTEN),
    'open lists': ('[' * (LONGEST - 1), DEEP),
    'open mappings': (upto('{a: '), DEEP),
    'lists in lines': (upto('- '), DEEP),
    'indented lines': (''.join(' ' * level + 'a:\n' for level in range(600)), DEEP),
    'directives': (numbered('%TAG !e{}! tag:x\n') + '---\na', 'more than 100 `%TAG` lines'),
    'directives after carriage returns': (numbered('%TAG !e{}! tag:x\r') + '---\ra', 'more than 100 `%TAG` lines'),
    'a number on the base 60': (f'a: {upto("1:")}1', NUMBER),
    'a fraction on the base 60': (f'a: {upto("1:")}1.5', NUMBER),
    'a number': (f'a: {upto("1")}', NUMBER),
    'numbers that are equal as hashes': (
        ''.join(f'{number * (2**61 - 1)}: 1\n' for number in range(7_400)),
        WRITTEN,
    ),
    'a text': ('a' * (LONGEST - 1), 'a spec is an object'),
    'a long key': (f'? {"k" * 150_000}\n: 1', 'there is no key'),
    'text at the top': (numbered('"{}",').join('[]'), WRITTEN),
    'values at the top': ('[' + '2001-01-01,' * 9_000 + ']', 'a spec is an object'),
    'one more character': ('#' * (LONGEST + 1), rf'is too long: 200001 characters.*{SET_BY}yaml_length=\.\.\.'),
}


def error_of(text: str) -> str:
    begin = time.thread_time()
    with pytest.raises(UserError) as caught:
        AgentSpec.from_text(text)
    assert time.thread_time() - begin < MOST_SECONDS
    return str(caught.value)


@pytest.mark.parametrize('name', LARGE)
def test_large_yaml_is_refused_early_and_by_name(name: str) -> None:
    text, pattern = LARGE[name]
    message = error_of(text)
    assert re.search(pattern, message), message
    assert len(message) < 2_000


def test_what_aliases_refer_to_is_looked_at_once() -> None:
    set_input_bounds(yaml_expanded_values=2**100)  # what follows is 2**91 values, which no one could count one by one
    levels = ['a0: &a0 [x, x]', *(f'a{n}: &a{n} [*a{n - 1}, *a{n - 1}]' for n in range(1, 90))]
    metadata = AgentSpec.from_text('model: test\nmetadata:\n  ' + '\n  '.join(levels)).metadata
    assert metadata is not None and metadata['a1'] == [['x', 'x'], ['x', 'x']] and len(metadata) == 90


def test_a_spec_of_a_long_text_is_read() -> None:
    words = upto('  words that go on and on, "quoted" and: not\n')
    begin = time.thread_time()
    spec = AgentSpec.from_text(f'model: test\ninstructions: |\n{words}')
    assert time.thread_time() - begin < MOST_SECONDS
    assert isinstance(spec.instructions, str) and len(spec.instructions) > 180_000


def test_bounds_can_be_set_and_hold_for_the_process() -> None:
    text = 'model: test\nmetadata: {' + ', '.join(f'k{number}: 1' for number in range(6_000)) + '}'
    assert 'more than 10000 values' in error_of(text)
    before = set_input_bounds(yaml_values=20_000)
    metadata = AgentSpec.from_text(text).metadata
    assert metadata is not None and len(metadata) == 6_000
    assert set_input_bounds(before).yaml_values == 20_000
    assert 'more than 10000 values' in error_of(text)


SMALLER = {
    # What is set, and YAML that is over it.
    'yaml_length': 'model: test # and more',
    'yaml_values': 'model: test\nmetadata: {a: 1, b: 2, c: 3, d: 4}',
    'yaml_expanded_values': 'model: test\nmetadata: {a: &a [1, 2], b: *a, c: *a, d: *a}',
    'yaml_depth': f'model: test\nmetadata: {{a: {"[" * 9}{"]" * 9}}}',
    'yaml_merged': f'model: test\nmetadata: {{a: &a {{{", ".join(f"k{n}: 1" for n in range(9))}}}, b: {{<<: *a}}}}',
    'yaml_digits': 'model: test\nmetadata: {a: 1234567890}',
}


@pytest.mark.parametrize('name', SMALLER)
def test_each_bound_of_yaml_is_named_by_its_error(name: str) -> None:
    AgentSpec.from_text(SMALLER[name])
    set_input_bounds(**{name: 8})
    assert f'set_input_bounds({name}=...)' in error_of(SMALLER[name])


def test_frontmatter_and_skills_have_bounds_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / 'skill.md'
    file.write_text(f'---\ndescription: {"x" * 30_000}\n---\nDo it.')
    with pytest.raises(UserError, match=rf'is too long: .* where the limit is 20000 \({SET_BY}frontmatter_length'):
        Capability[Any].from_markdown(file)
    set_input_bounds(frontmatter_length=40_000)
    assert Capability[Any].from_markdown(file).description == 'x' * 30_000
    set_input_bounds(skill_size=20_000)
    with pytest.raises(UserError, match='is too large: .* bytes, where the limit is 20000'):
        Capability[Any].from_markdown(file)


@pytest.mark.parametrize(
    ('values', 'error', 'beginning'),
    [
        ({'yaml_lenght': 5}, TypeError, "There is no bound 'yaml_lenght'. There are: answer_errors, "),
        ({'yaml_length': '5'}, TypeError, "`yaml_length` is '5', which is not a whole number."),
        ({'yaml_length': True}, TypeError, '`yaml_length` is True'),
        ({'yaml_length': None}, TypeError, '`yaml_length` is None'),
        ({'yaml_values': 0}, ValueError, '`yaml_values` is 0. It must be at least 1.'),
        ({'yaml_depth': 501}, ValueError, '`yaml_depth` is 501. It must be at most 500'),
    ],
)
def test_bounds_of_other_types_and_names_change_nothing(values: Any, error: type[Exception], beginning: str) -> None:
    before = input_bounds()
    with pytest.raises(error) as caught:
        set_input_bounds(**values)
    assert str(caught.value).startswith(beginning)
    assert input_bounds() is before


def test_the_deepest_yaml_that_a_bound_lets_through_does_not_end_the_process() -> None:
    code = """if True:
        from stead._kit.plain_yaml import read_yaml
        from stead.bounds import set_input_bounds
        set_input_bounds(yaml_depth=500)
        for text in ('['*496 + ']'*496, '- '*496 + 'a', '['*5000, '- '*90_000):
            try:
                read_yaml(text)
            except ValueError as error:
                print(str(error)[:60])
    """
    process = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.count('holds too much') >= 2


def test_yaml_is_the_same_without_libyaml() -> None:
    code = """if True:
        import sys, yaml
        from stead._kit.plain_yaml import read_yaml
        if len(sys.argv) > 1:
            del yaml.CSafeLoader
        for text in ('[' + '[],' * 66_000 + ']', '[' * 5000, '{a: &a {x: 1}, b: {<<: *a}, c: [1_0, 1:1, 0x10, 2001-01-01, .inf]}'):
            try:
                print(read_yaml(text))
            except ValueError as error:
                print(error)
    """
    outputs = [subprocess.check_output([sys.executable, '-c', code, *more], text=True) for more in ([], ['without'])]
    assert outputs[0] == outputs[1]
    assert "'c': [10, 61, 16, datetime.date(2001, 1, 1), inf]" in outputs[0]
