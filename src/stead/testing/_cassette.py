"""`cassette`: records responses of models once, and plays them afterwards."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, TypeVar, cast

from pydantic_core import from_json
from typing_extensions import Self, TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering, WrapToolExecuteHandler
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.ids import canonical_json
from .._kit.shown_json import shown_json
from .._show.compared import Conversation
from ..agent.for_all import FOR_ALL
from ..exceptions import ModelRetry, ToolRetryError, UserError
from ..journal import Journal
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, ToolCallPart, ToolReturn
from ..models import Model, ModelRequestParameters, StreamedResponse
from ..models.cut import CutResponse, note_pieces
from ..models.wrapper import WrapperModel
from ..settings import ModelSettings
from ..usage import RequestUsage
from ._tape import (
    CassetteError,
    Scrub,
    Sent,
    Take,
    Tape,
    ToolTake,
    cleaned,
    conversations,
    read_tape,
    sent_with,
    write_tape,
)
from ._tape_changes import changes_of, nearest
from ._taped import begun_with, conversations_of, doubles_of, script_of, tape_run

CassetteMode: TypeAlias = Literal['auto', 'replay', 'record']
"""What a cassette does: `'replay'` answers from the recording only, `'record'` records everything again, and `'auto'` answers
from it and records what is missing."""
_MODES = ('auto', 'replay', 'record')
TakeT = TypeVar('TakeT', Take, ToolTake)


class CassetteMiss(AssertionError):
    """A request is not in a cassette; the message says what is different from the recording that is most like it."""

    __module__ = 'stead.testing'
    changes: tuple[str, ...] = ()
    """What is different, a sentence each."""


class ComparedRequest(NamedTuple):
    conversation: Conversation
    sent: Sent


class Cassette:
    """A recording of what models and tools answered, for all agents that run while it is open. It is a context manager.

    Attributes:
        path: The file.
        mode: What it does.
        replayed: How many requests it has answered.
        recorded: How many requests it has recorded.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mode: CassetteMode | None = None,
        replay_tools: bool | Collection[str] = False,
        scrub: Scrub | None = None,
    ) -> None:
        """Choose the file; see `cassette`.

        Raises:
            UserError: There is no such mode.
        """
        self.path: Path = Path(path)
        chosen: Any = mode or os.environ.get('STEAD_CASSETTES') or 'auto'
        if chosen not in _MODES:
            raise UserError(f'The mode of a cassette is one of {", ".join(map(repr, _MODES))}, not {chosen!r}.')
        self.mode: CassetteMode = chosen
        self.replayed: int = 0
        self.recorded: int = 0
        self._replay_tools = replay_tools
        self._scrub = scrub
        self._compared = conversations(scrub)
        self._tape = Tape(scrub=scrub)
        self._turns: dict[str, int] = {}
        self._used: set[int] = set()
        self._replaced: set[int] = set()
        self._outer: Cassette | None = None
        self._changed = False
        self._kept: tuple[Any, str, Sent] | None = None

    def __enter__(self) -> Self:
        global _opened
        self._turns, self._used, self._replaced = {}, set(), set()
        if self.mode == 'replay' or (self.mode == 'auto' and self.path.exists()):
            self._tape = read_tape(self.path, self._scrub)
        else:
            self._tape = Tape(scrub=self._scrub)
        self._tools = _by_call(self._tape)
        self._outer = _current.get()
        _current.set(self)
        _opened += 1
        FOR_ALL.replace(OpenCassette, _RECORDING)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _opened
        _current.set(self._outer)
        _opened -= 1
        if not _opened:
            FOR_ALL.replace(OpenCassette, None)
        if self._changed and (error is None or self.mode == 'auto'):
            for number in [*self._used]:  # what a request that was used continues is used as well
                while (take := self._tape.numbered.get(number)) is not None and number not in (0, None):
                    self._replaced.discard(number)
                    number = take.base or 0
            self._tape.remove(self._replaced)
            write_tape(self.path, self._tape)

    # What is in it

    def _read(self) -> Tape:
        if not self._tape.takes and self.path.exists():
            self._tape = read_tape(self.path, self._scrub)
        return self._tape

    @property
    def conversations(self) -> list[list[ModelMessage]]:
        """The recorded conversations, each up to its last response; runs inside of tools have their own."""
        return conversations_of(self._read())

    @property
    def messages(self) -> list[ModelMessage]:
        """The messages of all conversations, one after the other, for `assert_run`."""
        return [message for messages in self.conversations for message in messages]

    @property
    def starts(self) -> list[int]:
        """How many messages the first recorded request of each conversation had."""
        return begun_with(self._read())

    def script(self) -> str:
        """Return Python code of `ScriptedModel`s that answer as the models did."""
        return script_of(self._read())

    def prune(self, *numbers: int) -> int:
        """Remove requests from the file, with all that continue them; without numbers, those that are there twice.

        Args:
            numbers: The numbers of requests.

        Returns:
            How many requests were removed.

        Raises:
            CassetteError: The file cannot be read, or there is no such request.
        """
        tape = read_tape(self.path, self._scrub)
        if unknown := [number for number in numbers if number not in tape.numbered]:
            raise CassetteError(f'The cassette {str(self.path)!r} has no request {unknown[0]}.')
        before = len(tape.takes)
        tape.remove(set(numbers) or doubles_of(tape))
        if len(tape.takes) < before:
            write_tape(self.path, tape)
        self._tape = tape
        return before - len(tape.takes)

    @classmethod
    async def of_run(cls, journal: Journal[Any], run_id: str, path: str | os.PathLike[str]) -> Cassette:
        """Write a cassette of a run in a journal, with the runs inside of it.

        A journal with `changes=True` knows all that was sent. Of other runs the messages alone are compared.

        Args:
            journal: The journal.
            run_id: The id of the run.
            path: The file to write.

        Raises:
            RunNotFound: The journal has no such run.
            RecordUnreadable: A record of it cannot be read.
        """
        own = cls(path, mode='replay')
        await tape_run(own._tape, journal, run_id)
        write_tape(own.path, own._tape)
        return own

    # Requests

    def _request(
        self, messages: list[ModelMessage], settings: ModelSettings | None, params: ModelRequestParameters
    ) -> ComparedRequest:
        own = repr(settings) if settings else ''
        if self._kept is None or self._kept[0] is not params or self._kept[1] != own:
            self._kept = params, own, sent_with(messages, settings, params, self._scrub)
        return ComparedRequest(self._compared.of(messages), self._kept[2])

    def _find(self, request: ComparedRequest) -> Take | None:
        """Return the recording of a request, and of several that are the same the next one."""
        if self.mode == 'record':
            return None
        for key in self._tape.keys_of(request.conversation.chain, request.sent):
            if takes := self._tape.by_key.get(key):
                take = self._next(key, takes)
                self._used.add(take.number)
                self.replayed += 1
                return take
        near = nearest(self._tape, *request.conversation, request.sent)
        if self.mode == 'replay':
            raise self._miss(request, near)
        if near is not None and self._tape.conversation(near)[:1] == request.conversation.messages[:1]:
            self._replaced.add(near.number)
        return None

    def _next(self, key: str, takes: Sequence[TakeT]) -> TakeT:
        """Return the next of several recordings that have the same key, and after the last one the first again."""
        turn = self._turns.get(key, 0)
        self._turns[key] = turn + 1
        return takes[turn % len(takes)]

    def _miss(self, request: ComparedRequest, near: Take | None) -> CassetteMiss:
        where = f'The cassette {str(self.path)!r} has no such request'
        if near is None:
            return CassetteMiss(f"{where}: it is empty. Record it with mode='record'.")
        changes = changes_of(self._tape, near, request.conversation.messages, request.sent) or [
            'nothing that is compared'
        ]
        lines = '\n'.join(f'  - {change}' for change in changes)
        miss = CassetteMiss(
            f'{where}. What is different from request {near.number}, which is most like it:\n{lines}\n'
            "If this is meant, mode='auto' records what follows from here."
        )
        miss.changes = tuple(changes)
        return miss

    def _record(
        self, request: ComparedRequest, response: ModelResponse, pieces: list[tuple[int, int]] | None = None
    ) -> None:
        take = self._tape.add(request.conversation, request.sent, response, pieces)
        self._used.add(take.number)
        self.recorded += 1
        self._changed = True

    # Calls of tools

    async def _call(self, name: str, args: dict[str, Any], handler: WrapToolExecuteHandler) -> Any:
        sent = cleaned(from_json(shown_json(args)), self._scrub)
        key = canonical_json([name, sent])
        known = self._tools.get(key, [])
        replays = self._replay_tools if isinstance(self._replay_tools, bool) else name in self._replay_tools
        if replays and self.mode != 'record':
            if known:
                return _outcome(self._next(key, known))
            if self.mode == 'replay':
                raise CassetteMiss(
                    f'The cassette {str(self.path)!r} has no call {name}({canonical_json(sent)}), and its tools are not run.'
                )
        try:
            value: Any = await handler(args)
        except (ModelRetry, ToolRetryError) as retry:
            self._record_call(key, ToolTake(name, sent, 'retried', str(retry)))
            raise
        except Exception as error:
            self._record_call(key, ToolTake(name, sent, 'raised', f'{type(error).__name__}: {error}'))
            raise
        plain = cast(object, value.return_value) if isinstance(value, ToolReturn) else value
        self._record_call(key, ToolTake(name, sent, 'returned', from_json(shown_json(plain))))
        return cast(object, value)

    def _record_call(self, key: str, take: ToolTake) -> None:
        if self.mode == 'replay' or (self.mode == 'auto' and key in self._tools and key not in self._turns):
            return
        take.value = cleaned(take.value, self._scrub)
        self._tape.tools.append(take)
        self._turns.setdefault(key, 0)
        self._tools.setdefault(key, []).append(take)
        self._changed = True


