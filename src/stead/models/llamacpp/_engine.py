"""The engine: llama.cpp in this process. Models with the same weights and options share an engine.

Requests come from any thread and event loop. An engine has a thread for each of its slots; requests that wait for a slot
wait in the engine's queue, and can be withdrawn from it. A thread calls the library and passes every chunk to the
loop that asked; the library itself decodes for all slots in one batch.
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
from ..._kit.json_types import as_dict, as_list
from ...exceptions import ConcurrencyLimitExceeded
from ._errors import ContextOverflow, EngineError, WeightsError
from ._progress import reported_wait
from ._weights import Header, default_weights, read_header


@dataclass(frozen=True)
class EngineOptions:
    """The file of weights and the options of an engine, which identify it."""

    path: Path | None = None
    """The file of weights; `None` for the default ones."""
    context_size: int = 8192
    """The longest context of a request, in tokens."""
    slots: int = 4
    """The number of requests that are decoded at once; others wait."""
    most_waiting: int = 256
    """The number of requests that may wait."""
    threads: int | None = None
    """How many threads compute; by default one less than the process has cores, at least one and eight at most."""
    gpu_layers: int | None = None
    """How many layers go to a graphics card, if the library is built for one."""
    chat_template: str | None = None
    """The template of conversations, in place of that of the file."""


_END: Any = object()


class EngineStream:
    """Async iterator over the chunks of a response, as the engine sends them."""

    def __init__(self, engine: Engine, body: dict[str, Any], *, chat: bool, timeout: float | None) -> None:
        """Send a request.

        Args:
            engine: The engine.
            body: The request, as the engine takes it.
            chat: Whether it has messages rather than a prompt.
            timeout: The seconds after which the response must be complete.

        Raises:
            ConcurrencyLimitExceeded: The queue of waiting requests is full.
        """
        self.body = body
        self.chat = chat
        self.cancelled: bool = False
        self.stopped: bool = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._end = None if timeout is None else self._loop.time() + timeout
        self._chunks: asyncio.Queue[Any] = asyncio.Queue()
        engine._submit(self)

    def __aiter__(self) -> EngineStream:
        return self

    async def __anext__(self) -> dict[str, Any]:
        """Return the next chunk.

        Raises:
            ContextOverflow: The prompt is too long.
            EngineError: The engine failed, was closed, or took too long.
            WeightsError: The weights cannot be loaded.
        """
        try:
            chunk = await self._next()
        except BaseException:
            self.close()
            raise
        if chunk is _END or self.cancelled:
            self.close()
            raise StopAsyncIteration
        if isinstance(chunk, BaseException):
            self.close()
            raise chunk
        if 'error' in chunk:
            self.close()
            raise self._engine._as_error(chunk['error'])
        return chunk

    async def _next(self) -> Any:
        if self._end is None or not self._chunks.empty():
            return await self._chunks.get()
        try:
            return await asyncio.wait_for(self._chunks.get(), max(self._end - self._loop.time(), 0))
        except (TimeoutError, asyncio.TimeoutError):
            name = self._engine.model_name
            raise EngineError(
                name, f'{name!r} took longer than the {self._timeout} seconds of the setting `timeout`.'
            ) from None

    def close(self) -> None:
        """Stop the decoder, or withdraw the request if it still waits; the reader gets no more."""
        if not self.cancelled:
            self.cancelled = True
            self._engine._withdraw(self)
            self._chunks.put_nowait(_END)

    def put(self, chunk: Any) -> bool | None:
        """Pass a chunk to the requesting loop, from any thread; return `True` to stop the decoder."""
        if not (self.cancelled or self.stopped):
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:  # the loop is closed
                self.stopped = True
        return True if self.cancelled or self.stopped else None

    def stop(self, error: Exception) -> None:
        """Stop the decoder, and pass an error to the reader; from any thread."""
        self.put(error)
        self.stopped = True


class Engine:
    """A loaded model with a queue of requests; `engine_for` returns the shared one."""

    def __init__(self, options: EngineOptions) -> None:
        """Prepare an engine. It starts with the first request.

        Args:
            options: The file of weights and the options.
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
        self._waiting: deque[EngineStream] = deque()
        self._running: set[EngineStream] = set()
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._closing = False

    @property
    def model_name(self) -> str:
        """The name of the model, for errors."""
        return self.options.path.stem if self.options.path is not None else 'default weights'

    def path(self) -> Path:
        """Return the file of weights; the default one is assembled if necessary.

        Raises:
            WeightsError: The default weights are broken or cannot be written.
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

    def ask(self, body: dict[str, Any], *, chat: bool = False, timeout: float | None = None) -> EngineStream:
        """Send a request, and return the stream to iterate over; arguments and errors as `EngineStream`."""
        # The engine can be stopped only between two chunks: reports of progress make it send some for the prompt, too.
        body = {**body, 'stream': True, 'return_progress': True, 'timings_per_token': True}
        return EngineStream(self, body, chat=chat, timeout=timeout)

    def _submit(self, stream: EngineStream) -> None:
        with self._lock:
            if self._closing:
                raise self._closed()
            if len(self._waiting) >= self.options.most_waiting:
                raise ConcurrencyLimitExceeded(
                    f'{len(self._waiting)} requests wait for {self.model_name!r} already. Send fewer at once '
                    '(`max_concurrency` of agents), or let more wait: `LlamaCppModel(..., most_waiting=...)`.'
                )
            self._waiting.append(stream)
            if self._idle >= len(self._waiting) or len(self._threads) >= self.options.slots:
                self._lock.notify()
                return
            thread = threading.Thread(target=self._work, name=f'stead-{self.model_name}', daemon=True)
            self._threads.add(thread)
        thread.start()

    def _withdraw(self, stream: EngineStream) -> None:
        with self._lock, suppress(ValueError):
            self._waiting.remove(stream)

    def _work(self) -> None:
        """Run streams until the engine closes."""
        while True:
            with self._lock:
                while not self._waiting and not self._closing:
                    self._idle += 1
                    self._lock.wait()
                    self._idle -= 1
                if self._closing:
                    return
                stream = self._waiting.popleft()
                self._running.add(stream)
            try:
                self._run(stream)
            except BaseException as error:  # the thread has no other reader
                stream.put(self._as_error(error))
            finally:
                with self._lock:
                    self._running.discard(stream)
            stream.put(_END)

    def _run(self, stream: EngineStream) -> None:
        server = self.start()
        if stream.cancelled or stream.stopped:
            return
        call: Any = server.handle_chat_completions if stream.chat else server.handle_completions
        if len(_loaded) < 2 or 'grammar' not in stream.body:
            call(stream.body, stream.put)
            return
        with _GrammarLock() as lock:

            def put(chunk: Any) -> bool | None:
                lock.end()
                return stream.put(chunk)

            call(stream.body, put)

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
                path = self.path()
                with reported_wait(f'local: loading {path.stem}', after=1.0):
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
        params.n_batch = 512  # it can be stopped between two batches
        params.warmup = False
        params.verbosity = 0
        if options.gpu_layers is not None:
            params.n_gpu_layers = options.gpu_layers
        if options.chat_template is not None:
            params.chat_template = options.chat_template
        # The library opens a server for itself. It gets a socket in the file system that is removed at once, or where
        # there is no such thing a port for this machine only, and a key that is not stored anywhere.
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
                    'architecture that this version of xllamacpp knows? Get the file again, or a newer xllamacpp.'
                ) from error
        _loaded.add(self)
        return server

    def _as_error(self, report: Any) -> Exception:
        if isinstance(report, (EngineError, WeightsError, ImportError)):
            return report
        if isinstance(report, dict):
            if report.get('type') == 'exceed_context_size_error':  # type: ignore[reportUnknownMemberType]
                return ContextOverflow(self.model_name, int(report['n_prompt_tokens']), int(report['n_ctx']))  # type: ignore[reportUnknownArgumentType]
            report = report.get('message', report)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return EngineError(self.model_name, f'The engine of {self.model_name!r} reports: {report}')

    def _closed(self) -> EngineError:
        return EngineError(self.model_name, f'The engine of {self.model_name!r} was closed before it had answered.')

    def close(self) -> None:
        """End all requests, stop the threads, and free the memory; the next request starts the engine again."""
        with self._lock:
            self._closing = True
            streams = [*self._waiting, *self._running]
            threads = list(self._threads)
            self._waiting.clear()
            self._lock.notify_all()
        for stream in streams:
            stream.stop(self._closed())
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
        """Start from scratch in a forked process, which does not have the threads of the engine."""
        if self._server is not None:
            # Its destructor would wait for them forever, so it must never run.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._server))
        self._reset()


class _GrammarLock:
    """Lock under which one request with a grammar starts at a time, among several engines.

    The library has one cache of the last tokenizer for all engines, and does not guard it.
    """

    _lock = threading.Lock()

    def __init__(self) -> None:
        self._held = False

    def __enter__(self) -> _GrammarLock:
        self._held = self._lock.acquire()
        return self

    def end(self) -> None:
        """Let the next request start; once the first chunk is there, the grammar has been read."""
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
    with _GrammarLock():
        body = {'prompt': 'a', 'max_tokens': 64, 'temperature': 0.0, 'grammar': grammar, 'cache_prompt': False}
        completion = as_dict(server.handle_completions(body))
    return as_dict(next(iter(as_list(completion.get('choices'))), None)).get('text') == _PROBE


_engines: dict[EngineOptions, Engine] = {}
_loaded: set[Engine] = set()
_guard = threading.Lock()
_orphaned = False
"""Whether this process was forked from one in which the library had threads."""


def engine_for(options: EngineOptions) -> Engine:
    """Return the engine for these options; there is one in a process."""
    with _guard:
        if options not in _engines:
            _engines[options] = Engine(options)
        return _engines[options]


def close_engines() -> None:
    """Close all engines of this process; they start again with their next request."""
    with _guard:
        engines = list(_engines.values())
    for engine in engines:
        engine.close()


def _after_fork() -> None:
    global _guard, _orphaned
    _guard = threading.Lock()
    _GrammarLock._lock = threading.Lock()
    _loaded.clear()
    for engine in _engines.values():
        _orphaned = _orphaned or engine.started
        engine._forget()
    if _orphaned:
        # At the end of the process the library would wait for threads that were not forked; so it exits before that.
        with suppress(AttributeError, OSError):
            libc = ctypes.CDLL(None)
            libc.on_exit(libc._exit, None)


def _cores() -> int:
    count = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
    return max(min(count - 1, 8), 1)  # they wait for each other in busy loops: one without a core would hold up all


atexit.register(close_engines)
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ('Engine', 'EngineOptions', 'close_engines', 'engine_for')
