"""Embeddings of local models: llama.cpp in this process gives them for any file of weights."""

from __future__ import annotations

import atexit
import os
import re
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .._kit.aio import run_in_executor
from .._kit.extras import load_extra, require_extra
from .._kit.json_types import as_dict, as_list
from ..models.llamacpp import ContextOverflow, EngineError, WeightsError, default_weights, find_weights
from ._errors import unusable
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings

CONTEXT_SIZE = 2048
"""How many tokens a text may have."""
_TOO_LONG = re.compile(r'input \((\d+) tokens\) is')
"""What the engine says of a text that is too long."""


class LlamaCppEmbeddingModel(EmbeddingModel):
    """An embedding model in this process, from a file of weights in the format GGUF.

    A vector is the mean of what the model makes of the tokens of a text, with the length 1. Models that were trained for
    embeddings are better at it than those trained to write.
    """

    def __init__(self, model_name: str = '', *, settings: EmbeddingSettings | None = None) -> None:
        """Build a model. The weights are loaded by the first request, and shared by all models with the same file.

        Args:
            model_name: The path of a file of weights; empty for the weights of the extra `local`.
            settings: The settings of all requests. With `truncate` texts that are too long are cut off.

        Raises:
            ImportError: The package xllamacpp is not installed.
        """
        super().__init__(settings=settings)
        require_extra('xllamacpp', extra='local', what='An embedding model in this process')
        self._model_name = model_name

    @property
    def model_name(self) -> str:
        """The path of the weights, or `'default'`."""
        return self._model_name or 'default'

    @property
    def system(self) -> str:
        """`'local'`."""
        return 'local'

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts, computed in a thread.

        Raises:
            WeightsError: There is no such file, or it cannot be loaded.
            ContextOverflow: A text has more than 2048 tokens, and `truncate` is not set.
            EngineError: The engine failed.
            UnexpectedModelBehavior: The engine gave something other than a vector for each text.
        """
        texts, settings = self.prepare_embed(inputs, settings)
        tokens, embeddings = await run_in_executor(self._embed, texts, bool(settings.get('truncate')))
        return self._result(texts, input_type, embeddings, tokens=tokens)

    def _embed(self, texts: list[str], truncate: bool) -> tuple[int, list[Any]]:
        """Return the number of tokens, and the vectors; one text after the other, so that none waits for all."""
        engine = _engine(find_weights(self._model_name) or default_weights())
        tokens, embeddings = 0, list[Any]()
        for text in texts:
            count, embedding = engine.embed(self.model_name, text or ' ', truncate)
            tokens += count
            embeddings.append(embedding)
        return tokens, embeddings

    async def max_input_tokens(self) -> int | None:
        """Return 2048."""
        return CONTEXT_SIZE


class _Engine:
    """llama.cpp with one file of weights. A request has the engine for itself."""

    def __init__(self, path: Path) -> None:
        library = load_extra('xllamacpp', extra='local', what='An embedding model in this process')
        params = library.CommonParams()
        params.model.path = str(path)
        params.embedding = True
        params.pooling_type = library.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        params.n_parallel = 1
        params.n_ctx = params.n_batch = params.n_ubatch = CONTEXT_SIZE  # a text must be in one batch
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, min(8, (os.cpu_count() or 2) - 1))
        params.warmup = False
        params.verbosity = 0
        # The library opens a server for itself. It gets a socket that is removed at once, or a port for this machine only.
        params.api_keys = [secrets.token_urlsafe(32)]
        params.endpoint_slots = params.ui = False
        params.n_threads_http = 1
        with TemporaryDirectory(prefix='stead-') as folder:
            socket = os.path.join(folder, 'e.sock')
            if hasattr(os, 'fork') and len(os.fsencode(socket)) < 100:
                params.hostnames = [socket]
            try:
                self._server = library.Server(params)
            except Exception as error:
                raise WeightsError(f'The engine cannot load {str(path)!r}: {str(error).rstrip(".")}.') from error
        self._lock = threading.Lock()

    def embed(self, name: str, text: str, truncate: bool) -> tuple[int, list[float]]:
        """Return the number of tokens of a text, and its vector."""
        while True:
            with self._lock:
                response = as_dict(self._server.handle_embeddings({'input': text}))
            error = as_dict(response.get('error')) or (response if 'code' in response else {})
            if not error:
                break
            too_long = _TOO_LONG.search(str(error.get('message')))
            if too_long is None:
                raise EngineError(name, f'The engine of {name!r} reports: {error.get("message", error)}')
            tokens = int(too_long[1])
            if not truncate:
                raise ContextOverflow(name, tokens, CONTEXT_SIZE)
            text = text[: max(1, int(len(text) * CONTEXT_SIZE / tokens * 0.95))]
        data = as_list(response.get('data'))
        embedding = as_dict(data[0]).get('embedding') if data else None
        if not isinstance(embedding, list):
            raise unusable(name, 'it has no vector.')
        return int(as_dict(response.get('usage')).get('prompt_tokens') or 0), embedding  # type: ignore[reportUnknownVariableType]


_engines: dict[Path, _Engine] = {}
_loading = threading.Lock()
atexit.register(_engines.clear)


def _engine(path: Path) -> _Engine:
    with _loading:
        if path not in _engines:
            _engines[path] = _Engine(path)
        return _engines[path]


__all__ = ('LlamaCppEmbeddingModel',)
