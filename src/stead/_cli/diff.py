"""`stead diff module:agent`: what two versions of an agent do differently in conversations that are recorded in cassettes.

Each version runs in a process of its own, in its own directory. Models and tools are answered from the cassette, so nothing is
asked or done, and a conversation goes as far as the version sends what was recorded.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from xml.sax.saxutils import quoteattr

from .._kit.json_types import JsonObject
from .._kit.shown_json import shown_json
from .._show.nodes import counted
from ..exceptions import UserError
from ..messages import ModelMessage, UserPromptPart
from ..testing import Cassette, CassetteMiss, cassette
from .find import find_agent, find_object
from .run_views import harmless

HELP = 'Show what two versions of an agent do differently in recorded conversations.'
_LONGEST = 3_600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('agent', help='the agent, as module:variable')
    parser.add_argument('--old', help='the version before: a directory, or what git knows, such as a branch')
    parser.add_argument('--new', default='.', help='the version now (default: this directory)')
    parser.add_argument('--cassettes', required=True, type=Path, help='a cassette, or a directory with cassettes')
    parser.add_argument('--deps', metavar='module:function', help='a function that returns the dependencies of a run')
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
        with _directory_of(options.old) as old, _directory_of(options.new) as new:
            report = _compared(_cases_in(old, options), _cases_in(new, options))
        if not report:
            raise UserError('no conversation of these cassettes is one of the old version of this agent.')
        if options.markdown is not None:
            options.markdown.write_text(_markdown(report), encoding='utf-8')
        if options.junit is not None:
            options.junit.write_text(_junit(report), encoding='utf-8')
    except (UserError, OSError) as error:
        print(f'stead diff: {harmless(error)}', file=sys.stderr)
        return 2
    changed = sum(bool(changes) for changes in report.values())
    for case, changes in report.items():
        print(
            '\n'.join(
                [f'{"changed" if changes else "same"}  {harmless(case)}', *(f'  - {harmless(one)}' for one in changes)]
            )
        )
    print(f'{counted(len(report), "conversation")}, {changed} changed.')
    return 1 if changed else 0


# What one version does


def _cases_of(options: argparse.Namespace) -> list[JsonObject]:
    """Run the recorded conversations through the agent of this directory."""
    agent: Any = find_agent(options.agent)
    deps: Any = find_object(options.deps, what='a function') if options.deps is not None else None
    place: Path = options.cassettes
    files = sorted(place.rglob('*.jsonl')) if place.is_dir() else [place]
    found: list[JsonObject] = []
    for file in files:
        for number, messages in enumerate(Cassette(file).conversations, 1):
            name = f'{file.relative_to(place) if place.is_dir() else file.name}, conversation {number}'
            found.append({'case': name, **_played(agent, deps, file, messages)})
    return found


def _played(agent: Any, deps: Any, file: Path, messages: Sequence[ModelMessage]) -> JsonObject:
    prompts = [part.content for one in messages for part in one.parts if isinstance(part, UserPromptPart)]
    history: list[ModelMessage] = []
    outcome: JsonObject = {'outputs': [], 'tokens': 0, 'changes': []}
    with cassette(file, mode='replay', replay_tools=True) as tape:
        for prompt in prompts:
            try:
                result = agent.run_sync(
                    prompt, model='test', message_history=history, deps=None if deps is None else deps()
                )
            except CassetteMiss as miss:
                outcome['changes'] = list(miss.changes) or [str(miss)]
                break
            except Exception as error:
                outcome['changes'] = [f'the run failed with {type(error).__name__}: {error}']
                break
            history = result.all_messages()
            outcome['outputs'].append(shown_json(result.output).decode())
            outcome['tokens'] += result.usage.total_tokens
    calls = [call for message in history for call in getattr(message, 'tool_calls', ())]
    outcome['calls'] = [f'{call.tool_name}({call.args_as_json_str()})' for call in calls]
    outcome['requests'] = tape.replayed
    return outcome


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


def _cases_in(directory: Path, options: argparse.Namespace) -> list[JsonObject]:
    deps = ['--deps', options.deps] if options.deps is not None else []
    command = [sys.executable, '-m', 'stead', 'diff', options.agent, *deps, '--json', '--cassettes']
    output = _output_of([*command, str(options.cassettes.resolve())], directory)
    return cast('list[JsonObject]', json.loads(output.strip().splitlines()[-1]))


def _output_of(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ['it said nothing']
        raise UserError(f'`{" ".join(command[-3:])}` failed in {directory}: {lines[-1]}')
    return done.stdout


def _compared(old: Sequence[JsonObject], new: Sequence[JsonObject]) -> dict[str, list[str]]:
    """Return what is different, by conversation; those that the old version does not begin are of other agents."""
    now = {case['case']: case for case in new}
    report: dict[str, list[str]] = {}
    for case in old:
        if not case['requests']:
            continue
        other = now[case['case']]
        changes = [f'request {other["requests"] + 1}: {one}' for one in other['changes'] if one not in case['changes']]
        if not other['changes']:
            for name in ('calls', 'outputs', 'tokens'):
                if case[name] != other[name]:
                    changes.append(f'{name}: {case[name]} → {other[name]}')
        report[case['case']] = changes
    return report


def _markdown(report: dict[str, list[str]]) -> str:
    rows = [
        f'| {case} | {"<br>".join(one.replace("|", chr(92) + "|") for one in changes) or "the same"} |'
        for case, changes in report.items()
    ]
    return '\n'.join(['| Conversation | What changed |', '|---|---|', *rows, ''])


def _junit(report: dict[str, list[str]]) -> str:
    failed = sum(bool(changes) for changes in report.values())
    lines = [f'<testsuite name="stead diff" tests="{len(report)}" failures="{failed}">']
    for case, changes in report.items():
        failure = f'<failure message={quoteattr("; ".join(changes))}/>' if changes else ''
        lines.append(f'  <testcase name={quoteattr(case)}>{failure}</testcase>')
    return '\n'.join([*lines, '</testsuite>', ''])
