"""Checks of decisions: a run takes those about its waiting calls, each once, and refuses others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic_core import from_json, to_json

from .._calls.approvals import definition_digest
from .._contracts.facts import CallAsked, CallStarting, RunBegan
from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from .._loop.history import last_response
from ..messages import ModelMessage, ModelResponse, digest_of, is_same_question, questions_in
from ..tools import DeferredToolResults, ToolApproved
from ._encode import as_json, prompt_json, results_json
from ._errors import ContentRedacted, JournalError, naming
from ._fold import RecordedRun, fold
from ._log import RunLog
from ._orders import is_paused
from ._redact import touches
from ._signals import ToolChanged
from ._store import Entry, Record, RunInfo
from ._writer import Writer


class DecidedBefore(JournalError):
    """A run begins with a decision that came second."""


def check_decisions(results: DeferredToolResults, info: RunInfo, state: RecordedRun) -> None:
    """Raise an error if decisions are not those that a run waits for.

    Args:
        results: The decisions.
        info: The run.
        state: How it stands.

    Raises:
        ContentRedacted: A call is approved whose arguments were redacted, without other ones.
        JournalError: The run does not wait, or not for these.
    """
    run_id = info.run_id
    requests = state.requests() if info.status == 'waiting' else None
    if requests is None:
        raise JournalError(f'Run {run_id!r} does not wait for decisions: it is {info.status}.')
    waiting = {call.tool_call_id for call in (*requests.calls, *requests.approvals)}
    decided = results.calls.keys() | results.approvals.keys()
    if not decided or not decided <= waiting:
        raise JournalError(
            f'Run {run_id!r} waits for decisions about the calls {short_repr(sorted(waiting))}, '
            f'not about {short_repr(sorted(decided))}.'
        )
    for call_id, asked in questions_in(requests).items():
        if call_id in decided and not is_same_question(results.digests.get(call_id, asked), asked):
            raise JournalError(
                f'The decision about call {short_repr(call_id)} of run {run_id!r} was about another call, or about its tool as '
                'it was before, which no longer waits. Show the requests that `waiting()` returns now.'
            )
    elsewhere = {call.tool_call_id for call in requests.calls}
    for call_id, approval in results.approvals.items():
        if call_id in elsewhere and (approval is True or isinstance(approval, ToolApproved)):
            raise JournalError(
                f'Call {short_repr(call_id)} of run {run_id!r} waits for a result, not for an approval. Pass its result in '
                '`DeferredToolResults.calls`, or deny it.'
            )
        if call_id in state.questions.redacted and state.questions.lacks_arguments(call_id, approval):
            raise ContentRedacted(
                f'The arguments of call {short_repr(call_id)} were redacted, so it can only be approved with others: pass '
                '`ToolApproved(override_args=...)`, or the result of the call in `calls`.'
            )


def check_same(key: str, run: RunInfo, first: Sequence[Record], agent: str | None, prompt: Any) -> None:
    """Raise `JournalError` if a key is that of a run of another agent, or with another prompt.

    Args:
        key: The key.
        run: The run that has it.
        first: Its first record, if it has one.
        agent: The name of the agent that is to run; `None` fits any, since a name may be found later.
        prompt: The prompt; `None` fits any, as that of a caller who only asks for the result.
    """
    if agent is not None and run.agent is not None and agent != run.agent:
        raise JournalError(
            f'The key {short_repr(key)} is that of run {run.run_id!r} of the agent {run.agent!r}, not of {agent!r}. A key stands '
            'for one task: pass another one.'
        )
    begun = first[0].data() if first and first[0].kind == 'begun' else {}
    if prompt is None or 'prompt' not in begun or touches(begun.get('redacted', ()), ['prompt']):
        return
    if from_json(prompt_json(prompt)) != begun['prompt']:
        raise JournalError(
            f'The key {short_repr(key)} is that of run {run.run_id!r}, which began with another prompt. A key stands for one '
            'task: pass another one, or no prompt to get the result of that run.'
        )


def check_definition(fact: CallStarting, known: str | None, *, refuses: bool) -> None:
    """Check that the tool of an approved call says of itself what it said when a person was asked.

    Raises:
        ToolChanged: It does not: the call is asked about again.
        JournalError: See `is_same_tool`.
    """
    if not is_same_tool(fact, known, refuses=refuses):
        raise ToolChanged(metadata={'kind': 'changed', 'message': f'{_changed(fact)} Look at it again.'})


def is_same_tool(fact: CallStarting | CallAsked, known: str | None, *, refuses: bool) -> bool:
    """Return whether the tool of a call says of itself what it said when a person was asked.

    Args:
        fact: That the tool is about to run, or asks again.
        known: The digest of its definition then, if it is known.
        refuses: Whether the run ends if it has changed.

    Raises:
        JournalError: The tool has changed, and the run does not continue.
    """
    if known is None or fact.tool is None or known == definition_digest(fact.tool):
        return True
    if refuses:
        raise JournalError(
            f'{_changed(fact)} Nothing was executed. Deny the call, or resume the run with a journal whose `on_change` is not '
            '"refuse": then the call is asked about again.'
        )
    return False


def _changed(fact: CallStarting | CallAsked) -> str:
    tool = short_repr(fact.call.tool_name)
    return f'The tool {tool} has changed since its call was approved: another description or schema.'


@asynccontextmanager
async def handed_on(recorder: Any, run_id: str, fact: RunBegan) -> AsyncIterator[None]:
    """Let a run continue in place of the one that asked about the calls which it begins with, or continues with.

    The run that asked is held while the other one is recorded, and has ended then: a question is answered once, in whatever way.

    Args:
        recorder: What records the run.
        run_id: The run.
        fact: That it begins.

    Raises:
        JournalError: A call was decided about before, or the run that asked was ended before that, or is paused.
        RunInUse: The run that asked is under way.
    """
    decisions, known = fact.decisions, fact.restored
    was_begun = known is not None and known.answers_calls and not known.run_step
    if known is not None and was_begun:  # its process may have died in here
        decisions = known.decisions
    last = next((message for message in reversed(fact.messages) if isinstance(message, ModelResponse)), None)
    asked_by = last.run_id if last is not None and last.tool_calls else None
    if last is None or asked_by is None or asked_by == run_id:
        yield
        return
    if decisions is None:
        if known is None and (open_calls := _open_calls(fact.messages)):
            await _check_undecided(recorder, asked_by, open_calls)
        yield
        return
    calls = {call.tool_call_id: digest_of(call) for call in last.tool_calls if _decides(decisions, call.tool_call_id)}
    info = await recorder.call(lambda: recorder.store.get(asked_by))
    if info is None or not calls:
        yield
        return
    if info.status != 'waiting':
        records = await recorder.call(lambda: recorder.history(asked_by))
        with naming(asked_by):
            state = fold(records)
        _check_once(calls, info, state, run_id)
        if info.status == 'failed' and (over := [call_id for call_id in state.undecided() if call_id in calls]):
            raise JournalError(
                f'Run {asked_by!r}, which asked about call {short_repr(over[0])}, was ended before that was decided '
                f'({short_repr((state.error or {}).get("message"))}). Nothing was done. To be asked again, resume it.'
            )
        yield
        return
    if await recorder.call(lambda: is_paused(recorder.store, asked_by)):
        raise JournalError(
            f'Run {asked_by!r}, which asked about call {short_repr(next(iter(calls)))}, is paused. Nothing was done, and the '
            f'question is still open: answer it after `journal.unpause({asked_by!r})`, or with `journal.answer`, which waits for '
            'that.'
        )
    info, state, token = await recorder.take(asked_by)
    try:
        _check_once(calls, info, state, run_id)  # another channel may have been quicker
        if not was_begun and not _fits(decisions, fact.messages):
            yield  # it ends with an error before it does anything, and the question stays open
            return
        requests = state.requests() if info.status == 'waiting' else None
        asked = (
            {call.tool_call_id: digest_of(call) for call in (*requests.calls, *requests.approvals)} if requests else {}
        )
        # The journal does not have what was redacted of a call; the call is this one, and is answered with it.
        hidden = state.questions.redacted
        mine = [id for id, digest in calls.items() if id in asked and (asked[id] == digest or id in hidden)]
        yield
        if mine:
            results = DeferredToolResults(
                calls={call_id: decisions.calls[call_id] for call_id in mine if call_id in decisions.calls},
                approvals={call_id: decisions.approvals[call_id] for call_id in mine if call_id in decisions.approvals},
                answered_by={
                    call_id: decisions.answered_by[call_id] for call_id in mine if call_id in decisions.answered_by
                },
            )
            decided = Record(info.last_seq + 1, 'decided', time.time(), b'{"results":' + results_json(results) + b'}')
            ended = Record(info.last_seq + 2, 'ended', decided.at, to_json({'how': 'done', 'handed_to': run_id}))
            entry = Entry(asked_by, token, [decided, ended], 'done', info.steps)
            await recorder.write(entry, durable=True, wait=True)
    finally:
        await recorder.writer.give_back(asked_by, token)


def _fits(decisions: DeferredToolResults, messages: Sequence[ModelMessage]) -> bool:
    """Return whether decisions are about all calls at the end of a history that have no answer, and about no others."""
    return _open_calls(messages) == decisions.calls.keys() | decisions.approvals.keys()


def _open_calls(messages: Sequence[ModelMessage]) -> set[str]:
    """Return the ids of the calls at the end of a history that have no answer."""
    last = last_response(messages, before_prompts=True)
    return {call.tool_call_id for call in last[0].tool_calls} - last[1] if last is not None else set()


async def _check_undecided(recorder: Any, asked_by: str, calls: set[str]) -> None:
    """Check that no one was asked about calls that a run would make, or ask about again, because its history has them.

    Raises:
        JournalError: A run that has them waits for decisions about them, or has these.
    """
    info = await recorder.call(lambda: recorder.store.get(asked_by))
    if info is None:
        return
    records = await recorder.call(lambda: recorder.history(asked_by))
    with naming(asked_by):
        state = fold(records)
    waiting = state.undecided() if info.status == 'waiting' else []
    asked = sorted(calls & {*waiting, *state.decided})
    if not asked:
        return
    what = (
        f'waits for decisions about {short_repr(sorted(waiting))}: pass them to `journal.answer`, and resume it, or continue '
        'the history with all of them as `deferred_tool_results`.'
        if waiting
        else f'has the decisions: resume it, or read what happened with `journal.state({state.handed_to or asked_by!r})`.'
    )
    raise JournalError(
        f'The history ends with the calls {short_repr(asked)}, which a person was asked about, and there are no decisions about '
        f'them. Nothing was done. Run {asked_by!r} {what}'
    )


def _decides(decisions: DeferredToolResults, call_id: str) -> bool:
    return call_id in decisions.calls or call_id in decisions.approvals


def _check_once(calls: Iterable[str], info: RunInfo, state: RecordedRun, run_id: str) -> None:
    """Raise `JournalError` if one of some calls was decided about before: an approval, a denial or a result.

    Args:
        calls: The calls that are decided about now.
        info: The run that asked.
        state: How it stands.
        run_id: The run that continues in its place.
    """
    waiting = state.undecided() if info.status == 'waiting' else []
    again = [call_id for call_id in calls if call_id in state.decided and call_id not in waiting]
    if again and state.handed_to != run_id:
        raise DecidedBefore(
            f'Call {short_repr(again[0])} of run {info.run_id!r} was decided about before, and a decision counts once. '
            f'Nothing was done. {_what_happened(info.run_id, state, waiting)}'
        )


def _what_happened(run_id: str, state: RecordedRun, waiting: Sequence[str]) -> str:
    if waiting:
        return (
            f'The run has the first decision, and waits for others about {short_repr(sorted(waiting))}: pass those to '
            f'`journal.answer({run_id!r}, ...)`, and resume it.'
        )
    other = state.handed_to or run_id
    return f'Run {other!r} continued with it: read what happened with `journal.state({other!r})`.'


async def check_arguments(writer: Writer, log: RunLog, state: RecordedRun) -> None:
    """Let a run wait that would make a call whose arguments were redacted.

    Args:
        writer: What writes that.
        log: The log of the run.
        state: How it stands.

    Raises:
        ContentRedacted: It does; the run waits for a decision about the call.
    """
    calls = state.lacking_arguments()
    if not calls:
        return
    waiting: JsonObject = state.questions.waiting or {}
    undecided = set(state.undecided())
    metadata = {call_id: data for call_id, data in state.questions.metadata.items() if call_id in undecided}
    for call in calls:
        metadata[call.tool_call_id] = {
            'kind': 'redacted',
            'message': f'The arguments of this call of {short_repr(call.tool_name)} were redacted: pass others, or its result.',
            **(
                {'started_at': started.at}
                if (started := state.calls.started.get(call.tool_call_id)) is not None
                else {}
            ),
        }
    approvals = [call_id for call_id in waiting.get('approvals', ()) if call_id in undecided]
    body = {
        'calls': [call_id for call_id in waiting.get('calls', ()) if call_id in undecided],
        'approvals': [*approvals, *(call.tool_call_id for call in calls)],
        'metadata': metadata,
        'questions': [*state.questions.kinds(undecided)],
    }
    record = Record(log.seq + 1, 'waiting', time.time(), as_json(body))
    written = writer.append(Entry(log.run_id, log.token, [record], 'waiting', log.steps), durable=True, wait=True)
    assert written is not None, 'it is waited for'
    await asyncio.wrap_future(written)
    raise ContentRedacted(
        f'Run {log.run_id!r} waits, because the arguments of its calls '
        f'{short_repr([call.tool_call_id for call in calls])} were redacted before they were stored. Decide about them with '
        '`journal.answer`: `ToolApproved(override_args=...)`, `False`, or their results in `calls`. Or fork the run, '
        'so that the model is asked again.'
    )
