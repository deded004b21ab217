"""The table: features down, vendors across. A cell says what a vendor's API is sent and what is read from its answers,
as cases that run against a loopback server; or that it has no such thing, and what happens if one asks for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from _vocabulary import request_of
from _wire import Wire

from stead.models import ModelRequestParameters

from ._match import ABSENT

REQUEST, RESPONSE, STREAM = 'request', 'response', 'stream'
DIRECTIONS = (REQUEST, RESPONSE, STREAM)
COLUMNS = (
    'openai_chat',
    'openai_responses',
    'anthropic',
    'google',
    'xai',
    'groq',
    'mistral',
    'huggingface',
    'cohere',
    'bedrock',
    'openrouter',
    'cerebras',
    'ollama',
    'outlines',
)
"""The files of the vendors, in the order of the page."""


@dataclass
class Case:
    """A request to a loopback server: what is asked, what it answers, and what must be seen."""

    # What is asked.
    messages: Sequence[Any] = (request_of('hello'),)
    params: ModelRequestParameters = field(default_factory=ModelRequestParameters)
    settings: dict[str, Any] | None = None
    model: str | None = None
    profile: Any = None
    link: tuple[type, str] | None = None
    """A link of a prompt: its type, and its file."""
    download: tuple[bytes, str] | None = None
    """What the link leads to and its media type, where stead downloads it; else the link itself is sent."""
    output: Any = None
    """The output type of an agent, which then sends the request."""
    capability: Callable[[], Any] | None = None
    """Makes a capability of such an agent."""
    history: bool = False
    """Whether the answer is read first, and then sent back with another prompt."""
    cancel: bool = False
    """Whether the stream of `text` is asked for again, and cancelled while somebody waits for more of it."""
    count: bool = False
    """Whether the tokens of the request are counted, rather than it is sent."""
    # What the server answers.
    reply: Any = None
    """A `Reply`, or a function that makes one."""
    # What must be seen.
    body: Any = None
    """The body of the last request; all such values are patterns, see `_match.py`."""
    headers: dict[str, Any] | None = None
    path: str | None = None
    parts: list[Any] | None = None
    pieces: list[str] | None = None
    """The texts and arguments of a stream, as they come."""
    response: dict[str, Any] | None = None
    """Attributes of the response."""
    result: Any = None
    """The output of the agent, or the usage that was counted."""
    cost: bool = False
    """Whether the response has a price."""
    error: type[Exception] | None = None
    match: str = ''
    fault: dict[str, Any] | None = None
    """Attributes of the error."""
    warns: str | None = None
    folds: bool = True
    """Whether somebody who only listens to the events of a stream knows all that is in its response."""


@dataclass(frozen=True, repr=False)
class Feature:
    """A row: what is asked of all vendors, and what must be read from all of them."""

    name: str
    title: str
    directions: tuple[str, ...]
    common: dict[str, Any]


@dataclass
class Section:
    """Rows that belong together."""

    title: str
    about: str
    rows: list[Feature] = field(default_factory=list)

    def row(self, name: str, title: str, directions: str, **common: Any) -> None:
        """Add a feature, with what the cases of all vendors have in common."""
        ways = tuple(way for way in DIRECTIONS if way in directions.split())
        self.rows.append(Feature(name, title, ways, common))


@dataclass
class Cell:
    """What there is to say about a vendor, a feature and a direction."""

    has: bool
    cases: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(repr=False)
class Vendor:
    """A column: how to reach the vendor, and its cells."""

    name: str
    title: str
    about: str
    """What the page says of the column."""
    sdk: str
    """The module of its SDK."""
    provider: Callable[[Any], Any]
    """Makes the provider whose requests go to a server."""
    build: Callable[..., Any]
    """Makes a model of a name, `provider` and `profile`."""
    model: str
    """The model that is asked, unless a case names another."""
    answer: Any
    """The answer to requests about whose answers nothing is asked."""
    serve: Callable[[], Any] = Wire
    """Makes the server."""
    plain: Callable[[Any], Any] = lambda body: body
    """Makes the same of what different releases of the SDK send."""
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    inherited: set[tuple[str, str]] = field(default_factory=set)
    """Cells that are those of another vendor until they are said again."""

    def like(self, name: str, title: str, about: str, **changes: Any) -> Vendor:
        """Return a vendor that has the cells of this one; say again those that differ."""
        cells = {place: Cell(cell.has, list(cell.cases), list(cell.notes)) for place, cell in self.cells.items()}
        return replace(self, name=name, title=title, about=about, cells=cells, inherited=set(cells), **changes)

    def sends(self, feature: str, body: Any = None, *, note: str = '', **case: Any) -> None:
        """Say what a request has; several times, if a cell has several cases."""
        self._add(feature, REQUEST, {'body': body, **case}, note)

    def reads(self, feature: str, reply: Any = None, *, note: str = '', **case: Any) -> None:
        """Say what is read from a whole answer."""
        self._add(feature, RESPONSE, case if reply is None else {'reply': reply, **case}, note)

    def streams(self, feature: str, reply: Any = None, *, note: str = '', **case: Any) -> None:
        """Say what is read from a streamed answer."""
        self._add(feature, STREAM, case if reply is None else {'reply': reply, **case}, note)

    def answers(self, feature: str, whole: Any = None, streamed: Any = None, *, note: str = '', **case: Any) -> None:
        """Say what is read from an answer, whole and streamed."""
        self.reads(feature, whole, note=note, **case)
        self.streams(feature, streamed, note=note, **{'pieces': None, **case} if whole is streamed else case)

    def lacks(self, feature: str, *directions: str, why: str = '', **case: Any) -> None:
        """Say that the API has no such thing, and what happens if one asks for it, if that can be seen.

        Args:
            feature: The row.
            directions: The directions, if not all of them.
            why: What there is to say about it, besides that the API has none.
            case: What happens if one asks for it.
        """
        for direction in directions or row_of(feature).directions:
            self.cells[feature, direction] = Cell(False, [case] if case else [], [why] if why else [])

    def ignores(self, feature: str, *fields: str, why: str = '') -> None:
        """Say that the API has no such setting, and that no field of a request speaks of it."""
        self.lacks(feature, REQUEST, why=why, body=dict.fromkeys(fields, ABSENT))

    def anew(self, *features: str) -> None:
        """Forget what was said of features, to say it anew."""
        for place in [place for place in self.cells if place[0] in features]:
            del self.cells[place]

    def _add(self, feature: str, direction: str, case: dict[str, Any], note: str) -> None:
        if direction not in row_of(feature).directions:
            raise LookupError(f'{self.name}: the feature {feature!r} has no direction {direction!r}')
        place = (feature, direction)
        cell = self.cells.get(place)
        if cell is None or not cell.has or place in self.inherited:
            self.inherited.discard(place)
            cell = self.cells[place] = Cell(True)
        cell.cases.append(case)
        if note and note not in cell.notes:
            cell.notes.append(note)

    def cases(self, feature: Feature, direction: str) -> Iterator[Case]:
        """Yield the cases of a cell."""
        for own in self.cells[feature.name, direction].cases:
            fields = {**feature.common, **own}
            if direction == REQUEST:  # what is read is the matter of others
                fields = {**fields, 'parts': None, 'response': None, 'pieces': None, 'cost': False}
            elif direction == RESPONSE:
                fields = {**fields, 'pieces': None}
            if direction != REQUEST:
                fields['history'] = False
            if fields.get('reply') is None:
                fields['reply'] = self._reply(feature)
            yield Case(**fields)

    def _reply(self, feature: Feature) -> Any:
        """Return the answer to a request that has none of its own."""
        if feature.common.get('cancel'):
            return self.cells['text', STREAM].cases[0]['reply']
        read = self.cells.get((feature.name, RESPONSE))
        if read is not None and read.cases and 'reply' in read.cases[0]:
            return read.cases[0]['reply']
        return self.answer


def sections() -> list[Section]:
    """Return the rows of the table."""
    from ._features import SECTIONS

    return SECTIONS


def rows() -> list[Feature]:
    """Return all features."""
    return [row for section in sections() for row in section.rows]


def row_of(name: str) -> Feature:
    """Return a feature by its name."""
    found = {row.name: row for row in rows()}
    if name not in found:
        raise LookupError(f'there is no feature {name!r}; there are {sorted(found)}')
    return found[name]


def vendors() -> list[Vendor]:
    """Return the columns of the table."""
    return [importlib.import_module(f'.{name}', __package__).VENDOR for name in COLUMNS]
