"""Grammars for a decoder, from bounded schemas: the JSON that is valid under one, with a single way to write each value.

There are two languages: the variant of Lark that llguidance reads, which llama.cpp consults before every token; and
llama.cpp's own, GBNF, which is slower, but works with every tokenizer. White space is that of `json.dumps`, so that what
models write looks like what they have read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from typing_extensions import TypeAlias

from .patterns import ANY_CHARACTER, decimals, integers
from .schema import Node

HEADER = '%llguidance {}'
_ESCAPED = r'\\["\\nt]'


Language: TypeAlias = Literal['lark', 'gbnf']


def grammar_of(schema: Node, *, before: str = '', language: Language = 'lark') -> str:
    """Return the grammar of a schema that `bounded` returned.

    Args:
        schema: The schema.
        before: Text that comes before the JSON.
        language: The language of the grammar.
    """
    return _Compiler(schema, language).compile(before)


class _Compiler:
    def __init__(self, root: Node, language: Language) -> None:
        self.root = root
        self.language = language
        self.rules: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._definitions: dict[str, str] = {}

    def compile(self, before: str) -> str:
        start = self.value(self.root)
        if before:
            start = f'{_text(before)} {start}'
        if self.language == 'gbnf':
            lines = [f'{name} ::= {body}' for name, body in (('root', start), *self.rules.items())]
        else:
            lines = [HEADER, *(f'{name}: {body}' for name, body in (('start', start), *self.rules.items()))]
        return '\n'.join(lines) + '\n'

    def regex(self, expression: str) -> str:
        """Translate an expression of `patterns.py` into the language of the grammar."""
        if self.language == 'gbnf':
            return as_gbnf(expression)
        return '/' + expression.replace('\\/', '/').replace('/', '\\/') + '/'

    def rule(self, body: str) -> str:
        """Return the name of a rule; rules with the same body are one."""
        name = self._names.get(body)
        if name is None:
            name = self._names[body] = f'r{len(self._names)}'
            self.rules[name] = body
        return name

    def value(self, node: Node) -> str:
        """Return the expression of a value."""
        if '$ref' in node:
            return self._definition(str(node['$ref']))
        if 'anyOf' in node:
            return self.rule(' | '.join(dict.fromkeys(self.value(option) for option in node['anyOf'])))
        if 'enum' in node:
            options = dict.fromkeys(_text(_json(value)) for value in node['enum'])
            return next(iter(options)) if len(options) == 1 else self.rule(' | '.join(options))
        kind: Any = getattr(self, f'_{node["type"]}')
        return kind(node)

    def _definition(self, pointer: str) -> str:
        if pointer not in self._definitions:
            name = pointer.removeprefix('#/$defs/')
            self._definitions[pointer] = self.value(self.root['$defs'][name])
        return self._definitions[pointer]

    def _null(self, node: Node) -> str:
        return '"null"'

    def _boolean(self, node: Node) -> str:
        return self.rule('"true" | "false"')

    def _integer(self, node: Node) -> str:
        return self.rule(self.regex(integers(int(node['minimum'].__ceil__()), int(node['maximum'].__floor__())) or '0'))

    def _number(self, node: Node) -> str:
        return self.rule(self.regex(decimals(node['minimum'], node['maximum'], node['places']) or '0'))

    def _string(self, node: Node) -> str:
        least, most, form = node.get('minLength', 0), node.get('maxLength'), node.get('pattern')
        free = f'"({ANY_CHARACTER}|{_ESCAPED}){{{least},{most}}}"'
        if form is None:
            return self.rule(self.regex(free))
        if most is None:
            return self.rule(self.regex(f'"({form})"'))
        written = f'"({form})"'
        if self.language == 'gbnf':  # GBNF has no intersections; the pattern matters more than the length
            return self.rule(self.regex(written))
        body = f'{self.regex(written)} & {self.regex(free)}'
        name = self._names.setdefault(body, f'T{len(self._names)}')
        self.rules[name] = body
        return name

    def _array(self, node: Node) -> str:
        first: list[str] = [self.value(item) for item in node.get('prefixItems', ())]
        least, most = int(node['minItems']), int(node['maxItems'])
        if most == 0:
            return '"[]"'
        rest = self.value(node['items']) if node['items'] is not False else None
        items = [*first[:most], *([rest] * (most - len(first)) if rest is not None else [])]
        # From the last item to the first: each stands with all that may follow it.
        tail = ''
        prefix = len(first)
        if rest is not None and most > max(least, prefix):
            # `{0,n}` rather than `n` nested rules
            begin = max(least, prefix, 1)
            tail = f'({_text(", ")} {rest}){{0,{most - begin}}}' if most > begin else ''
            items = items[:begin]
        for place in range(len(items) - 1, 0, -1):
            item = f'{_text(", ")} {items[place]} {tail}'.strip()
            tail = item if place < least else f'({item})?'
        whole = f'{_text("[")} {items[0]} {tail} {_text("]")}'
        return self.rule(whole if least > 0 else f'"[]" | {whole}')

    def _object(self, node: Node) -> str:
        if 'propertyNames' in node:
            return self._mapping(node)
        properties: dict[str, Node] = node['properties']
        required = set(node['required'])
        pairs = [(f'{_json(name)}: ', self.value(value), name in required) for name, value in properties.items()]
        # From the last property to the first: what may follow when something stands before, and when nothing does.
        after, at_start = _text('}'), _text('}')
        for position in range(len(pairs) - 1, -1, -1):
            key, value, needed = pairs[position]
            later = f'{_text(", " + key)} {value} {after}'
            first = f'{_text(key)} {value} {after}'
            new_after = later if needed else self.rule(f'{later} | {after}')
            at_start = first if needed else self.rule(f'{first} | {at_start}')
            after = new_after
        return self.rule(f'{_text("{")} {at_start}')

    def _mapping(self, node: Node) -> str:
        required = [name for name in node.get('required', ()) if name in node.get('properties', {})]
        pairs = [f'{_text(_json(name) + ": ")} {self.value(node["properties"][name])}' for name in required]
        value = self.value(node['additionalProperties'])
        pairs += [f'{self.value(name)} ": " {value}' for name in node.get('fixedNames', ())]
        least, most = int(node['minProperties']), int(node['maxProperties'])
        pair = f'{self.value(node["propertyNames"])} ": " {value}'
        left = most - len(node.get('fixedNames', ()))
        least = max(least - len(node.get('fixedNames', ())), 0)
        if not pairs and left > 0:
            pairs, left, needed = [pair], left - 1, least > 0
            least = max(least - 1, 0)
        else:
            needed = True
        if not pairs:
            return '"{}"'
        inner = f' {_text(", ")} '.join(pairs)
        more = f' ({_text(", ")} {pair}){{{least},{left}}}' if left > 0 else ''
        whole = f'"{{" {inner}{more} "}}"'
        return self.rule(whole if needed else f'"{{}}" | {whole}')


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(text: str) -> str:
    """Return the expression of a text."""
    return json.dumps(text, ensure_ascii=False)


# The parts of an expression: a class, a repeat, a group or an alternative, and a character, escaped or not.
_PARTS = re.compile(
    r'(?P<group>\[(?:[^\\\]]|\\.)*\]|\{[0-9]+(?:,[0-9]*)?\}|[()|?])|(?P<char>\\x[0-9a-f]{2}|\\.|.)', re.DOTALL
)


def as_gbnf(expression: str) -> str:
    """Translate an expression of `patterns.py` into GBNF, in which literal texts stand in quotes."""
    parts: list[str] = []
    text = ''
    for part in _PARTS.finditer(expression):
        if (char := part['char']) is not None:
            if char.startswith('\\'):
                char = chr(int(char[2:], 16)) if char.startswith('\\x') else char[1]
            if expression[part.end() : part.end() + 1] not in ('{', '?'):
                text += char
                continue
            parts += [_text(text), _text(char)] if text else [_text(char)]  # the repeat is of this character only
        else:
            # Classes escape by code point: GBNF allows few characters behind a backslash.
            group = re.sub(r'\\([^x])', lambda match: f'\\x{ord(match[1]):02x}', part['group'])
            parts += [_text(text), group] if text else [group]
        text = ''
    return ' '.join([*parts, _text(text)] if text else parts)


def alternatives(nodes: Iterable[Node]) -> Node:
    """Return the schema of one out of several."""
    options = list(nodes)
    return options[0] if len(options) == 1 else {'anyOf': options}
