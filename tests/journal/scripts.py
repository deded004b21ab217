"""Runs drawn at random, which can be resumed after each of their records; `STEAD_TRUST_FULL=1` plays 500 of them."""

from __future__ import annotations

import copy
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.capabilities import AbstractCapability, Capability
from stead.exceptions import ModelRetry
from stead.journal import Entry, Journal, MemoryStore, Record, RunInfo
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

COUNT = 500 if os.environ.get('STEAD_TRUST_FULL') == '1' else 40

CALLS = ('plain', 'retried', 'limited', 'approved', 'nested', 'enqueuing', 'load', 'extra')
SETTINGS: Any = {'temperature': 0.5, 'max_tokens': 100}


@dataclass(frozen=True)
class Script:
    """What the model answers, and how the run is started."""

    steps: tuple[tuple[str, ...], ...]
    """The tools that each response calls; a response with an output follows."""
    invalid_outputs: int
    """How many outputs are refused before one is taken."""
    is_streamed: bool
    passes_metadata: bool
    has_history: bool

    def response(self, messages: Sequence[ModelMessage]) -> ModelResponse:
        step = sum(isinstance(message, ModelResponse) for message in messages) - self.has_history
        if step >= len(self.steps):
            return ModelResponse(parts=[TextPart(f'output {step}')])
        args: dict[str, Any] = {'load': {'id': 'more'}}
        names = {'load': 'load_capability'}
        return ModelResponse(
            parts=[
                ToolCallPart(names.get(kind, kind), args.get(kind, {}), f'{step}-{place}')
                for place, kind in enumerate(self.steps[step])
            ]
        )


# A message that is delivered lets a run continue that would wait, so that a person may answer it or be too late.
CALLS_OF_STEP = st.lists(st.sampled_from(CALLS), min_size=1, max_size=3).filter(
    lambda calls: not {'approved', 'enqueuing'} <= {*calls}
)
SCRIPTS = st.builds(
    Script,
    # A capability that is loaded again and again uses up its retries.
    steps=st.lists(CALLS_OF_STEP.map(tuple), max_size=4)
    .map(tuple)
    .filter(lambda steps: sum(steps, ()).count('load') < 3),
    invalid_outputs=st.integers(0, 1),
    is_streamed=st.booleans(),
    passes_metadata=st.booleans(),
    has_history=st.booleans(),
)


