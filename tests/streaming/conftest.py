"""Async tests run in an event loop of their own, and must leave nothing in it."""

from __future__ import annotations

import asyncio
import gc
import inspect
from typing import Any

import pytest

from tests.waiting import run_in_virtual_time


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in names}

    async def main() -> None:
        await pyfuncitem.obj(**arguments)
        gc.collect()
        for _ in range(20):  # generators that were dropped are closed by tasks of their own, from the outside in
            await asyncio.sleep(0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f'tasks are left: {left}'

    run_in_virtual_time(main()) if getattr(pyfuncitem.obj, 'in_virtual_time', False) else asyncio.run(main())
    return True
