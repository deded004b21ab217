"""The orders: an SQLite database, filled from a CSV file, and the operations of the desk."""

from __future__ import annotations

import csv
import sqlite3
from pathlib import Path
from typing import Any

CHANGEABLE = ('packed',)
"""Only orders that have not left the warehouse can be changed."""


class Refused(Exception):
    """The shop refuses an operation; the message says why, and what is possible instead."""


class Orders:
    """The orders in a database."""

    def __init__(self, path: str | Path = ':memory:') -> None:
        """Open a database, and fill a new one from `orders.csv`.

        Args:
            path: The file; by default a database in memory that is gone with the program.
        """
        # Tools that are plain functions run in worker threads.
        self.database = sqlite3.connect(path, check_same_thread=False)
        self.database.row_factory = sqlite3.Row
        if not self.database.execute("select 1 from sqlite_master where name = 'orders'").fetchone():
            self._fill()

    def _fill(self) -> None:
        columns = 'id text primary key, customer, item, quantity integer, price real, status, city, ordered'
        with self.database:
            self.database.execute(f'create table orders ({columns})')
            self.database.execute('create table log (at text default current_timestamp, what text)')
            with Path(__file__).with_name('orders.csv').open(newline='', encoding='utf-8') as file:
                self.database.executemany(
                    'insert into orders values (:id, :customer, :item, :quantity, :price, :status, :city, :ordered)',
                    csv.DictReader(file),
                )

    def find(self, order: str) -> dict[str, Any]:
        """Return an order.

        Raises:
            Refused: There is none of that id; the text names those that are close.
        """
        row = self.database.execute('select * from orders where id = ?', (order,)).fetchone()
        if row is None:
            known = [name for (name,) in self.database.execute('select id from orders order by id')]
            close = [name for name in known if name.replace('-', '') == order.upper().replace('-', '')]
            hint = f'Did you mean {close[0]!r}?' if close else f'Ids look like {known[0]!r}.'
            raise Refused(f'There is no order {order!r}. {hint}')
        return dict(row)

    def of_customer(self, name: str) -> list[dict[str, Any]]:
        """Return the orders of customers whose name holds a text, in any case."""
        rows = self.database.execute(
            "select * from orders where customer like '%' || ? || '%' order by ordered desc", (name,)
        )
        return [dict(row) for row in rows]

    def change(self, order: str, **changes: str) -> dict[str, Any]:
        """Change an order that has not left the warehouse, and return it.

        Raises:
            Refused: It has, or there is no such order.
        """
        found = self.find(order)
        if found['status'] not in CHANGEABLE:
            raise Refused(f'Order {order} is {found["status"]}; only orders that are packed can still be changed.')
        with self.database:
            for column, value in changes.items():
                assert column in ('status', 'city'), 'nothing else changes'
                self.database.execute(f'update orders set {column} = ? where id = ?', (value, order))
        return self.find(order)

    def refund(self, order: str) -> dict[str, Any]:
        """Pay an order back, and return it.

        Raises:
            Refused: It was not delivered, or there is no such order.
        """
        found = self.find(order)
        if found['status'] != 'delivered':
            raise Refused(f'Order {order} is {found["status"]}; only delivered orders are paid back.')
        with self.database:
            self.database.execute("update orders set status = 'refunded' where id = ?", (order,))
        return self.find(order)

    def is_refunded(self, order: str) -> bool:
        """Return whether an order was paid back."""
        return self.find(order)['status'] == 'refunded'

    def log(self, what: str) -> None:
        """Write a line into the log of the desk."""
        with self.database:
            self.database.execute('insert into log (what) values (?)', (what,))

    def logged(self) -> list[str]:
        """Return the lines of the log."""
        return [what for (what,) in self.database.execute('select what from log order by rowid')]

    def close(self) -> None:
        """Close the database."""
        self.database.close()
