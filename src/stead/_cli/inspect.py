"""`stead inspect`: look into the runs of a journal in the browser."""

from __future__ import annotations

import argparse
import secrets
import sys
import webbrowser
from pathlib import Path

from .._kit.extras import load_extra
from ..exceptions import UserError
from ..journal import JournalError
from .find import find_agent
from .runs import open_journal
from .serve import listen

HELP = 'Look into the runs of a journal in the browser: what they did, step by step.'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('journal', nargs='?', default='runs.db', help='the SQLite file, or postgresql://USER@HOST/NAME')
    parser.add_argument('agent', nargs='?', help='the agent that continues with runs, as module:variable')
    parser.add_argument('--allow-changes', action='store_true', help='let runs be forked, answered and resumed')
    parser.add_argument('--keys', type=Path, metavar='FILE', help='the keys of an encrypted journal: one a line')
    parser.add_argument('--schema', metavar='NAME', help='the schema of its tables in PostgreSQL')
    parser.add_argument('--host', default='127.0.0.1', help='where to listen (default: this machine only)')
    parser.add_argument('--port', type=int, default=8642, help='the port; 0 for any (default: 8642)')
    parser.add_argument('--no-browser', action='store_true', help='print the address, and open nothing')


def run(options: argparse.Namespace) -> int:
    """Serve the inspector until it is stopped, and return the exit code."""
    if '://' not in options.journal and not Path(options.journal).exists():
        print(f'stead inspect: there is no journal {options.journal!r}.', file=sys.stderr)
        return 2
    try:
        uvicorn = load_extra('uvicorn', extra='web', what='`stead inspect`')
        create = load_extra('stead.ui._pages._inspector', extra='web', what='`stead inspect`').create_inspector
        listener = listen(options.host, options.port)
        token = secrets.token_urlsafe(16)
        may_change = options.allow_changes or options.agent is not None
        app = create(
            open_journal(options.journal, options.keys, schema=options.schema, read_only=not may_change),
            name=Path(options.journal).name,
            agent=find_agent(options.agent) if options.agent else None,
            may_change=may_change,
            token=token,
        )
    except (UserError, JournalError, ImportError) as error:
        print(f'stead inspect: {error}', file=sys.stderr)
        return 2
    host = 'localhost' if options.host in ('127.0.0.1', '::1', '0.0.0.0') else options.host
    # The fragment of an address is not sent to the server, and is in no log.
    address = f'http://{host}:{listener.getsockname()[1]}/#token={token}'
    print(f'The inspector is at {address}\nPress Ctrl+C to stop it.', flush=True)
    if not options.no_browser:
        webbrowser.open(address)
    with listener:
        uvicorn.Server(uvicorn.Config(app, log_level='warning')).run(sockets=[listener])
    return 0
