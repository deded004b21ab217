"""A tool that begins to need approval in the middle of a run needs it from then on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from pydantic_core import SchemaValidator, core_schema

from stead import Agent, FunctionToolset, RunContext, Tool
from stead.capabilities import AbstractCapability, Hooks, WrapModelRequestHandler
from stead.exceptions import UserError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models import ModelRequestContext
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.tool_manager import ToolManager
from stead.tools import DeferredToolRequests, ToolDefinition, ToolKind
from stead.toolsets import AbstractToolset, ToolsetTool

from .agents import RAN, WAYS, ended, read, scripted, wipe, wiping


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


def kind_in_a_hook(kind: str, phase: str) -> Hooks[None]:
    """Return a hook that gives the tool `read` or `wipe` another kind, in place, in the second step."""

    def change(ctx: RunContext[None], request: ModelRequestContext) -> None:
        for tool in request.model_request_parameters.function_tools if ctx.run_step == 2 else []:
            vars(tool)['kind'] = kind

    hooks: Hooks[None] = Hooks()

    @hooks.on.before_model_request
    async def before(ctx: RunContext[None], request_context: ModelRequestContext) -> ModelRequestContext:
        if phase == 'before':
            change(ctx, request_context)
        return request_context

    @hooks.on.after_model_request
    async def after(
        ctx: RunContext[None], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        if phase == 'after':
            change(ctx, request_context)
        return response

    return hooks


@pytest.mark.parametrize('phase', ['before', 'after'])
@pytest.mark.parametrize('how', WAYS)
def test_a_hook_around_the_request_can_make_calls_wait(how: str, phase: str) -> None:
    agent = wiping([read('1', 'c1')], [read('2', 'c2')], capabilities=[kind_in_a_hook('unapproved', phase)])
    for _ in range(2):  # and what it changed in the first run is not there in the second
        RAN.clear()
        requests, _ = asyncio.run(ended(agent, how))
        assert [call.args_as_dict() for call in requests.approvals] == [{'p': '2'}]
        assert RAN == [('read', '1')]


@pytest.mark.parametrize('phase', ['before', 'after'])
@pytest.mark.parametrize('how', WAYS)
def test_a_hook_around_the_request_cannot_take_the_approval_away(how: str, phase: str) -> None:
    agent = wiping([read('1', 'c1')], [wipe('/', 'c2')], capabilities=[kind_in_a_hook('function', phase)])
    requests, _ = asyncio.run(ended(agent, how))
    assert [call.args_as_dict() for call in requests.approvals] == [{'p': '/'}]
    assert RAN == [('read', '1')]


@pytest.mark.parametrize('wrapped', ['plain', 'prefixed', 'filtered', 'renamed', 'with metadata'])
def test_an_approval_that_a_tool_begins_to_need_holds_from_the_next_step(wrapped: str) -> None:
    def run(p: str = '/') -> str:
        RAN.append(p)
        tools.tools['run'].requires_approval = True
        return p

    tools: FunctionToolset[None] = FunctionToolset([run])
    toolset = {
        'plain': tools,
        'prefixed': tools.prefixed('a'),
        'filtered': tools.filtered(lambda ctx, definition: True).prefixed('a'),
        'renamed': tools.renamed({'a_run': 'run'}),
        'with metadata': tools.with_metadata(a=1).prefixed('a'),
    }[wrapped]
    name = 'run' if wrapped == 'plain' else 'a_run'
    calls = [[ToolCallPart(name, {'p': path}, path)] for path in ('1', '2')]
    agent = Agent(scripted(*calls), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    requests = agent.run_sync('go').output
    assert isinstance(requests, DeferredToolRequests)
    assert [call.tool_call_id for call in requests.approvals] == ['2']
    assert RAN == ['1']


class Kept(AbstractCapability[None]):
    """Changes a definition before each request, and asks for an approval through the same object afterwards."""

    async def wrap_model_request(
        self, ctx: RunContext[None], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        tools = {tool.name: tool for tool in request_context.model_request_parameters.function_tools}
        tools['read'].description = f'In step {ctx.run_step}.'
        response = await handler(request_context)
        if ctx.run_step == 2:
            tools['read'].kind = 'unapproved'
        return response


@pytest.mark.parametrize('how', WAYS)
def test_a_hook_can_make_calls_wait_through_what_it_got_before_the_request(how: str) -> None:
    agent = wiping([read('1', 'c1')], [read('2', 'c2')], capabilities=[Kept()])
    requests, _ = asyncio.run(ended(agent, how))
    assert [call.args_as_dict() for call in requests.approvals] == [{'p': '2'}]
    assert RAN == [('read', '1')]


@pytest.mark.parametrize('point', ['before_tool_validate', 'after_tool_validate', 'approval_required'])
def test_what_is_called_about_a_tool_cannot_take_its_approval_away(point: str) -> None:
    def change(definition: ToolDefinition) -> None:
        definition.kind = 'function'

    async def hook(
        self: object, ctx: object, *, call: object, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        change(tool_def)
        return args

    def needs_approval(ctx: RunContext[None], definition: ToolDefinition, args: dict[str, Any]) -> bool:
        change(definition)
        return False

    agent: Agent[None, Any]
    if point == 'approval_required':
        tools: FunctionToolset[None] = FunctionToolset([Tool(run_it, requires_approval=True)])
        toolsets = [tools.approval_required(needs_approval)]
        calls = [[ToolCallPart('run_it', {}, 'c1')]]
        agent = Agent(scripted(*calls), toolsets=toolsets, output_type=[str, DeferredToolRequests])
    else:
        capability = type('Changes', (AbstractCapability,), {point: hook})()
        agent = wiping([wipe('/', 'c1')], capabilities=[capability])
    for _ in range(3):  # nor for the runs after it
        assert isinstance(agent.run_sync('go').output, DeferredToolRequests)
    assert RAN == []


class OfAProgram(AbstractToolset[None]):
    """A toolset of a program's own, which makes its one tool once; nothing but the definition says that it needs an approval."""

    def __init__(self) -> None:
        definition = ToolDefinition(name='pay', parameters_json_schema={'type': 'object'}, kind='unapproved')
        self.tool = ToolsetTool(
            toolset=self, tool_def=definition, max_retries=1, args_validator=SchemaValidator(core_schema.dict_schema())
        )

    @property
    def id(self) -> str | None:
        return None

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {'pay': self.tool}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> str:
        RAN.append(name)
        return 'paid'


