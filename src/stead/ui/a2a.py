"""An agent as a server of the A2A protocol, on the package `fasta2a`: what `Agent.to_a2a` returns.

The package has the server, the queue of tasks and their storage; here is the worker that runs the agent for each task. A part
of a message has a `kind` before version 1.0 of `fasta2a`, and none since; both are read, and the form of the installed one
is written. The context of a conversation is stored as a list of `ModelMessage`s.
"""

from __future__ import annotations

import base64
import json
import logging
import mimetypes
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast
from uuid import uuid4

from anyio import Event, move_on_after
from pydantic import TypeAdapter

from .._kit.extras import missing
from .._kit.json_types import JsonObject
from .._kit.sdk_types import SdkObject
from ..agent import AbstractAgent, AgentRunResult, RunOptions, capture_run_messages
from ..concurrency import CancellationToken
from ..exceptions import RunCancelled, UserError
from ..messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    Rules,
    TextPart,
    ThinkingPart,
    UserContent,
    UserPromptPart,
    VideoUrl,
    sanitized,
)
from ._a2a_answers import HOW, ClientAnswer, question
from ._approvals import AnswerTooLateError, Asker, audience_of, waiting_calls
from ._json_rpc import BUSY, RefusedRequest, RequestCheck
from ._recorded import journal_of

try:
    from fasta2a import FastA2A, Worker, schema
    from fasta2a.broker import InMemoryBroker
    from fasta2a.storage import InMemoryStorage
except ImportError as _error:
    raise missing('fasta2a', extra='a2a', what='A server of the A2A protocol') from _error

_log = logging.getLogger('stead.a2a')
_PARTS_HAVE_KINDS = hasattr(schema, 'TextPart')
_RULES = Rules(
    keeps_system_prompts=False,
    keeps_instructions=False,
    schemes=frozenset({'http', 'https'}),
    force_download=frozenset(),
    keeps_uploads=False,
)
"""What a client may send: providers open other links, such as `gs:`, in the name of the server."""
_SECONDS_TO_STORE = 10.0  # a conversation whose run was cancelled
_SECONDS_TO_CANCEL = 10.0  # until a client that cancels a task is told how the task stands
_RUN_OPTIONS = RunOptions.__annotations__.keys() - {'message_history'}
_NOT_UNDER_WAY = ('completed', 'failed', 'canceled', 'rejected', 'input-required')
_URLS = {'image': ImageUrl, 'audio': AudioUrl, 'video': VideoUrl}


def agent_to_a2a(
    agent: AbstractAgent[Any, Any],
    *,
    storage: SdkObject = None,
    broker: SdkObject = None,
    name: str | None = None,
    description: str | None = None,
    lifespan: SdkObject = None,
    **options: SdkObject,
) -> FastA2A:
    """Return an ASGI application that serves an agent over A2A.

    Args:
        agent: The agent.
        storage: Where tasks and conversations are kept; by default in memory, the last ones.
        broker: Hands tasks to workers; by default to one in this process.
        name: The name on the card, instead of that of the agent.
        description: The description on the card, instead of that of the agent.
        lifespan: Runs the workers, instead of one worker in this process.
        options: Options of each run, such as `deps` and `usage_limits` (see `RunOptions`; not `message_history`), and the
            arguments of `fasta2a.FastA2A`, such as `url`, `version` and `skills`.

    Raises:
        UserError: There are options of runs beside a `lifespan`, whose workers are not known here.
    """
    storage = RecentStorage() if storage is None else storage
    broker = LocalBroker() if broker is None else broker
    run_options = {name: options.pop(name) for name in [*options] if name in _RUN_OPTIONS}
    if lifespan is None:
        worker = AgentWorker(broker=broker, storage=storage, agent=agent, run_options=run_options)
        lifespan = partial(worker_lifespan, worker=worker, agent=agent)
    elif run_options:
        raise UserError(
            f'`agent_to_a2a` has a `lifespan`, which runs the workers. Pass {", ".join(map(repr, run_options))} to them: '
            '`AgentWorker(..., run_options={...})`.'
        )
    options.update(name=name or agent.name, description=description or agent.description)
    app = FastA2A(storage=storage, broker=broker, lifespan=lifespan, **options)
    app.add_middleware(RequestCheck)
    return app


