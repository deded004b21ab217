"""Budgets in SQL databases: two tables beside those of a journal. They are made when the first budget is kept there.

A change is one transaction, which has the row of the budget to itself. A reservation belongs to its process. It is given back
when the process is known to be dead, and does not count after its lease. If the process counts what it has used later, that
happens once, since it ends the reservation. Windows of time only go forward, whatever the clocks of other machines say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..budgets.account import NOTHING, AccountChange, AccountState, Amounts, fits_beside

TABLES = """
    CREATE TABLE IF NOT EXISTS {prefix}budgets (
        name TEXT PRIMARY KEY,
        period TEXT NOT NULL,
        usd BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        requests BIGINT NOT NULL,
        tool_calls BIGINT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS {prefix}reservations (
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        usd BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        requests BIGINT NOT NULL,
        tool_calls BIGINT NOT NULL,
        is_last BIGINT NOT NULL,
        holder TEXT NOT NULL,
        lease_until DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (name, id)
    )
"""
"""The tables; of the numbers, US dollars are in billionths."""
LEASE = 600.0
"""Seconds after which a reservation does not count, if it is not known whether its process lives."""
_FORGOTTEN = 7 * 24 * 3600.0
"""Seconds after the end of its lease at which a reservation is deleted: its process ended on another machine."""
_COUNTS = 'usd, tokens, requests, tool_calls'


def changed_budget(
    name: str,
    change: AccountChange,
    run: Callable[[str, Sequence[object]], Any],
    holder: str,
    dead: Callable[[Collection[str]], Collection[str]],
    *,
    prefix: str = '',
    mark: str = '?',
) -> AccountState:
    """Change a budget inside of a transaction, and return how it stands.

    Args:
        name: The name of the budget.
        change: The change.
        run: Runs a statement with its values, and returns the rows of one that has some.
        holder: This process.
        dead: Returns which of some holders have ended, for sure.
        prefix: What the names of the tables begin with.
        mark: What stands for a value.
    """

    def sql(text: str, *values: object) -> Any:
        return run(text.replace('?', mark).replace('@', prefix), values)

    sql('INSERT INTO @budgets VALUES (?, ?, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING', name, change.window)
    locked = ' FOR UPDATE' if prefix else ''
    period, *counts = sql(f'SELECT period, {_COUNTS} FROM @budgets WHERE name = ?{locked}', name)[0]
    total = Amounts(*counts) if period >= change.window else NOTHING
    rows = sql(f'SELECT id, {_COUNTS}, is_last, holder, lease_until FROM @reservations WHERE name = ?', name)
    gone, now = dead({row[6] for row in rows} - {holder}), time.time()
    ended = {*change.give_back, *(row[0] for row in rows if row[6] in gone or row[7] < now - _FORGOTTEN)}
    used = dict(change.used)
    for row in rows:
        if row[0] in used and row[0] not in ended:
            total = total.plus(used[row[0]])
            ended.add(row[0])
    total = total.plus(change.spend)
    replaced = {one for one, _, _ in change.reserve}
    kept = {
        row[0]: (Amounts(*row[1:5]), bool(row[5]))
        for row in rows
        if row[0] not in ended and row[0] not in replaced and row[7] > now
    }
    state = fits_beside(change, total, kept)
    if state.exceeded is None:
        ended |= {row[0] for row in rows} & replaced
    for row in rows:
        if row[0] in ended:
            sql('DELETE FROM @reservations WHERE name = ? AND id = ?', name, row[0])
    if state.exceeded is None:
        for one, amounts, is_last in change.reserve:
            values = (one, name, *amounts, int(is_last), holder, now + LEASE)
            sql('INSERT INTO @reservations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', *values)
    sql(
        'UPDATE @budgets SET period = ?, usd = ?, tokens = ?, requests = ?, tool_calls = ? WHERE name = ?',
        *(max(period, change.window), *total, name),
    )
    return state