def test_what_is_changed_in_the_tools_of_a_context_holds_for_one_step():
    def instructions(ctx: RunContext[None]) -> str:
        if ctx.run_step == 1 and not RAN:
            ctx.tools['pay'].kind = 'function'
        return ''

    toolset = OfAProgram()
    calls = [[ToolCallPart('pay', {}, id_)] for id_ in ('1', '2')]
    agent = Agent(
        scripted(*calls), toolsets=[toolset], instructions=instructions, output_type=[str, DeferredToolRequests]
    )
    for _ in range(2):
        requests = agent.run_sync('go').output
        assert isinstance(requests, DeferredToolRequests) and requests.approvals
    assert RAN == ['pay'], 'the call of the step whose instructions have changed it, as the program wants it'
    assert toolset.tool.tool_def.kind == 'unapproved'


class HasAConstructor(ToolDefinition):
    """A definition whose class is built from other arguments than its fields."""

    def __init__(self, kind: ToolKind) -> None:
        super().__init__(name='run_it', kind=kind)


def test_a_filter_cannot_take_away_the_approval_of_a_definition_with_a_constructor_of_its_own() -> None:
    async def prepare(ctx: RunContext[None], definition: ToolDefinition) -> ToolDefinition:
        return HasAConstructor('unapproved')

    def change(ctx: RunContext[None], definition: ToolDefinition) -> bool:
        definition.kind = 'function'
        return True

    tools = FunctionToolset([Tool(run_it, prepare=prepare)]).filtered(change)
    calls = [ToolCallPart('run_it', {}, 'c1')]
    agent = Agent(scripted(calls), toolsets=[tools], output_type=[str, DeferredToolRequests])
    assert isinstance(agent.run_sync('go').output, DeferredToolRequests)
    assert RAN == []