class RecentStorage(InMemoryStorage[list[ModelMessage]]):
    """Keeps the last tasks and conversations in memory: a server that is up for long does not grow without end."""

    most = 1000
    """How many finished tasks, and how many conversations, are kept; and how many tasks may wait."""
    most_text = 256_000_000
    """How large all tasks, and all conversations, may be as text, in characters. What is oldest and finished is dropped first."""

    def __init__(self) -> None:
        super().__init__()
        self._sizes: dict[str, int] = {}
        self._context_sizes: dict[str, int] = {}

    async def submit_task(self, context_id: str, message: SdkObject) -> SdkObject:
        """Keep a new task; or the message, if it is the input that a task needs.

        Raises:
            RefusedRequest: Too many tasks wait, or they are too large.
        """
        size, tasks = _size(message), cast('dict[str, Any]', self.tasks)
        needing = tasks.get(message.get('task_id', ''))
        if needing is not None and needing['status']['state'] != 'input-required':
            needing = None
        over = [
            key for key, value in tasks.items() if value['status']['state'] in _NOT_UNDER_WAY and value is not needing
        ]
        held = sum(self._sizes.values()) + size
        for key in over:
            if held <= self.most_text and len(tasks) < self.most:
                break
            held -= self._sizes.pop(key, 0)
            del tasks[key]
        if held > self.most_text or len(tasks) >= self.most:
            raise RefusedRequest(
                BUSY,
                f'{len(tasks)} tasks wait, with {held} characters; the limits are {self.most} (`RecentStorage.most`) and '
                f'{self.most_text} (`most_text`). Try again later.',
            )
        if needing is not None:
            return await self.update_task(needing['id'], 'submitted', new_messages=cast(SdkObject, [message]))
        task = await super().submit_task(context_id, message)
        self._sizes[task['id']] = size
        return task

    async def update_task(self, task_id: str, *args: Any, **changes: Any) -> SdkObject:
        """Keep how a task stands."""
        task = await super().update_task(task_id, *args, **changes)
        self._sizes[task_id] = _size(task)
        return task

    async def update_context(self, context_id: str, context: list[ModelMessage]) -> None:
        """Keep what was said in a conversation."""
        self.contexts.pop(context_id, None)
        await super().update_context(context_id, context)
        self._context_sizes.pop(context_id, None)
        self._context_sizes[context_id] = len(repr(context))
        while len(self.contexts) > self.most or sum(self._context_sizes.values()) > self.most_text:
            oldest = next(iter(self.contexts))
            self._context_sizes.pop(oldest, None)
            del self.contexts[oldest]


@dataclass
class _OpenTask:
    """A task that a broker has handed out, or will."""

    token: CancellationToken = field(default_factory=CancellationToken)
    started: bool = False
    ended: Event = field(default_factory=Event)


