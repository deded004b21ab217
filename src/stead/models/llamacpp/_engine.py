"""The engine: llama.cpp in this process, one for each file of weights and its options, shared by all who use them.

Requests come from any thread and event loop. An engine has a thread for each of its slots; what waits for a slot waits in
a queue of ours, so that it can be taken back. A thread calls the engine and hands every piece to the loop that asked;
the engine itself decodes for all slots in one batch.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import os
import secrets
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..._kit.extras import load_extra
from ..._kit.json_bounds.grammar import HEADER, Language
from ..._kit.plain import as_dict, as_list
from ...exceptions import ConcurrencyLimitExceeded
from ._errors import ContextOverflow, EngineError, WeightsError
from ._weights import Header, default_weights, read_header


@dataclass(frozen=True)
class EngineOptions:
    """What an engine is made of."""

    path: Path | None = None
    """The file of weights; `None` for the default ones."""
    context_size: int = 8192
    """The longest context of a request, in tokens."""
    slots: int = 4
    """How many requests are decoded at once; others wait."""
    most_waiting: int = 256
    """How many requests may wait."""
    threads: int | None = None
    """How many threads compute; by default one less than the process has cores, at least one and eight at most."""
    gpu_layers: int | None = None
    """How many layers go to a graphics card, if the library is built for one."""
    chat_template: str | None = None
    """The template of conversations, in place of that of the file."""


_END: Any = object()


class Answer:
    """An answer while the engine writes it: an async iterator of its pieces, as the engine has them."""

    def __init__(self, engine: Engine, body: dict[str, Any], *, chat: bool, timeout: float | None) -> None:
        """Send a request.

        Args:
            engine: The engine.
            body: The request, as the engine takes it.
            chat: Whether it has messages rather than a prompt.
            timeout: The seconds after which the answer must be complete.

        Raises:
            ConcurrencyLimitExceeded: As many requests wait as may wait.
        """
        self.body = body
        self.chat = chat
        self.cancelled = False
        self.stopped = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._end = None if timeout is None else self._loop.time() + timeout
        self._pieces: asyncio.Queue[Any] = asyncio.Queue()
        engine._submit(self)

    def __aiter__(self) -> Answer:
        return self

    async def __anext__(self) -> dict[str, Any]:
        """Return the next piece.

        Raises:
            ContextOverflow: The prompt is too long.
            EngineError: The engine cannot do it, was closed, or took too long.
            WeightsError: The weights cannot be loaded.
        """
        try:
            piece = await self._next()
        except BaseException:
            self.close()
            raise
        if piece is _END or self.cancelled:
            self.close()
            raise StopAsyncIteration
        if isinstance(piece, BaseException):
            self.close()
            raise piece
        if 'error' in piece:
            self.close()
            raise self._engine._as_error(piece['error'])
        return piece

    async def _next(self) -> Any:
        if self._end is None or not self._pieces.empty():
            return await self._pieces.get()
        try:
            return await asyncio.wait_for(self._pieces.get(), max(self._end - self._loop.time(), 0))
        except (TimeoutError, asyncio.TimeoutError):
            name = self._engine.model_name
            raise EngineError(
                name, f'{name!r} took longer than the {self._timeout} seconds of the setting `timeout`.'
            ) from None

    def close(self) -> None:
        """Stop the decoder, or take the request back if it still waits; whoever reads is done."""
        if not self.cancelled:
            self.cancelled = True
            self._engine._take_back(self)
            self._pieces.put_nowait(_END)

    def put(self, piece: Any) -> bool | None:
        """Hand a piece to the loop that asked, from any thread; return `True` to stop the decoder."""
        if not (self.cancelled or self.stopped):
            try:
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)
            except RuntimeError:  # the loop is closed
                self.stopped = True
        return True if self.cancelled or self.stopped else None

    def stop(self, error: Exception) -> None:
        """Stop the decoder, and hand an error to whoever reads; from any thread."""
        self.put(error)
        self.stopped = True


class Engine:
    """An engine; `engine_for` returns the one that is shared."""

    def __init__(self, options: EngineOptions) -> None:
        """Prepare an engine. It starts with the first request.

        Args:
            options: What it is made of.
        """
        self.options = options
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Condition()
        self._starting = threading.Lock()
        self._server: Any = None
        self.language: Language = 'lark'
        self._header: Header | None = None
        self._path: Path | None = None
        self._waiting: deque[Answer] = deque()
        self._running: set[Answer] = set()
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._closing = False

    @property
    def model_name(self) -> str:
        """The name of the model, for errors."""
        return self.options.path.stem if self.options.path is not None else 'default weights'

    def path(self) -> Path:
        """Return the file of weights; the default ones are put together if need be.

        Raises:
            WeightsError: It is not what it should be.
        """
        if self._path is None:
            self._path = self.options.path or default_weights()
        return self._path

    def header(self) -> Header:
        """Return the header of the file; errors as `path`."""
        if self._header is None:
            self._header = read_header(self.path())
        return self._header

    @property
    def chat_template(self) -> str | None:
        """The template of conversations; a model without one is a base model."""
        return self.options.chat_template or self.header().chat_template

    @property
    def started(self) -> bool:
        """Whether the weights are in memory."""
        return self._server is not None

    def ask(self, body: dict[str, Any], *, chat: bool = False, timeout: float | None = None) -> Answer:
        """Send a request, and return the answer to iterate over; arguments and errors as `Answer`."""
        # The engine says how far it is with a prompt, and between two such pieces it can be stopped.
        body = {**body, 'stream': True, 'return_progress': True, 'timings_per_token': True}
        return Answer(self, body, chat=chat, timeout=timeout)

    def _submit(self, answer: Answer) -> None:
        with self._lock:
            if self._closing:
                raise self._closed()
            if len(self._waiting) >= self.options.most_waiting:
                raise ConcurrencyLimitExceeded(
                    f'{len(self._waiting)} requests wait for {self.model_name!r} already. Send fewer at once '
                    '(`max_concurrency` of agents), or let more wait: `LlamaCppModel(..., most_waiting=...)`.'
                )
            self._waiting.append(answer)
            if self._idle >= len(self._waiting) or len(self._threads) >= self.options.slots:
                self._lock.notify()
                return
            thread = threading.Thread(target=self._work, name=f'stead-{self.model_name}', daemon=True)
            self._threads.add(thread)
        thread.start()

    def _take_back(self, answer: Answer) -> None:
        with self._lock, suppress(ValueError):
            self._waiting.remove(answer)

    def _work(self) -> None:
        """Run answers until the engine closes."""
        while True:
            with self._lock:
                while not self._waiting and not self._closing:
                    self._idle += 1
                    self._lock.wait()
                    self._idle -= 1
                if self._closing:
                    return
                answer = self._waiting.popleft()
                self._running.add(answer)
            try:
                self._run(answer)
            except BaseException as error:  # nobody else would hear of it
                answer.put(self._as_error(error))
            finally:
                with self._lock:
                    self._running.discard(answer)
            answer.put(_END)

    def _run(self, answer: Answer) -> None:
        server = self.start()
        if answer.cancelled or answer.stopped:
            return
        call: Any = server.handle_chat_completions if answer.chat else server.handle_completions
        if len(_loaded) < 2 or 'grammar' not in answer.body:
            call(answer.body, answer.put)
            return
        with _Turn() as turn:

            def put(piece: Any) -> bool | None:
                turn.end()
                return answer.put(piece)

            call(answer.body, put)

    def check_process(self) -> None:
        """Raise `EngineError` if this process was forked from one that uses such an engine."""
        if _orphaned:
            raise EngineError(
                self.model_name,
                f'The engine of {self.model_name!r} cannot start: this process was forked from one that uses such an '
                'engine, and llama.cpp does not outlive that. Fork before the first request, or start processes with '
                "the method 'spawn'.",
            )

    def start(self) -> Any:
        """Load the weights, if they are not in memory yet, and return the server of the library.

        Raises:
            EngineError: The process was forked from one that uses such an engine.
            ImportError: The extra `local` is not installed.
            WeightsError: The weights cannot be loaded.
        """
        with self._starting:
            if self._server is None:
                self.check_process()
                server = self._load()
                spaced = self.header().puts_spaces
                self.language = 'gbnf' if spaced or not _keeps_to_lark(server) else 'lark'
                self._server = server
            return self._server

    def _load(self) -> Any:
        library = load_extra('xllamacpp', extra='local', what='LlamaCppModel')
        options, path = self.options, self.path()
        trained = self.header().context_size
        params = library.CommonParams()
        params.model.path = str(path)
        params.n_parallel = options.slots
        params.n_ctx = min(options.context_size, trained or options.context_size) * options.slots
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads or _cores()
        params.n_batch = 512  # between two of these it can be stopped
        params.warmup = False
        params.verbosity = 0
        if options.gpu_layers is not None:
            params.n_gpu_layers = options.gpu_layers
        if options.chat_template is not None:
            params.chat_template = options.chat_template
        # The library opens a server for itself. It gets a socket in the file system that is removed at once, or where
        # there is no such thing a port for this machine only, and a key that nobody has.
        params.api_keys = [secrets.token_urlsafe(32)]
        params.endpoint_slots = params.ui = False
        params.n_threads_http = 1
        with TemporaryDirectory(prefix='stead-') as folder:
            socket = os.path.join(folder, 's.sock')
            if hasattr(os, 'fork') and len(os.fsencode(socket)) < 100:
                params.hostnames = [socket]
            try:
                server = library.Server(params)
            except Exception as error:
                raise WeightsError(
                    f'The engine cannot load {str(path)!r}: {str(error).rstrip(".")}. Is the file complete, and of an '
                    'architecture that this version of xllamacpp knows? Get the file anew, or a newer xllamacpp.'
                ) from error
        _loaded.add(self)
        return server

    def _as_error(self, said: Any) -> Exception:
        if isinstance(said, (EngineError, WeightsError, ImportError)):
            return said
        if isinstance(said, dict):
            if said.get('type') == 'exceed_context_size_error':  # type: ignore[reportUnknownMemberType]
                return ContextOverflow(self.model_name, int(said['n_prompt_tokens']), int(said['n_ctx']))  # type: ignore[reportUnknownArgumentType]
            said = said.get('message', said)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return EngineError(self.model_name, f'The engine of {self.model_name!r} reports: {said}')

    def _closed(self) -> EngineError:
        return EngineError(self.model_name, f'The engine of {self.model_name!r} was closed before it had answered.')

    def close(self) -> None:
        """End all requests, stop the threads, and free the memory; the next request starts the engine anew."""
        with self._lock:
            self._closing = True
            answers = [*self._waiting, *self._running]
            threads = list(self._threads)
            self._waiting.clear()
            self._lock.notify_all()
        for answer in answers:
            answer.stop(self._closed())
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join()
        with self._lock:
            self._server = None
            _loaded.discard(self)
            self._threads.clear()
            self._idle = 0
            self._closing = False

    def _forget(self) -> None:
        """Begin anew in a forked process, where the threads of the engine are not."""
        if self._server is not None:
            # Its destructor would wait for them for ever.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._server))
        self._reset()


class _Turn:
    """Lets one request with a grammar begin at a time, among several engines.

    The library keeps what it knows of the last tokenizer in one place, for all of them, and does not guard it.
    """

    _lock = threading.Lock()

    def __init__(self) -> None:
        self._held = False

    def __enter__(self) -> _Turn:
        self._held = self._lock.acquire()
        return self

    def end(self) -> None:
        """Let the next one begin; the first piece of an answer says that the grammar has been read."""
        if self._held:
            self._held = False
            self._lock.release()

    def __exit__(self, *args: object) -> None:
        self.end()


_PROBE = '{"a": "b 1", "c d": ["e"]}'


def _keeps_to_lark(server: Any) -> bool:
    """Return whether the engine keeps to a grammar of llguidance with the tokenizer of its file.

    It does not with tokenizers that put a space before every text (`Header.puts_spaces`), nor with one that it mistakes
    for that of a file which was loaded before. It says so nowhere but in its log.
    """
    grammar = f'{HEADER}\nstart: {json.dumps(_PROBE)}\n'
    with _Turn():
        body = {'prompt': 'a', 'max_tokens': 64, 'temperature': 0.0, 'grammar': grammar, 'cache_prompt': False}
        said = as_dict(server.handle_completions(body))
    return as_dict(next(iter(as_list(said.get('choices'))), None)).get('text') == _PROBE


_engines: dict[EngineOptions, Engine] = {}
_loaded: set[Engine] = set()
_guard = threading.Lock()
_orphaned = False
"""Whether this process was forked from one in which the library had threads."""


def engine_for(options: EngineOptions) -> Engine:
    """Return the engine with some options; there is one in the process."""
    with _guard:
        if options not in _engines:
            _engines[options] = Engine(options)
        return _engines[options]


def close_engines() -> None:
    """Close all engines of this process; they start anew when they are used again."""
    with _guard:
        engines = list(_engines.values())
    for engine in engines:
        engine.close()


def _after_fork() -> None:
    global _guard, _orphaned
    _guard = threading.Lock()
    _Turn._lock = threading.Lock()
    _loaded.clear()
    for engine in _engines.values():
        _orphaned = _orphaned or engine.started
        engine._forget()
    if _orphaned:
        # At the end of the process the library would wait for threads that were not forked; so it ends before that.
        with suppress(AttributeError, OSError):
            libc = ctypes.CDLL(None)
            libc.on_exit(libc._exit, None)


def _cores() -> int:
    count = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
    return max(min(count - 1, 8), 1)  # they wait for each other in loops, and one that has no core holds up all


atexit.register(close_engines)
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ('Engine', 'EngineOptions', 'close_engines', 'engine_for')