def _by_call(tape: Tape) -> dict[str, list[ToolTake]]:
    found: dict[str, list[ToolTake]] = {}
    for take in tape.tools:
        found.setdefault(canonical_json([take.tool, take.args]), []).append(take)
    return found


def _outcome(take: ToolTake) -> Any:
    if take.outcome == 'retried':
        raise ModelRetry(str(take.value))
    if take.outcome == 'raised':
        raise RuntimeError(f'The tool {take.tool!r} raised {take.value} when it was recorded.')
    return take.value


def cassette(
    path: str | os.PathLike[str],
    *,
    mode: CassetteMode | None = None,
    replay_tools: bool | Collection[str] = False,
    scrub: Scrub | None = None,
) -> Cassette:
    """Return a recording of what models answer, for a `with` block: all agents that run in it use it, those in tools too.

    Args:
        path: The file, of lines of JSON. It is written when the block ends.
        mode: `'replay'` answers from the file only, `'record'` records everything again, and `'auto'` answers from the file and
            records what is missing. By default the environment variable `STEAD_CASSETTES` says it, or else it is `'auto'`.
        replay_tools: Whether calls of tools are answered from the file, too; or the names of those that are. Others are run.
        scrub: Returns what is kept of each text that is recorded or compared, after secrets are masked: without dates, for
            example.

    Raises:
        UserError: There is no such mode; in the block: a run begins in a workflow of Temporal, which has no files.
        CassetteError: When the block begins: the file is not a cassette, or with `'replay'` it does not exist.
        CassetteMiss: In the block: with `'replay'`, a request is not in the file.
    """
    return Cassette(path, mode=mode, replay_tools=replay_tools, scrub=scrub)


