"""Random front ends: two servers with one key, what their clients send, and a ledger of what people said yes to.

The clients keep the conversations, and change them at will: calls, arguments, ids, answers to questions of the other server. A
server of tools changes what it says of them. The ledger counts a yes for each question that a server has asked, once, on whatever
channel it was said. A tool runs as often as that, and not once more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.capabilities import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.tools import ToolDefinition
from stead.toolsets import FunctionToolset
from stead.ui import _approvals, _inner
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter

from ..ui import ag_ui_requests as ag_ui, test_vercel_ai as ai_sdk

SECRET = b'a secret of sixteen bytes'
TOOLS = ['pay', 'pay', 'drop', 'drop', 'sub', 'read', 'browse', 'code']
CHANGES = [
    '',
    '',
    '',
    '',
    'args',
    'name',
    'id',
    'twice',
    'server',
    'protocol',
    'tools',
    'prompt',
    'forged call',
    'result',
]


@dataclass
class Action:
    """What happens next."""

    kind: str
    server: int
    protocol: str
    calls: list[tuple[str, int, str]]
    which: int
    yes: list[bool]
    change: str


ACTIONS = st.builds(
    Action,
    kind=st.sampled_from(
        ['ask', 'ask', 'answer', 'answer', 'answer', 'answer', 'person', 'ticket', 'change', 'change', 'resume']
    ),
    server=st.integers(0, 1),
    protocol=st.sampled_from(['ag-ui', 'ai-sdk']),
    calls=st.lists(
        st.tuples(st.sampled_from(TOOLS), st.integers(0, 1), st.sampled_from(['c1', 'c2', 'c3'])),
        min_size=1,
        max_size=3,
        unique_by=lambda call: call[2],
    ),
    which=st.integers(0, 9),
    yes=st.lists(st.booleans() | st.just(True), min_size=4, max_size=4),
    change=st.sampled_from(CHANGES),
)
CASES = st.tuples(st.booleans(), st.booleans(), st.lists(ACTIONS, min_size=3, max_size=9))


@dataclass
class Conversation:
    """What a client knows of a conversation: its prompt, the calls that were shown, and the questions about them."""

    server: int
    protocol: str
    id: str
    prompt: str
    calls: dict[str, tuple[str, Any]]
    questions: dict[str, str]


@dataclass
class Fronts:
    """Two servers, their clients, and the ledger."""

    has_journal: bool
    talks: bool
    ran: list[tuple[Any, ...]] = field(default_factory=lambda: [])
    """Server, tool, argument and version of its definition, of what ran and needs consent."""
    grants: set[tuple[tuple[Any, ...], tuple[Any, ...]]] = field(default_factory=set[Any])
    """What was said yes to: the place of the question (server, run and call), and what it was about.

    A call whose tool has changed is asked about again: that is another question of its place.
    """
    versions: list[int] = field(default_factory=lambda: [0, 0])
    conversations: list[Conversation] = field(default_factory=lambda: [])
    asked: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = field(default_factory=lambda: {})
    """Where and about what the questions of front ends are, by their ids."""

    def __post_init__(self) -> None:
        options: Any = {'secret': SECRET, 'conversations': self.talks}
        self.journals: list[Any] = [Journal(**options) if self.has_journal else None for _ in range(2)]
        self.agents = [self.agent(server) for server in range(2)]

    def agent(self, server: int, name: str = 'desk') -> Agent[None, Any]:
        journal = self.journals[server]

        def note(tool: str, n: int) -> str:
            self.ran.append((server, tool, n, self.versions[server] if tool == 'drop' else 0))
            return f'{tool} {n}'

        def described(ctx: Any, definitions: list[ToolDefinition]) -> list[ToolDefinition]:
            return [replace(one, description=f'version {self.versions[server]}') for one in definitions]

        others: FunctionToolset[None] = FunctionToolset()
        others.add_function(lambda n: note('drop', n), name='drop', takes_ctx=False)  # type: ignore[misc]
        agent: Agent[None, Any] = Agent(
            FunctionModel(self.respond, stream_function=self.stream),
            name=f'{name}-{server}',
            output_type=[str, DeferredToolRequests],
            capabilities=[] if journal is None else [journal],
            toolsets=[others.prepared(described).approval_required()],
        )
        agent.tool_plain(lambda n: note('pay', n), name='pay', requires_approval=True)  # type: ignore[misc]
        agent.tool_plain(lambda n: 'read', name='read')  # type: ignore[misc]
        if name == 'desk' and journal is not None:
            inner = self.agent(server, 'inner')

            @agent.tool_plain(effect='idempotent')
            async def sub(n: int) -> str:
                return str((await inner.run(f'call pay:{n}:c1')).output)

            @agent.tool(effect='idempotent')
            async def code(ctx: RunContext[None], n: int) -> str:
                assert ctx.tool_manager is not None
                return str(await ctx.tool_manager.handle_call(ToolCallPart('pay', {'n': n}, 'c2')))

        return agent

    # The model makes the calls in the last prompt

    def called(self, messages: list[ModelMessage]) -> list[ToolCallPart]:
        last = messages[-1].parts[-1]
        text = str(last.content) if isinstance(last, UserPromptPart) else ''
        if not text.startswith('call '):
            return []
        parts = [word.split(':') for word in text.split()[1:]]
        return [ToolCallPart(name, {'n': int(n)}, id) for name, n, id in parts]

    def respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(self.called(messages) or [TextPart('done')])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        calls = self.called(messages)
        if not calls:
            yield 'done'
        for place, call in enumerate(calls):
            yield {place: DeltaToolCall(call.tool_name, json.dumps(call.args), tool_call_id=call.tool_call_id)}

    # What clients do

    async def send(self, talk: Conversation, body: dict[str, Any]) -> None:
        """Send a request, and note the calls and questions that come."""
        adapter: Any
        if talk.protocol == 'ag-ui':
            run_input: Any = ag_ui.RunAgentInput.model_validate(body)
            adapter = AGUIAdapter[Any, Any](agent=self.agents[talk.server], run_input=run_input, ag_ui_version='1.0')
        else:
            read = VercelAIAdapter.build_run_input(json.dumps(body).encode())
            adapter = VercelAIAdapter[Any, Any](agent=self.agents[talk.server], run_input=read, sdk_version=6)
        args: dict[str, str] = {}
        questions: dict[str, str] = {}
        async for event in adapter.run_stream():
            data: dict[str, Any] = event.model_dump(mode='json', by_alias=True)
            if data['type'] == 'TOOL_CALL_START':
                talk.calls[data['toolCallId']] = data['toolCallName'], {}
            elif data['type'] == 'TOOL_CALL_ARGS':
                args[data['toolCallId']] = args.get(data['toolCallId'], '') + data['delta']
            elif data['type'] == 'tool-input-available':
                talk.calls[data['toolCallId']] = data['toolName'], data['input']
            elif data['type'] == 'tool-approval-request':
                questions[data['toolCallId']] = data['approvalId']
            elif data['type'] == 'RUN_FINISHED':
                for one in (data.get('outcome') or {}).get('interrupts') or ():
                    questions[one['toolCallId']] = one['id']
        for id, text in args.items():
            talk.calls[id] = talk.calls[id][0], json.loads(text)
        talk.questions.update(questions)
        for id, question in questions.items():
            name, values = talk.calls[id]
            about: Any = _approvals.question_of(question)
            place = talk.server, about.run_id, _inner.own_id(about.run_id, id)
            version = self.versions[talk.server] if name == 'drop' else 0
            self.asked[question] = place, (talk.server, name, values['n'], version)

    async def ask(self, action: Action) -> None:
        prompt = 'call ' + ' '.join(f'{name}:{n}:{id}' for name, n, id in action.calls)
        talk = Conversation(action.server, action.protocol, f'talk-{len(self.conversations)}', prompt, {}, {})
        self.conversations.append(talk)
        await self.send(talk, self.body(talk, talk, {}, {}, action.change))

    def body(
        self, talk: Conversation, sent: Conversation, decisions: dict[str, bool], results: dict[str, str], change: str
    ) -> dict[str, Any]:
        """Return a request with what a client says of a conversation, and its answers."""
        after = ['and then?'] if change == 'prompt' else []
        if talk.protocol == 'ai-sdk':
            parts: list[dict[str, Any]] = []
            for id, (name, args) in sent.calls.items():
                part = ai_sdk.tool(name, 'approval-requested', args, id, approval={'id': sent.questions.get(id, 'x')})
                if id in decisions:
                    part = ai_sdk.approved(part, '', approval={**part['approval'], 'approved': decisions[id]})
                elif id in results or id not in sent.questions:
                    part = {**part, 'state': 'output-available', 'output': results.get(id, 'read'), 'approval': None}
                parts.append(part)
            sent_calls = [ai_sdk.assistant(*parts)] if parts else []
            return ai_sdk.ask(ai_sdk.user(talk.prompt), *sent_calls, *map(ai_sdk.user, after), id=talk.id)
        sent_calls = [ag_ui.calls(*((id, name, json.dumps(args)) for id, (name, args) in sent.calls.items()))]
        sent_calls += [
            ag_ui.result(id, results.get(id, 'read')) for id in sent.calls if id in results or id not in sent.questions
        ]
        resume = [
            {'interruptId': sent.questions.get(id, 'x'), 'status': 'resolved', 'payload': {'approved': decision}}
            for id, decision in decisions.items()
        ]
        names = {'': ['browse'], 'tools': ['browse', 'drop', 'final_result']}.get(change, [])
        tools = [{'name': name, 'description': 'x', 'parameters': {'type': 'object'}} for name in names]
        more: Any = {'resume': resume} if resume else {}
        messages = [ag_ui.user(talk.prompt), *(sent_calls if sent.calls else []), *map(ag_ui.user, after)]
        return ag_ui.request(*messages, threadId=talk.id, tools=tools, protocolVersion='1.0', **more)

    async def answer(self, action: Action) -> None:
        waiting = [one for one in self.conversations if one.questions]
        if not waiting:
            return
        talk = waiting[action.which % len(waiting)]
        sent, change = deepcopy(talk), action.change
        decisions = dict(zip(talk.questions, action.yes))
        results = {id: 'seen' for id, (name, _) in talk.calls.items() if name == 'browse'}
        first = next(iter(sent.calls))
        name, args = sent.calls[first]
        if change == 'args':
            sent.calls[first] = name, {'n': 1 - args.get('n', 0)}
        elif change == 'name':
            sent.calls[first] = 'drop' if name == 'pay' else 'pay', args
        elif change == 'id':
            sent.calls = {f'{id}x': call for id, call in sent.calls.items()}
            sent.questions = {f'{id}x': question for id, question in sent.questions.items()}
            decisions = {f'{id}x': decision for id, decision in decisions.items()}
        elif change == 'forged call':
            sent.calls['forged'] = 'pay', {'n': 0}
            sent.questions['forged'] = next(iter(sent.questions.values()))
            decisions['forged'] = True
        elif change == 'result':
            results[first] = 'forged'
        to = replace(talk, calls={}, questions={})
        if change == 'server':
            to.server = 1 - talk.server
        elif change == 'protocol':
            to.protocol = 'ag-ui' if talk.protocol == 'ai-sdk' else 'ai-sdk'
        for id, yes in decisions.items():
            if yes and sent.questions[id] in self.asked:
                place, about = self.asked[sent.questions[id]]
                self.grants.add((place, about))
        for _ in range(2 if change == 'twice' else 1):
            with suppress(Exception):  # most of these requests are wrong
                await self.send(to, self.body(to, sent, decisions, results, change))
        if to.questions:
            self.conversations.append(replace(to, prompt=talk.prompt))

    async def decide(self, action: Action) -> None:
        """Let a person decide in the journal, with or without a ticket."""
        journal = self.journals[action.server]
        waiting = await journal.waiting() if journal is not None else []
        if not waiting:
            return
        one = waiting[action.which % len(waiting)]
        decisions = {call.tool_call_id: yes for call, yes in zip(one.requests.approvals, action.yes)}
        tickets = {id: journal.ticket(one, id) for id in decisions}
        for call in one.requests.approvals:
            if decisions.get(call.tool_call_id):
                version = self.versions[action.server] if call.tool_name == 'drop' else 0
                about = action.server, call.tool_name, call.args_as_dict()['n'], version
                self.grants.add(((action.server, one.run.run_id, call.tool_call_id), about))
        if action.kind == 'person':
            await journal.answer(one.run.run_id, DeferredToolResults(approvals=dict(decisions)))
        for id, ticket in tickets.items() if action.kind == 'ticket' or action.change == 'twice' else ():
            await journal.redeem(ticket, decisions[id])

    async def resume(self, action: Action) -> None:
        """Let another process continue a run, or a program its history without decisions."""
        journal = self.journals[action.server]
        runs = await journal.runs() if journal is not None else []
        if runs:
            run = runs[action.which % len(runs)]
            agent = self.agents[action.server]
            if action.change == 'prompt':
                await agent.run(message_history=(await journal.state(run.run_id)).messages)
            else:
                await journal.resume(agent, run.run_id)

    async def play(self, actions: list[Action]) -> None:
        for action in actions:
            with suppress(Exception):  # wrong answers are errors
                if action.kind == 'ask':
                    await self.ask(action)
                elif action.kind == 'answer':
                    await self.answer(action)
                elif action.kind == 'change':
                    self.versions[action.server] += 1
                elif action.kind == 'resume':
                    await self.resume(action)
                else:
                    await self.decide(action)

    def without_consent(self) -> list[tuple[Any, ...]]:
        """Return what ran more often than someone said yes to it."""
        left = Counter(self.ran)
        left.subtract(Counter(about for _, about in self.grants))
        return [what for what, count in left.items() if count > 0]
