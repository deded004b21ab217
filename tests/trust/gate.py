"""Random agents whose tools note what runs, and a ledger of what was consented to.

The ledger knows nothing of how a run works. It is written by those who consent: a person who is shown requests, a handler in
the run, the rules of a policy. A function that needs consent may run with certain arguments as often as someone consented to
a call of its tool with these arguments, and not once more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from hypothesis import strategies as st

from stead import Agent, ApprovalRequired, FunctionToolset, RunContext
from stead.capabilities import ApprovalPolicy, Capability, HandleDeferredToolCalls
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.output import ToolOutput
from stead.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDefinition
from stead.toolsets import AbstractToolset, CombinedToolset, ExternalToolset, WrapperToolset

WAYS = ['run', 'iter', 'run_stream', 'until end', 'run_stream_events']
NUMBERS = st.integers(0, 5)
LEAVES = ['requires', 'raises', 'plain']
WRAPPERS = ['prefix', 'rename', 'prepare', 'forget', 'own', 'demand', 'demand', 'filter', 'approval', 'combine']
OUTPUT = 'final_result'


class OwnToolset(WrapperToolset[Any]):
    """A toolset of a program that builds definitions of its own, with the fields that it knows."""

    async def get_tools(self, ctx: RunContext[Any]) -> Any:
        tools = await super().get_tools(ctx)
        return {name: replace(tool, tool_def=plain(tool.tool_def)) for name, tool in tools.items()}


def plain(definition: ToolDefinition) -> ToolDefinition:
    return ToolDefinition(name=definition.name, parameters_json_schema=definition.parameters_json_schema)


@dataclass
class Call:
    """A call that the model makes; the tool is the place of its name in the list of names."""

    tool: int
    number: int
    call_id: str
    as_text: bool = False


@dataclass
class Case:
    """An agent, what its model sends, who decides, and the way it is run."""

    leaves: list[tuple[str, list[str]]]
    deferred: bool
    sequential: bool
    strategy: str
    responses: list[list[Call]]
    inner: Call
    way: str
    allowed: list[tuple[int, int | None]]
    denied: list[tuple[int, int | None]]
    handlers: list[str]
    yes: set[int]
    person: str
    forged: str | None


CALLS = st.builds(
    Call, st.integers(0, 17), NUMBERS, st.sampled_from(['c0', 'c0', 'c1', 'c2', 'inner']), as_text=st.booleans()
)
RULES = st.lists(st.tuples(st.integers(0, 17), st.none() | NUMBERS), max_size=2)
CASES = st.builds(
    Case,
    leaves=st.lists(
        st.tuples(st.sampled_from(LEAVES), st.lists(st.sampled_from(WRAPPERS), max_size=3)), min_size=1, max_size=3
    ),
    deferred=st.booleans(),
    sequential=st.booleans(),
    strategy=st.sampled_from(['early', 'graceful', 'exhaustive']),
    responses=st.lists(st.lists(CALLS, min_size=1, max_size=4), min_size=1, max_size=3),
    inner=st.builds(Call, st.integers(0, 3), NUMBERS, st.just('inner')),
    way=st.sampled_from(WAYS),
    allowed=RULES,
    denied=RULES,
    handlers=st.lists(
        st.sampled_from(['asked', 'picky', 'picky', 'everything', 'everything', 'overrides', 'careless']), max_size=2
    ),
    yes=st.sets(NUMBERS, max_size=4),
    person=st.sampled_from(
        ['build', 'by id', 'remembers', 'remembers', 'careless', 'swapped', 'swapped by id', 'gone']
    ),
    forged=st.sampled_from([None, None, None, 'open', 'half answered', 'interrupted', 'approved', 'results']),
)


@dataclass
class World:
    """A case that is played, with its ledger."""

    case: Case
    ran: list[tuple[str, int]] = field(default_factory=lambda: [])
    """Functions that ran and need consent, by the name of their tool, with their argument."""
    grants: Counter[tuple[str, int]] = field(default_factory=lambda: Counter())
    """How often someone consented to a call."""
    names: list[str] = field(default_factory=lambda: [])
    """The names that the model calls: those of the tools, and some that there are not."""
    guarded: set[str] = field(default_factory=lambda: set())
    remembered: dict[str, Any] = field(default_factory=lambda: {})
    """What a careless handler or person keeps by call id and says again."""
    dispatched: int = 0

    # Tools

    def toolset(self, number: int, kind: str, wrappers: list[str]) -> AbstractToolset[Any]:
        leaf = original = f't{number}'
        tools: Any = FunctionToolset()
        needs, demanded = kind != 'plain', False
        visible: dict[str, str] = {}

        def run(ctx: RunContext[Any], n: int) -> str:
            if kind == 'raises' and not ctx.tool_call_approved:
                raise ApprovalRequired
            if visible['name'] in self.guarded:
                self.ran.append((visible['name'], n))
            return f'ran {n}'

        tools.add_function(
            run, name=leaf, requires_approval=kind == 'requires', takes_ctx=True, sequential=self.case.sequential
        )
        for wrapper in wrappers:
            if wrapper == 'prefix':
                tools, leaf = tools.prefixed('p'), f'p_{leaf}'
            elif wrapper == 'rename':
                tools, leaf = tools.renamed({f'r{leaf}': leaf}), f'r{leaf}'
            elif wrapper == 'prepare':
                tools = tools.prepared(lambda ctx, defs: [replace(one, description='x') for one in defs])
            elif wrapper == 'forget':  # builds new definitions, without the fields that it does not know
                tools = tools.prepared(lambda ctx, defs: [plain(one) for one in defs])
            elif wrapper == 'own':
                tools, demanded = OwnToolset(tools), False
            elif wrapper == 'demand':
                tools = tools.prepared(lambda ctx, defs: [replace(one, kind='unapproved') for one in defs])
                demanded = True
            elif wrapper == 'filter':
                tools = tools.filtered(lambda ctx, tool: True)
            elif wrapper == 'approval':
                tools, needs = tools.approval_required(), True
            elif wrapper == 'combine':
                tools = CombinedToolset([tools])
        visible['name'] = leaf
        if needs or demanded:
            self.guarded.add(leaf)
        self.names += [leaf, leaf, leaf, original]
        return tools

    def agent(self, responses: list[list[Call]], *, inner: bool = False) -> Agent[None, Any]:
        case = self.case
        self.names = []
        toolsets = [self.toolset(number, *leaf) for number, leaf in enumerate(case.leaves)]
        self.names += ['code', 'code', 'code', 'sub', OUTPUT, 'load_capability', 'ext']
        capabilities: list[Any] = []
        if case.deferred:
            late = Capability[None](id='late', description='tools', toolsets=[toolsets.pop()], defer_loading=True)
            capabilities.append(late)
        if case.allowed or case.denied:
            capabilities.append(self.policy())
        capabilities += [HandleDeferredToolCalls(partial(self.handle, style, inner)) for style in case.handlers]
        agent: Agent[None, Any] = Agent(
            self.model(responses),
            output_type=[ToolOutput(int, name=OUTPUT), str, DeferredToolRequests],
            toolsets=[*toolsets, ExternalToolset([ToolDefinition(name='ext')])],
            capabilities=capabilities,
            end_strategy=case.strategy,  # type: ignore[arg-type]
            retries=5,
        )

        @agent.tool
        async def code(ctx: RunContext[None], n: int) -> str:
            self.dispatched += 1
            if self.dispatched > 3:
                return 'enough'
            return str(await ctx.tool_manager.handle_call(self.part(case.inner)))  # type: ignore[union-attr]

        @agent.tool_plain
        async def sub(n: int) -> str:
            return 'enough' if inner else str((await self.agent([[case.inner]], inner=True).run('inner')).output)

        return agent

    # The model

    def part(self, call: Call) -> ToolCallPart:
        name = self.names[call.tool % len(self.names)]
        args = {'id': 'late'} if name == 'load_capability' else {'response' if name == OUTPUT else 'n': call.number}
        return ToolCallPart(name, json.dumps(args) if call.as_text else args, call.call_id)

    def model(self, responses: list[list[Call]]) -> FunctionModel:
        rest = iter(responses)

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            calls = [self.part(call) for call in next(rest, [])]
            return ModelResponse(parts=calls or [TextPart('done')])

        async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            calls = [self.part(call) for call in next(rest, [])]
            if not calls:
                yield 'done'
            for index, call in enumerate(calls):
                yield {index: DeltaToolCall(call.tool_name, None, tool_call_id=call.tool_call_id)}
                yield {index: DeltaToolCall(None, call.args_as_json_str(), tool_call_id=call.tool_call_id)}

        return FunctionModel(answer, stream_function=stream)

    # Those who decide

    def rule(self, rule: tuple[int, int | None]) -> tuple[str, dict[str, Any] | None]:
        tool, number = rule
        return self.names[tool % len(self.names)], None if number is None else {'n': number}

    def policy(self) -> ApprovalPolicy[None]:
        policy: ApprovalPolicy[None] = ApprovalPolicy()
        for rule in self.case.allowed:
            policy.allow(*self.rule(rule))
        for rule in self.case.denied:
            policy.deny(*self.rule(rule))
        return policy

    def allowed_by_policy(self, name: str, number: int) -> bool:
        allowed = [self.rule(rule) for rule in self.case.allowed]
        denied = [self.rule(rule) for rule in self.case.denied]
        for args in ({'n': number}, None):
            if (name, args) in denied:
                return False
            if (name, args) in allowed:
                return True
        return False

    def grant(self, call: ToolCallPart, number: int | None = None) -> None:
        self.grants[call.tool_name, call.args_as_dict().get('n', -1) if number is None else number] += 1

    def handle(self, style: str, inner: bool, ctx: RunContext[None], requests: DeferredToolRequests) -> Any:
        results = DeferredToolResults(calls={call.tool_call_id: 'external' for call in requests.calls})
        if style == 'everything':  # also what it was not asked about
            results.approvals.update(dict.fromkeys(['c0', 'c1', 'c2', 'inner'], True))
        # Ids are told apart within a conversation. The page about security says not to keep decisions by the ids of calls
        # that tools make, which choose these, and not across conversations, such as that of an agent inside of a tool.
        responses = (message for message in ctx.messages if isinstance(message, ModelResponse) and not inner)
        answered_ids = {call.tool_call_id for response in responses for call in response.tool_calls}
        return self.decided(requests, results, style, answered_ids)

    def decided(
        self,
        requests: DeferredToolRequests,
        results: DeferredToolResults,
        style: str,
        answered_ids: set[str] | None = None,
    ) -> DeferredToolResults:
        for call in requests.approvals:
            number = call.args_as_dict().get('n', -1)
            yes: Any = number in self.case.yes or style == 'everything'
            if style == 'remembers' and call.tool_call_id in self.remembered:
                yes = self.remembered[call.tool_call_id]  # what was said about another call of this id
            elif style == 'picky' and number % 2:
                continue  # left to others
            elif yes and style == 'overrides':
                self.grant(call, 5)
                yes = ToolApproved(override_args={'n': 5})
            elif yes:
                self.grant(call)
            elif style == 'careless':
                yes = None
            results.approvals[call.tool_call_id] = yes
            if answered_ids is None or call.tool_call_id in answered_ids:
                self.remembered[call.tool_call_id] = yes
        return results

    # Resumed runs

    def resumed(self, requests: DeferredToolRequests, history: list[ModelMessage]) -> tuple[Any, Any]:
        """Return the history and the results that a person goes on with."""
        style = self.case.person
        calls = {call.tool_call_id: 'external' for call in requests.calls}
        if style == 'gone':
            return history, None
        if not style.startswith('swapped'):
            results = self.decided(requests, DeferredToolResults(calls=calls), style)
            if style == 'build':
                results = requests.build_results(approvals=results.approvals, calls=calls)
            return history, results
        decisions = {call.tool_call_id: True for call in requests.approvals}
        swapped = [replace(message) for message in history]
        last = next(message for message in reversed(swapped) if isinstance(message, ModelResponse))
        last.parts = [
            replace(part, args={'n': (part.args_as_dict().get('n', 0) + 1) % 6})
            if isinstance(part, ToolCallPart)
            else part
            for part in last.parts
        ]
        if style == 'swapped by id':  # the id is all that is said, so it is the call in the history that is meant
            for call in last.tool_calls:
                if call.tool_call_id in decisions:
                    self.grant(call)
            return swapped, DeferredToolResults(approvals=decisions, calls=calls)
        return swapped, requests.build_results(approvals=decisions, calls=calls)

    def forged(self) -> tuple[list[ModelMessage] | None, DeferredToolResults | None]:
        """Return a history and results that no run has made."""
        kind = self.case.forged
        if kind is None:
            return None, None
        calls = [self.part(call) for call in self.case.responses[0]]
        response = ModelResponse(parts=calls, state='interrupted' if kind == 'interrupted' else 'complete')
        history: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('go')]), response]
        often = Counter(call.tool_call_id for call in calls)
        if kind == 'half answered':
            history.append(ModelRequest(parts=[ToolReturnPart(calls[0].tool_name, 'x', calls[0].tool_call_id)]))
        if kind == 'results':
            results = {call.tool_call_id: 'forged' for call in calls}
            return history, DeferredToolResults(calls=results, approvals={'c9': True})
        if kind == 'approved':
            for call in calls:
                if often[call.tool_call_id] == 1:
                    self.grant(call)
            return history, DeferredToolResults(approvals=dict.fromkeys(often, True))
        return history, None

    # What must hold

    def without_consent(self) -> list[tuple[str, int]]:
        """Return what ran without consent."""
        left = Counter(self.grants)
        found: list[tuple[str, int]] = []
        for name, number in self.ran:
            if self.allowed_by_policy(name, number):
                continue
            if left[name, number] <= 0:
                found.append((name, number))
            left[name, number] -= 1
        return found


async def played(case: Case) -> World:
    """Play a case to its end; errors are fine, since it is full of mistakes."""
    world = World(case)
    agent = world.agent(case.responses)
    history, results = world.forged()
    try:
        for _ in range(4):
            output, messages = await ended(agent, case.way, history, results)
            if not isinstance(output, DeferredToolRequests):
                break
            history, results = world.resumed(output, messages)
    except Exception:
        pass
    return world


async def ended(agent: Agent[None, Any], way: str, history: Any, results: Any) -> tuple[Any, list[ModelMessage]]:
    """Run an agent in one of the ways."""
    prompt = 'go' if history is None else None
    options: Any = {'message_history': history, 'deferred_tool_results': results}
    if way == 'run':
        result: Any = await agent.run(prompt, **options)
    elif way == 'iter':
        async with agent.iter(prompt, **options) as run:
            async for _ in run:
                pass
        result = run.result
    elif way == 'run_stream_events':
        result = None
        async with agent.run_stream_events(prompt, **options) as events:
            async for event in events:
                result = getattr(event, 'result', result)
    else:
        until: Any = 'end' if way == 'until end' else 'final-result'
        async with agent.run_stream(prompt, until=until, **options) as streamed:
            return await streamed.get_output(), streamed.all_messages()
    return result.output, result.all_messages()
