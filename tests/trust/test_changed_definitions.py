"""An approval is for the tool that a person was shown: one whose definition has changed since then is asked about again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stead import Agent, ApprovalRequired, DeferredToolRequests, DeferredToolResults, RunContext
from stead.capabilities import Journal
from stead.journal import InvalidTicket, JournalError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.tools import ToolDefinition
from stead.toolsets import FunctionToolset

pytestmark = pytest.mark.anyio


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart('done')] if len(messages) > 1 else [ToolCallPart('file', {'path': 'a'}, 'c1')])


class Server:
    """Tools of someone else, who may change what they say of them."""

    def __init__(self, needs: str, journal: Journal[Any] | None = None) -> None:
        self.ran: list[str] = []
        self.changes: dict[str, Any] = {}
        tools: FunctionToolset[Any] = FunctionToolset()
        tools.add_function(self.file, name='file', requires_approval=needs == 'tool')
        served = tools.prepared(self.prepare)
        if needs == 'toolset':
            served = served.approval_required()
        capabilities = [] if journal is None else [journal]
        outputs: Any = [str, DeferredToolRequests]
        self.agent = Agent(
            FunctionModel(model), name='a', output_type=outputs, toolsets=[served], capabilities=capabilities
        )

    def file(self, path: str) -> str:
        self.ran.append(path)
        return 'ok'

    def prepare(self, ctx: Any, definitions: list[ToolDefinition]) -> list[ToolDefinition]:
        for definition in definitions:
            for name, value in self.changes.items():
                setattr(definition, name, value)
        return definitions


SCHEMA = {'type': 'object', 'properties': {'path': {'type': 'string', 'description': 'Is deleted.'}}}
CHANGES: list[dict[str, Any]] = [
    {'description': 'Delete a file.'},
    {'parameters_json_schema': SCHEMA},
    {'metadata': {'annotations': {'destructiveHint': True}}},
]


@pytest.mark.parametrize('changes', CHANGES)
@pytest.mark.parametrize('needs', ['tool', 'toolset'])
async def test_a_tool_that_changed_is_asked_about_again(needs: str, changes: dict[str, Any]) -> None:
    server = Server(needs)
    first = await server.agent.run('go')
    assert isinstance(first.output, DeferredToolRequests)
    results = first.output.build_results(approve_all=True)
    server.changes = changes
    second = await server.agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    assert isinstance(second.output, DeferredToolRequests) and server.ran == []
    results = second.output.build_results(approve_all=True)
    third = await server.agent.run(message_history=second.all_messages(), deferred_tool_results=results)
    assert (third.output, server.ran) == ('done', ['a'])


@pytest.mark.parametrize('changes', CHANGES)
@pytest.mark.parametrize('needs', ['tool', 'toolset'])
async def test_a_recorded_run_asks_again_about_a_tool_that_changed(needs: str, changes: dict[str, Any]) -> None:
    journal: Journal[Any] = Journal()
    server = Server(needs, journal)
    first = await server.agent.run('go')
    await journal.answer(first.run_id, DeferredToolResults(approvals={'c1': True}))
    server.changes = changes
    second = await journal.resume(server.agent, first.run_id)
    assert isinstance(second.output, DeferredToolRequests) and server.ran == []
    assert second.output.metadata['c1']['kind'] == 'changed'
    [waiting] = await journal.waiting()
    await journal.answer(first.run_id, waiting.requests.build_results(approve_all=True))
    assert (await journal.resume(server.agent, first.run_id)).output == 'done'
    assert server.ran == ['a']


async def test_a_call_that_a_tool_makes_is_asked_about_again() -> None:
    journal: Journal[Any] = Journal()
    server = Server('tool', journal)

    @server.agent.tool(effect='idempotent')
    async def outer(ctx: RunContext[Any]) -> str:
        assert ctx.tool_manager is not None
        return str(await ctx.tool_manager.handle_call(ToolCallPart('file', {'path': 'a'}, 'in1')))

    calls = [ToolCallPart('outer', {}, 'o1')]
    server.agent.model = FunctionModel(
        lambda messages, info: ModelResponse([TextPart('done')] if len(messages) > 1 else calls)
    )
    first = await server.agent.run('go')
    [waiting] = await journal.waiting()
    await journal.answer(first.run_id, waiting.requests.build_results(approve_all=True))
    server.changes = CHANGES[0]
    second = await journal.resume(server.agent, first.run_id)
    assert isinstance(second.output, DeferredToolRequests) and server.ran == []
    [waiting] = await journal.waiting()
    await journal.answer(first.run_id, waiting.requests.build_results(approve_all=True))
    assert (await journal.resume(server.agent, first.run_id)).output == 'done'
    assert server.ran == ['a']


@pytest.mark.parametrize('is_inside', [False, True])
@pytest.mark.parametrize('on_change', ['warn', 'refuse', 'accept'])
async def test_a_question_stays_open_where_its_tool_needs_no_approval_any_longer(
    is_inside: bool, on_change: Any
) -> None:
    """Also a question with what its tool said of the call; other calls of the tool, and later ones of that id, run."""
    journal: Journal[Any] = Journal(on_change=on_change)
    ran: list[str] = []

    def agent(needs: bool) -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(FunctionModel(respond), name='a', capabilities=[journal])

        @one.tool
        def wipe(ctx: RunContext[None], path: str) -> str:
            if needs and not ctx.tool_call_approved:
                raise ApprovalRequired(metadata={'why': 'large'})
            ran.append(path)
            return 'ok'

        @one.tool(effect='idempotent')
        async def outer(ctx: RunContext[Any]) -> str:
            assert ctx.tool_manager is not None
            return str(await ctx.tool_manager.handle_call(ToolCallPart('wipe', {'path': 'a'}, 'in1')))

        return one

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = len(messages) // 2
        call = (
            ToolCallPart('outer', {}, 'c1')
            if is_inside and not step
            else ToolCallPart('wipe', {'path': 'ab'[step % 2]}, 'c1')
        )
        return ModelResponse([call] if step < 2 else [TextPart('done')])

    options: Any = {'output_type': [str, DeferredToolRequests]}
    first = await agent(True).run('go', **options)
    for needs in (True, False, False):
        again = await journal.resume(agent(needs), first.run_id, **options)
        assert isinstance(again.output, DeferredToolRequests) and ran == []
        [waiting] = await journal.waiting()
        [asked] = waiting.requests.approvals
        assert (asked.tool_name, waiting.requests.metadata) == ('wipe', {asked.tool_call_id: {'why': 'large'}})
    await journal.answer(first.run_id, waiting.requests.build_results(approve_all=True))
    assert (await journal.resume(agent(False), first.run_id, **options)).output == 'done'
    assert ran == ['a', 'b']


async def test_a_journal_that_refuses_changes_sees_that_of_a_tool() -> None:
    journal: Journal[Any] = Journal(on_change='refuse')
    server = Server('tool', journal)
    first = await server.agent.run('go')
    await journal.answer(first.run_id, DeferredToolResults(approvals={'c1': True}))
    server.changes = CHANGES[0]
    with pytest.raises(JournalError, match='has changed since its call was approved'):
        await journal.resume(server.agent, first.run_id)
    assert server.ran == []
    server.changes = {}
    server.changes = {'description': None}
    assert (await journal.resume(server.agent, first.run_id)).output == 'done'


async def test_an_answer_of_a_front_end_is_for_the_tool_that_was_shown() -> None:
    pytest.importorskip('starlette', reason='the package starlette is not installed')
    from stead.ui.vercel_ai import VercelAIAdapter

    from ..ui import test_vercel_ai as ai_sdk

    server = Server('tool')

    async def ask(*messages: dict[str, Any]) -> list[dict[str, Any]]:
        body = json.dumps(ai_sdk.ask(*messages)).encode()
        run_input = VercelAIAdapter.build_run_input(body)
        adapter = VercelAIAdapter[Any, Any](agent=server.agent, run_input=run_input, sdk_version=6)
        with server.agent.override(model=FunctionModel(stream_function=streamed)):
            return [json.loads(chunk.encode(6)) async for chunk in adapter.run_stream() if chunk.type != 'done']

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> Any:
        if len(messages) > 1:
            yield 'done'
        else:
            yield {0: DeltaToolCall('file', '{"path": "a"}', tool_call_id='c1')}

    for changes, ran in ((CHANGES[0], []), ({}, ['a'])):
        server.changes = {'description': None}
        asked = next(chunk for chunk in await ask(ai_sdk.user('go')) if chunk['type'] == 'tool-approval-request')
        part = ai_sdk.approved(ai_sdk.tool('file', '', {'path': 'a'}), asked['approvalId'])
        server.changes = changes or server.changes
        answer = await ask(ai_sdk.user('go'), ai_sdk.assistant(part))
        assert server.ran == ran
        assert any(chunk['type'] == 'tool-approval-request' for chunk in answer) == (not ran)


async def test_a_decision_about_the_tool_as_it_was_is_none_about_the_new_question() -> None:
    journal: Journal[Any] = Journal(secret=b'a secret of sixteen bytes')
    server = Server('tool', journal)
    first = await server.agent.run('go')
    [waiting] = await journal.waiting()
    old, ticket = waiting.requests.build_results(approve_all=True), journal.ticket(waiting, 'c1')
    await journal.answer(first.run_id, old)
    server.changes = CHANGES[0]
    assert isinstance((await journal.resume(server.agent, first.run_id)).output, DeferredToolRequests)
    with pytest.raises(JournalError, match='about its tool as it was before'):
        await journal.answer(first.run_id, old)
    with pytest.raises(InvalidTicket, match='not the one that the ticket was issued for'):
        await journal.redeem(ticket, True)
    assert isinstance((await journal.resume(server.agent, first.run_id)).output, DeferredToolRequests)
    [waiting] = await journal.waiting()
    await journal.redeem(journal.ticket(waiting, 'c1'), True)
    assert (await journal.resume(server.agent, first.run_id)).output == 'done'
    assert server.ran == ['a']


async def test_an_answer_that_a_front_end_sends_again_is_none_to_the_new_question() -> None:
    pytest.importorskip('starlette', reason='the package starlette is not installed')
    from stead.ui.vercel_ai import VercelAIAdapter

    from ..ui import test_vercel_ai as ai_sdk

    server = Server('tool', Journal())

    async def ask(*messages: dict[str, Any]) -> str | None:
        body = json.dumps(ai_sdk.ask(*messages)).encode()
        run_input = VercelAIAdapter.build_run_input(body)
        adapter = VercelAIAdapter[Any, Any](agent=server.agent, run_input=run_input, sdk_version=6)
        chunks = [json.loads(chunk.encode(6)) async for chunk in adapter.run_stream() if chunk.type != 'done']
        return next((chunk['approvalId'] for chunk in chunks if chunk['type'] == 'tool-approval-request'), None)

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> Any:
        yield 'done' if len(messages) > 1 else {0: DeltaToolCall('file', '{"path": "a"}', tool_call_id='c1')}

    server.agent.model = FunctionModel(stream_function=streamed)

    async def answer(question: str | None) -> str | None:
        part = ai_sdk.approved(ai_sdk.tool('file', '', {'path': 'a'}), question)
        return await ask(ai_sdk.user('go'), ai_sdk.assistant(part))

    first = await ask(ai_sdk.user('go'))
    server.changes = CHANGES[0]
    second = await answer(first)
    third = await answer(first)
    assert server.ran == [] and None not in (second, third) and first not in (second, third)
    assert (await answer(third), server.ran) == (None, ['a'])
