"""Errors of the hook around a run are its own: `on_run_error` handles those of the run only."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent
from stead.capabilities import AbstractCapability
from stead.models.test import TestModel


class Around(AbstractCapability[Any]):
    """Makes the run or not, and fails; notes what `on_run_error` is asked about."""

    def __init__(self, runs: bool) -> None:
        self.runs = runs
        self.errors: list[str] = []

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        if self.runs:
            try:
                await handler()
            except BaseException as error:
                raise ValueError('the hook failed') from error
        raise ValueError('the hook failed')

    async def on_run_error(self, ctx: Any, *, error: BaseException) -> Any:
        self.errors.append(str(error))
        raise error


@pytest.mark.parametrize(
    ('runs', 'failure', 'errors'),
    [
        (False, None, []),
        (True, None, []),
        (True, OSError('disk full'), ['disk full']),
    ],
)
def test_on_run_error_is_asked_about_what_failed_in_the_run(
    runs: bool, failure: Exception | None, errors: list[str]
) -> None:
    def tool() -> None:
        if failure is not None:
            raise failure

    around = Around(runs)
    with pytest.raises(OSError if errors else ValueError, match='disk full' if errors else 'the hook failed'):
        Agent(TestModel(), tools=[tool], capabilities=[around]).run_sync('go')
    assert around.errors == errors


def test_on_run_error_is_not_asked_about_a_run_that_is_left() -> None:
    around = Around(runs=True)

    async def main() -> None:
        async with Agent(TestModel(), capabilities=[around]).iter('go') as run:
            await anext(run)

    asyncio.run(main())  # what hooks make of leaving is not the result of the block
    assert around.errors == []
