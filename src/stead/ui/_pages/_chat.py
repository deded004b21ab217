"""`ChatApi`: conversations of the chat page. They are kept in a journal, so the browser sends prompts, and no history."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from typing import Any, cast

import anyio
from starlette.responses import Response

from ..._kit.json_types import JsonObject
from ..._kit.short import short
from ..._kit.shown_arguments import shown_arguments
from ...capabilities import AbstractCapability, ApprovalPolicy, NativeTool
from ...exceptions import UserError
from ...journal import (
    Conversation,
    Journal,
    JournalError,
    RecordedRun,
    RecordUnreadable,
    RunFilter,
    RunInfo,
    RunInUse,
    RunState,
)
from ...messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
    questions_in,
)
from ...run import AgentRunResultEvent
from ...tools import DeferredToolRequests, DeferredToolResults, RunContext, ToolDenied
from .._adapter import with_own_state
from .._streams import EventStreams
from ..web._chat import WebChat, recent_conversations
from ._http import STREAM_GUARDS, Answer, Asked, RefusedError, approval_in
from ._wire import ChunkWriter, encode

TITLE = 80
"""How many characters of the first prompt a conversation is called by."""
MOST_RUNS = 5_000
"""How many runs are looked through for conversations."""
MOST_TITLES = 10_000
"""How many titles are kept, so that they need not be read again."""
_DENIED = 'A person decided against this call.'
_LEFT_OUT = 'The person continued without a decision about this call, so it was not made.'
_IN_DOUBT = 'This call was interrupted. Whether it did its work is not known.'
_IN_USE = 'This conversation is being answered right now. Wait, or stop that first.'
_STALE = 'This conversation has changed meanwhile, perhaps in another tab, so nothing was answered again.'
_log = logging.getLogger('stead.ui')


class ChatApi:
    """Answers the requests of the chat page; each browser sees its own conversations."""

    def __init__(
        self,
        chat: WebChat,
        *,
        journal: Journal[Any] | None = None,
        streams: EventStreams | None = None,
        examples: Sequence[str] = (),
        show_errors: bool = False,
    ) -> None:
        """Create it.

        Args:
            chat: The agent, and what there is to choose from.
            journal: Where conversations are kept: by default in that of the agent, or else in memory.
            streams: Keeps answers that continue when their page is closed or loaded again; without, such a run is cancelled.
            examples: Prompts that the page offers when nothing was said yet.
            show_errors: Whether the page shows what exceptions say. It may hold secrets, paths and addresses.
        """
        self.agent = chat.agent
        self.choices = chat.choices
        self.tools = chat.tools
        self.options = chat.options
        self._left = chat.left
        self.examples = [*examples][:8]
        self._streams = streams
        self._stopped: set[str] = set()
        self.show_errors = show_errors
        own: Sequence[object] = getattr(getattr(self.agent, 'root_capability', None), 'capabilities', ())
        found: Journal[Any] | None = next((cast('Journal[Any]', one) for one in own if isinstance(one, Journal)), None)
        self.journal: Journal[Any] = journal or found or recent_conversations()
        self._is_own = found is not None and self.journal is found
        self._policy: ApprovalPolicy[Any] = ApprovalPolicy()
        self._titles: dict[str, str] = {}

    async def handle(self, asked: Asked) -> Answer:
        """Answer a request.

        Raises:
            RefusedError: It cannot be answered.
        """
        try:
            return await self._handle(asked)
        except RunInUse:
            raise RefusedError(409, _IN_USE) from None
        except RecordUnreadable:
            _log.exception('A conversation cannot be read.')
            raise RefusedError(500, 'The conversation cannot be read; the log of the server says why.') from None
        except (JournalError, UserError) as error:
            raise RefusedError(400, str(error)) from None

    async def _handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case 'GET' | 'HEAD', ('setup',):
                return self._setup()
            case 'GET', ('conversations',):
                return await self._list(asked)
            case 'GET', ('conversations', name):
                return await self._show(_full(asked, name))
            case 'POST', ('conversations', name, 'say'):
                return await self._say(_full(asked, name), asked.data())
            case 'POST', ('conversations', name, 'decide'):
                return await self._decide(_full(asked, name), asked.data())
            case 'POST', ('conversations', name, 'go-on'):
                return await self._continue(_full(asked, name), asked.data())
            case 'GET', ('conversations', name, 'answer'):
                kept = self._streams and self._streams.named(_kept_as(_full(asked, name)))
                return kept or Response(status_code=204)
            case 'POST', ('conversations', name, 'stop'):
                return await self._stop(_full(asked, name))
            case 'POST', ('conversations', name, 'branch'):
                return await self._branch(asked, name)
            case 'POST', ('conversations', name, 'delete'):
                full = _full(asked, name)
                self._titles.pop(full, None)
                return {'deleted': await self.journal.conversation(full).delete()}
            case _:
                raise RefusedError(404, f'There is nothing at {short("/".join(asked.path))}.')

    def _setup(self) -> JsonObject:
        models = [{'id': key, 'name': item.name, 'tools': item.tools} for key, item in self.choices.items()]
        return {
            'name': named(self.agent.name or 'Assistant'),
            'models': models,
            'tools': [{'id': key, 'name': tool.label} for key, tool in self.tools.items()],
            'examples': self.examples,
        }

    def shown(self) -> tuple[JsonObject, JsonObject]:
        """Return what the page shows before its script has run, and what the script reads: see `Shell.filled`."""
        setup = self._setup()
        models: list[JsonObject] = setup['models']
        able: list[str] = models[0]['tools'] if models else []  # the first one is chosen
        return {
            'name': setup['name'],
            'offer': [{'examples': [{'label': text} for text in self.examples]}] if self.examples else [],
            'choice': [{'models': [{'id': one['id'], 'label': one['name']} for one in models]}]
            if len(models) > 1
            else [],
            'tools': [{'label': tool['name']} for tool in setup['tools'] if tool['id'] in able],
        }, setup

    # Looking

    async def _runs(self, session: str) -> AsyncIterator[RunInfo]:
        """Yield the runs of a browser, the last one started first."""
        place, seen, prefix = None, 0, _prefix(session)
        while found := await self.journal.find(RunFilter(is_inner=False, before=place, limit=500)):
            for run in found:
                if (run.conversation_id or '').startswith(prefix):
                    yield run
            place, seen = (found[-1].begun_at, found[-1].run_id), seen + len(found)
            if seen >= MOST_RUNS:
                return

    async def _list(self, asked: Asked) -> JsonObject:
        wanted = asked.query.get('text', '').casefold()
        shown: dict[str, JsonObject] = {}
        passed_over: set[str] = set()
        async for run in self._runs(asked.session):
            full = cast(str, run.conversation_id)
            if full in shown or full in passed_over:
                continue
            title = await self._title(run)
            if wanted and wanted not in title.casefold() and not await self._mentions(run, wanted):
                passed_over.add(full)
                continue
            name = full.removeprefix(_prefix(asked.session))
            shown[full] = {'id': name, 'title': title, 'at': run.updated_at, 'status': _status(run)}
            if len(shown) >= 100:
                break
        return {'conversations': [*shown.values()]}

    async def _title(self, run: RunInfo) -> str:
        full = cast(str, run.conversation_id)
        if full not in self._titles:
            with suppress(JournalError):
                title = title_of((await self.journal.state(run.run_id)).messages)
                if not title:  # what was branched before its first message gets its title with that
                    return 'New chat'
                self._keep_title(full, title)
        return self._titles.get(full, 'This cannot be read')

    def _keep_title(self, full: str, title: str) -> None:
        if full not in self._titles:
            if len(self._titles) >= MOST_TITLES:
                self._titles.clear()
            self._titles[full] = title

    async def _mentions(self, run: RunInfo, wanted: str) -> bool:
        try:
            messages = (await self.journal.state(run.run_id)).messages
        except JournalError:
            return False
        return wanted in ModelMessagesTypeAdapter.dump_json(messages).decode('utf-8', 'replace').casefold()

    async def _last(self, full: str) -> RunInfo | None:
        found = await self.journal.find(RunFilter(conversation_id=full, is_inner=False, limit=1))
        return found[0] if found else None

    async def _show(self, full: str) -> JsonObject:
        run = await self._last(full)
        if run is None:
            raise RefusedError(404, 'There is no such conversation.')
        state = await self.journal.state(run.run_id)
        error = None
        if state.error is not None:
            error = self._shown_error(state.error['type'], state.error['message'], f'run {run.run_id[-8:]}')
        return {
            'status': _status(run),
            'title': await self._title(run),
            'run': run.run_id,
            'messages': ModelMessagesTypeAdapter.dump_python(state.messages, mode='json'),
            'answers': {
                call_id: ModelMessagesTypeAdapter.dump_python([ModelRequest(parts)], mode='json')[0]['parts']
                for call_id, parts in state.answers.items()
            },
            'decided': state.decided,
            'waiting': await self._waiting(run.run_id) if run.status == 'waiting' else [],
            'error': error,
            'cost': costs_of(state.messages),
            'left': self._left(),
        }

    def _shown_error(self, kind: str, text: str, place: str) -> str:
        if self.show_errors:
            return f'{kind}: {text}'
        # What exceptions say is for the developer: it may hold passwords, paths and addresses.
        return f'Something went wrong while answering. The log of the server says what, as {place}.'

    async def _waiting(self, run_id: str) -> list[JsonObject]:
        """Return the calls that a run waits for, and the runs inside of it."""
        shown: list[JsonObject] = []
        for one in await self.journal.waiting(inside=run_id):
            inside, asked = one.path[-1][1] if one.path else None, questions_in(one.requests)
            for kind, calls in (('approval', one.requests.approvals), ('result', one.requests.calls)):
                shown += [
                    {
                        'kind': kind,
                        'run': one.run.run_id,
                        'id': call.tool_call_id,
                        'inside': one.within.get(call.tool_call_id) or inside,
                        'tool': call.tool_name,
                        'args': call.args_as_dict(),
                        'shown': shown_arguments(call)._asdict(),
                        'about': one.requests.metadata.get(call.tool_call_id),
                        'digest': asked[call.tool_call_id],
                    }
                    for call in calls
                ]
        return shown

    # Talking

    async def _say(self, full: str, data: JsonObject) -> Answer:
        prompt = prompt_of(data)
        last = await self._last(full)
        # Both answers would follow the same messages, and one be lost.
        if last is not None and _status(last) == 'running':
            raise RunInUse(f'Run {last.run_id} is still running.')
        if (again := data.get('again')) is not None:
            await self._drop(full, last, again)
        elif last is not None:
            await self._give_up(full, last, '')
        options = self._options(full, data)
        if not self.journal.conversations:
            options['capabilities'].append(_NextTurn(self.journal.conversation(full)))
        self._keep_title(full, title_of([ModelRequest([UserPromptPart(prompt)])]))
        return self._kept(full, self._answered(full, self.agent.run_stream_events(cast(Any, prompt), **options)))

    def _kept(self, full: str, answer: AsyncGenerator[bytes, None]) -> Answer:
        """Return an answer that continues when the page that asked for it is gone, if answers are kept."""
        if self._streams is None:
            return answer
        return self._streams.respond(_as_text(answer), name=_kept_as(full), headers=STREAM_GUARDS)

    async def _stop(self, full: str) -> JsonObject:
        """Stop the answer that is being written here, and keep the text so far."""
        self._stopped.add(full)
        try:
            return {'stopped': self._streams is not None and await self._streams.stop(_kept_as(full))}
        finally:
            self._stopped.discard(full)

    async def _drop(self, full: str, last: RunInfo | None, again: object) -> None:
        """Take the end off a conversation, to answer it again, if its browser shows all that would go.

        Raises:
            RefusedError: It has changed since the browser was told how it stands.
        """
        data = cast('JsonObject', again) if isinstance(again, dict) else {}
        keep = data.get('keep')
        if not isinstance(keep, int) or isinstance(keep, bool) or keep < 0:
            raise RefusedError(
                400, '`again` must have `keep`, the number of messages to keep, and the `run` and `messages` shown.'
            )
        shown = len((await self.journal.state(last.run_id)).messages) if last is not None else None
        if last is None or (data.get('run'), data.get('messages')) != (last.run_id, shown):
            raise RefusedError(409, _STALE)
        await self._give_up(full, last, '')

        def kept(messages: list[ModelMessage]) -> list[ModelMessage]:
            if last.status == 'done' and len(messages) != shown:  # another tab did the same at this moment
                raise RefusedError(409, _STALE)
            return messages[:keep]

        await self.journal.conversation(full).trim(kept)

    async def _branch(self, asked: Asked, name: str) -> JsonObject:
        data, other = asked.data(), secrets.token_hex(12)
        until = data.get('messages')
        if not isinstance(until, int) or isinstance(until, bool) or until < 0:
            raise RefusedError(400, '`messages` must be the number of messages to keep.')
        if (run := await self._last(_full(asked, name))) is None:
            raise RefusedError(404, 'There is no such conversation.')
        state = await self.journal.state(run.run_id)
        kept = [*state.messages, *_closing(state, '')][:until]
        # A copy: either of them can be deleted without the other.
        await self.journal.conversation(_full(asked, other)).trim(lambda _: kept, decided=state.decided)
        return {'id': other}

    async def _decide(self, full: str, data: JsonObject) -> Answer:
        run = await self._last(full)
        if run is None or run.status != 'waiting':
            raise RefusedError(409, 'Nothing here waits for a decision any longer.')
        waiting = {(one['run'], one['id']): one for one in await self._waiting(run.run_id)}
        by_run: dict[str, DeferredToolResults] = {}
        always: list[str] = []
        for item in _objects(data.get('decisions')):
            call = waiting.get((item.get('run'), item.get('id')))
            if call is None:
                raise RefusedError(409, 'A call that was decided about no longer waits.')
            results = by_run.setdefault(call['run'], DeferredToolResults())
            results.digests[call['id']] = str(item.get('digest'))
            self._answer_call(item, call, results)
            if item.get('action') == 'always' and call['kind'] == 'approval':
                always.append(call['tool'])
        if not by_run:
            raise RefusedError(400, '`decisions` must be a list of decisions.')
        for run_id, results in by_run.items():
            await self.journal.answer(run_id, results)
        for tool in always:  # only now: a decision that is refused allows nothing
            self._policy.allow(tool, conversation_id=full)
        if await self._waiting(run.run_id):
            return {'waiting': await self._waiting(run.run_id)}
        return await self._resumed(full, run.run_id, data)

    def _answer_call(self, item: JsonObject, call: JsonObject, results: DeferredToolResults) -> None:
        """Take a decision about a call.

        Raises:
            RefusedError: It is not one.
        """
        action, call_id = item.get('action'), call['id']
        if action == 'result' and call['kind'] == 'result':
            results.calls[call_id] = item.get('result')
        elif action == 'deny':
            reason = str(item.get('reason') or '').strip()
            results.approvals[call_id] = ToolDenied(f'{_DENIED} The reason: {reason}' if reason else _DENIED)
        elif action in ('allow', 'always'):
            results.approvals[call_id] = approval_in(item)
        else:
            raise RefusedError(400, f'There is no action {short(str(action))!r} for this call.')

    async def _continue(self, full: str, data: JsonObject) -> Answer:
        run = await self._last(full)
        if run is None or _status(run) != 'left':
            raise RefusedError(409, 'There is nothing to continue with.')
        return await self._resumed(full, run.run_id, data)

    async def _resumed(self, full: str, run_id: str, data: JsonObject) -> Answer:
        shown = len((await self.journal.state(run_id)).messages)
        options = self._options(full, data)
        for name in ('conversation_id', 'capabilities'):  # the journal adds itself
            values = options.pop(name)
            if name == 'capabilities' and (others := [one for one in values if one is not self.journal]):
                options[name] = others
        resumed = self.journal.resume_stream_events(self.agent, run_id, **options)
        return self._kept(full, self._answered(full, resumed, shown=shown))

    def _options(self, full: str, data: JsonObject) -> JsonObject:
        capabilities: list[Any] = [] if self._is_own else [self.journal]
        capabilities += [self._policy, *(self.options.get('capabilities') or ())]
        model, wanted = data.get('model'), cast(object, data.get('tools'))
        choice = self.choices.get(model) if isinstance(model, str) else None
        if model is not None and choice is None:
            raise RefusedError(400, f'Model {short(str(model))!r} is not among the choices.')
        if choice is None and self.agent.model is None:
            choice = next(iter(self.choices.values()), None)
        for name in dict.fromkeys(map(str, cast('list[object]', wanted)) if isinstance(wanted, list) else ()):
            if name not in self.tools:
                raise RefusedError(400, f'Tool {short(name)!r} is not among the choices.')
            capabilities.append(NativeTool(self.tools[name]))
        options = {**self.options, 'conversation_id': full, 'infer_name': False, 'capabilities': capabilities}
        output_type = cast(Any, self.agent.output_type)
        types: list[Any] = [*output_type] if isinstance(output_type, list) else [output_type]
        options['output_type'] = [*types, *([] if DeferredToolRequests in types else [DeferredToolRequests])]
        if choice is not None:
            options['model'] = choice.model
        options['deps'] = with_own_state(options.get('deps'))
        return options

    async def _answered(
        self, full: str, opened: AbstractAsyncContextManager[Any], shown: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yield the events of an answer, and how the conversation stands after it.

        Args:
            full: The conversation.
            opened: The events.
            shown: If a run is resumed, how many messages it had before.
        """
        writer, error, text = ChunkWriter(), None, ''
        yield encode({'type': 'start', 'after': shown})
        try:
            async with opened as events:
                async for event in events:
                    if isinstance(event, PartStartEvent):
                        text = event.part.content if isinstance(event.part, TextPart) else ''
                    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                        text += event.delta.content_delta
                    elif isinstance(event, AgentRunResultEvent):
                        text = ''
                    if body := b''.join(map(encode, writer.feed(cast(object, event)))):
                        yield body
        except (anyio.get_cancelled_exc_class(), GeneratorExit):
            # An answer that is kept ends without a person's wish only with its server, and then it can be resumed.
            if self._streams is None or full in self._stopped:
                with anyio.CancelScope(shield=True), suppress(JournalError, UserError):
                    await self._keep_stopped(full, text)
            raise
        except RunInUse:
            error = _IN_USE
        except Exception as exception:
            number = secrets.token_hex(4)
            _log.exception('An answer failed (error %s).', number)
            error = self._shown_error(type(exception).__name__, str(exception)[:2000], f'error {number}')
        yield b''.join(map(encode, writer.finish(error)))
        try:
            stands = await self._show(full)
        except (JournalError, RefusedError):
            return
        yield encode({'type': 'data-state', 'data': stands})

    async def _keep_stopped(self, full: str, text: str) -> None:
        """Continue the conversation from an answer that was stopped, with the text that came."""
        if (run := await self._last(full)) is not None:
            await self._give_up(full, run, text)

    async def _give_up(self, full: str, run: RunInfo, text: str) -> None:
        """Continue the conversation without the end of a run that waits or was left: its calls are no longer made."""
        if _status(run) not in ('waiting', 'left'):
            return
        state = await self.journal.state(run.run_id)
        kept = [*state.messages, *_closing(state, text)]
        conversation = self.journal.conversation(full)
        await conversation.give_up('A person stopped it, or continued without deciding about its calls.')
        left = {call.tool_call_id for call in state.open_calls()}  # a decision about these had no effect
        decided = {call_id: args for call_id, args in state.decided.items() if call_id not in left}
        await conversation.trim(lambda _: kept, decided=decided)


