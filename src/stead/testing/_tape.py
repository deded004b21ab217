"""The file of a cassette: requests with their responses, and calls of tools, one a line of JSON.

A request is kept as the model would see it, whatever vendor serves it: instructions, tools, settings and messages without what
differs from run to run, such as times and ids. Its key is a digest of that. A conversation is written once: a request
names the one that it continues, and has only the messages that are new. What is the same as in an earlier line is named by the
number of that line.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic_core import from_json

from .._kit.ids import canonical_json
from .._kit.json_types import JsonObject
from .._kit.secret import MASK, SECRET_WORDS, is_secret, masked_data, masked_text
from .._kit.shown_json import shown_json
from .._show.changes import cut_down, view_parameters, view_settings, view_tools
from .._show.compared import Conversation, Conversations, compared_part, next_digest
from ..exceptions import UserError
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from ..models import ModelRequestParameters
from ..settings import ModelSettings

FORMAT = 1
_INSIDE = re.compile(rf'((?:{SECRET_WORDS})\\*["\']\s{{0,9}}:\s{{0,9}})[\[{{][^\]}}]*[\]}}]?', re.IGNORECASE)
"""A secret that is a list or an object."""
_LONGEST_FILE = 500_000_000
Scrub = Callable[[str], str]
"""Returns what is kept of a text."""


@dataclass
class Sent:
    """What a request says in addition to its messages."""

    data: JsonObject
    """Instructions, tools and their order, native tools, settings and output."""
    digest: str
    cut: JsonObject
    """The same as a journal records it: without the end of long texts and lists."""
    cut_digest: str


@dataclass
class Take:
    """A request and its response, as they are recorded."""

    number: int
    """Its place in the file, from 1."""
    key: str
    """A digest of the request."""
    base: int | None
    """The request that it continues."""
    new: list[JsonObject]
    """The messages after that conversation, as they are compared."""
    sent: JsonObject | None
    """What else was sent; `None` if a journal recorded the run without it."""
    response: JsonObject
    pieces: list[tuple[int, int]] | None
    """How the response came in, if it was streamed."""
    model: str = ''
    """The model that answered."""
    end: str = ''
    """A digest of the conversation with the response."""
    calls: int = 0
    """How many calls the conversation has."""


@dataclass
class ToolTake:
    """A call of a tool, as it is recorded."""

    tool: str
    args: JsonObject
    outcome: str
    """`'returned'`, `'retried'` or `'raised'`."""
    value: Any


class CassetteError(UserError):
    """A file is not a cassette, or cannot be read."""

    __module__ = 'stead.testing'


def clean(value: Any, scrub: Scrub | None = None, *, has_schemas: bool = False) -> Any:
    """Return JSON data without what looks like a secret, and as a function changes the texts in it.

    Args:
        value: The data.
        scrub: The function.
        has_schemas: Whether the objects in it are schemas, and no secrets whatever their names are.
    """
    if isinstance(value, str):
        text = masked_text(_without_secrets_inside(value))
        return text if scrub is None else scrub(text)
    if isinstance(value, dict):
        items = cast('Mapping[str, Any]', value).items()
        return {
            masked_text(name): masked_data(item)
            if is_secret(name) and not (has_schemas and isinstance(item, dict))
            else clean(item, scrub, has_schemas=name == 'properties')
            for name, item in items
        }
    return [clean(item, scrub) for item in cast('list[Any]', value)] if isinstance(value, list) else value


def cleaned(value: Any, scrub: Scrub | None) -> Any:
    """Return JSON data without secrets; most has none, which is seen at once."""
    if scrub is None and masked_text(text := canonical_json(value)) == text and _INSIDE.search(text) is None:
        return value
    return clean(value, scrub)


def _without_secrets_inside(text: str) -> str:
    """Return a text, which may be JSON, without lists and objects of secrets."""
    if _INSIDE.search(text) is None:
        return text
    try:
        return canonical_json(clean(from_json(text)))
    except ValueError:
        return _INSIDE.sub(rf'\1{MASK}', text)


def _without_empty(data: JsonObject) -> JsonObject:
    parts = [{name: value for name, value in part.items() if value is not None} for part in data['parts']]
    return {**{name: value for name, value in data.items() if value not in (None, {}, [])}, 'parts': parts}


def call_ids_of(message: JsonObject) -> list[str]:
    """Return the ids of the calls that a message has, as data, each once."""
    return [*dict.fromkeys(part['tool_call_id'] for part in message['parts'] if 'tool_call_id' in part)]


def conversations(scrub: Scrub | None) -> Conversations:
    """Return what compares the messages of requests: without times, ids of the run, and what only their vendor knows."""
    return Conversations(lambda message: cleaned(message, scrub))


def sent_with(
    messages: Sequence[ModelMessage],
    settings: ModelSettings | None,
    params: ModelRequestParameters,
    scrub: Scrub | None,
) -> Sent:
    """Return what a request says in addition to its messages."""
    tools = [*params.function_tools, *params.output_tools]
    data: JsonObject = {
        **view_parameters(params),
        'tools': view_tools(tools),
        'order of tools': [tool.name for tool in tools],
        'settings': view_settings(cast('Mapping[str, object] | None', settings)),
    }
    if not data['instructions'] and (text := getattr(messages[-1], 'instructions', None)):
        data['instructions'] = [text]
    data = cleaned(from_json(shown_json(data)), scrub)
    return sent_of(data)


def sent_of(data: JsonObject) -> Sent:
    """Return what a request says in addition to its messages, from its data."""
    cut: JsonObject = {name: cut_down(value) for name, value in data.items() if name != 'order of tools'}
    cut['order of tools'] = [*cut['tools']] if [*data['tools']] == data['order of tools'] else data['order of tools']
    return Sent(data, next_digest('', data), cut, next_digest('', cut))


@dataclass
class Tape:
    """What a cassette has recorded."""

    takes: list[Take] = field(default_factory=list[Take])
    tools: list[ToolTake] = field(default_factory=list[ToolTake])
    scrub: Scrub | None = None
    by_key: dict[str, list[Take]] = field(default_factory=dict[str, 'list[Take]'])
    numbered: dict[int, Take] = field(default_factory=dict[int, Take])
    by_end: dict[str, Take] = field(default_factory=dict[str, Take])
    by_beginning: dict[str, list[Take]] = field(default_factory=dict[str, 'list[Take]'])
    """The requests that brought a message, by the digest of the conversation up to it."""
    following: dict[int, list[Take]] = field(default_factory=dict[int, 'list[Take]'])
    """The requests that continue another one, by its number."""

    def add(
        self,
        conversation: Conversation,
        sent: Sent | None,
        response: ModelResponse,
        pieces: list[tuple[int, int]] | None = None,
    ) -> Take:
        """Add a request and its response.

        Args:
            conversation: The messages of the request, as they are compared.
            sent: What else was sent; `None` if it is not known.
            response: The response.
            pieces: How it came in, if it was streamed.
        """
        messages, chain = conversation
        data = ModelMessagesTypeAdapter.dump_python([response], mode='json')[0]
        for name in ('run_id', 'conversation_id', 'timestamp'):
            data.pop(name, None)
        data['usage'] = {name: value for name, value in data['usage'].items() if value}
        known = next((at for at in range(len(chain) - 1, 0, -1) if chain[at] in self.by_end), 0)
        take = Take(
            number=self.takes[-1].number + 1 if self.takes else 1,
            key=next_digest(chain[-1], sent.digest if sent is not None else ''),
            base=self.by_end[chain[known]].number if known else None,
            new=[*messages[known:]],
            sent=sent.data if sent is not None else None,
            response=cleaned(_without_empty(data), self.scrub),
            pieces=pieces,
            model=response.model_name or '',
        )
        self._take_in(take)
        return take

    def _take_in(self, take: Take) -> None:
        """Add a request, and make known what continues it."""
        before = self.numbered.get(take.base or 0)
        end, calls = (before.end, before.calls) if before is not None else ('', 0)
        for message in take.new:
            end = next_digest(end, message)
            self.by_beginning.setdefault(end, []).append(take)
            calls = max([calls, *(int(label[5:]) for label in call_ids_of(message))])
        answer, take.calls = self._answer_of(take, calls)
        take.end = next_digest(end, answer)
        self.takes.append(take)
        self.numbered[take.number] = take
        self.by_key.setdefault(take.key, []).append(take)
        self.by_end.setdefault(take.end, take)
        if take.base is not None:
            self.following.setdefault(take.base, []).append(take)

    def _answer_of(self, take: Take, calls: int) -> tuple[JsonObject, int]:
        """Return a response as it is compared, and how many calls the conversation has with it."""
        ids = {f'call {at}': '' for at in range(1, calls + 1)}
        parts = [compared_part(part, ids) for part in take.response['parts']]
        return cleaned({'kind': 'response', 'parts': parts}, self.scrub), len(ids)

    def keys_of(self, chain: Sequence[str], sent: Sent) -> Iterator[str]:
        """Yield the keys that a request may be found by: its own, and those of runs in journals, which may know less of it."""
        yield next_digest(chain[-1], sent.digest)
        if sent.cut_digest != sent.digest:
            yield next_digest(chain[-1], sent.cut_digest)
        yield next_digest(chain[-1], '')

    def sharing_most(self, chain: Sequence[str]) -> list[Take]:
        """Return the requests that share the longest beginning with one of which these are the digests; all if none does."""
        for digest in reversed(chain[1:]):
            end = self.by_end.get(digest)
            found = [*self.by_beginning.get(digest, ())]
            if end is not None:
                found += [end, *self.following.get(end.number, ())]
            if found:
                return sorted(found, key=lambda take: take.number)
        return self.takes

    def conversation(self, take: Take) -> list[JsonObject]:
        """Return the messages of a request, as they are compared."""
        found = [take.new]
        while (before := self.numbered.get(take.base or 0)) is not None:
            calls = before.calls - len(call_ids_of(before.response))
            found += [[self._answer_of(before, calls)[0]], before.new]
            take = before
        return [message for messages in reversed(found) for message in messages]

    def remove(self, numbers: set[int]) -> None:
        """Remove requests, and all that continue them."""
        for take in self.takes:  # a request comes after the one that it continues
            if take.base in numbers:
                numbers.add(take.number)
        left = [take for take in self.takes if take.number not in numbers]
        self.takes, self.numbered, self.by_key, self.by_end, self.by_beginning, self.following = [], {}, {}, {}, {}, {}
        for take in left:
            self._take_in(take)


# The file


def read_tape(path: Path, scrub: Scrub | None = None) -> Tape:
    """Read a file.

    Raises:
        CassetteError: It cannot be read, or it is not a cassette.
    """
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise CassetteError(f'The cassette {str(path)!r} has more than {_LONGEST_FILE:,} bytes.')
        lines = path.read_text(encoding='utf-8').splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CassetteError(f'The cassette {str(path)!r} cannot be read: {error}.') from error
    tape = Tape(scrub=scrub)
    sent: dict[int, JsonObject | None] = {}
    for at, line in enumerate(lines, 1):
        try:
            data = from_json(line)
            if at == 1:
                if data['cassette'] != FORMAT:
                    raise CassetteError(
                        f'The cassette {str(path)!r} has format {data["cassette"]}, and this version reads format {FORMAT}.'
                    )
            elif 'tool' in data:
                tape.tools.append(ToolTake(data['tool'], data['args'], data['outcome'], data['value']))
            else:
                named = data['sent']
                sent[data['number']] = sent[named] if isinstance(named, int) else named
                take = Take(
                    number=data['number'],
                    key=data['key'],
                    base=data['after'],
                    new=data['messages'],
                    sent=sent[data['number']],
                    response=data['response'],
                    pieces=[(index, length) for index, length in data['pieces']] if data.get('pieces') else None,
                    model=data.get('model', ''),
                )
                tape._take_in(take)
        except CassetteError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise CassetteError(
                f'Line {at} of {str(path)!r} is not of a cassette: {type(error).__name__} at {error}.'
            ) from error
    return tape


def write_tape(path: Path, tape: Tape) -> None:
    """Write a file, in place of the one that is there, at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f'.{path.name}.')
    try:
        with os.fdopen(handle, 'w', encoding='utf-8') as file:
            file.writelines(f'{line}\n' for line in _lines_of(tape))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _lines_of(tape: Tape) -> Iterator[str]:
    yield json.dumps({'cassette': FORMAT})
    first: dict[str, int] = {}
    for take in tape.takes:
        sent: object = take.sent
        if sent is not None:
            number = first.setdefault(canonical_json(sent), take.number)
            sent = sent if number == take.number else number
        data = {
            'number': take.number,
            'key': take.key,
            'model': take.model,
            'after': take.base,
            'sent': sent,
            'messages': take.new,
            'response': take.response,
            'pieces': take.pieces,
        }
        yield json.dumps(
            {name: value for name, value in data.items() if value != '' or name == 'key'}, ensure_ascii=False
        )
    for call in tape.tools:
        data = {'tool': call.tool, 'args': call.args, 'outcome': call.outcome, 'value': call.value}
        yield json.dumps(data, ensure_ascii=False)
