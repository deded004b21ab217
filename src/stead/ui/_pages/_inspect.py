"""`InspectApi`: what the inspector reads from a journal. Where changes are allowed, it also forks, answers and continues runs."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from ..._kit.aio import cancel_and_drain
from ..._kit.json_types import JsonObject
from ..._kit.secret import MASK
from ..._kit.short import short
from ..._kit.shown_json import shown_json
from ...exceptions import UserError
from ...journal import Journal, JournalError, RunFilter, RunNotFound, RunStatus
from ...journal.traces import Follower, KnownSummaries, run_in, summaries, trace_of
from ...messages import (
    ModelMessage,
    ModelRequest,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from ...tools import DeferredToolResults, ToolDenied
from ._http import Answer, Asked, RefusedError, approval_in

MOST_RUNS_AT_ONCE = 8
_log = logging.getLogger('stead.ui')


class InspectApi:
    """Answers the requests of the inspector."""

    def __init__(
        self, journal: Journal[Any], *, name: str, agent: Any = None, may_change: bool = False, deps: Any = None
    ) -> None:
        """Create it.

        Args:
            journal: The journal to look into.
            name: What the journal is called.
            agent: The agent that continues runs; without it they can be forked and answered, and continue elsewhere.
            may_change: Whether runs can be forked, answered and continued. Otherwise nothing is ever written.
            deps: Dependencies of the runs.
        """
        self.journal = journal
        self._name = name
        self._agent = agent
        self._may_change = may_change
        self._deps = deps
        self._under_way: set[asyncio.Task[None]] = set()
        self._failures: dict[str, str] = {}
        self._follower = Follower(journal)
        self._summaries = KnownSummaries()

    async def close(self) -> None:
        """Leave the runs that this process continues; another process can continue them."""
        await cancel_and_drain(*self._under_way)

    async def handle(self, asked: Asked) -> Answer:
        """Answer a request.

        Raises:
            RefusedError: It cannot be answered.
        """
        try:
            return await self._handle(asked)
        except RunNotFound as error:
            raise RefusedError(404, str(error)) from None
        except (JournalError, UserError) as error:
            raise RefusedError(409, str(error)) from None

    async def _handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case 'GET', ('setup',):
                return {'name': self._name, 'may_change': self._may_change, 'agent': getattr(self._agent, 'name', None)}
            case 'GET', ('runs',):
                return await self._runs(asked)
            case 'GET', ('runs', run_id):
                found = await self._follower.look(run_id, asked.query.get('since', ''))
                return {**found, 'failure': self._failures.get(run_id)}
            case 'POST', ('runs', run_id, action) if action in ('fork', 'answer', 'go-on'):
                if not self._may_change:
                    raise RefusedError(
                        403, 'The inspector only reads. To change runs, start it with `--allow-changes`.'
                    )
                if action == 'fork':
                    return await self._fork(run_id, asked.data())
                if action == 'answer':
                    return await self._answer(run_id, asked.data())
                await run_in(self.journal, run_id)  # there is such a run
                self._continue(run_id)
                return {'id': run_id}
            case _:
                raise RefusedError(404, f'There is nothing at {short("/".join(asked.path))}.')

    async def _runs(self, asked: Asked) -> JsonObject:
        query = asked.query
        status = query.get('status') or None
        if status is not None and status not in get_args(RunStatus):
            raise RefusedError(400, f'There is no status {short(status)!r}.')
        before = None
        if place := query.get('before'):
            moment, _, run_id = place.partition('~')
            try:
                before = float(moment), run_id
            except ValueError:
                raise RefusedError(400, '`before` is not a place in the list.') from None
        wanted = RunFilter(
            status=cast('RunStatus | None', status),
            agent=query.get('agent') or None,
            conversation_id=query.get('conversation') or None,
            is_inner=None if query.get('inner') else False,
            before=before,
            limit=max(1, asked.number('limit', 100, 200)),
        )
        text = query.get('text', '')[:200]
        runs, place = await summaries(self.journal, wanted, text, known=self._summaries)
        found: JsonObject = {'runs': runs, 'next': f'{place[0]!r}~{place[1]}' if place is not None else None}
        digest = hashlib.sha256(shown_json(found)).hexdigest()[:16]
        return {'same': True} if query.get('known') == digest else {**found, 'digest': digest}

    async def _fork(self, run_id: str, data: JsonObject) -> JsonObject:
        at, edits = data.get('at'), cast(object, data.get('edits') or [])
        if not isinstance(at, int) or isinstance(at, bool):
            raise RefusedError(400, '`at` must be the number of a step.')
        if MASK.encode() in shown_json([edits, data.get('calls')]):
            raise RefusedError(400, f'A secret is hidden as {MASK} in what was changed. Write the secret itself there.')
        if not isinstance(edits, list) or len(cast('list[object]', edits)) > 100:
            raise RefusedError(400, '`edits` must be a list of changes.')
        changes, calls = cast('list[JsonObject]', edits), cast(object, data.get('calls') or None)
        if calls is not None and not (isinstance(calls, dict) and all(isinstance(one, dict) for one in calls.values())):  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            raise RefusedError(400, '`calls` must have the arguments of calls, by their ids.')
        model = data.get('model') or None
        new = await self.journal.fork(
            run_id,
            at=at,
            edit=edit_with(changes) if changes else None,
            calls=cast('dict[str, JsonObject] | None', calls),
        )
        if data.get('run'):
            self._continue(new, model=model)
        return {'id': new}

    async def _answer(self, run_id: str, data: JsonObject) -> JsonObject:
        results = DeferredToolResults()
        decisions = cast('list[object]', data.get('decisions')) if isinstance(data.get('decisions'), list) else []
        for item in decisions:
            take_decision(item, results)
        await self.journal.answer(run_id, results)
        if self._agent is not None and data.get('run', True):
            trace = await trace_of(self.journal, run_id)
            if not trace['waiting']:
                outer, info = run_id, trace['run']
                while info['parent'] is not None:
                    outer = info['parent']
                    info = (await trace_of(self.journal, outer))['run']
                self._continue(outer)
        return {'id': run_id}

    def _continue(self, run_id: str, model: str | None = None) -> None:
        if self._agent is None:
            raise RefusedError(
                409, 'To continue runs, start the inspector with an agent: `stead inspect runs.db module:agent`.'
            )
        if len(self._under_way) >= MOST_RUNS_AT_ONCE:
            raise RefusedError(409, f'{MOST_RUNS_AT_ONCE} runs are under way here already. Wait for one of them.')
        self._failures.pop(run_id, None)
        task = asyncio.get_running_loop().create_task(self._resume(run_id, model))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _resume(self, run_id: str, model: str | None) -> None:
        options: JsonObject = {'model': model} if model else {}
        try:
            await self.journal.resume(self._agent, run_id, deps=self._deps, **options)
        except Exception as error:  # the page shows it, and the journal has it
            _log.warning('Run %s ended with %s: %s', run_id, type(error).__name__, error)
            if len(self._failures) > 1_000:
                self._failures.clear()
            self._failures[run_id] = f'{type(error).__name__}: {error}'[:2000]


def take_decision(item: object, results: DeferredToolResults) -> None:
    """Take a decision of a person about a call.

    Raises:
        RefusedError: It is not one.
    """
    data = cast('JsonObject', item) if isinstance(item, dict) else {}
    call_id, action = str(data.get('id')), data.get('action')
    if 'digest' in data:
        results.digests[call_id] = str(data['digest'])
    if action == 'result':
        results.calls[call_id] = data.get('result')
    elif action == 'deny':
        reason = str(data.get('reason') or '').strip()
        results.approvals[call_id] = ToolDenied(reason) if reason else False
    elif action == 'allow':
        results.approvals[call_id] = approval_in(data)
    else:
        raise RefusedError(400, f'There is no action {short(str(action))!r}.')


def edit_with(edits: Sequence[Mapping[str, Any]]) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """Return a function that changes parts of a history: each edit names a message, a part, and what it has then.

    Raises:
        RefusedError: The function raises it if an edit is about something else.
    """

    def edit(messages: list[ModelMessage]) -> list[ModelMessage]:
        changed = list(messages)
        for one in edits:
            try:
                message_number, part_number, value = int(one['message']), int(one['part']), one['value']
                if message_number < 0 or part_number < 0:
                    raise IndexError
                message = changed[message_number]
                parts: list[Any] = list(message.parts)
                parts[part_number] = edited_part(parts[part_number], value)
            except (IndexError, KeyError, TypeError, ValueError):
                raise RefusedError(400, 'A change is about a part that the request does not have.') from None
            changed[message_number] = replace(message, parts=parts)
        if not isinstance(changed[-1], ModelRequest):
            raise RefusedError(400, 'What is sent must end with a request.')
        return changed

    return edit


def edited_part(part: Any, value: Any) -> Any:
    """Return a part with another content, or a call with other arguments.

    Raises:
        RefusedError: Parts of its kind cannot be changed, or the value is of the wrong type.
    """
    if isinstance(part, ToolCallPart):
        if not isinstance(value, dict):
            raise RefusedError(400, 'The arguments of a call must be an object.')
        return replace(part, args=value)
    if isinstance(part, ToolReturnPart):
        return replace(part, content=value)
    if isinstance(part, (UserPromptPart, SystemPromptPart, TextPart)):
        if not isinstance(value, str):
            raise RefusedError(400, 'A prompt must be a text.')
        return replace(part, content=value)
    raise RefusedError(400, f'A part of the kind {part.part_kind!r} cannot be changed.')
