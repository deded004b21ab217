"""A request of a user interface, the run that answers it, and the response: what all protocols share."""

from __future__ import annotations

import copy
import warnings
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from http import HTTPStatus
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, cast, runtime_checkable

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from typing_extensions import Self, TypeGuard, Unpack

from .._contracts.run_context import AgentDepsT
from .._kit.extras import load_extra
from .._kit.json_types import JsonObject
from .._kit.sdk_types import StarletteRequest, StarletteResponse, StarletteStreamingResponse
from .._kit.short import short
from ..agent import AbstractAgent, RunOptions
from ..capabilities import ReinjectSystemPrompt
from ..exceptions import UserError
from ..journal import Journal
from ..messages import ForceDownloadMode, ModelMessage, Rules, sanitized
from ..output import OutputDataT, OutputSpec
from ..result import AgentEventStream
from ..tools import DeferredToolRequests, DeferredToolResults
from ..toolsets import AbstractToolset
from ._approvals import AnswerTooLateError, Asker, audience_of, decisions_of_server, once, waiting_calls
from ._event_stream import EventT, NativeEvent, OnCompleteFunc, RunInputT, UIEventStream
from ._inner import without_inner
from ._limits import MAX_ITEMS, errors_as_json
from ._own_tools import with_tools_of_the_interface
from ._recorded import Answers, journal_of
from ._streams import EventStreams

MessageT = TypeVar('MessageT')
"""The messages of a protocol."""
StateT = TypeVar('StateT', bound=BaseModel)
"""The type of the state that an interface and an agent share."""