class Snapshots(MemoryStore):
    """A store that keeps what it held after each change, with all leases free, as after the death of its process."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[tuple[dict[str, RunInfo], dict[str, list[Record]]]] = []

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        created = super().create(run, records)
        self._keep()
        return created

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        for entry in entries:
            for record in entry.records:
                refused |= super().append([entry._replace(records=(record,))], durable=durable)
                self._keep()
        return refused

    def _keep(self) -> None:
        runs, records = copy.deepcopy(self._runs), {run_id: list(one) for run_id, one in self._records.items()}
        for run in runs.values():
            run.holder, run.lease_until = None, 0.0
        self.states.append((runs, records))

    def after(self, place: int) -> MemoryStore:
        store = MemoryStore()
        runs, records = self.states[place]
        store._runs, store._records = copy.deepcopy(runs), {run_id: list(one) for run_id, one in records.items()}
        store._keys = {run.key: run.run_id for run in runs.values() if run.key is not None}
        return store


@dataclass
class Seen(AbstractCapability[Any]):
    """Notes the contexts, by where they are seen."""

    contexts: dict[tuple[object, ...], dict[str, Any]] = field(default_factory=dict)

    def note(self, ctx: RunContext[Any], *place: object) -> None:
        # Not `discovered_tool_names`: tools that were announced to the model with a request count as discovered from the next
        # step on, and at once where that request is sent again.
        shown = {
            'metadata': ctx.metadata,
            'prompt': ctx.prompt,
            'settings': dict(ctx.model_settings or {}),
            'usage': str(ctx.usage),
            'retries': dict(ctx.retries),
            'retry': ctx.retry,
            'max_retries': ctx.max_retries,
            'step': ctx.run_step,
            'conversation': ctx.conversation_id,
            'messages': [type(message).__name__ for message in ctx.messages],
            'pending': len(ctx.pending_messages or ()),
            'loaded': sorted(ctx.loaded_capability_ids),
            'tools': sorted(ctx.available_tool_names),
            'approved': ctx.tool_call_approved,
            'last attempt': ctx.last_attempt,
        }
        self.contexts[(*place, ctx.run_step, ctx.tool_name, ctx.tool_call_id, ctx.retry)] = shown

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        self.note(ctx, 'request')
        return request_context

    async def before_tool_execute(self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any) -> Any:
        self.note(ctx, 'hook')
        return args

    async def after_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, result: Any
    ) -> Any:
        self.note(ctx, 'after')
        return result


def make_agent(
    script: Script, store: MemoryStore, *more_of: AbstractCapability[Any], kind: type[Agent[Any, Any]] = Agent
) -> tuple[Agent[None, Any], Journal, Seen]:
    """Return an agent that follows a script, with a journal; as another process would make it again.

    Args:
        script: The script.
        store: What the journal writes to.
        more_of: More capabilities of the agent, and of the one that a tool runs.
        kind: The class of both agents.
    """
    seen, journal = Seen(), Journal(store)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for place, part in enumerate(script.response(messages).parts):
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ToolCallPart):
                yield {place: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}

    inner = kind(
        FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('from inside')])),
        name='inner',
        capabilities=[journal, *more_of],
    )
    more = Capability[None](id='more', description='More tools.', defer_loading=True)
    agent = kind(
        FunctionModel(lambda messages, info: script.response(messages), stream_function=stream),
        name='outer',
        capabilities=[journal, *more_of, seen, more],
        output_type=[str, DeferredToolRequests],
        retries={'output': 3, 'tools': 9},
        metadata={'of': 'the agent'},
    )
    options: Any = {'sequential': True, 'effect': 'read'}

    @agent.tool(**options)
    async def plain(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        return 'plain'

    @agent.tool(**options)
    async def retried(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        if ctx.retry % 2 == 0:
            raise ModelRetry('again')
        return 'at last'

    @agent.tool(max_calls=2, **options)
    async def limited(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        return 'limited'

    @agent.tool(requires_approval=True, **options)
    async def approved(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        return 'approved'

    @agent.tool(**options)
    async def nested(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        result = await inner.run('inside', usage=ctx.usage)
        seen.note(ctx, 'after inner run')
        return result.output

    @agent.tool(**options)
    async def enqueuing(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        ctx.enqueue(f'message of {ctx.tool_call_id}')
        return 'enqueued'

    @more.tool(**options)
    async def extra(ctx: RunContext[None]) -> str:
        seen.note(ctx, 'tool')
        return 'extra'

    @agent.output_validator
    async def check(ctx: RunContext[None], output: Any) -> Any:
        seen.note(ctx, 'validator')
        if isinstance(output, str) and ctx.retry < script.invalid_outputs:
            raise ModelRetry('another one')
        return output

    return agent, journal, seen


async def read_events(ctx: RunContext[None], events: Any) -> None:
    async for _ in events:
        pass


async def finish(agent: Agent[None, Any], journal: Journal, run_id: str, options: dict[str, Any]) -> Any:
    """Continue a run until it has its output, and approve what it asks for."""
    while True:
        for waiting in await journal.waiting():
            results = DeferredToolResults(approvals={call.tool_call_id: True for call in waiting.requests.approvals})
            await journal.answer(waiting.run.run_id, results)
        result = await journal.resume(agent, run_id, **options)
        if not isinstance(result.output, DeferredToolRequests):
            return result


def outcome(result: Any) -> dict[str, Any]:
    return {
        'output': result.output,
        'metadata': result.metadata,
        'usage': str(result.usage),
        'messages': [[type(part).__name__ for part in message.parts] for message in result.all_messages()],
        'new': len(result.new_messages()),
    }


async def start(script: Script, agent: Agent[None, Any], options: dict[str, Any]) -> Any:
    """Run a script as far as it goes without a decision."""
    greeter = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('hello')])))
    return await agent.run(
        'prompt',
        message_history=[*(await greeter.run('hi')).all_messages()] if script.has_history else [],
        model_settings=SETTINGS,
        metadata={'tenant': 't1'} if script.passes_metadata else None,
        conversation_id='c',
        **options,
    )


def options_of(script: Script) -> dict[str, Any]:
    """Return the options with which a script is run, and resumed."""
    return {'event_stream_handler': read_events} if script.is_streamed else {}
