"""`PostgresStore`: keeps records in a PostgreSQL database, for processes on several machines.

It uses psycopg as a journal uses every store: from the one thread that writes, with one connection. That thread collects what
the runs of a process hand in while the database is busy, and appends it as one transaction, in order; so a process needs one
connection, whatever the number of its runs. With an asynchronous connection, the order would be up to the event loop.

Appending takes two round trips: one that begins the transaction, locks the runs and reads their tokens, and one that adds the
records and commits. Runs are locked in the order of their ids, so that two processes that write about the same runs (one of
them is about to learn that it lost its leases) wait for each other, and never in a circle.

A connection that was lost is not repaired under a transaction. Whether the transaction was committed is not known then, so
the runs that it was about fail, and are read again when they are resumed. The next use of the store connects again.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from typing_extensions import TypeAlias

from .._kit.extras import load_extra, require_extra
from ..budgets.account import AccountChange, AccountState
from ..exceptions import UserError
from ._budgets import TABLES, changed_budget
from ._checks import check_number, check_text
from ._errors import StoreError
from ._holders import holder_here, is_dead_here, session_name
from ._sql import COLUMNS, checked, conditions, record_of, run_of, runs_of, selected
from ._store import Entry, Record, RunFilter, RunInfo, Store

_EXTRA = {'extra': 'postgres', 'what': 'A journal in PostgreSQL'}
Connection: TypeAlias = Any
"""A connection of psycopg, or its pipeline; the package is imported when it is used."""
Row: TypeAlias = 'tuple[Any, ...]'

_MIGRATING = 0x5_7EAD
"""The number of the lock that is held while tables are created and changed."""

MIGRATIONS = (
    """
    CREATE TABLE stead_runs (
        number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run_id TEXT COLLATE "C" NOT NULL UNIQUE,
        agent TEXT,
        status TEXT NOT NULL,
        key TEXT UNIQUE,
        parent_id TEXT,
        conversation_id TEXT,
        begun_at DOUBLE PRECISION NOT NULL,
        updated_at DOUBLE PRECISION NOT NULL,
        steps BIGINT NOT NULL,
        last_seq BIGINT NOT NULL,
        base_id TEXT,
        base_seq BIGINT NOT NULL,
        token BIGINT NOT NULL,
        holder TEXT,
        lease_until DOUBLE PRECISION NOT NULL
    );
    CREATE INDEX stead_runs_by_time ON stead_runs (begun_at, run_id);
    CREATE INDEX stead_runs_by_status ON stead_runs (status, begun_at);
    CREATE INDEX stead_runs_by_conversation ON stead_runs (conversation_id, begun_at) WHERE conversation_id IS NOT NULL;
    CREATE INDEX stead_runs_by_parent ON stead_runs (parent_id) WHERE parent_id IS NOT NULL;
    CREATE INDEX stead_runs_by_base ON stead_runs (base_id) WHERE base_id IS NOT NULL;
    CREATE TABLE stead_records (
        number BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        kind TEXT NOT NULL,
        at DOUBLE PRECISION NOT NULL,
        body BYTEA NOT NULL,
        PRIMARY KEY (number, seq)
    );
    """,
    """
    ALTER TABLE stead_runs ADD COLUMN turn TEXT;
    CREATE UNIQUE INDEX stead_runs_by_turn ON stead_runs (turn) WHERE turn IS NOT NULL;
    """,
)
"""How the tables of each version become those of the next; the table `stead_version` counts those that were applied."""

_SELECT = selected('stead_runs', len(MIGRATIONS))
_INSERT = (
    f'INSERT INTO stead_runs ({", ".join(COLUMNS)}) VALUES ({", ".join(["%s"] * len(COLUMNS))}) '
    'ON CONFLICT DO NOTHING RETURNING number'
)
_LOCKED = 'SELECT number, run_id, status, holder, lease_until FROM stead_runs WHERE run_id = ANY(%s) ORDER BY run_id FOR UPDATE'
_ADD = """
    INSERT INTO stead_records (number, seq, kind, at, body)
    SELECT * FROM unnest(%b::bigint[], %b::bigint[], %s::text[], %b::double precision[], %b::bytea[])
