"""Features that are a part of an agent: each adds something to a program, and knows what it promises of a session."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mcp.server.mcpserver import MCPServer
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from stead import (
    Agent,
    Budget,
    BudgetExceeded,
    DeferredToolRequests,
    InstrumentationSettings,
    RunContext,
    Tool,
    UsageLimits,
)
from stead.capabilities import (
    Capability,
    HandleDeferredToolCalls,
    Instrumentation,
    KeepLast,
    LocalWorkspace,
    Summarise,
    ThreadExecutor,
)
from stead.journal import SqliteStore
from stead.mcp import MCPToolset
from stead.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.models.function import FunctionModel

from .program import Program, Report, number_in

EXECUTOR = ThreadPoolExecutor(2, thread_name_prefix='pairs')


class Feature:
    """Something that a program has."""

    title: ClassVar[str]
    page: ClassVar[str]
    """The page of the documentation that is about it."""
    kind: ClassVar[str] = 'part'

    def add(self, program: Program) -> None:
        """Add it to the program, before its agent is built."""

    async def look(self, program: Program, order: int) -> None:
        """Check what it promises of a session, after it."""
        raise NotImplementedError


class Journaled(Feature):
    """The journal: the run is recorded as it was, once."""

    title, page = 'journal', 'journal.md'

    def add(self, program: Program) -> None:
        """Record runs."""
        program.has_journal = True

    async def look(self, program: Program, order: int) -> None:
        """See that there is one run that is done, and that its record is complete."""
        journal = program.open_journal()
        runs = [run for run in await journal.runs() if run.parent_id is None and run.agent == 'shop']
        found = []
        for run in runs:
            messages = await journal.messages(run.run_id)
            if str(order) in str(messages[-2:]):
                found.append((run, messages))
        assert len(found) == program.prompts, 'each prompt is one run'
        for run, messages in found:
            assert run.status == 'done'
            returned = [
                part.tool_name
                for message in messages
                for part in message.parts
                if isinstance(part, (ToolReturnPart, RetryPromptPart))
            ]
            called = [
                call.tool_name
                for message in messages
                if isinstance(message, ModelResponse)
                for call in message.tool_calls
            ]
            assert [name for name in returned if name != 'final_result'] == [
                name for name in called if name != 'final_result'
            ]
        assert not await journal.waiting(), 'nothing waits'


class Conversing(Journaled):
    """Conversations: the second prompt knows the first."""

    title, page = 'conversations', 'memory.md'

    def add(self, program: Program) -> None:
        """Keep conversations, and have two prompts."""
        super().add(program)
        program.journal_options['conversations'] = True
        program.conversations, program.prompts = True, 2

    async def look(self, program: Program, order: int) -> None:
        """See that the model was sent each prompt of the conversation once."""
        await super().look(program, order)
        first, second = program.sessions(order)
        assert program.noted('request', order)[0]['prompts'] == [first]
        assert program.noted('request', order)[-1]['prompts'] == [first, second]


class SubAgents(Feature):
    """Sub-agents: a tool runs another agent, and both are counted together."""

    title, page = 'sub-agents', 'multi-agent.md'

    def add(self, program: Program) -> None:
        """Add a tool that asks another agent."""

        def reply(messages: Any, info: Any) -> ModelResponse:
            order = number_in(messages[0].parts[-1].content)
            program.note('inner request', order)
            steps = len(messages) // 2
            if calls and steps < len(calls):
                return ModelResponse([ToolCallPart(calls[steps], {'order': order}, f'inner-{order}')])
            return ModelResponse([TextPart(f'The expert knows order {order}.')])

        calls: list[str] = []
        program.inner_calls = calls

        def finish() -> None:
            expert = Agent(
                program.model(reply),
                name='expert',
                output_type=[str, DeferredToolRequests] if program.has_journal else str,
                tools=program.inner_tools,
                capabilities=[program.journal] if program.journal else [],
            )

            @program.tools.tool(effect='idempotent')
            async def ask_expert(ctx: RunContext[Any], order: int) -> str:
                """Ask the expert."""
                before = ctx.usage.requests
                result = await expert.run(f'What is order {order}?', usage=ctx.usage)
                program.note('ran', order, tool='ask_expert', counted=ctx.usage.requests - before)
                return str(result.output)

        program.finish.append(finish)
        program.calls.append(('ask_expert', {}))

    async def look(self, program: Program, order: int) -> None:
        """See that the expert was asked once for each prompt, and counted."""
        asked = program.noted('ran', order, tool='ask_expert')
        assert len(asked) == program.prompts
        assert all(line['counted'] >= 1 for line in asked)


class Approvals(Feature):
    """Approvals: a call is made after a person has decided, and once; with sub-agents, it is the expert that asks."""

    title, page = 'approvals', 'human-in-the-loop.md'

    def add(self, program: Program) -> None:
        """Add a tool that needs an approval."""

        def pay(order: int) -> str:
            """Pay an order back."""
            program.note('ran', order, tool='pay')
            return f'order {order} was paid back'

        if program.inner_calls is not None:
            program.inner_calls.append('pay')
            program.inner_tools.append(Tool(pay, requires_approval=True))
        else:
            program.tools.add_function(pay, requires_approval=True)
            program.calls.append(('pay', {}))
        if program.inner_calls is not None and not program.has_journal:

            async def decide(ctx: RunContext[Any], requests: DeferredToolRequests) -> Any:
                order = int(requests.approvals[0].args_as_dict()['order'])
                return program.decide(requests, order)

            program.capabilities.append(HandleDeferredToolCalls(decide))
        else:
            program.output.append(DeferredToolRequests)

    async def look(self, program: Program, order: int) -> None:
        """See that each call was decided about before it was made, and made once."""
        kinds = [
            line['kind']
            for line in program.lines()
            if line['order'] == order and (line['kind'] == 'decided' or line.get('tool') == 'pay')
        ]
        assert kinds == ['decided', 'ran'] * program.prompts


class Structured(Feature):
    """Structured output: the answer is of the type that was asked for."""

    title, page = 'structured output', 'output.md'

    def add(self, program: Program) -> None:
        """Ask for a report."""
        program.output[0] = Report

    async def look(self, program: Program, order: int) -> None:
        """See that there is a report in each answer; see `Program.answered`."""
        assert program.answers(order) == [{'order': order, 'item': 'lamp'}] * program.prompts


class OnDemand(Feature):
    """On-demand capabilities: what is not loaded is not sent, and then it is."""

    title, page = 'on-demand capabilities', 'on-demand-capabilities.md'

    def add(self, program: Program) -> None:
        """Add a deferred capability, which the model loads."""
        fines = Capability[Any](id='fines', description='Fines.', instructions='Be kind.', defer_loading=True)

        @fines.tool_plain
        def fine(order: int) -> str:
            """Look up what is owed for an order."""
            program.note('ran', order, tool='fine')
            return '0.80'

        program.capabilities.append(fines)
        program.calls += [('load_capability', {'id': 'fines'}), ('fine', {})]

    async def look(self, program: Program, order: int) -> None:
        """See when its tool was sent."""
        requests = program.noted('request', order, turn=1)
        loaded = [name for name, _ in program.calls].index('load_capability')
        assert ['fine' in request['tools'] for request in _by_step(requests)][: loaded + 2] == [False] * (
            loaded + 1
        ) + [True]
        assert program.ran('fine', order) == program.prompts


class Searched(Feature):
    """Tool search: a tool that is deferred is found, and called."""

    title, page = 'tool search', 'tool-search.md'

    def add(self, program: Program) -> None:
        """Add a deferred tool, for which the model searches."""

        @program.tools.tool_plain(defer_loading=True)
        def courier(order: int) -> str:
            """Say which courier delivers the parcel of an order."""
            program.note('ran', order, tool='courier')
            return 'by bicycle'

        program.calls += [('search_tools', {'queries': ['courier parcel']}), ('courier', {})]

    async def look(self, program: Program, order: int) -> None:
        """See when the tool was sent."""
        requests = program.noted('request', order, turn=1)
        found = [name for name, _ in program.calls].index('search_tools')
        assert ['courier' in request['tools'] for request in _by_step(requests)][: found + 2] == [False] * (
            found + 1
        ) + [True]
        assert program.ran('courier', order) == program.prompts


class Served(Feature):
    """MCP: a tool of a server is called."""

    title, page = 'MCP', 'mcp.md'

    def add(self, program: Program) -> None:
        """Add a server in this process."""
        server = MCPServer('scales', log_level='CRITICAL')

        @server.tool()
        def weigh(order: int) -> str:
            """Weigh the parcel of an order."""
            program.note('ran', order, tool='weigh')
            return '2 kg'

        program.toolsets.append(MCPToolset(server, id='scales', init_timeout=60, read_timeout=60))
        program.calls.append(('weigh', {}))

    async def look(self, program: Program, order: int) -> None:
        """See that it was called."""
        assert program.ran('weigh', order) == program.prompts


class Threads(Feature):
    """Tools in threads: functions that are not async run in the threads of the program."""

    title, page = 'tools in threads', 'tools-advanced.md'

    def add(self, program: Program) -> None:
        """Add a tool that blocks, and threads for it."""

        @program.tools.tool_plain(effect='read')
        def press(order: int) -> str:
            """Press a button."""
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                program.note('ran', order, tool='press', thread=threading.current_thread().name)
            return 'pressed'

        program.capabilities.append(ThreadExecutor(EXECUTOR))
        program.calls.append(('press', {}))

    async def look(self, program: Program, order: int) -> None:
        """See in which thread it ran."""
        names = [line['thread'] for line in program.noted('ran', order, tool='press')]
        assert len(names) == program.prompts
        assert program.in_workflow or all(name.startswith('pairs') for name in names)


class _Notes(SpanProcessor):
    def __init__(self, program: Program) -> None:
        self.program = program

    def on_end(self, span: ReadableSpan) -> None:
        attributes = dict(span.attributes or {})
        self.program.note('span', 0, name=span.name, tool=attributes.get('gen_ai.tool.name'))


class Traced(Feature):
    """Instrumentation: a span for each run, request and call."""

    title, page = 'instrumentation', 'instrumentation.md'

    def add(self, program: Program) -> None:
        """Trace runs."""
        provider = TracerProvider()
        provider.add_span_processor(_Notes(program))
        program.capabilities.append(Instrumentation(InstrumentationSettings(tracer_provider=provider)))

    async def look(self, program: Program, order: int) -> None:
        """See that the spans agree with what happened, in all sessions."""
        names = [line['name'] for line in program.noted('span')]
        tools = [line['tool'] for line in program.noted('span') if line['tool']]
        # A request in which the process was killed has a span, too.
        assert sum(name.startswith('chat') for name in names) == len(program.noted('request'))
        assert any('agent' in name for name in names)
        for ran in program.noted('ran'):
            if ran['tool'] not in ('pay', 'weight'):  # whose calls may be answered without them
                assert tools.count(ran['tool']) == len(program.noted('ran', tool=ran['tool'])), ran


class Limits(Feature):
    """Limits: what a session may use is enough for it, and is not enough for more."""

    title, page = 'limits', 'agents.md#usage-and-limits'

    def add(self, program: Program) -> None:
        """Limit what is asked of the model and of tools."""

        def finish() -> None:
            inner = 1 + len(program.inner_calls) if program.inner_calls is not None else 0
            program.run_options['usage_limits'] = UsageLimits(
                request_limit=program.requests() // program.prompts, tool_calls_limit=len(program.calls) + inner
            )

        program.finish.append(finish)

    async def look(self, program: Program, order: int) -> None:
        """See that a run of one step more fails, at the request that is one too many."""
        assert program.agent is not None
        before = len(program.noted('request'))
        options = {**program.run_options, 'usage_limits': UsageLimits(request_limit=1)}
        try:
            await program.agent.run('Where is order 99?', **options)
        except Exception as error:
            assert type(error).__name__ == 'UsageLimitExceeded', error
        else:
            raise AssertionError('nothing limited it')
        assert len(program.noted('request')) == before + 1


@dataclass
class Shop:
    """Dependencies."""

    owner: str


class Typed(Feature):
    """Typed deps: they reach tools."""

    title, page = 'typed deps', 'dependencies.md'

    def add(self, program: Program) -> None:
        """Add a tool that needs them."""

        @program.tools.tool(effect='read')
        def owner(ctx: RunContext[Shop], order: int) -> str:
            """Say whose shop it is."""
            program.note('ran', order, tool='owner', owner=ctx.deps.owner)
            return ctx.deps.owner

        program.agent_options['deps_type'] = Shop
        program.run_options['deps'] = Shop('Ada')
        program.calls.append(('owner', {}))

    async def look(self, program: Program, order: int) -> None:
        """See what the tool got."""
        assert [line['owner'] for line in program.noted('ran', order, tool='owner')] == ['Ada'] * program.prompts


class Budgeted(Feature):
    """Budgets: all runs have one account, also in two processes, which is enough for a session, and is not enough for more."""

    title, page = 'budgets', 'budgets.md'

    def add(self, program: Program) -> None:
        """Give the agent a budget, which has two requests to spare."""

        def finish() -> None:
            store = SqliteStore(program.folder / 'budgets.db') if program.has_journal else None
            budget = Budget(requests=program.requests() + 2, name='pairs', store=store, warn_at=None)
            program.agent_options['budget'] = budget

        program.finish.append(finish)

    async def look(self, program: Program, order: int) -> None:
        """See that each request was counted, once, and that there is no request more than the budget has."""
        budget: Budget = program.agent_options['budget']
        program.dies = False
        with pytest.raises(BudgetExceeded):
            for other in count(99):
                await program.agent.run(f'Where is order {other}?', **program.run_options)
        answered = [line for line in program.lines() if line['kind'] in ('request', 'inner request', 'summary')]
        assert budget.used.requests == budget.requests == len(answered) - len(program.noted('killed'))


def _is_prompt(part: Any) -> bool:
    return isinstance(part, UserPromptPart)


class Folded(Feature):
    """Folds: of a long history only the latest messages are sent, and what is left out can be fetched back."""

    title, page = 'folds', 'long-conversations.md'

    def add(self, program: Program) -> None:
        """Add pages that are read until the order is no longer sent, and let the model fetch it back."""
        program.capabilities.append(self.capability(program))
        if program.has_pages:
            return
        program.has_pages = True

        @program.tools.tool_plain(effect='read')
        def read_page(order: int, page: int) -> str:
            """Read a page of the catalogue."""
            return f'Page {page}: ' + 'a chair, a shelf, a bench, ' * 20

        program.calls += [('read_page', {'page': page}) for page in range(3)]
        program.calls.append(('recall', {'id': 'look_up-0{session}'}))

    def capability(self, program: Program) -> Any:
        """Return what folds the history."""
        return KeepLast[Any](messages=6, keep=_is_prompt)

    async def look(self, program: Program, order: int) -> None:
        """See that less was sent than there was, and what was fetched back."""
        recalls = [step for step, (name, _) in enumerate(program.calls) if name == 'recall']
        for line in program.noted('request', order):
            if line['step'] == recalls[0]:
                assert line['sent'] < 2 * recalls[0] + 1
        recalled = [line['text'] for line in program.noted('recalled', order)]
        assert len(recalled) >= program.prompts
        assert all(f'order {order}: a lamp' in text for text in recalled)


class Summed(Folded):
    """Summaries: another model writes what is sent in place of earlier messages, and what it does not say can be fetched back."""

    title = 'summaries'

    def capability(self, program: Program) -> Any:
        """Return what folds the history."""

        def summarise(messages: Any, info: Any) -> ModelResponse:
            program.note('summary', 0)
            return ModelResponse([TextPart('Pages of the catalogue were read.')])

        program.more_requests += 3
        model = program.models['writer'] = FunctionModel(summarise)
        return Summarise[Any](at=300, into=100, model=model, keep=_is_prompt)


class InWorkspace(Feature):
    """Workspaces: tools work on the files of the place that the run has."""

    title, page = 'workspaces', 'workspaces.md'

    def add(self, program: Program) -> None:
        """Add a tool that writes into a file."""
        self.place(program).mkdir(exist_ok=True)
        program.capabilities.append(LocalWorkspace(self.place(program)))

        @program.tools.tool(effect='idempotent')
        async def file_order(ctx: RunContext[Any], order: int) -> str:
            """Write an order down."""
            name, before = f'{order}.txt', ''
            if await ctx.workspace.exists(name):
                before = await ctx.workspace.read_text(name)
            await ctx.workspace.write_text(name, f'{before}filed\n')
            return 'filed'

        program.calls.append(('file_order', {}))

    def place(self, program: Program) -> Path:
        """Return where the files are."""
        return program.folder / 'files'

    async def look(self, program: Program, order: int) -> None:
        """See what is in the file."""
        text = await asyncio.to_thread((self.place(program) / f'{order}.txt').read_text)
        assert text.splitlines() == ['filed'] * program.prompts


def _by_step(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({request['step']: request for request in requests}.values())


PARTS: list[Feature] = [
    Journaled(),
    Conversing(),
    SubAgents(),
    Approvals(),
    Structured(),
    OnDemand(),
    Searched(),
    Served(),
    Threads(),
    Traced(),
    Limits(),
    Typed(),
    Budgeted(),
    Folded(),
    Summed(),
    InWorkspace(),
]