class _RecordedModel(WrapperModel):
    """A model whose requests are answered from a cassette, or recorded in it."""

    def __init__(self, wrapped: Model, tape: Cassette) -> None:
        super().__init__(wrapped)
        self._cassette = tape

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the recorded response, or send the request and record it."""
        request = self._cassette._request(messages, model_settings, model_request_parameters)
        if (take := self._cassette._find(request)) is not None:
            return _response_of(take)
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        self._cassette._record(request, response)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream the recorded response in the pieces in which it came, or send the request and record it."""
        params = model_request_parameters
        request = self._cassette._request(messages, model_settings, params)
        if (take := self._cassette._find(request)) is not None:
            yield CutResponse(params, _response_of(take), take.pieces)
            return
        async with self.wrapped.request_stream(messages, model_settings, params, run_context) as stream:
            pieces = note_pieces(stream)
            yield stream
        self._cassette._record(request, stream.get(), pieces)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return an estimate, so that nothing is sent to count tokens."""
        return RequestUsage(input_tokens=sum(len(shown_json(message.parts)) for message in messages) // 4)


def _response_of(take: Take) -> ModelResponse:
    (response,) = ModelMessagesTypeAdapter.validate_python([take.response])
    assert isinstance(response, ModelResponse), 'a cassette has responses'
    return response


class OpenCassette(AbstractCapability[Any]):
    """Lets the runs of all agents use the cassette that is open where they run."""

    refused_in_workflows = (
        'a cassette is open, and would record nothing, as activities send the requests. Run the workflow outside of '
        '`with cassette(...)`, and record the agent without the engine.'
    )

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position='innermost')

    def get_wrapper_model(self, model: Any) -> Any:
        tape = _current.get()
        return None if tape is None else _RecordedModel(model, tape)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        tape = _current.get()
        return await (handler(args) if tape is None else tape._call(tool_def.name, args, handler))


_RECORDING = OpenCassette()
_current: ContextVar[Cassette | None] = ContextVar('stead_cassette', default=None)
_opened = 0