"""
_UPDATE = """
    UPDATE stead_runs SET status = new.status, steps = new.steps, last_seq = new.last_seq, updated_at = new.updated_at
    FROM unnest(%b::bigint[], %s::text[], %b::bigint[], %b::bigint[], %b::double precision[])
        AS new (number, status, steps, last_seq, updated_at)
    WHERE stead_runs.number = new.number
"""


class PostgresStore(Store):
    """Keeps records in the tables `stead_runs`, `stead_records` and `stead_version` of a PostgreSQL database.

    Processes of several machines may use it. Their leases are compared by their clocks, so these should agree within a few
    seconds; where they do not, a run may be taken over too early or too late, and even then it continues in one place only.
    """

    def __init__(self, url: str, *, schema: str | None = None, timeout: float = 10.0, read_only: bool = False) -> None:
        """Keep records in a database. The tables are created when it is first used.

        Args:
            url: The address of the database, `postgresql://user@host/name`, or a connection string of libpq. What it does
                not say, such as the password, is taken from the environment (`PGPASSWORD`) and from `~/.pgpass`.
            schema: The schema of the tables, which is created if it is missing; by default the first of the search path.
            timeout: How long to wait for a connection, and for rows that another process has locked, in seconds.
            read_only: Whether the database is told to refuse everything that writes. Methods that write raise a
                `StoreError`. The tables must exist; those of an older version are read as they are.

        Raises:
            UserError: The address cannot be read, or an argument is of another type.
            ImportError: The package `psycopg` is not installed.
        """
        require_extra('psycopg', **_EXTRA)
        psycopg = _psycopg()
        if schema is not None:
            check_text(schema, 'The `schema` of a `PostgresStore`')
        check_number(timeout, '`timeout` of a `PostgresStore`', above=True, unit='seconds')
        try:
            if not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ValueError
            known: dict[str, object] = psycopg.conninfo.conninfo_to_dict(url)
        except (psycopg.Error, ValueError):
            # The error of libpq would repeat parts of the address, and so of the password.
            raise UserError(
                'The address of a `PostgresStore` cannot be read: pass `postgresql://user@host/name`. Characters with a '
                'meaning in addresses (`@`, `/`, `:`, `%`) are written as `%40` and the like.'
            ) from None
        self.url: str = url
        self.schema: str | None = schema
        self.timeout: float = timeout
        self.read_only: bool = read_only
        self._has_budgets = False
        self._select: str = _SELECT
        self.place: str = f'{known.get("host") or "localhost"}/{known.get("dbname") or known.get("user") or ""}'
        """The host and the name of the database, for messages."""
        self._connection: Connection = None
        self._is_open: bool = False
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f'<PostgresStore {self.place}>'

    def address(self) -> object:
        return self.url, self.schema

    def open(self) -> None:
        with self._lock:
            if self._is_open:
                return
            with self._errors('open'):
                connection = self._connect()
                try:
                    self._migrate(connection)
                except BaseException:
                    connection.close()
                    raise
            self._connection, self._is_open = connection, True

    def _connect(self) -> Connection:
        psycopg = _psycopg()
        milliseconds = max(1, round(self.timeout * 1000))
        defaults: dict[str, object] = {
            'connect_timeout': max(2, round(self.timeout)),
            'application_name': session_name(),
            # A host that is gone, not only its server, is noticed too.
            'keepalives_idle': max(1, round(self.timeout)),
            'keepalives_interval': max(1, round(self.timeout / 3)),
            'keepalives_count': 3,
            'tcp_user_timeout': milliseconds,
        }
        known = psycopg.conninfo.conninfo_to_dict(self.url)
        connection = psycopg.connect(**{**defaults, **known}, autocommit=True)
        try:
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            # The locks of a process that was stopped within a transaction do not last: its connection is closed.
            connection.execute(
                "SELECT set_config('lock_timeout', %s, false), "
                "set_config('idle_in_transaction_session_timeout', %s, false)",
                [str(milliseconds), str(milliseconds)],
            )
            if self.schema is not None:
                connection.execute(self._with_schema('SET search_path TO {}'))
            if self.read_only:
                connection.execute('SET default_transaction_read_only TO on')
        except BaseException:
            connection.close()
            raise
        return connection

    def _take_as_it_is(self, connection: Connection) -> None:
        version = self._version(connection)
        if version > len(MIGRATIONS):
            raise StoreError(self._newer(version))
        if not version:
            raise StoreError(f'The database at {self.place} has no journal, and is only to be read.')
        self._select = selected('stead_runs', version)

    def _migrate(self, connection: Connection) -> None:
        if self.read_only:
            return self._take_as_it_is(connection)
        if self._version(connection) == len(MIGRATIONS):
            return
        with connection.transaction():
            connection.execute('SELECT pg_advisory_xact_lock(%s)', [_MIGRATING])
            if self.schema is not None:
                found = connection.execute('SELECT 1 FROM pg_namespace WHERE nspname = %s', [self.schema]).fetchone()
                if found is None:
                    connection.execute(self._with_schema('CREATE SCHEMA {}'))
            version = self._version(connection)  # another process may have been quicker
            if version > len(MIGRATIONS):
                raise StoreError(self._newer(version))
            for migration in MIGRATIONS[version:]:
                for statement in migration.split(';'):
                    if statement.strip():
                        connection.execute(statement)
            if version == 0:
                connection.execute('CREATE TABLE stead_version (version INTEGER NOT NULL)')
                connection.execute('INSERT INTO stead_version VALUES (0)')
            connection.execute('UPDATE stead_version SET version = %s', [len(MIGRATIONS)])

    def _with_schema(self, query: str) -> Any:
        sql = _psycopg().sql
        return sql.SQL(query).format(sql.Identifier(self.schema))

    def _version(self, connection: Connection) -> int:
        found = connection.execute(
            "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'stead_version'"
        ).fetchone()
        return connection.execute('SELECT version FROM stead_version').fetchone()[0] if found is not None else 0

    def _newer(self, version: int) -> str:
        return (
            f'The journal at {self.place} was written by a newer version of stead (format {version}; this one reads up to '
            f'{len(MIGRATIONS)}). Update stead, or use another schema.'
        )

    def close(self) -> None:
        with self._lock:
            self._is_open = False
            if self._connection is not None:
                connection, self._connection = self._connection, None
                connection.close()

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        with self._transaction('add a run to', durable=True) as transaction:
            while True:
                inserted = transaction.fetch(_INSERT, [getattr(run, name) for name in COLUMNS])
                if inserted:
                    if run.base_id is not None:  # it is not deleted before this one can be seen
                        transaction.fetch('SELECT 1 FROM stead_runs WHERE run_id = %s FOR KEY SHARE', [run.base_id])
                    if records:
                        transaction.send(_ADD, _columns([(*inserted[0], *record) for record in records]))
                    return run
                rows = transaction.fetch(
                    f'{_SELECT} WHERE run_id = %s OR key = %s OR turn = %s '
                    'ORDER BY key IS NOT DISTINCT FROM %s DESC, turn IS NOT DISTINCT FROM %s DESC',
                    [run.run_id, run.key, run.turn, run.key, run.turn],
                )
                if rows:
                    return run_of(rows[0], self.place)
                # The run that was in the way was deleted in between.

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        added: list[Row] = []
        changed: dict[int, Row] = {}
        with self._transaction('append to', durable=durable) as transaction:
            rows = transaction.fetch(
                'SELECT run_id, number, token, last_seq, updated_at FROM stead_runs WHERE run_id = ANY(%s) '
                'ORDER BY run_id FOR UPDATE',
                [[entry.run_id for entry in entries]],
            )
            names = ('run_id', 'number', 'token', 'last_seq', 'updated_at')
            runs: dict[str, Sequence[Any]] = {row[0]: checked(row, names, row[0], self.place)[1:] for row in rows}
            for run_id, token, records, status, steps in entries:
                number, current, last_seq, updated_at = runs.get(run_id, (0, None, 0, 0.0))
                follows = all(record.seq == last_seq + place for place, record in enumerate(records, 1))
                if run_id in refused or current != token or not follows:
                    refused.add(run_id)
                    continue
                added += [(number, *record) for record in records]
                if records:
                    last_seq, updated_at = records[-1].seq, records[-1].at
                runs[run_id] = number, token, last_seq, updated_at
                changed[number] = number, status, steps, last_seq, updated_at
            if added:
                transaction.send(_ADD, _columns(added))
            if changed:
                transaction.send(_UPDATE, _columns([*changed.values()]))
        return refused

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        with self._use('read') as connection:
            rows = connection.execute(
                'SELECT seq, kind, at, body FROM stead_records '
                'WHERE number = (SELECT number FROM stead_runs WHERE run_id = %s) AND seq > %s ORDER BY seq LIMIT %s',
                [run_id, after, limit],
                binary=True,
            ).fetchall()
            return [record_of(row, run_id, self.place) for row in rows]

    def get(self, run_id: str) -> RunInfo | None:
        with self._use('read') as connection:
            row = connection.execute(f'{self._select} WHERE run_id = %s', [run_id]).fetchone()
            return None if row is None else self._as_they_are(connection, [run_of(row, self.place)])[0]

    def find(self, wanted: RunFilter) -> list[RunInfo]:
        with self._use('read') as connection:
            dead: list[str] = []
            if wanted.free_at is not None:
                query = 'SELECT holder FROM stead_runs WHERE holder IS NOT NULL AND lease_until > %s'
                dead = self._dead(
                    connection, [row[0] for row in connection.execute(query, [wanted.free_at]).fetchall()]
                )
            is_free = 'holder IS NULL OR holder = ANY(%s)' if dead else 'holder IS NULL'
            where, values = conditions(wanted, '%s', is_free, [dead] if dead else [])
            rows = connection.execute(f'{self._select}{where}', values).fetchall()
            return self._as_they_are(connection, runs_of(rows, wanted, self.place))

    def _as_they_are(self, connection: Connection, runs: list[RunInfo]) -> list[RunInfo]:
        """Return runs, whose leases are free where the process that has one is dead."""
        dead = self._dead(connection, [run.holder for run in runs])
        for run in runs:
            if run.holder in dead:
                run.holder, run.lease_until = None, 0.0
        return runs

    @staticmethod
    def _dead(connection: Connection, holders: Sequence[str | None]) -> list[str]:
        """Return those of some holders whose processes have ended, for sure, on this machine."""
        dead = [holder for holder in holders if holder is not None and is_dead_here(holder, ())]
        if not dead:  # as it nearly always is
            return []
        sessions = {row[0] for row in connection.execute('SELECT application_name FROM pg_stat_activity').fetchall()}
        return [holder for holder in dead if is_dead_here(holder, sessions)]

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        with self._use('take a lease in') as connection:

            def take(*others: str) -> Row | None:
                return connection.execute(
                    'UPDATE stead_runs SET token = token + 1, holder = %s, lease_until = %s '
                    'WHERE run_id = %s AND (holder IS NULL OR holder = ANY(%s) OR lease_until <= %s) RETURNING token',
                    [holder, now + seconds, run_id, [holder, *others], now],
                ).fetchone()

            row = take()
            if row is None:
                held = connection.execute('SELECT holder FROM stead_runs WHERE run_id = %s', [run_id]).fetchone()
                if held is not None and (dead := self._dead(connection, held)):
                    row = take(*dead)
            return None if row is None else checked(row, ('token',), run_id, self.place)[0]

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        with self._transaction('renew leases in', durable=False) as transaction:
            # Locked in the order of their ids, as in `append`.
            rows = transaction.fetch(
                'WITH held AS ('
                ' SELECT number, run_id FROM stead_runs '
                ' JOIN unnest(%s::text[], %s::bigint[]) AS lease (id, taken) ON run_id = id AND token = taken '
                ' WHERE holder IS NOT NULL ORDER BY run_id FOR UPDATE OF stead_runs) '
                'UPDATE stead_runs SET lease_until = %s FROM held WHERE stead_runs.number = held.number '
                'RETURNING stead_runs.run_id, token',
                [[run_id for run_id, _ in leases], [token for _, token in leases], until],
            )
        return {run_id for run_id, _ in set(leases) - {(run_id, token) for run_id, token in rows}}

    def release(self, run_id: str, token: int) -> None:
        with self._use('release a lease in') as connection:
            connection.execute(
                'UPDATE stead_runs SET holder = NULL, lease_until = 0 WHERE run_id = %s AND token = %s', [run_id, token]
            )

    def delete(self, run_ids: Sequence[str]) -> int:
        with self._transaction('delete from', durable=True) as transaction:
            rows = transaction.fetch(_LOCKED, [list(run_ids)])
            return _delete(transaction, rows)

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        deleted = 0
        for ids in trees:
            with self._transaction('delete from', durable=True) as transaction:
                # A run that is about to continue from one of them waits for the locks; see `create`.
                rows = transaction.fetch(_LOCKED, [list(ids)])
                others = transaction.fetch(
                    'SELECT 1 FROM stead_runs WHERE (base_id = ANY(%s) OR parent_id = ANY(%s)) AND NOT run_id = ANY(%s) LIMIT 1',
                    [list(ids)] * 3,
                )
                is_over = any(row[1] == ids[0] and row[2] in ('done', 'failed') for row in rows)
                if is_over and not others and not any(row[3] is not None and row[4] > now for row in rows):
                    deleted += _delete(transaction, rows)
        return deleted

    def change_budget(self, name: str, change: AccountChange) -> AccountState:
        """Change a budget that is kept in the tables `stead_budgets` and `stead_reservations`; see `Budget`."""
        if not self._is_open:
            self.open()
        if not self._has_budgets:
            with self._use('create the tables of budgets in') as connection, connection.transaction():
                connection.execute('SELECT pg_advisory_xact_lock(%s)', [_MIGRATING])
                connection.execute(TABLES.format(prefix='stead_'))
            self._has_budgets = True
        with self._use('change a budget in') as connection, connection.transaction():

            def run(statement: str, values: Sequence[object]) -> list[Row]:
                cursor = connection.execute(statement, values)
                return cursor.fetchall() if cursor.description is not None else []

            def dead(holders: Collection[str]) -> Collection[str]:
                return self._dead(connection, [*holders])

            return changed_budget(name, change, run, holder_here(), dead, prefix='stead_', mark='%s')

    @contextmanager
    def _transaction(self, action: str, *, durable: bool) -> Iterator[_Transaction]:
        if self.read_only:
            raise StoreError(f'Cannot {action} the journal at {self.place}: it was opened to be read only.')
        with self._use(action) as connection, connection.pipeline() as pipeline, connection.transaction():
            if not durable:  # the database answers before its log is on the disk
                connection.execute('SET LOCAL synchronous_commit TO off')
            found = connection.execute('SELECT version FROM stead_version')
            yield _Transaction(connection, pipeline)
            if (version := found.fetchone()[0]) != len(MIGRATIONS):
                raise StoreError(self._newer(version))

    @contextmanager
    def _use(self, action: str) -> Iterator[Connection]:
        """Yield the connection, and make it again if it was lost."""
        with self._lock, self._errors(action):
            if not self._is_open:
                raise StoreError(f'The journal at {self.place} is not open: call `open()` first.')
            if self._connection is None:
                self._connection = self._connect()
            try:
                yield self._connection
            finally:
                if self._connection.closed:
                    self._connection = None

    @contextmanager
    def _errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except (_psycopg().Error, UnicodeError) as error:
            text = ' '.join(str(error).split()) or type(error).__name__
            raise StoreError(f'Cannot {action} the journal at {self.place}: {text.rstrip(".")}.') from error


class _Transaction:
    """A transaction: queries that are sent with the next one whose rows are wanted, or with its end."""

    def __init__(self, connection: Connection, pipeline: Connection) -> None:
        self._connection = connection
        self._pipeline = pipeline

    def send(self, query: str, values: Sequence[object] = ()) -> None:
        self._connection.execute(query, values)

    def fetch(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        cursor = self._connection.execute(query, values)
        # Without it, the database would not see that the transaction is idle, if the process is stopped now.
        self._pipeline.sync()
        return cursor.fetchall()


def _delete(transaction: _Transaction, rows: Sequence[Row]) -> int:
    numbers = [row[0] for row in rows]
    transaction.send('DELETE FROM stead_records WHERE number = ANY(%s)', [numbers])
    transaction.send('DELETE FROM stead_runs WHERE number = ANY(%s)', [numbers])
    return len(numbers)


def _psycopg() -> Any:
    return load_extra('psycopg', **_EXTRA)


def _columns(rows: Sequence[Row]) -> list[list[object]]:
    return [list(column) for column in zip(*rows)]
