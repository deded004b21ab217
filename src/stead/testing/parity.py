"""`python -m stead.testing.parity module:agent`: what stead does differently with an agent that was written for pydantic-ai.

The agent runs twice, each time in a process of its own: with pydantic-ai, where `--python` has it, and with stead in its place.
Both get the same answers of the model; compared are what each request has, and what each run returns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import ModelMessagesTypeAdapter, ModelRequest, ModelResponse, UserPromptPart
from ._cassette import Cassette
from ._tape import CassetteError

_CHILD = Path(__file__).with_name('_parity_child.py')
_LONGEST = 600
_MOST_SHOWN = 20
"""How many differences of a case are printed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; return 0 if both do the same, 1 if not, and 2 if they cannot be compared."""
    options = _parser().parse_args(arguments)
    try:
        cases = [*_cases(options)]
        if not cases:
            raise UserError('pass --prompt, --prompts or --cassettes with something in it')
        asked = {'agent': options.agent, 'deps': options.deps, 'cases': cases}
        theirs = _answers([options.python], {**asked, 'agent': options.reference or options.agent})
        level = ['--level', str(options.level)]
        ours = _answers([sys.executable, '-m', 'stead.dropin', *level], asked)
    except (UserError, CassetteError, OSError, subprocess.TimeoutExpired) as error:
        print(f'stead.testing.parity: {error}', file=sys.stderr)
        return 2
    differing = 0
    for case, before, after in zip(cases, theirs, ours):
        found = [*_differences(before, after)]
        differing += bool(found)
        print(f'{"differs" if found else "same"}  {case["name"]}')
        for line in found[:_MOST_SHOWN]:
            print(f'  - {line}')
        if len(found) > _MOST_SHOWN:
            print(f'  - {len(found) - _MOST_SHOWN} more')
    print(f'{len(cases)} {"case" if len(cases) == 1 else "cases"}, {differing} different.')
    return 1 if differing else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m stead.testing.parity', description=(__doc__ or '').splitlines()[0])
    parser.add_argument('agent', help='the agent, as module:variable, of a module that imports pydantic_ai')
    parser.add_argument('--python', required=True, help='a Python that has pydantic-ai, and all that the agent needs')
    parser.add_argument(
        '--reference', metavar='module:variable', help='the agent before it was changed to import stead'
    )
    parser.add_argument('--level', type=int, choices=(1, 2), default=1, help='which interface: 1.x or 2.x (default: 1)')
    parser.add_argument('--deps', metavar='module:function', help='a function that returns the dependencies of a run')
    parser.add_argument('--prompt', action='append', default=[], metavar='TEXT', help='a prompt; a test model answers')
    parser.add_argument('--prompts', type=Path, metavar='FILE', help='a file with a prompt in each line')
    parser.add_argument('--cassettes', type=Path, metavar='FILE', help='a cassette, or a directory with cassettes')
    return parser


def _cases(options: argparse.Namespace) -> Iterator[JsonObject]:
    lines: list[str] = options.prompts.read_text(encoding='utf-8').splitlines() if options.prompts is not None else []
    for prompt in [*options.prompt, *filter(str.strip, lines)]:
        yield {'name': short_repr(prompt), 'prompt': prompt, 'responses': None}
    place: Path | None = options.cassettes
    if place is not None and not place.exists():
        raise UserError(f'there is no {str(place)!r}')
    for file in () if place is None else sorted(place.rglob('*.jsonl')) if place.is_dir() else [place]:
        for number, messages in enumerate(Cassette(file, mode='replay').conversations, 1):
            first = messages[0]
            prompts = [part.content for part in first.parts if isinstance(part, UserPromptPart)]
            others = [
                part
                for message in messages[1:]
                for part in (message.parts if isinstance(message, ModelRequest) else ())
                if isinstance(part, UserPromptPart)
            ]
            if len(prompts) != 1 or not isinstance(prompts[0], str) or others:
                continue  # only what one run has said can be said again
            responses = [message for message in messages if isinstance(message, ModelResponse)]
            yield {
                'name': f'{file.name}, conversation {number}',
                'prompt': prompts[0],
                'responses': ModelMessagesTypeAdapter.dump_python([*responses], mode='json'),
            }


def _answers(command: Sequence[str], asked: JsonObject) -> list[JsonObject]:
    """Return what one library does with each case.

    Raises:
        UserError: It cannot run the agent.
    """
    done = subprocess.run(
        [*command, str(_CHILD)], input=json.dumps(asked), capture_output=True, text=True, timeout=_LONGEST, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ['it said nothing']
        raise UserError(f'`{" ".join(command)}` cannot run {asked["agent"]!r}: {lines[-1]}')
    return cast('list[JsonObject]', json.loads(done.stdout.strip().splitlines()[-1]))


def _differences(theirs: JsonObject, ours: JsonObject) -> Iterator[str]:
    before, after = theirs['requests'], ours['requests']
    for number, (one, other) in enumerate(zip(before, after), 1):
        found = [*_different(one, other, f'request {number}')]
        yield from found
        if found:
            return  # what follows comes from that
    if len(before) != len(after):
        yield f'requests: {len(before)} by pydantic-ai, {len(after)} by stead'
    end, other_end = ({name: value for name, value in run.items() if name != 'requests'} for run in (theirs, ours))
    yield from _different(end, other_end, 'the end')


def _different(one: object, other: object, where: str) -> Iterator[str]:
    """Yield where two values of JSON differ."""
    if one == other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        mine, theirs = cast('JsonObject', one), cast('JsonObject', other)
        for name in {**mine, **theirs}:
            yield from _different(mine.get(name), theirs.get(name), f'{where}, {name}')
    elif isinstance(one, list) and isinstance(other, list):
        items, others = cast('list[object]', one), cast('list[object]', other)
        for number, (first, second) in enumerate(zip(items, others), 1):
            yield from _different(first, second, f'{where} {number}')
        if len(items) != len(others):
            yield f'{where}: {len(items)} by pydantic-ai, {len(others)} by stead'
    else:
        yield f'{where}: {short_repr(one)} by pydantic-ai, {short_repr(other)} by stead'


if __name__ == '__main__':
    sys.exit(main())