class LocalBroker(InMemoryBroker):
    """Hands tasks to a worker in this process. What a client cancels is cancelled at once, also while it runs."""

    most = 1000
    """How many tasks that have not ended can be cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[str, _OpenTask] = {}

    async def run_task(self, params: SdkObject) -> None:
        """Hand a task to the worker."""
        self._open[params['id']] = _OpenTask()
        while len(self._open) > self.most:
            del self._open[next(iter(self._open))]
        await super().run_task(params)

    @contextmanager
    def work_on(self, task_id: str) -> Iterator[CancellationToken]:
        """Yield what cancels the run of a task that is worked on until the block ends."""
        task = self._open.setdefault(task_id, _OpenTask())
        task.started = True
        try:
            yield task.token
        finally:
            self._open.pop(task_id, None)
            task.ended.set()

    async def cancel_task(self, params: SdkObject) -> None:
        """Cancel a task that has not ended, and wait until it has, but not until its turn comes."""
        if (task := self._open.get(params['id'])) is not None:
            task.token.cancel('A client has cancelled the task.')
            if task.started:
                with move_on_after(_SECONDS_TO_CANCEL):
                    await task.ended.wait()


def _size(data: SdkObject) -> int:
    return len(json.dumps(data, default=str))


@asynccontextmanager
async def worker_lifespan(app: FastA2A, worker: Worker[Any], agent: AbstractAgent[Any, Any]) -> AsyncIterator[None]:
    """Keep the agent open and run a worker in the process of the server, until it is shut down."""
    async with app.task_manager, agent, worker.run():
        yield


@dataclass
class AgentWorker(Worker[list[ModelMessage]]):
    """Runs an agent for the tasks of a broker, one after the other."""

    agent: AbstractAgent[Any, Any]
    run_options: JsonObject = field(default_factory=lambda: {})
    """Options of each run, such as `deps` and `usage_limits`."""

    async def run_task(self, params: SdkObject) -> None:
        """Run the agent for a task, and store its answer, or that it failed or was cancelled.

        Raises:
            Exception: The run failed; it is logged, since the client only sees that it did.
        """
        if not isinstance(self.broker, LocalBroker):
            return await self._run_task(params, self.run_options)
        with self.broker.work_on(params['id']) as token:
            own: CancellationToken | None = self.run_options.get('cancellation_token')
            take_back = None if own is None else own.register(lambda: token.cancel(own.reason))
            try:
                await self._run_task(params, {**self.run_options, 'cancellation_token': token})
            finally:
                if take_back is not None:
                    take_back()

    async def _run_task(self, params: SdkObject, run_options: JsonObject) -> None:
        task: SdkObject = await self.storage.load_task(params['id'])
        if task is None:
            raise ValueError(f'The storage has no task {params["id"]!r}.')
        await self.storage.update_task(task['id'], state='working')
        context_id: str = task['context_id']
        asker = Asker(audience_of(self.agent), context_id, takes_any=False)
        journal = journal_of(self.agent, run_options.get('capabilities') or ())
        history: list[ModelMessage] = [*(await self.storage.load_context(context_id) or [])]
        try:
            messages = task.get('history', [])
            if task.get('artifacts'):  # it needed input: the context has the messages before
                messages = messages[-1:]
            answer = ClientAnswer.among([part for message in messages for part in message['parts']])
            if answer is not None:
                resume = {name: value for name, value in run_options.items() if name != 'usage_limits'}
                options = run_options if journal is None else resume  # a run that is resumed has its limits
                work = answer.continued(self.agent, asker, journal, history, options)
            else:
                history += sanitized(self.build_message_history(messages), _RULES)
                work = self.agent.run(message_history=history, **run_options)
            result = await self._run(context_id, history, work)
            answers = [response for message in result.new_messages() if (response := _message(message))]
            artifacts = self.build_artifacts(result.output)
            asked = await question(result, asker, journal)
        except AnswerTooLateError as error:
            waits = bool(waiting_calls(history))
            replies = [_of_agent(_text_part(str(error)))]
            state = 'input-required' if waits else 'rejected'
            await self.storage.update_task(task['id'], state=state, new_messages=cast(SdkObject, replies))
            return
        except RunCancelled:
            await self.storage.update_task(task['id'], state='canceled')
            return
        except Exception:
            _log.exception('Task %s of an A2A client failed.', task['id'])
            raise
        if asked is not None:
            answers.append(_of_agent(_text_part(f'{asked[0]} {HOW}'), {**_kind('data'), 'data': asked[1]}))
        publish: SdkObject = getattr(self, 'publish_artifact', None)  # to clients that stream, since version 1.0
        if publish is not None:
            await publish(task['id'], context_id, artifacts[0])
        state = 'completed' if asked is None else 'input-required'
        await self.storage.update_task(
            task['id'], state=state, new_artifacts=artifacts, new_messages=cast(SdkObject, answers)
        )

    async def _run(
        self, context_id: str, history: list[ModelMessage], work: Coroutine[Any, Any, AgentRunResult[Any]]
    ) -> AgentRunResult[Any]:
        """Run the agent, and store what was said and done, also by a run that fails: what comes next has to know of it."""
        with capture_run_messages() as messages:
            try:
                result = await work
            except BaseException:
                if any(isinstance(message, ModelResponse) for message in messages[len(history) :]):
                    with move_on_after(_SECONDS_TO_STORE, shield=True):
                        await self.storage.update_context(context_id, [*messages])
                raise
        await self.storage.update_context(context_id, result.all_messages())
        return result

    async def cancel_task(self, params: SdkObject) -> None:
        """Do nothing: a worker gets to it when the task is done. `LocalBroker` cancels tasks without it."""

    def build_message_history(self, history: Sequence[SdkObject]) -> list[ModelMessage]:
        """Return messages of the protocol as those of the framework.

        Raises:
            UserError: A part is not supported.
        """
        return [
            ModelRequest(parts=[UserPromptPart(content=_content(part)) for part in message['parts']])
            if message['role'] == 'user'
            else ModelResponse(parts=[TextPart(_text(part)) for part in message['parts']])
            for message in history
        ]

    def build_artifacts(self, result: SdkObject) -> list[SdkObject]:
        """Return an output as an artifact: text as it is, anything else as data with its JSON schema."""
        if isinstance(result, str):
            part = _text_part(result)
        else:
            adapter: TypeAdapter[Any] = TypeAdapter(cast('type[Any]', type(result)))
            value = {'result': adapter.dump_python(result, mode='json')}
            described = {'json_schema': adapter.json_schema(mode='serialization')}
            part = {**_kind('data'), 'data': value, 'metadata': described}
        return [{'artifact_id': str(uuid4()), 'name': 'result', 'parts': [part]}]


def _text(part: SdkObject) -> str:
    """Return the text of a part, or the JSON of its data."""
    if 'text' in part:
        return part['text']
    if 'data' in part:
        return json.dumps(part['data'])
    raise UserError('A part of a message has neither a text nor data; files are taken in messages of the user only.')


def _content(part: SdkObject) -> str | list[UserContent]:
    """Return a part of a user's message as content of a prompt."""
    file: SdkObject = part.get('file', part)
    media_type: str | None = file.get('mime_type') or file.get('media_type')
    data: str | None = file.get('bytes') or file.get('raw')
    if data is not None:
        return [BinaryContent(base64.b64decode(data), media_type=media_type or 'application/octet-stream')]
    url: str | None = file.get('uri') or file.get('url')
    if url is None:
        return _text(part)
    guessed = media_type or mimetypes.guess_type(url)[0] or ''
    return [_URLS.get(guessed.partition('/')[0], DocumentUrl)(url=url, media_type=media_type)]


def _kind(kind: str) -> JsonObject:
    return {'kind': kind} if _PARTS_HAVE_KINDS else {}


def _text_part(text: str) -> JsonObject:
    return {**_kind('text'), 'text': text}


def _message(message: ModelMessage) -> JsonObject | None:
    """Return what a response says as a message of the protocol; `None` if it says nothing, or is a request."""
    parts: list[JsonObject] = []
    for part in message.parts if isinstance(message, ModelResponse) else ():
        if isinstance(part, TextPart):
            parts.append(_text_part(part.content))
        elif isinstance(part, ThinkingPart):
            about = {'type': 'thinking', 'thinking_id': part.id, 'signature': part.signature}
            parts.append({**_text_part(part.content), 'metadata': about})
    return _of_agent(*parts) if parts else None


def _of_agent(*parts: JsonObject) -> JsonObject:
    return {'role': 'agent', 'parts': [*parts], **_kind('message'), 'message_id': str(uuid4())}


__all__ = ('AgentWorker', 'LocalBroker', 'RecentStorage', 'agent_to_a2a', 'worker_lifespan')