async def _as_text(answer: AsyncGenerator[bytes, None]) -> AsyncIterator[str]:
    async with aclosing(answer):
        async for events in answer:
            yield events.decode()


class _NextTurn(AbstractCapability[Any]):
    """Lets a run be the next one of a conversation, in whichever process others begin, though its journal keeps none."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    async def restore_run(self, ctx: RunContext[Any]) -> RunState | None:
        return await self._conversation.restore_run(ctx)


def _closing(state: RecordedRun, text: str) -> list[ModelMessage]:
    """Return messages after which a history continues: the rest of a response, and the answers to open calls."""
    calls = getattr(state.messages[-1] if state.messages else None, 'tool_calls', None)
    if not calls:
        return [ModelResponse([TextPart(text)], metadata={'closed': 'interrupted'})] if text else []
    parts: list[ModelRequestPart] = []
    for call in calls:
        if answers := state.answers.get(call.tool_call_id):
            parts += answers
            continue
        is_begun = call.tool_call_id in state.calls.started
        closed = ToolReturnPart(call.tool_name, _IN_DOUBT if is_begun else _LEFT_OUT, tool_call_id=call.tool_call_id)
        closed.outcome = 'failed' if is_begun else 'denied'
        closed.metadata = {'closed': 'interrupted' if is_begun else 'left'}  # for the page: no one denied the call
        parts.append(closed)
    return [ModelRequest(parts)]


def _status(run: RunInfo) -> str:
    """Return how a run stands; `left` if nothing is working on it: it was given back, or the lease of its process has ended."""
    return 'left' if run.is_abandoned else run.status


def _prefix(session: str) -> str:
    # A caller that knows the id of someone's conversation must not get into it.
    return hashlib.sha256(session.encode(errors='surrogatepass')).hexdigest()[:24] + '-'


def _full(asked: Asked, name: str) -> str:
    if not (0 < len(name) <= 64 and name.isascii() and name.isalnum()):
        raise RefusedError(404, 'There is no such conversation.')
    return _prefix(asked.session) + name


def _kept_as(full: str) -> str:
    return f'talk {full}'  # unlike that of an answer in the protocol of others


def _objects(value: object) -> list[JsonObject]:
    items = cast('list[object]', value)[:200] if isinstance(value, list) else []
    return [cast('JsonObject', item) for item in items if isinstance(item, dict)]


def prompt_of(data: JsonObject) -> str | list[UserContent]:
    """Return the prompt in a request: a text, or a list of it and of files.

    Raises:
        RefusedError: There is none, or a file is not a data URI.
    """
    text = data.get('text')
    content: list[UserContent] = [text] if isinstance(text, str) and text.strip() else []
    for item in _objects(data.get('files')):
        try:
            content.append(BinaryContent.from_data_uri(str(item.get('url'))))
        except ValueError as error:
            raise RefusedError(400, f'A file cannot be read: {error}') from None
    if not content:
        raise RefusedError(400, 'There is no prompt: send a text or a file.')
    return content[0] if len(content) == 1 and isinstance(content[0], str) else content


def named(name: str) -> str:
    """Return the name of an agent, such as `support_desk`, as a person would write it."""
    words = re.sub(r'([a-z])([A-Z])', r'\1 \2', re.sub(r'[_-]+', ' ', name)).strip().lower()
    return words[:1].upper() + words[1:] or name


def title_of(messages: Sequence[ModelMessage]) -> str:
    """Return what a conversation is called: the beginning of its first prompt; an empty text if it has none."""
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                text = ' '.join(' '.join(item for item in content if isinstance(item, str)).split())
                return text if len(text) <= TITLE else f'{text[: TITLE - 1]}…' if text else 'A file'
    return ''


def cost_of(response: ModelResponse) -> float | None:
    """Return what a response cost, in US dollars; `None` if its price is not known, or cannot be looked up here."""
    with suppress(ImportError, LookupError, ValueError, TypeError):
        return float(response.cost().total_price)
    return None


def costs_of(messages: Iterable[ModelMessage]) -> float | None:
    """Return what responses cost together, in US dollars; `None` if none of their prices is known."""
    known = [
        cost for message in messages if isinstance(message, ModelResponse) if (cost := cost_of(message)) is not None
    ]
    return sum(known) if known else None