class Incomparable:
    """Metadata as arrays are: comparing two of them raises."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError('ambiguous')


def test_a_filter_may_change_metadata_that_cannot_be_compared() -> None:
    def change(ctx: RunContext[None], definition: ToolDefinition) -> bool:
        definition.metadata = {'a': Incomparable()}
        return True

    tools: FunctionToolset[None] = FunctionToolset([Tool(run_it, metadata={'a': Incomparable()})])
    assert Agent(TestModel(), toolsets=[tools.filtered(change)]).run_sync('go').output
    assert RAN == ['ran']


def test_a_manager_of_an_earlier_step_lists_the_tools_again():
    managers: list[ToolManager[None]] = []

    async def from_the_second_step(ctx: RunContext[None], definition: ToolDefinition) -> ToolDefinition:
        return definition if ctx.run_step == 1 else replace(definition, kind='unapproved')

    async def call_the_other(ctx: RunContext[None]) -> None:
        assert ctx.tool_manager is not None
        managers.append(ctx.tool_manager)
        manager = await managers[0].for_run_step(ctx)
        await manager.handle_call(ToolCallPart('run_it', {}, f'inside {ctx.run_step}'))

    tools = [Tool(run_it, prepare=from_the_second_step), Tool(call_the_other)]
    calls = [[ToolCallPart('call_the_other', {}, id_)] for id_ in ('1', '2')]
    agent = Agent(scripted(*calls), tools=tools, output_type=[str, DeferredToolRequests])
    requests = agent.run_sync('go').output
    assert isinstance(requests, DeferredToolRequests)
    assert [call.tool_call_id for call in requests.approvals] == ['2']
    assert RAN == ['ran'], 'only in the step in which no approval was needed'


def run_it() -> None:
    RAN.append('ran')


class AsksLater(Tool[None]):
    """A tool of a class of its own, which needs an approval once something has run."""

    async def prepare_tool_def(self, ctx: RunContext[None]) -> ToolDefinition:
        return replace(self.tool_def, kind='unapproved' if RAN else 'function')


class HasAnotherDefinition(Tool[None]):
    @property
    def tool_def(self) -> ToolDefinition:
        return replace(super().tool_def, kind='unapproved' if RAN else 'function')


class HasAnotherAttribute(Tool[None]):
    requires_approval = property(lambda self: bool(RAN), lambda self, value: None)  # type: ignore[reportAssignmentType]


@pytest.mark.parametrize('kind', [AsksLater, HasAnotherDefinition, HasAnotherAttribute])
@pytest.mark.parametrize('wrapped', [False, True])
def test_a_tool_of_a_subclass_is_asked_at_each_step(kind: type[Tool[None]], wrapped: bool) -> None:
    tools: FunctionToolset[None] = FunctionToolset([kind(run_it)])
    calls = [[ToolCallPart('run_it', {}, call_id)] for call_id in ('c1', 'c2')]
    toolset = tools.filtered(lambda ctx, definition: True).with_metadata(a=1) if wrapped else tools
    agent = Agent(scripted(*calls), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    requests = agent.run_sync('go').output
    assert isinstance(requests, DeferredToolRequests)
    assert [call.tool_call_id for call in requests.approvals] == ['c2']
    assert RAN == ['ran']


def test_a_method_that_is_assigned_to_a_tool_is_asked_at_each_step() -> None:
    async def prepare(ctx: RunContext[None]) -> ToolDefinition:
        return replace(tool.tool_def, kind='unapproved' if RAN else 'function')

    tool: Tool[None] = Tool(run_it)
    tool.prepare_tool_def = prepare
    calls = [[ToolCallPart('run_it', {}, call_id)] for call_id in ('c1', 'c2')]
    agent = Agent(scripted(*calls), tools=[tool], output_type=[str, DeferredToolRequests])
    requests = agent.run_sync('go').output
    assert isinstance(requests, DeferredToolRequests)
    assert [call.tool_call_id for call in requests.approvals] == ['c2']


def test_what_a_filter_changes_in_place_stays_in_its_run() -> None:
    async def run() -> list[str | None]:
        descriptions: list[str | None] = []
        both_began = asyncio.Event()
        a_has_ended = asyncio.Event()

        async def change(ctx: RunContext[str], definition: ToolDefinition) -> bool:
            definition.description = f'For {ctx.deps}.'
            if ctx.deps == 'A':
                await both_began.wait()
            else:
                both_began.set()
                await a_has_ended.wait()
            return True

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            descriptions.append(info.function_tools[0].description)
            a_has_ended.set()
            return ModelResponse([TextPart('done')])

        tools: FunctionToolset[str] = FunctionToolset([run_it])
        agent = Agent(FunctionModel(answer), deps_type=str, toolsets=[tools.filtered(change)])
        await asyncio.gather(agent.run('go', deps='A'), agent.run('go', deps='B'))
        await Agent(FunctionModel(answer), deps_type=str, toolsets=[tools]).run('go', deps='C')
        return descriptions

    assert asyncio.run(run()) == ['For A.', 'For B.', None]


class SendsAgain(AbstractCapability[None]):
    """Sends each request many times, with another description each time."""

    sent = 0

    async def wrap_model_request(
        self, ctx: RunContext[None], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        first = request_context.model_request_parameters.function_tools[0]
        while True:
            first.description = f'Number {self.sent}.'
            await handler(request_context)
            self.sent += 1


def test_how_many_changed_requests_a_hook_sends_is_bounded() -> None:
    hook = SendsAgain()
    with pytest.raises(UserError, match='changed the parameters of one request in place, and sent it again, 200 times'):
        wiping([read('1')], capabilities=[hook]).run_sync('go')
    assert hook.sent == 200
