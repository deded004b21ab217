"""Worker threads of a loop that was left in the middle of its work, by a signal that raises wherever the program is."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from stead._kit import threads
from stead._kit.threads import run_in_worker_thread, stop_threads


def test_a_thread_ends_whose_queue_was_left_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, '_LONGEST_HELD', 0.05)
    found: list[Any] = []

    async def work() -> None:
        found.append(await run_in_worker_thread(threading.current_thread))
        await asyncio.Event().wait()

    loop = asyncio.new_event_loop()
    try:
        task = loop.create_task(work())
        while not found:
            loop.call_soon(loop.stop)
            loop.run_forever()
        (worker,) = found
        assert worker.is_alive()
        worker.queue.mutex.acquire()  # as by a `put` that was interrupted
        stop_threads(loop)
        worker.join(10)
        assert not worker.is_alive()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            loop.run_until_complete(task)
    finally:
        loop.close()
