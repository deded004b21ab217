"""`stead explain module:agent`: what the agent would send to its model, and why; or what a run sent again that was cached."""

from __future__ import annotations

import argparse
import asyncio
import sys

from .._show.cached_steps import CachedStep, cached_steps
from ..exceptions import UserError
from .find import find_agent

HELP = (
    'Show what an agent would send to its model with the first request, and what determined each part of it; with --cache, '
    'what each request of a recorded run had in common with the one before it, and what it cost if that was not all.'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    from .runs import add_place

    parser.add_argument('agent', nargs='?', help='the agent, as module:variable')
    parser.add_argument('--prompt', help='the user prompt of the request')
    parser.add_argument('--model', help='a model to use instead of that of the agent, for example "test"')
    parser.add_argument(
        '--cache', metavar='RUN', help='a run in a journal, by its id, or the beginning or the end of it'
    )
    add_place(parser)
    parser.set_defaults(journal='runs.db', keys=None, schema=None)


def run(options: argparse.Namespace) -> int:
    """Print the report and return the exit code."""
    from ..journal import JournalError
    from .run_views import harmless

    if (options.agent is None) == (options.cache is None):
        print('stead explain: pass an agent as module:variable, or --cache with a run.', file=sys.stderr)
        return 2
    try:
        if options.cache is not None:
            asyncio.run(_explain_cache(options))
        else:
            print(find_agent(options.agent).explain(options.prompt, model=options.model))
    except (UserError, JournalError, ImportError) as error:  # a store may need a package that is not installed
        print(f'stead explain: {harmless(error)}', file=sys.stderr)
        return 2
    return 0


async def _explain_cache(options: argparse.Namespace) -> None:
    from ..journal.traces import trace_of
    from .run_views import harmless
    from .runs import check_place, find_run, open_journal

    check_place(options.journal)
    journal = open_journal(options.journal, options.keys, schema=options.schema, read_only=True)
    found = await find_run(journal, options.cache)
    trace = await trace_of(journal, found.run_id)
    print(f'Run {found.run_id}')
    steps = cached_steps(trace)
    for step in steps:
        for line in _lines(step):
            print(harmless(line))
    read = sum(step.read or 0 for step in steps)
    cached = sum(step.cached for step in steps)
    share = f' ({cached / read:.0%})' if read else ''
    again = sum(step.found.tokens for step in steps if step.found is not None)
    costs = [step.cost for step in steps if step.cost is not None]
    cost = f', for ${sum(costs):.4f}' if costs else ''
    print(
        f'{read:,} tokens were read, {cached:,} of them from the cache{share}; about {again:,} were read again{cost}.'
    )
    if 'sent' not in trace:
        print(
            'The run was recorded without its tools, instructions and settings: only its messages are compared. '
            'Record with `Journal(changes=True)` to see everything.'
        )


def _lines(step: CachedStep) -> list[str]:
    """Return what is said of a step."""
    counted = 'there is no response'
    if step.read is not None:
        written = f', wrote {step.written:,}' if step.written else ''
        counted = f'the provider read {step.read:,} tokens, {step.cached:,} of them from its cache{written}'
    lines = [f'step {step.step}: {step.same:,} of {step.bytes:,} bytes as before; {counted}']
    if (found := step.found) is not None:
        if step.folded_by:
            lines.append(f'  {", ".join(step.folded_by)} folded messages: from there on it is another request, once.')
        else:
            by = f' of {step.by}' if step.by and step.by not in found.name else ''
            lines.append(f'  {found.kind} {found.name!r}{by} {found.change}.')
        cost = f', which cost ${step.cost:.4f} more' if step.cost else ''
        advice = '' if step.folded_by else f' {found.advice}'
        lines.append(f'  About {found.tokens:,} tokens from byte {found.byte:,} on were read again{cost}.{advice}')
    return lines
