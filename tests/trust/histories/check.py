"""The checker: what the ledger and the journal must say in the end, whatever happened to the processes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from .actors import LEASE
from .desk import ONCE, calls_of, effects_of

Lines = list[dict[str, Any]]


def check(tasks: list[dict[str, Any]], lines: Lines, runs: list[dict[str, Any]]) -> list[str]:
    """Return what is wrong with a history; each begins with *twice*, *missing*, *extra*, *stuck*, *order* or *error*.

    Args:
        tasks: What was to be done.
        lines: The ledger.
        runs: How the runs stand in the journal.
    """
    return [
        *(f'error: {line["where"]}: {line["error"]}' for line in lines if line['event'] == 'error'),
        *_effects(tasks, lines, runs),
        *_decisions(tasks, lines),
        *_results(lines),
        *(problem for run in runs for problem in _run(run)),
    ]


def _effects(tasks: list[dict[str, Any]], lines: Lines, runs: list[dict[str, Any]]) -> Iterator[str]:
    done: dict[str, Lines] = defaultdict(list)
    for number, line in enumerate(lines):
        line['number'] = number
        if line['event'] == 'do':
            done[line['what']].append(line)
    known: set[str] = set()
    begun = {json.loads(run['prompt'])['what'] for run in runs if run['prompt']}
    for task in tasks:
        steps = effects_of(task)
        known.update(*steps)
        forks = [line['at'] for line in lines if line['event'] == 'fork' and line['what'] == task['what']]
        has_begun = task['what'] in begun or any(what in done for step in steps for what in step)
        before: list[int] = []
        for number, step in enumerate(steps):
            times = 1 + sum(at <= number + 1 for at in forks)
            for what, kind in step.items():
                yield from _effect(what, kind, times, done[what], lines)
                if has_begun and not done[what] and kind != 'wipe':
                    yield f'missing: {kind} {what} was not done'
            first = [done[what][0]['number'] for what in step if done[what]]
            if not forks and before and first and min(first) < max(before):
                yield f'order: step {number} of {task["what"]} began before the one before it ended'
            before += first
    for what in done.keys() - known:
        yield f'extra: {what} was done, and is in no task'


def _effect(what: str, kind: str, times: int, done: Lines, lines: Lines) -> Iterator[str]:
    keys = Counter(line['key'] for line in done)
    if len(keys) > times:
        yield f'twice: {kind} {what} was done with {len(keys)} keys, {times} at most are right: {sorted(keys)}'
    if kind not in ONCE:
        return
    for key, count in keys.items():
        late = sum(_finished_late(line, lines) for line in done if line['key'] == key) if count > 1 else 0
        if count - late > 1:
            yield f'twice: {kind} {what} was done {count} times with the key {key}'


def _finished_late(done: dict[str, Any], lines: Lines) -> bool:
    """Return whether another process took the run of a call over after the call had started, found nothing done, and it was done then.

    No engine can prevent that, if the process of the call was paused, or the clock of one of the two had jumped: see the table in
    `docs/journal.md`. A process that is too slow to renew a lease was paused, too; a call starts with its record, and a third of
    the lease is left then.
    """
    before = lines[: done['number']]
    enter = next(line for line in before if line['event'] == 'enter' and line['id'] == done['id'])
    starts = [line for line in before[: enter['number']] if _is_start(line, enter)]
    if not starts:
        return False
    start = starts[-1]
    took = [line for line in before[start['number'] :] if line['event'] == 'took' and line['run'] == done['run']]
    took = [line for line in took if line['token'] > start['token']]
    if not took or not any(
        line['event'] == 'looked'
        and (line['what'], line['run'], line['is_done']) == (done['what'], done['run'], False)
        and line['seen'] <= done['number']
        for line in lines[took[0]['number'] :]
    ):
        return False
    faults = [(line['fault'], line['pid'], line['number']) for line in before if line['event'] == 'fault']
    was_paused = any(fault == 'stop' and pid == done['pid'] and at > start['number'] for fault, pid, at in faults)
    has_jumped = any(
        fault == 'clock' and pid in (done['pid'], took[0]['pid']) and at < took[0]['number']
        for fault, pid, at in faults
    )
    return was_paused or has_jumped or took[0]['at'] - start['at'] > LEASE / 3


def _is_start(line: dict[str, Any], enter: dict[str, Any]) -> bool:
    """Return whether the record was about to be written of a call whose function was entered then. A step is named by what it does."""
    if line['event'] != 'starts' or (line['pid'], line['run']) != (enter['pid'], enter['run']):
        return False
    return line['tool'] == enter['what'] if enter['kind'] == 'step' else line['call'] == enter['call']


def _decisions(tasks: list[dict[str, Any]], lines: Lines) -> Iterator[str]:
    outcomes: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    accepted: Counter[tuple[str, str]] = Counter()
    open_by: dict[tuple[int, str], Lines] = {}
    for line in lines:
        if line['event'] == 'decide':
            open_by[line['pid'], str(line['answers'])] = line['answers']
        elif line['event'] == 'decided':
            open_by.pop((line['pid'], str(line['answers'])), None)
            for answer in line['answers']:
                if answer['kind'] == 'approval':
                    outcomes[answer['what']].append((line['outcome'], answer['decision']))
                    accepted[answer['run'], answer['call']] += line['outcome'] == 'accepted'
    for answers in open_by.values():  # their process was killed meanwhile
        for answer in answers:
            if answer['kind'] == 'approval':
                outcomes[answer['what']].append(('unknown', answer['decision']))
    for (run, call), count in accepted.items():
        if count > 1:
            yield f'twice: {count} answers to the question about {call} of run {run} were accepted'
    kinds = {what: kind for task in tasks for step in effects_of(task) for what, kind in step.items()}
    for what in (what for what, kind in kinds.items() if kind == 'wipe'):
        keys = {line['key'] for line in lines if line['event'] == 'do' and line['what'] == what}
        may = sum(outcome != 'refused' and decision is True for outcome, decision in outcomes[what])
        must = sum(outcome == 'accepted' and decision is True for outcome, decision in outcomes[what])
        if len(keys) > may:
            yield f'extra: {what} was done with {len(keys)} keys, and approved {may} times'
        if len(keys) < must:
            yield f'missing: {what} was approved {must} times, and done with {len(keys)} keys'


def _results(lines: Lines) -> Iterator[str]:
    outputs: dict[str, set[str]] = defaultdict(set)
    has_prune = any(line['event'] == 'pruned' for line in lines)
    for line in lines:
        if line['event'] == 'result' and not line['is_question']:
            outputs[line['what']].add(line['output'])
        if line['event'] == 'imported' and line['count'] and not has_prune:
            yield f'extra: {line["count"]} runs were imported though the journal had them'
    for what, found in outputs.items():
        if len(found) > 1:
            yield f'twice: {what} had the results {sorted(found)}'


def _run(run: dict[str, Any]) -> Iterator[str]:
    where = f'run {run["run"]}'
    if run['status'] == 'failed' and 'a decision counts once' in (run['error'] or ''):
        return  # it began with an answer that came second
    if run['status'] != 'done':
        yield f'stuck: {where} is {run["status"]} in the end; its records are {run["kinds"]}; {run["error"]}'
        return
    if run['seqs'] != [*range(1, len(run['seqs']) + 1)]:
        yield f'missing: {where} has the records {run["seqs"]}'
    if run['handed_to'] is not None:
        return
    task = json.loads(run['prompt'])
    expected = {
        call_id: (tool, args['what'])
        for step in range(len(task['plan']))
        for tool, args, call_id in calls_of(task, step)
    }
    answers = Counter(call_id for _, call_id, _ in run['answers'] if not call_id.endswith('-end'))
    for call_id, count in (expected.keys() | answers.keys()) and (answers - Counter(expected.keys())).items():
        yield f'extra: {where} has {count} more answers to {call_id}'
    for call_id in expected.keys() - answers.keys():
        yield f'missing: {where} has no answer to {call_id}'
    for _, call_id, content in run['answers']:
        tool, what = expected.get(call_id, ('', ''))
        is_denied = tool == 'wipe' and 'denied' in content
        if tool and content != f'{tool} {what}' and not is_denied:
            yield f'order: {where} has the answer {content!r} to {call_id}'
    output = 'done' if task['ends'] == 'text' else f'finish {task["what"]}.end'
    if run['output'] != output:
        yield f'missing: {where} has the output {run["output"]!r}, not {output!r}'
