"""`stead diff module:agent`: what two versions of an agent do differently in conversations that are recorded.

Each version runs in a process of its own, in its own directory. Models and tools are answered from cassettes, so nothing is
asked or done, and a conversation goes as far as the version sends what was recorded; with `--ask` the model answers the rest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from xml.sax.saxutils import quoteattr

from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from .._kit.shown_json import shown_json
from .._show.costs import cost_of
from .._show.nodes import counted
from ..exceptions import UserError
from ..journal import JournalError, RunFilter
from ..journal.traces import is_entry
from ..messages import ModelMessage, SystemPromptPart, UserPromptPart
from ..testing import Cassette, CassetteMiss, cassette
from .find import find_agent, find_object
from .run_views import harmless
from .runs import check_place, open_journal

HELP = 'Show what two versions of an agent do differently in recorded conversations.'
_LONGEST = 3_600
_SAME = 'The output says the same as the expected output, in whatever words. Nothing that matters is added or left out.'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('agent', help='the agent, as module:variable')
    parser.add_argument('--old', help='the version before: a directory, or what git knows, such as a branch')
    parser.add_argument('--new', default='.', help='the version now (default: this directory)')
    recorded = parser.add_mutually_exclusive_group(required=True)
    recorded.add_argument('--cassettes', type=Path, metavar='FILE', help='a cassette, or a directory with cassettes')
    recorded.add_argument('--runs', metavar='FILE', help='a journal: the SQLite file, or postgresql://USER@HOST/NAME')
    parser.add_argument(
        '--limit', type=int, default=100, help='how many runs of the journal, the last ones (default: 100)'
    )
    parser.add_argument('--keys', type=Path, metavar='FILE', help='the keys of an encrypted journal')
    parser.add_argument('--schema', metavar='NAME', help='the schema of the journal in PostgreSQL')
    parser.add_argument('--deps', metavar='module:function', help='a function that returns the dependencies of a run')
    parser.add_argument(
        '--case', action='append', default=[], metavar='NAME', help='only this conversation, as the report names it'
    )
    parser.add_argument(
        '--ask', action='store_true', help='ask the model of the agent, and run tools, from the first difference on'
    )
    parser.add_argument(
        '--outputs',
        choices=('equal', 'judged', 'ignored'),
        default='equal',
        help='how outputs are compared (default: equal)',
    )
    parser.add_argument('--judge', metavar='MODEL', help='the model that judges outputs')
    parser.add_argument('--markdown', type=Path, metavar='FILE', help='write the report as Markdown')
    parser.add_argument('--junit', type=Path, metavar='FILE', help='write the report as JUnit does')
    parser.add_argument('--json', action='store_true', help='print what the version in this directory does, as JSON')


def run(options: argparse.Namespace) -> int:
    """Print the report; return 0 if both versions do the same, 1 if not, and 2 if they cannot be compared."""
    try:
        if options.json:
            print(json.dumps(_cases_of(options)))
            return 0
        if options.old is None:
            raise UserError('pass --old: a directory, or what git knows, such as a branch.')
        with _cassettes_of(options) as cassettes, _directory_of(options.old) as old, _directory_of(options.new) as new:
            before = _cases_in(old, cassettes, options, options.case)
            begun = [case['case'] for case in before if case['requests']]
            if not begun:
                raise UserError('no recorded conversation is one of the old version of this agent.')
            others = len(before) - len(begun)
            before = _cases_in(old, cassettes, options, begun, ask=True) if options.ask else before
            after = _cases_in(new, cassettes, options, begun, ask=options.ask)
        report = _compared(before, after, options)
        if options.markdown is not None:
            options.markdown.write_text(_markdown(report), encoding='utf-8')
        if options.junit is not None:
            options.junit.write_text(_junit(report), encoding='utf-8')
    except (UserError, JournalError, OSError, ImportError) as error:
        print(f'stead diff: {harmless(error)}', file=sys.stderr)
        return 2
    for case in report:
        print(
            '\n'.join(
                [f'{"changed" if case.changes else "same"}  {case.name}', *(f'  - {one}' for one in case.changes)]
            )
        )
    changed = sum(bool(case.changes) for case in report)
    more = f' {counted(others, "conversation")} more: the old version does not begin them.' if others else ''
    print(f'{counted(len(report), "conversation")}, {changed} changed.{more}')
    return 1 if changed else 0


@contextmanager
def _cassettes_of(options: argparse.Namespace) -> Iterator[Path]:
    """Provide the cassettes; runs of a journal are written as some for as long as they are needed."""
    if options.runs is None:
        yield options.cassettes.resolve()
        return
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(_write_cassettes(options, Path(directory)))
        yield Path(directory)


async def _write_cassettes(options: argparse.Namespace, directory: Path) -> None:
    check_place(options.runs)
    journal = open_journal(options.runs, options.keys, schema=options.schema, read_only=True)
    for found in await journal.find(RunFilter(limit=options.limit)):
        if found.parent_id is None and not is_entry(found):
            await Cassette.of_run(journal, found.run_id, directory / f'{found.run_id}.jsonl')


# What one version does


def _cases_of(options: argparse.Namespace) -> list[JsonObject]:
    """Run the recorded conversations through the agent of this directory."""
    agent: Any = find_agent(options.agent)
    deps: Any = find_object(options.deps, what='a function') if options.deps is not None else None
    place: Path = options.cassettes
    files = sorted(place.rglob('*.jsonl')) if place.is_dir() else [place]
    found: list[JsonObject] = []
    for file in files:
        recorded = Cassette(file)
        for number, (messages, sent) in enumerate(zip(recorded.conversations, recorded.starts), 1):
            name = f'{file.relative_to(place) if place.is_dir() else file.name}, conversation {number}'
            if options.case and name not in options.case:
                continue
            with cassette(file, mode='replay', replay_tools=True) as tape:
                case = _played(agent, deps, tape, messages, sent, model='test')
            if options.ask and case['changes']:
                with tempfile.TemporaryDirectory() as directory:
                    copy = shutil.copy(file, Path(directory) / 'asked.jsonl')
                    with cassette(copy, mode='auto', replay_tools=True) as tape:
                        asked = _played(agent, deps, tape, messages, sent)
                case = {**asked, 'requests': case['requests'], 'changes': [*case['changes'], *asked['changes']]}
            found.append({'case': name, **case, 'asked': options.ask})
    return found


def _played(
    agent: Any, deps: Any, tape: Cassette, messages: Sequence[ModelMessage], sent: int, **options: Any
) -> JsonObject:
    """Run a conversation; it begins with the messages that its first recorded request had."""
    first = messages[sent - 1]
    begins_with_prompt = all(isinstance(part, (UserPromptPart, SystemPromptPart)) for part in first.parts)
    history = [*messages[: sent - 1 if begins_with_prompt else sent]]
    prompts = [
        part.content for one in messages[len(history) :] for part in one.parts if isinstance(part, UserPromptPart)
    ]
    case: JsonObject = {'calls': [], 'outputs': [], 'tokens': 0, 'cost': 0.0, 'changes': []}
    for prompt in prompts if begins_with_prompt else [None, *prompts]:
        try:
            result = agent.run_sync(prompt, message_history=history, deps=None if deps is None else deps(), **options)
        except CassetteMiss as miss:
            case['changes'] = list(miss.changes) or [str(miss)]
            break
        except Exception as error:
            case['changes'] = [f'the run failed with {type(error).__name__}: {error}']
            break
        history = result.all_messages()
        new = result.new_messages()
        case['calls'] += [
            [call.tool_name, call.args_as_json_str()] for one in new for call in getattr(one, 'tool_calls', ())
        ]
        case['outputs'].append(shown_json(result.output).decode())
        case['tokens'] += result.usage.total_tokens
        case['cost'] = _added(case['cost'], new)
    case['requests'] = tape.replayed
    return case


def _added(cost: float | None, messages: Sequence[ModelMessage]) -> float | None:
    """Return a cost with that of more messages; `None` if it is not known."""
    try:
        return None if cost is None else cost + float(cost_of(messages).total)
    except (ImportError, LookupError):
        return None


# Two versions


@contextmanager
def _directory_of(version: str) -> Iterator[Path]:
    """Provide the directory of a version; what git knows is checked out beside this directory for as long as it is needed."""
    if Path(version).is_dir():
        yield Path(version).resolve()
        return
    with tempfile.TemporaryDirectory() as directory:
        place = str(Path(directory) / 'version')
        _output_of(['git', 'worktree', 'add', '--detach', place, f'{version}^{{commit}}'], Path.cwd())
        try:
            yield Path(place)
        finally:
            _output_of(['git', 'worktree', 'remove', '--force', place], Path.cwd())


def _cases_in(
    directory: Path, cassettes: Path, options: argparse.Namespace, cases: Sequence[str], *, ask: bool = False
) -> list[JsonObject]:
    more = [part for case in cases for part in ('--case', case)]
    more += [*(['--deps', options.deps] if options.deps is not None else []), *(['--ask'] if ask else [])]
    command = [sys.executable, '-m', 'stead', 'diff', options.agent, *more, '--json', '--cassettes', str(cassettes)]
    output = _output_of(command, directory)
    return cast('list[JsonObject]', json.loads(output.strip().splitlines()[-1]))


def _output_of(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ['it said nothing']
        raise UserError(f'`{" ".join(command[-3:])}` failed in {directory}: {lines[-1]}')
    return done.stdout


class _Compared(NamedTuple):
    """A conversation, with both versions."""

    name: str
    changes: list[str]
    tokens: str
    cost: str


def _compared(old: Sequence[JsonObject], new: Sequence[JsonObject], options: argparse.Namespace) -> list[_Compared]:
    """Return what is different, by conversation; those that the old version does not begin are of other agents."""
    now = {case['case']: case for case in new}
    report: list[_Compared] = []
    for case in old:
        if not case['requests']:
            continue
        other = now[case['case']]
        changes = [f'request {other["requests"] + 1}: {one}' for one in other['changes'] if one not in case['changes']]
        tokens, cost = (_both(_written(case[name]), _written(other[name])) for name in ('tokens', 'cost'))
        if not other['changes'] or other['asked']:
            changes += _call_changes(case['calls'], other['calls'])
            changes += _output_changes(case['outputs'], other['outputs'], options)
            changes += [f'{name}: {text}' for name, text in (('tokens', tokens), ('cost', cost)) if ' → ' in text]
        report.append(_Compared(harmless(case['case']), [harmless(one) for one in changes], tokens, cost))
    return report


def _written(value: float | None) -> str:
    return 'unknown' if value is None else f'{value:,}' if isinstance(value, int) else f'${value:.6f}'


def _both(old: str, new: str) -> str:
    return old if old == new else f'{old} → {new}'


def _call_changes(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> Iterator[str]:
    before, after = ([name for name, _ in calls] for calls in (old, new))
    if before != after:
        yield f'tools: {", ".join(before) or "none"} → {", ".join(after) or "none"}'
        return
    for (name, args), (_, others) in zip(old, new):
        if args != others:
            yield f'arguments of `{name}`: {args} → {others}'


def _output_changes(old: Sequence[str], new: Sequence[str], options: argparse.Namespace) -> Iterator[str]:
    if options.outputs == 'ignored':
        return
    for before, after in zip(old, new):
        if before == after:
            continue
        change = f'output: {_short(before)} → {_short(after)}'
        if options.outputs == 'equal':
            yield change
        elif (reason := asyncio.run(_judged(before, after, options.judge))) is not None:
            yield f'{change}, {reason}'
    if len(old) != len(new):
        yield f'outputs: {len(old)} → {len(new)}'


def _short(output: str) -> str:
    return short_repr(json.loads(output))


async def _judged(old: str, new: str, judge: str | None) -> str | None:
    """Return why a judge finds that an output says something else; `None` if it says the same."""
    from ..evals.evaluators import EvaluatorContext, LLMJudge

    rated: Any = await LLMJudge(_SAME, model=judge, include_expected_output=True).evaluate(
        EvaluatorContext(name=None, inputs=None, metadata=None, expected_output=old, output=new, duration=0)
    )
    (found,) = rated.values()
    return None if found.value else str(found.reason)


def _markdown(report: Sequence[_Compared]) -> str:
    rows = [
        f'| {case.name} | {"<br>".join(_cell(one) for one in case.changes) or "the same"} | {case.tokens} | {case.cost} |'
        for case in report
    ]
    return '\n'.join(['| Conversation | What changed | Tokens | Cost |', '|---|---|---|---|', *rows, ''])


def _cell(text: str) -> str:
    return ' '.join(text.replace('|', '\\|').split('\n'))


def _junit(report: Sequence[_Compared]) -> str:
    failed = sum(bool(case.changes) for case in report)
    lines = [f'<testsuite name="stead diff" tests="{len(report)}" failures="{failed}">']
    for case in report:
        failure = f'<failure message={quoteattr("; ".join(case.changes))}/>' if case.changes else ''
        lines.append(f'  <testcase name={quoteattr(case.name)}>{failure}</testcase>')
    return '\n'.join([*lines, '</testsuite>', ''])
