"""`stead runs`: the runs in a journal, in the terminal."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, cast

from anyio import to_thread

from .._kit.secret import masked_text
from .._show.nodes import counted, waiting_text
from ..exceptions import UserError
from ..journal import EncryptedStore, Journal, JournalError, PostgresStore, Record, RunFilter, RunInfo, SqliteStore
from ..journal.traces import is_entry, status_of
from ..messages import ModelMessage, ToolReturnPart, UserPromptPart
from ..tools import DeferredToolRequests, DeferredToolResults, ToolDenied
from .find import find_agent
from .run_views import STATES, AnyJournal, PlainView, RunView, harmless, harmless_json, state_of, tree_of

HELP = 'List the runs of a journal, look into them, and continue with them.'

Command = Callable[[AnyJournal, argparse.Namespace], Awaitable[int]]
_STORED = {'abandoned': 'running', 'answered': 'running', 'paused': 'running', 'cancelled': None, 'stopped': 'failed'}
"""How runs are stored that stand so, where that has another word."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_place(parser)
    parser.set_defaults(journal='runs.db', keys=None, schema=None)
    commands = parser.add_subparsers(title='what to do', required=True, metavar='COMMAND')

    def command(
        name: str, function: Command, text: str, *, run: bool = False, writes: bool = False
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        add_place(added)
        if run:
            added.add_argument('run_id', help='the run: its id, or the beginning or the end of it')
        added.set_defaults(command=function, writes=writes)
        return added

    listing = command('list', _list, 'List runs, the last started first.')
    listing.add_argument('--status', choices=STATES, help='only runs that stand so')
    listing.add_argument('--agent', help='only runs of the agent of this name')
    listing.add_argument('--limit', type=int, default=20, help='how many (default: 20)')
    listing.add_argument('--json', action='store_true', help='a line of JSON for each run')
    show = command('show', _show, 'Show what a run did, step by step.', run=True)
    show.add_argument('--json', action='store_true', help='the messages as JSON')
    show.add_argument('--html', type=Path, metavar='FILE', help='write a page that shows it, and that needs no server')
    tail = command('tail', _tail, 'Show what a run does, while it runs.', run=True)
    tail.add_argument('--json', action='store_true', help='a line of JSON for each record')
    tail.add_argument('--pause', type=float, default=0.5, help='seconds between looks (default: 0.5)')
    resume = command('resume', _resume, 'Let a run continue that is paused, or in this process.', run=True, writes=True)
    resume.add_argument(
        'agent', nargs='?', help='the agent, as module:variable, to continue here (default: where the run is paused)'
    )
    command('pause', _pause, 'Let a run pause before its next request or call.', run=True, writes=True)
    cancel = command('cancel', _cancel, 'Cancel a run, or one of its calls.', run=True, writes=True)
    cancel.add_argument('--call', metavar='CALL', help='the call; the run continues')
    cancel.add_argument('--reason', metavar='TEXT', help='why')
    steer = command('steer', _steer, 'Add a message to a run.', run=True, writes=True)
    steer.add_argument('message', help='what the model is to read with its next request')
    answer = command('answer', _answer, 'Decide about the calls that a run waits for.', run=True, writes=True)
    answer.add_argument('--approve', action='append', default=[], metavar='CALL', help='approve a call; "all" for all')
    answer.add_argument('--deny', action='append', default=[], metavar='CALL', help='deny a call; "all" for all')
    answer.add_argument('--message', help='what the model is told about calls that are denied')
    answer.add_argument('--result', action='append', default=[], metavar='CALL=JSON', help='the result of a call')
    fork = command(
        'fork', _fork, 'Add a run that shares the past of another one, and print its id.', run=True, writes=True
    )
    fork.add_argument('--at', type=int, metavar='STEP', help='the step whose request is sent again (default: the last)')
    fork.add_argument(
        '--call',
        action='append',
        metavar='ID=JSON',
        help='make this call of the response of the step again, with these arguments, in place of the request',
    )
    fork.add_argument('--by', metavar='NAME', help='who changes the calls')
    fork.add_argument('--prompt', metavar='TEXT', help='what the last prompt says before the request is sent again')
    fork.add_argument(
        '--result',
        action='append',
        default=[],
        metavar='CALL=JSON',
        help='the result that a call has before the request is sent again',
    )
    prune = command('prune', _prune, 'Delete runs that have ended.', writes=True)
    age = prune.add_mutually_exclusive_group(required=True)
    age.add_argument('--days', type=float, help='only runs that ended so many days ago')
    age.add_argument('--hours', type=float, help='only runs that ended so many hours ago')
    prune.add_argument('--keep', type=int, default=0, help='keep so many of them, the last ones')
    export = command('export', _export, 'Write runs as lines of JSON.')
    export.add_argument('run_ids', nargs='*', help='the runs (default: all)')
    export.add_argument('--cassette', type=Path, metavar='FILE', help='write one run as a cassette for tests')
    command('import', _import, 'Add runs from lines of JSON, read from the standard input.', writes=True)


def add_place(parser: argparse.ArgumentParser) -> None:
    """Declare where the journal is, which may be said before what to do and after it."""
    parser.add_argument(
        '--journal',
        default=argparse.SUPPRESS,
        metavar='FILE',
        help='the SQLite file, or postgresql://USER@HOST/NAME (default: runs.db)',
    )
    parser.add_argument(
        '--keys',
        type=Path,
        default=argparse.SUPPRESS,
        metavar='FILE',
        help='the keys of an encrypted journal: one a line, the newest first',
    )
    parser.add_argument(
        '--schema', default=argparse.SUPPRESS, metavar='NAME', help='the schema of its tables in PostgreSQL'
    )


def run(options: argparse.Namespace) -> int:
    """Do what was asked for, and return the exit code."""
    try:
        if options.command is not _import:
            check_place(options.journal)
        journal = open_journal(options.journal, options.keys, schema=options.schema, read_only=not options.writes)
        return asyncio.run(options.command(journal, options))
    except (UserError, JournalError, ImportError) as error:  # a store may need a package that is not installed
        print(f'stead runs: {harmless(error)}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # what `tail` is ended with
        return 130


def check_place(place: str) -> None:
    """Raise `UserError` if there is no journal in a file."""
    if '://' not in place and not Path(place).exists():
        raise UserError(f'there is no journal {place!r}. Pass --journal FILE.')


def open_journal(
    place: str, keys_file: Path | None, *, schema: str | None = None, read_only: bool = False
) -> AnyJournal:
    """Return a journal, with the keys in a file if it is encrypted.

    Args:
        place: The file, or the URL of the database.
        keys_file: The file with the keys; `None` if it is not encrypted.
        schema: The schema of its tables, in PostgreSQL only.
        read_only: Whether nothing is to be written to it, whatever is asked of it.

    Raises:
        UserError: The keys cannot be read, or there are none; or a file is to have a schema.
    """
    if '://' in place:
        store = PostgresStore(place, schema=schema, read_only=read_only)
    elif schema is not None:
        raise UserError('Only a journal in PostgreSQL has a schema: pass `--journal postgresql://USER@HOST/NAME`.')
    else:
        store = SqliteStore(place, read_only=read_only)
    if keys_file is None:
        return Journal(store)
    try:
        keys = keys_file.read_text().split()
    except (OSError, ValueError) as error:
        raise UserError(f'The keys cannot be read: {error}.') from error
    if not keys:
        raise UserError(f'There is no key in {str(keys_file)!r}.')
    return Journal(EncryptedStore(store, *keys))


async def find_run(journal: AnyJournal, part: str) -> RunInfo:
    """Return the run that has an id, or else the one whose id ends or begins so.

    Raises:
        JournalError: There is none, or there are several.
    """
    found: dict[str, RunInfo] = {}
    for wanted in (RunFilter(id_ends=part, limit=1_000), RunFilter(id_begins=part, limit=1_000)):
        found.update((run.run_id, run) for run in await journal.find(wanted))
    if part in found or len(found) == 1:
        return found.get(part) or found.popitem()[1]
    if not found:
        raise JournalError(f'No run has an id that begins or ends with {part!r}.')
    more = ', ...' if len(found) > 5 else ''
    raise JournalError(
        f'{len(found)} runs have an id that begins or ends with {part!r}: {", ".join([*found][:5])}{more}.'
    )


def _view() -> RunView:
    """Return a view that suits the standard output."""
    if sys.stdout.isatty():
        try:
            from .rich_view import RichView
        except ImportError:  # the extra "rich" is not installed
            pass
        else:
            return RichView()
    return PlainView()


async def _list(journal: AnyJournal, options: argparse.Namespace) -> int:
    runs, states = await _listed(journal, options.status, options.agent, options.limit)
    if options.json:
        for item, state in zip(runs, states):
            print(json.dumps({**asdict(item), 'status': state}))
    else:
        _view().table(runs, states)
    return 0


async def _listed(
    journal: AnyJournal, state: str | None, agent: str | None, limit: int
) -> tuple[list[RunInfo], list[str]]:
    """Return the last runs that stand so, and how each of them stands."""
    stored: Any = _STORED.get(state or '', state)
    free_at = time.time() if state in ('abandoned', 'answered') else None
    wanted = RunFilter(status=stored, agent=agent, free_at=free_at, limit=limit)
    runs, states = cast('list[RunInfo]', []), cast('list[str]', [])
    paused = await journal.paused()
    while len(runs) < limit and (found := await journal.find(wanted)):
        for item in found:
            stands = await state_of(journal, item)
            stands = 'paused' if stands == 'running' and item.run_id in paused else stands
            if state in (None, stands) and not is_entry(item):
                runs.append(item)
                states.append(stands)
        wanted = wanted._replace(before=(found[-1].begun_at, found[-1].run_id))
    return runs[:limit], states[:limit]


async def _show(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    if options.html is not None:
        from .._show.pages import page_of
        from ..journal.traces import trace_of

        page = page_of(await trace_of(journal, found.run_id))
        try:
            await to_thread.run_sync(partial(options.html.write_text, page, encoding='utf-8'))
        except OSError as error:
            raise UserError(f'The page cannot be written: {error}.') from error
        print(f'Run {found.run_id} is in {options.html}.')
    elif options.json:
        from ..messages import ModelMessagesTypeAdapter

        messages = ModelMessagesTypeAdapter.dump_json(await journal.messages(found.run_id), indent=2)
        print(harmless_json(messages.decode()))
    else:
        _view().tree(await tree_of(journal, found))
    return 0


def _command(options: argparse.Namespace, name: str, run: RunInfo, more: str = '') -> str:
    """Return what to type about a run of the same journal."""
    places = {'journal': options.journal, 'keys': options.keys, 'schema': options.schema}
    where = [
        f'--{option} {quote(masked_text(str(value)))} '
        for option, value in places.items()
        if value not in (None, 'runs.db')
    ]
    return f'`stead runs {"".join(where)}{name} {run.run_id}{more}`'


async def _tail(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    shown = _view()
    last: Record | None = None
    async for record in journal.events(found.run_id, pause=options.pause, until_abandoned=True):
        is_shown = last is None or last.kind != 'waiting' or record.kind != 'ended'
        last = record
        if options.json:
            print(json.dumps({**record._asdict(), 'body': record.data()}), flush=True)
        elif is_shown:  # a run that waits ends with its questions as output
            shown.record(record)
    stands = status_of(await find_run(journal, found.run_id), last)
    if next_step := _next_step(options, found, stands):
        print(next_step, file=sys.stderr)
    return 0


def _next_step(options: argparse.Namespace, run: RunInfo, stands: str) -> str:
    """Return what a person has to do for a run to continue; empty if that is nothing."""
    if stands == 'waiting':
        return f'The run waits for decisions; {_command(options, "show", run)} says for which.'
    whys = {
        'answered': 'was answered, and no process has continued it yet.',
        'abandoned': 'is abandoned: no process works on it.',
        'cancelled': 'is cancelled: no process works on it.',
    }
    why = whys.get(stands)
    return f'The run {why} {_command(options, "resume", run, " module:agent")} continues it.' if why else ''


async def _pause(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    await journal.pause(found.run_id)
    what = 'pauses before its next request or call'
    if found.status == 'waiting':
        what = 'waits for decisions, and takes them while it is paused; it does nothing with them until it is resumed'
    print(f'Run {found.run_id} {what}. {_command(options, "resume", found)} lets it continue.')
    return 0


async def _cancel(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    await journal.cancel(found.run_id, options.reason, call_id=options.call)
    print(f'{f"Call {harmless(options.call)} of run" if options.call else "Run"} {found.run_id} was cancelled.')
    return 0


async def _steer(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    await journal.steer(found.run_id, options.message)
    print(f'Run {found.run_id} has the message for its next request.')
    return 0


async def _resume(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    was_paused = await journal.unpause(found.run_id)
    if options.agent is None:
        if not was_paused:
            raise JournalError(f'Run {found.run_id!r} is not paused: name the agent to continue it here.')
        next_step = _next_step(options, found, await state_of(journal, found))
        print(f'Run {found.run_id} is no longer paused. {next_step}' if next_step else f'Run {found.run_id} continues.')
        return 0
    result = await journal.resume(find_agent(options.agent), found.run_id)
    if isinstance(result.output, DeferredToolRequests):
        for call in (*result.output.approvals, *result.output.calls):
            print(harmless(waiting_text(call)))
        print(
            f'Decide with {_command(options, "answer", found)}: --approve CALL, --deny CALL or --result CALL=JSON. '
            'Then resume the run again.',
            file=sys.stderr,
        )
        return 0
    # In a terminal, what an agent says cannot send commands to it.
    print(harmless(result.output) if sys.stdout.isatty() else result.output)
    return 0


async def _answer(journal: AnyJournal, options: argparse.Namespace) -> int:
    found = await find_run(journal, options.run_id)
    requests = next(
        (item.requests for item in await journal.waiting(inside=found.run_id) if item.run.run_id == found.run_id), None
    )
    if requests is None:
        raise JournalError(f'Run {found.run_id!r} does not wait for decisions.')
    waiting = [call.tool_call_id for call in (*requests.approvals, *requests.calls)]
    results = DeferredToolResults()
    for ids, decision in (
        (options.approve, True),
        (options.deny, ToolDenied(options.message) if options.message else False),
    ):
        for call_id in waiting if 'all' in ids else ids:
            results.approvals[call_id] = decision
    results.calls.update(map(_call_of, options.result))
    await journal.answer(found.run_id, results)
    print(f'The decisions are recorded. {_command(options, "resume", found, " module:agent")} continues the run.')
    return 0


def _call_of(item: str) -> tuple[str, Any]:
    """Return a call and what was passed for it.

    Raises:
        JournalError: It is not JSON.
    """
    call_id, _, value = item.partition('=')
    try:
        return call_id, json.loads(value)
    except ValueError as error:
        raise JournalError(f'{item!r} is not CALL=JSON: {error}.') from error


async def _fork(journal: AnyJournal, options: argparse.Namespace) -> int:
    calls = dict(map(_call_of, options.call)) if options.call else None
    run = await find_run(journal, options.run_id)
    edit = None
    if options.prompt is not None or options.result:
        edit = partial(_edited, prompt=options.prompt, results=dict(map(_call_of, options.result)))
    print(await journal.fork(run.run_id, at=options.at, edit=edit, calls=calls, by=options.by))
    return 0


def _edited(messages: list[ModelMessage], prompt: str | None, results: dict[str, Any]) -> list[ModelMessage]:
    """Return a history with another last prompt, and other results of calls.

    Raises:
        JournalError: It has no prompt, or no result of one of the calls.
    """
    prompts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    if prompt is not None and not prompts:
        raise JournalError('The run has no prompt before this step.')
    left = dict(results)

    def edited(part: Any) -> Any:
        if prompt is not None and part is prompts[-1]:
            return replace(part, content=prompt)
        if isinstance(part, ToolReturnPart) and part.tool_call_id in results:
            return replace(part, content=left.pop(part.tool_call_id, results[part.tool_call_id]))
        return part

    changed = [replace(message, parts=[edited(part) for part in message.parts]) for message in messages]
    if left:
        raise JournalError(f'No request before this step has a result of {", ".join(map(repr, left))}.')
    return changed


async def _prune(journal: AnyJournal, options: argparse.Namespace) -> int:
    seconds = options.hours * 3600 if options.days is None else options.days * 86400
    deleted = await journal.prune(older_than=seconds, keep=options.keep)
    print(f'{counted(deleted, "run")} {"was" if deleted == 1 else "were"} deleted.')
    return 0


async def _export(journal: AnyJournal, options: argparse.Namespace) -> int:
    run_ids = [(await find_run(journal, run_id)).run_id for run_id in options.run_ids] or None
    if options.cassette is not None:
        from ..testing import Cassette

        if run_ids is None or len(run_ids) != 1:
            raise UserError('A cassette is made of one run: name it.')
        await Cassette.of_run(journal, run_ids[0], options.cassette)
        print(f'Run {run_ids[0]} is in {options.cassette}.')
        return 0
    async for line in journal.export(run_ids):
        print(harmless_json(line))
    return 0


async def _import(journal: AnyJournal, options: argparse.Namespace) -> int:
    print(f'{await journal.import_(sys.stdin)} runs were added.')
    return 0
