"""A PostgreSQL server of the tests, on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NEEDED = os.environ.get('STEAD_NEEDS_POSTGRES') == '1'
"""Whether it is an error, and not a reason to skip, that there is no server."""


def _programs() -> Path | None:
    """Return the directory of the programs of a server: from the path, or where Debian puts them."""
    found = shutil.which('initdb')
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path('/usr/lib/postgresql').glob('*/bin'), reverse=True)
    return next((place for place in places if (place / 'initdb').exists() and (place / 'postgres').exists()), None)


class PostgresServer:
    """A server with a directory of its own, which can be stopped, killed and started again."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.directory = Path(tempfile.mkdtemp(prefix='stead-postgres-'))
        self.process: subprocess.Popen[bytes] | None = None
        self._schemas = 0
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        # The server refuses to run as root.
        self._as: dict[str, Any] = {}
        if sys.platform != 'win32' and os.geteuid() == 0:
            import pwd

            nobody = pwd.getpwnam('nobody')
            self._as = {'user': nobody.pw_uid, 'group': nobody.pw_gid, 'extra_groups': []}
            os.chown(self.directory, nobody.pw_uid, nobody.pw_gid)
        subprocess.run(
            [
                programs / 'initdb',
                '-D',
                self.directory / 'data',
                '-U',
                'stead',
                '--auth=trust',
                '--no-sync',
                '-E',
                'UTF8',
            ],
            check=True,
            capture_output=True,
            cwd='/',
            **self._as,
        )

    @property
    def url(self) -> str:
        return f'postgresql://stead@127.0.0.1:{self.port}/postgres'

    def new_schema(self) -> str:
        """Return the name of a schema that does not exist."""
        self._schemas += 1
        return f'test_{self._schemas}'

    def start(self) -> None:
        options = [f'port={self.port}', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
        with (self.directory / 'log').open('ab') as log:
            self.process = subprocess.Popen(
                [self.programs / 'postgres', '-D', self.directory / 'data', *(f'--{option}' for option in options)],
                stdout=log,
                stderr=log,
                cwd='/',
                **self._as,
            )
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(('127.0.0.1', self.port), 1).close()
                self.query('SELECT 1')
                return
            except Exception as error:
                assert self.process.poll() is None, (self.directory / 'log').read_text()
                assert time.monotonic() < deadline, error
                time.sleep(0.05)

    def stop(self, *, at_once: bool = False) -> None:
        """Stop the server and close its connections; `at_once` leaves no time for that, as a crash would."""
        if self.process is not None:
            import signal

            self.process.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
            self.process.wait(30)
            self.process = None

    def query(self, query: Any, *values: Any) -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def a_server() -> Iterator[PostgresServer]:
    """Start a server, and stop it in the end; skip or fail where none is installed."""
    programs = _programs()
    try:
        import psycopg  # noqa: F401

        missing = '' if programs else 'no PostgreSQL server is installed here (in Debian: apt-get install postgresql)'
    except ImportError:
        missing = 'psycopg is not installed (the extra "postgres")'
    if missing or programs is None:
        if NEEDED:
            pytest.fail(missing)
        pytest.skip(missing)
    server = PostgresServer(programs)
    try:
        server.start()
        yield server
    finally:
        server.stop(at_once=True)
        shutil.rmtree(server.directory, ignore_errors=True)


@pytest.fixture(scope='session')
def postgres_server() -> Iterator[PostgresServer]:
    with a_server() as server:
        yield server


@pytest.fixture
def postgres(postgres_server: PostgresServer) -> PostgresServer:
    """Return the server; it runs, whatever a test before has done to it."""
    if postgres_server.process is None:
        postgres_server.start()
    return postgres_server
