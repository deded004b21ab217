"""From the text of a template to its nodes.

Known are paths (`a.b`, `a.[0]`, `../a`, `this`, `@index`, `@key`, `@first`, `@last`, `@root`), the blocks `if`, `unless`,
`each` and `with` with `else` chains and block parameters, sections (`{{#name}}`, `{{^name}}`), `lookup`, comments, raw
blocks and `~`. Nothing is escaped: templates make text for models, not HTML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

from typing_extensions import TypeAlias

MOST_NESTING = 50
"""How deep blocks and calls may be nested."""
BLOCKS = ('if', 'unless', 'each', 'with')
_TOKEN = re.compile(r'\s+|"([^"]*)"|\'([^\']*)\'|([()|=])|((?:\[[^\]]*\]|[^\s"\'()|=\[\]{}~])+)')
_NUMBER = re.compile(r'-?\d+(\.\d+)?')
_LITERALS: dict[str, Any] = {'true': True, 'false': False, 'null': None, 'undefined': None}


class TemplateError(ValueError):
    """A template cannot be understood; the message says where and why."""


class Literal(NamedTuple):
    """A value that stands in the template."""

    value: Any


class Path(NamedTuple):
    """A way to a value: how many levels up, and from there the names of fields."""

    source: str
    up: int
    parts: tuple[str, ...]
    is_data: bool = False
    """Whether it begins with `@`."""


class Lookup(NamedTuple):
    """A call of `lookup`: a field whose name is a value itself."""

    target: Expression
    key: Expression


Expression: TypeAlias = Union[Literal, Path, Lookup]


class Output(NamedTuple):
    """A value to print."""

    value: Expression
    line: int


class Block(NamedTuple):
    """A block: what to do with a value, for the case that there is one and for the other."""

    helper: str
    """One of `BLOCKS`, or `section`."""
    value: Expression
    names: tuple[str, ...]
    """Block parameters."""
    body: list[Node]
    inverse: list[Node]
    line: int


Node: TypeAlias = Union[str, Output, Block]


class _Tag(NamedTuple):
    kind: str
    """`''`, `#`, `^`, `/`, `else` or `end`."""
    content: str
    line: int


@dataclass
class _Reader:
    """Cuts a template into text and tags."""

    source: str
    position: int = 0
    pending: str = ''
    """Text that was read, and may still lose its whitespace to a `~`."""
    strip_next: bool = False

    def line(self, position: int) -> int:
        return self.source.count('\n', 0, position) + 1

    def fail(self, message: str, position: int | None = None) -> TemplateError:
        return TemplateError(f'{message} (line {self.line(self.position if position is None else position)})')

    def take_text(self) -> str:
        text, self.pending = self.pending, ''
        return text

    def _add_text(self, text: str) -> None:
        if self.strip_next:
            text = text.lstrip()
            self.strip_next = self.strip_next and not text
        self.pending += text

    def next_tag(self) -> _Tag:
        """Return the next tag; the text before it is in `pending`."""
        source = self.source
        while True:
            start = source.find('{{', self.position)
            if start < 0:
                self._add_text(source[self.position :])
                self.position = len(source)
                return _Tag('end', '', self.line(len(source)))
            before = source[self.position : start]
            self.position = start
            if before.endswith('\\\\'):
                self._add_text(before[:-1])
            elif before.endswith('\\'):
                self._add_text(before[:-1] + '{{')
                self.position += 2
                continue
            else:
                self._add_text(before)
            if source.startswith('{{{{', start):
                self._raw_block(start)
                continue
            tag = self._tag(start)
            if tag is not None:
                return tag

    def _raw_block(self, start: int) -> None:
        match = re.compile(r'\{\{\{\{\s*([\w-]+)\s*\}\}\}\}(.*?)\{\{\{\{/\1\}\}\}\}', re.DOTALL).match(
            self.source, start
        )
        if match is None:
            raise self.fail('A raw block is not closed')
        self._add_text(match[2])
        self.position = match.end()

    def _tag(self, start: int) -> _Tag | None:
        source = self.source
        opened = start + 3 if source.startswith('{{~', start) else start + 2
        if opened > start + 2:
            self.pending = self.pending.rstrip()
        self.strip_next = False
        if source.startswith('!', opened):
            close = '--}}' if source.startswith('!--', opened) else '}}'
            end = source.find(close, opened)
            if end < 0:
                raise self.fail('A comment is not closed')
            self.position = end + len(close)
            self.strip_next = source[end - 1] == '~' and close == '}}'
            return None
        triple = source.startswith('{', opened)
        close = '}}}' if triple else '}}'
        end = source.find(close, opened)
        if end < 0:
            raise self.fail(f'`{source[start : start + 20]}` is not closed with `{close}`')
        content = source[opened + triple : end]
        self.position = end + len(close)
        if content.endswith('~'):
            content, self.strip_next = content[:-1], True
        content = content.strip()
        line = self.line(start)
        if not triple and content[:1] in ('#', '^', '/', '&', '>'):
            kind, content = content[0], content[1:].strip()
            if kind == '>':
                raise self.fail('Partials (`{{> name}}`) are not supported', start)
            if kind == '^' and not content:
                return _Tag('else', '', line)
            return _Tag('' if kind == '&' else kind, content, line)
        if not triple and (content == 'else' or content.startswith('else ')):
            return _Tag('else', content[4:].strip(), line)
        return _Tag('', content, line)


@dataclass
class _Parser:
    reader: _Reader
    depth: int = 0

    def nodes(self) -> tuple[list[Node], _Tag]:
        """Return nodes up to a tag that ends them, and that tag."""
        found: list[Node] = []
        while True:
            tag = self.reader.next_tag()
            if text := self.reader.take_text():
                found.append(text)
            if tag.kind == '':
                found.append(Output(self._value(tag), tag.line))
            elif tag.kind in ('#', '^'):
                found.append(self._block(tag))
            else:
                return found, tag

    def _value(self, tag: _Tag) -> Expression:
        tokens = self._tokens(tag)
        if tokens[:1] == ['lookup'] and len(tokens) > 1:
            value, rest = self._lookup(tokens, tag)
        else:
            value, rest = self._expression(tokens, tag)
        if rest:
            raise self._unknown(tokens[0], tag)
        return value

    def _unknown(self, name: str, tag: _Tag) -> TemplateError:
        return TemplateError(
            f'There is no helper {name!r} (line {tag.line}). There are the blocks {", ".join(BLOCKS)}, and `lookup`.'
        )

    def _block(self, tag: _Tag) -> Block:
        self.depth += 1
        if self.depth > MOST_NESTING:
            raise TemplateError(f'Blocks are nested more than {MOST_NESTING} deep (line {tag.line}).')
        helper, value, names = self._head(tag)
        body, end = self.nodes()
        inverse: list[Node] = []
        if end.kind == 'else':
            inverse, end = self._else(end)
        opened = tag.content.split()[0] if tag.content else ''
        if end.kind == 'end':
            raise TemplateError(f'The block `{opened}` of line {tag.line} is not closed with `{{{{/{opened}}}}}`.')
        if end.content != opened:
            raise TemplateError(
                f'`{{{{/{end.content}}}}}` in line {end.line} does not close the block `{opened}` of line {tag.line}.'
            )
        self.depth -= 1
        if tag.kind == '^':
            body, inverse = inverse, body
        return Block(helper, value, names, body, inverse, tag.line)

    def _else(self, tag: _Tag) -> tuple[list[Node], _Tag]:
        """Return the nodes after an `else`; one that continues with a block is a block inside of them."""
        if not tag.content:
            nodes, end = self.nodes()
            if end.kind == 'else':
                raise TemplateError(f'There is more than one `else` for a block (line {end.line}).')
            return nodes, end
        helper, value, names = self._head(tag)
        body, end = self.nodes()
        inverse: list[Node] = []
        if end.kind == 'else':
            inverse, end = self._else(end)
        return [Block(helper, value, names, body, inverse, tag.line)], end

    def _head(self, tag: _Tag) -> tuple[str, Expression, tuple[str, ...]]:
        """Return the helper, the value and the parameters that a block begins with."""
        content, _, named = tag.content.partition(' as |')
        names = tuple(named.rstrip('| ').split())
        tokens = self._tokens(tag._replace(content=content))
        if tokens[0] in BLOCKS:
            if len(tokens) == 1:
                raise TemplateError(f'`{{{{#{tokens[0]}}}}}` in line {tag.line} needs a value.')
            value, rest = self._expression(tokens[1:], tag)
            if rest:
                raise TemplateError(f'`{{{{#{tokens[0]}}}}}` in line {tag.line} takes one value.')
            return tokens[0], value, names
        value, rest = self._expression(tokens, tag)
        if rest:
            raise self._unknown(tokens[0], tag)
        return 'section', value, names

    def _tokens(self, tag: _Tag) -> list[str]:
        tokens: list[str] = []
        position = 0
        while position < len(tag.content):
            match = _TOKEN.match(tag.content, position)
            if match is None:
                break
            position = match.end()
            if not match[0].isspace():
                tokens.append(match[0])
        if position < len(tag.content) or not tokens or tokens[0] == 'else':
            raise TemplateError(f'`{{{{{tag.content}}}}}` in line {tag.line} is not an expression.')
        return tokens

    def _expression(self, tokens: list[str], tag: _Tag) -> tuple[Expression, list[str]]:
        """Return the expression that tokens begin with, and the rest of them."""
        if not tokens:
            raise TemplateError(f'`{{{{{tag.content}}}}}` in line {tag.line} lacks a value.')
        token, rest = tokens[0], tokens[1:]
        if token == '(':
            if rest[:1] != ['lookup']:
                raise self._unknown(rest[0] if rest else '', tag)
            self.depth += 1
            if self.depth > MOST_NESTING:
                raise TemplateError(f'Calls are nested more than {MOST_NESTING} deep (line {tag.line}).')
            value, rest = self._lookup(rest, tag)
            self.depth -= 1
            if rest[:1] != [')']:
                raise TemplateError(f'A parenthesis in line {tag.line} is not closed.')
            return value, rest[1:]
        if token[0] in '"\'':
            return Literal(token[1:-1]), rest
        if token in _LITERALS:
            return Literal(_LITERALS[token]), rest
        if _NUMBER.fullmatch(token):
            return Literal(float(token) if '.' in token else int(token)), rest
        if token in ')|=':
            raise TemplateError(f'`{{{{{tag.content}}}}}` in line {tag.line} is not an expression.')
        return parse_path(token), rest

    def _lookup(self, tokens: list[str], tag: _Tag) -> tuple[Expression, list[str]]:
        target, rest = self._expression(tokens[1:], tag)
        key, rest = self._expression(rest, tag)
        return Lookup(target, key), rest


def parse_path(source: str) -> Path:
    """Return a path, as it is written in templates."""
    rest, up = source, 0
    is_data = rest.startswith('@')
    rest = rest[is_data:]
    while rest.startswith('../') or rest == '..':
        up, rest = up + 1, rest[3:]
    while rest.startswith('./') or rest == '.':
        rest = rest[2:]
    parts = [part[1:-1] if part.startswith('[') else part for part in re.findall(r'\[[^\]]*\]|[^./\[\]]+', rest)]
    if parts[:1] == ['this'] and not is_data:
        parts = parts[1:]
    return Path(source, up, tuple(parts), is_data)


def read_template(source: str) -> list[Node]:
    """Return the nodes of a template.

    Raises:
        TemplateError: It cannot be understood.
    """
    nodes, end = _Parser(_Reader(source)).nodes()
    if end.kind != 'end':
        name = 'else' if end.kind == 'else' else f'/{end.content}'
        raise TemplateError(f'`{{{{{name}}}}}` in line {end.line} belongs to no block.')
    return nodes
