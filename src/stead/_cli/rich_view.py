"""Runs in the terminal, with the package rich: tables that fit, trees, and colours."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from .._show.nodes import Node, one_line
from .._show.rich_trees import STYLES, rich_console, rich_tree
from ..journal import Record, RunInfo
from .run_views import about, moment, short_ids

ROOMY = 100
"""The width of a terminal, in columns, from which on times are shown in full."""
KINDS = {'waiting': 'yellow', 'ended': 'green', 'calling': 'cyan', 'answered': 'cyan', 'begun': 'bold'}


class RichView:
    """Shows runs in the terminal. What runs said is text to rich, not markup."""

    def __init__(self) -> None:
        self.console = rich_console()

    def table(self, runs: Sequence[RunInfo], states: Sequence[str]) -> None:
        is_roomy = self.console.width >= ROOMY
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
        ids = [*map(one_line, short_ids(runs))]
        others = max(map(len, ids), default=0) + (19 if is_roomy else 11) + 9 + 5 + 4 * 2
        table.add_column('Run', no_wrap=True)
        table.add_column('Begun', no_wrap=True, style='dim')
        table.add_column('Agent', no_wrap=True, overflow='ellipsis', max_width=max(8, self.console.width - others))
        table.add_column('Status', no_wrap=True, min_width=7)
        table.add_column('Steps', no_wrap=True, justify='right')
        for run, short, state in zip(runs, ids, states):
            agent = f'↳ {run.agent or ""}' if run.parent_id is not None else run.agent or ''
            table.add_row(
                Text(short),
                moment(run.begun_at) if is_roomy else datetime.fromtimestamp(run.begun_at).strftime('%m-%d %H:%M'),
                Text(one_line(agent)),
                Text(state, STYLES[state]),
                str(run.steps),
            )
        self.console.print(table)

    def tree(self, run: Node) -> None:
        self.console.print(rich_tree(run))

    def record(self, record: Record) -> None:
        at = moment(record.at)
        line = Text.assemble(
            (at if self.console.width >= ROOMY else at[11:], 'dim'),
            f'  {record.seq:>4}  ',
            (f'{one_line(record.kind):<9} ', KINDS.get(record.kind, '')),
            about(record),
        )
        self.console.print(line, no_wrap=True, overflow='ellipsis', crop=True)