@runtime_checkable
class StateHandler(Protocol):
    """Dependencies that hold the state that an interface and an agent share: a dataclass with a field `state`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def state(self) -> Any:
        """The state. If it is a Pydantic model, what the interface sends is validated as one of its type."""
        ...

    @state.setter
    def state(self, state: Any) -> None: ...


@dataclass
class StateDeps(Generic[StateT]):
    """Dependencies that consist of the state that an interface and an agent share."""

    state: StateT
    """The state: its default until an interface sends another."""


@dataclass
class UIAdapter(ABC, Generic[RunInputT, MessageT, EventT, AgentDepsT, OutputDataT]):
    """Base class for the adapters of a protocol: an agent, and a request of an interface to it.

    What a request contains is not trusted: see `sanitize_messages`.
    """

    agent: AbstractAgent[AgentDepsT, OutputDataT]
    """The agent."""
    run_input: RunInputT
    """The request."""
    _: KW_ONLY
    accept: str | None = None
    """The `Accept` header of the request."""
    manage_system_prompt: Literal['server', 'client'] = 'server'
    """Whose system prompt is used: that of the agent, with those of the request dropped, or that of the request."""
    allowed_file_url_schemes: frozenset[str] = frozenset({'http', 'https'})
    """The schemes of the file URLs that a request may contain. Providers open others, such as `s3`, in the name of the server."""
    allowed_file_url_force_download: frozenset[ForceDownloadMode] = frozenset()
    """The values of `force_download` that file URLs of a request may have, in addition to `False`. `True` lets the server fetch
    the file, and `'allow-local'` even from its own network."""
    preserve_file_data: bool = False
    """Whether files of the model, and references to uploaded files, go to the interface and come back from it. Providers open
    such references in the name of the server."""
    audience: str | None = None
    """Whom questions about calls are for: an answer counts for an adapter with the same one. By default, the name of the agent.
    Two routes that serve one agent to different people should have different ones."""
    max_items: ClassVar[int] = MAX_ITEMS
    """The messages, parts, calls and tools that a request may have together. Longer conversations are refused before they are
    validated, which could take a minute and gigabytes."""

    @classmethod
    async def from_request(
        cls,
        request: StarletteRequest,
        *,
        agent: AbstractAgent[AgentDepsT, OutputDataT],
        manage_system_prompt: Literal['server', 'client'] = 'server',
        allowed_file_url_schemes: frozenset[str] = frozenset({'http', 'https'}),
        allowed_file_url_force_download: frozenset[ForceDownloadMode] = frozenset(),
        preserve_file_data: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Return an adapter for a request of Starlette or FastAPI.

        Args:
            request: The request.
            agent: The agent.
            manage_system_prompt: See the fields of the class; likewise the next ones.
            allowed_file_url_schemes: The schemes of the file URLs that are taken.
            allowed_file_url_force_download: The values of `force_download` that are taken.
            preserve_file_data: Whether files make the round trip.
            kwargs: Further fields of the adapter.

        Raises:
            ValidationError: The body is not a request of the protocol.
            ValueError: It has more than `max_items` items.
        """
        body = await request.body()
        accept = cast('str | None', request.headers.get('accept'))
        return cls(
            agent=agent,
            run_input=cls.build_run_input(body),
            accept=accept,
            manage_system_prompt=manage_system_prompt,
            allowed_file_url_schemes=allowed_file_url_schemes,
            allowed_file_url_force_download=allowed_file_url_force_download,
            preserve_file_data=preserve_file_data,
            **kwargs,
        )

    @classmethod
    async def dispatch_request(
        cls,
        request: StarletteRequest,
        *,
        agent: AbstractAgent[Any, Any],
        output_type: OutputSpec[Any] | None = None,
        on_complete: OnCompleteFunc[EventT] | None = None,
        streams: EventStreams | None = None,
        **options: Any,
    ) -> StarletteResponse:
        """Answer a request of Starlette or FastAPI.

        The run ends when the client leaves, unless there are `streams`, which let it continue: then a request with the header
        `Last-Event-ID`, by any method, gets the events after that one, and its body is not read.

        Args:
            request: The request.
            agent: The agent.
            output_type: The type of the output instead of the agent's.
            on_complete: Receives the result when the run has succeeded.
            streams: Lets runs continue without their clients, and clients come back.
            options: The arguments of `from_request`, and the options of a run; see `RunOptions`.

        Returns:
            A response that streams the events of the protocol; one with the status 422 if the request is invalid, and with 409
            if it only has answers to questions that were answered before.

        Raises:
            UserError: There is no such option, or the state in `deps` cannot be copied.
            ImportError: Starlette is not installed.
        """
        run = {name: options.pop(name) for name in RunOptions.__annotations__ if name in options}
        responses = load_extra('starlette.responses', extra='ui', what='Answering a request')
        left: type[Exception] = load_extra(
            'starlette.requests', extra='ui', what='Answering a request'
        ).ClientDisconnect
        if streams is not None and (continued := streams.continued(request)) is not None:
            return continued
        try:
            run.update({name: options.pop(name) for name in list(options) if name in cls._deprecated_options})
            adapter = await cls.from_request(request, agent=agent, **options)
            if 'deps' in run:
                run['deps'] = with_own_state(run['deps'], adapter.state)
            stream = adapter.run_stream(output_type=output_type, on_complete=on_complete, **cast(Any, run))
        except left:  # before all of its request had come: no one reads the answer
            return responses.Response(status_code=HTTPStatus.BAD_REQUEST)
        except ValidationError as error:
            body, status = errors_as_json(error), HTTPStatus.UNPROCESSABLE_ENTITY
        except ValueError as error:
            is_old = isinstance(error, AnswerTooLateError)
            status = HTTPStatus.CONFLICT if is_old else HTTPStatus.UNPROCESSABLE_ENTITY
            body = to_json([{'type': 'value_error', 'loc': ['messages'], 'msg': short(str(error), 400)}])
        else:
            return adapter.response(stream, streams)
        return responses.Response(body, media_type='application/json', status_code=status)

    _deprecated_options: ClassVar[tuple[str, ...]] = ('builtin_tools', 'output_retries')

    @classmethod
    @abstractmethod
    def build_run_input(cls, body: bytes) -> RunInputT:
        """Return the request in a body.

        Raises:
            ValidationError: The body is not a request of the protocol.
            ValueError: It has more than `max_items` items.
        """
        raise NotImplementedError

    @classmethod
    @abstractmethod
    def load_messages(cls, messages: Sequence[MessageT]) -> list[ModelMessage]:
        """Return messages of the protocol as messages of an agent. They are not sanitized.

        Raises:
            ValueError: They do not fit together.
        """
        raise NotImplementedError

    @classmethod
    def dump_messages(cls, messages: Sequence[ModelMessage]) -> list[MessageT]:
        """Return messages of an agent as messages of the protocol.

        Raises:
            NotImplementedError: The protocol cannot do so.
        """
        raise NotImplementedError(f'{cls.__name__} has no `dump_messages`.')

    @abstractmethod
    def build_event_stream(self) -> UIEventStream[RunInputT, EventT, AgentDepsT, OutputDataT]:
        """Return a new event stream for the request."""
        raise NotImplementedError

    @cached_property
    def messages(self) -> list[ModelMessage]:
        """The messages of the request, as messages of an agent; not sanitized."""
        raise NotImplementedError

    @cached_property
    def toolset(self) -> AbstractToolset[AgentDepsT] | None:
        """The tools of the request, which the interface executes."""
        return None

    @cached_property
    def state(self) -> JsonObject | None:
        """The state of the request, if there is one."""
        return None

    @cached_property
    def conversation_id(self) -> str | None:
        """The id of the conversation, if the request has one."""
        return None

    @cached_property
    def deferred_tool_results(self) -> DeferredToolResults | None:
        """The results and approvals of tool calls in the request, if there are any."""
        return None

    @cached_property
    def _asker(self) -> Asker:
        """What asks about calls, and knows its questions."""
        audience = audience_of(self.agent) if self.audience is None else self.audience
        takes_any = self.audience is None and self.agent.name is None
        return Asker(audience, self.conversation_id or '', takes_any)

    @cached_property
    def _journal(self) -> Journal[Any] | None:
        """What records the runs of the agent, if anything does."""
        return journal_of(self.agent)

    def _decisions(self, trusted: list[ModelMessage]) -> DeferredToolResults | None:
        """Return the results and approvals in the request, also for calls in the history that the server has kept."""
        return self.deferred_tool_results

    def sanitize_messages(
        self, messages: Sequence[ModelMessage], *, deferred_tool_results: DeferredToolResults | None = None
    ) -> list[ModelMessage]:
        """Return messages of a request without what an interface has no say in.

        Dropped are system prompts and instructions (unless the interface manages them), file URLs of other schemes than
        those allowed, references to uploaded files (unless `preserve_file_data`), values of `force_download` that are not
        allowed, and calls at the end that have no result: the agent would execute them, although no model asked for them.
        A warning says what was dropped.

        Args:
            messages: The messages; they are not changed.
            deferred_tool_results: Results of calls at the end, which are kept.
        """
        rules = Rules(
            keeps_system_prompts=self.manage_system_prompt == 'client',
            keeps_instructions=self.manage_system_prompt == 'client',
            schemes=self.allowed_file_url_schemes,
            force_download=self.allowed_file_url_force_download,
            keeps_uploads=self.preserve_file_data,
        )
        results = deferred_tool_results
        return sanitized(messages, rules, [*results.calls, *results.approvals] if results is not None else ())

    def transform_stream(
        self, stream: AsyncIterator[NativeEvent], on_complete: OnCompleteFunc[EventT] | None = None
    ) -> AsyncIterator[EventT]:
        """Return the events of the protocol for the events of a run; see `UIEventStream.transform_stream`."""
        writer = self.build_event_stream()
        writer.asker, writer.journal = self._asker, self._journal
        return writer.transform_stream(stream, on_complete=on_complete)

    def encode_stream(self, stream: AsyncIterator[EventT]) -> AsyncIterator[str]:
        """Return events as the protocol writes them."""
        return self.build_event_stream().encode_stream(stream)

    def streaming_response(self, stream: AsyncIterator[EventT]) -> StarletteStreamingResponse:
        """Return a response of Starlette that streams events of the protocol.

        Raises:
            ImportError: Starlette is not installed.
        """
        return self.build_event_stream().streaming_response(stream)

    def response(
        self, stream: AsyncIterator[EventT], streams: EventStreams | None = None, *, name: str | None = None
    ) -> StarletteResponse:
        """Return a response that streams events of the protocol: `streaming_response`, or one of `streams`.

        Args:
            stream: The events.
            streams: Lets the run continue without its client.
            name: See `EventStreams.respond`.

        Raises:
            ImportError: Starlette is not installed.
        """
        if streams is None:
            return self.streaming_response(stream)
        writer = self.build_event_stream()
        return streams.respond(writer.encode_stream(stream), name=name, headers=writer.response_headers)

    def run_stream(
        self,
        *,
        output_type: OutputSpec[Any] | None = None,
        on_complete: OnCompleteFunc[EventT] | None = None,
        **options: Unpack[RunOptions[AgentDepsT]],
    ) -> AsyncIterator[EventT]:
        """Run the agent, and return the events of the protocol.

        Args:
            output_type: The type of the output instead of the agent's.
            on_complete: Receives the result when the run has succeeded; see `OnCompleteFunc`.
            options: See `RunOptions`. A `message_history` comes before the messages of the request, and is trusted.

        Raises:
            UserError: There is no such option.
            ValidationError: The state of the request is not of the type that the dependencies have.
            ValueError: The messages of the request do not fit together.
        """
        return self.transform_stream(self.run_stream_native(output_type=output_type, **options), on_complete)

    def run_stream_native(
        self, *, output_type: OutputSpec[Any] | None = None, **options: Unpack[RunOptions[AgentDepsT]]
    ) -> AsyncIterator[NativeEvent]:
        """Run the agent, and return the events of the run and its result; arguments and errors as for `run_stream`."""
        run = cast('dict[str, Any]', options)
        if (conversation_id := run.get('conversation_id')) and conversation_id != self.conversation_id:
            self._asker = replace(self._asker, conversation=conversation_id, asked={})
            vars(self).pop('deferred_tool_results', None)
        run['conversation_id'] = conversation_id or self.conversation_id
        trusted: list[ModelMessage] = list(run.get('message_history') or ())
        messages, answered, answers = self.messages, None, None
        self._journal = journal = journal_of(self.agent, run.get('capabilities') or ())
        if (results := run.get('deferred_tool_results')) is not None:
            results, messages, answered = decisions_of_server(results, trusted, messages)
            journal = None
        elif (results := self._decisions(trusted)) is not None:
            if (
                journal is not None and results.approvals.keys() & self._asker.asked.keys()
            ):  # it has the calls that continue
                answered = DeferredToolResults(approvals=dict.fromkeys(waiting_calls([*trusted, *messages]), False))
            else:
                answered = results = once(self._asker, results, [*trusted, *messages])
        sent = self.sanitize_messages(messages, deferred_tool_results=answered)
        if journal is not None:
            answers = Answers.of(journal, self._asker, results, sent)
        run['message_history'] = [*trusted, *without_inner(sent)]
        run['deferred_tool_results'] = results
        if self.manage_system_prompt == 'server':
            prompts = ReinjectSystemPrompt[AgentDepsT](replace_existing=True)
            run['capabilities'] = [prompts, *(run.get('capabilities') or ())]
        own = output_type or self.agent.output_type
        if (toolset := self.toolset) is not None:
            run['toolsets'] = [*(run.get('toolsets') or ()), toolset]
            output_type = [own, DeferredToolRequests]
        if (state := self.state) is not None:
            _set_state(run.get('deps'), state)
        run['output_type'] = output_type
        if answers is not None:
            events = answers.events(self.agent, run)
        else:
            events = _read(self.agent.run_stream_events(**run))
        if toolset is None:
            return events
        others = [*self.agent.toolsets, *run['toolsets'][:-1]]
        return with_tools_of_the_interface(toolset, others, own, events)


async def _read(events: AgentEventStream[Any]) -> AsyncIterator[NativeEvent]:
    async with events:
        async for event in events:
            yield event


def with_own_state(deps: Any, sent: JsonObject | None = None) -> Any:
    """Return dependencies for one request: they are shared by all requests, but the state in them is that of one client.

    Args:
        deps: The dependencies.
        sent: The state of the request, if it has one; it takes the place of what is not a Pydantic model.

    Raises:
        UserError: The state cannot be copied.
    """
    if not _holds_state(deps):
        return deps
    if sent is not None and not isinstance(deps.state, BaseModel):
        return copy.copy(deps)
    try:
        state: object = copy.deepcopy(deps.state)
    except Exception as error:
        raise UserError(
            f'The state in `deps`, a `{type(deps.state).__name__}`, is copied for each request, and cannot be: {error}. Keep '
            'what all requests share in another field.'
        ) from error
    own = copy.copy(deps)
    object.__setattr__(own, 'state', state)  # which a frozen dataclass allows, too
    return own


def _holds_state(deps: object) -> TypeGuard[StateHandler]:
    """Return whether dependencies hold a state: a property that cannot be assigned only shows what is somewhere else."""
    found = getattr(type(deps), 'state', None)
    return isinstance(deps, StateHandler) and not (isinstance(found, property) and found.fset is None)


def _set_state(holder: object, state: JsonObject) -> None:
    """Give dependencies the state of a request, before the run that it is for."""
    if not _holds_state(holder):
        warnings.warn(
            f'The interface sent a state, and `deps` of type `{type(holder).__name__}` cannot hold one, so it is ignored. '
            'Pass `StateDeps(...)` as `deps`, or a dataclass with a field `state`.',
            UserWarning,
            stacklevel=4,
        )
        return
    value: object = type(holder.state).model_validate(state) if isinstance(holder.state, BaseModel) else state
    try:
        holder.state = value
    except AttributeError as error:  # also that of a frozen dataclass
        raise UserError(
            f'The interface sent a state, and the field `state` of `deps`, a `{type(holder).__name__}`, cannot be assigned: '
            f'{error}. Let the dataclass not be frozen, or give the field another name.'
        ) from error
