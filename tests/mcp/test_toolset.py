"""`MCPToolset`: tools, results, resources, prompts, and what servers ask for, against a server in this process."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, ModelRetry, UserError
from stead.mcp import (
    MCPError,
    MCPToolset,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptResult,
    Resource,
    ResourceTemplate,
    _connection,
)
from stead.messages import BinaryContent, BinaryImage, ModelRequest, ModelResponse, TextContent, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel

from ..waiting import until
from .kit import PNG, context, new_server, program, served, wait

IMAGE = BinaryImage(PNG, media_type='image/png')


def test_tools_are_listed_with_what_the_server_says_about_them() -> None:
    async def main() -> None:
        async with MCPToolset(new_server(), include_return_schema=True) as toolset:
            tools = await toolset.get_tools(context(max_retries=3))
            tool = tools['add']
            definition = tool.tool_def
            assert (definition.name, definition.description) == ('add', 'Add two numbers.')
            assert definition.parameters_json_schema['required'] == ['a']
            assert definition.return_schema is not None
            assert set(definition.return_schema['properties']) == {'result'}
            assert definition.include_return_schema
            assert definition.metadata is not None
            assert definition.metadata['meta'] == {'k': 1}
            assert definition.metadata['annotations']['readOnlyHint'] is True
            assert definition.metadata['task'] is False
            assert (tool.toolset, tool.max_retries) == (toolset, 3)
            assert tools['give'].tool_def.return_schema is None

    wait(main())


def test_the_toolset_may_have_a_number_of_retries_of_its_own() -> None:
    async def main() -> int:
        toolset = MCPToolset(new_server(), max_retries=7)
        return (await toolset.get_tools(context(max_retries=3)))['add'].max_retries

    assert wait(main()) == 7


@pytest.mark.parametrize(
    ('what', 'value'),
    [
        ('words', 'hello'),
        ('json', {'a': [1]}),
        ('almost_json', '{"a": '),
        ('number', '42'),
        ('nothing', []),
        ('picture', IMAGE),
        ('sound', BinaryContent(b'la', media_type='audio/wav')),
        ('both', ['t', IMAGE]),
        ('structured', {'q': 1}),
        ('wrapped', [1]),
        ('resource', 'inside'),
        ('blob', BinaryContent(b'raw', media_type='application/octet-stream')),
        ('link', 'data://one'),
    ],
)
def test_results_become_values(what: str, value: Any) -> None:
    found = wait(MCPToolset(new_server()).direct_call_tool('give', {'what': what}))
    assert found == value
    assert type(found) is type(value)


def test_results_with_a_schema_are_structured() -> None:
    toolset = MCPToolset(new_server())
    assert wait(toolset.direct_call_tool('add', {'a': 1})) == 3
    assert wait(toolset.direct_call_tool('point', {})) == {'x': 1}


@pytest.mark.parametrize(
    ('name', 'arguments', 'words'),
    [
        ('give', {'what': 'failing'}, 'first\nsecond'),
        ('give', {'what': 'silent'}, "Tool 'give' returned an error"),
        ('give', {'what': 'broken'}, 'not base64'),
        ('nowhere', {}, 'Unknown tool: nowhere'),
        ('add', {'a': 'x'}, 'valid integer'),
    ],
)
def test_failures_are_told_to_the_model_or_raised(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelRetry, match=words):
        wait(MCPToolset(new_server()).direct_call_tool(name, arguments))
    with pytest.raises(MCPError, match=words):
        wait(MCPToolset(new_server(), tool_error_behavior='error').direct_call_tool(name, arguments))


def test_a_run_calls_tools_and_tries_again() -> None:
    seen: list[Any] = []

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        from stead.messages import ToolCallPart

        seen.append([(part.part_kind, getattr(part, 'content', None)) for part in messages[-1].parts])
        step = len(seen)
        arguments: dict[str, Any] = {'a': 'x'} if step == 1 else {'a': 40}
        return ModelResponse(parts=[ToolCallPart('add', arguments)] if step < 3 else [TextPart('done')])

    agent = Agent(FunctionModel(answer), toolsets=[MCPToolset(new_server())])
    assert agent.run_sync('go').output == 'done'
    assert [kinds[0][0] for kinds in seen] == ['user-prompt', 'retry-prompt', 'tool-return']
    assert seen[2][0][1] == 42


def test_instructions_are_passed_on_if_asked_for() -> None:
    def instructions(toolset: MCPToolset[Any]) -> str | None:
        result = Agent(TestModel(call_tools=[]), toolsets=[toolset]).run_sync('go')
        request = result.all_messages()[0]
        assert isinstance(request, ModelRequest)
        return request.instructions

    assert instructions(MCPToolset(new_server(), include_instructions=True)) == 'Be gentle.'
    assert instructions(MCPToolset(new_server())) is None


def test_calls_can_be_processed() -> None:
    async def process(ctx: Any, call: Any, name: str, arguments: dict[str, Any]) -> Any:
        return [ctx.tool_name, name, await call(name, {**arguments}, metadata={'trace': 'abc'})]

    async def main() -> Any:
        async with MCPToolset(new_server(), process_tool_call=process) as toolset:
            tools = await toolset.get_tools(context())
            return await toolset.call_tool('work', {}, context(tool_name='work'), tools['work'])

    assert wait(main()) == ['work', 'work', "'abc'"]


def test_resources_can_be_listed_and_read() -> None:
    async def main() -> None:
        async with MCPToolset(new_server()) as toolset:
            resources = await toolset.list_resources()
            assert resources[0] == Resource(
                name='one', description='The first.', mime_type='text/plain', uri='data://one'
            )
            assert [resource.uri for resource in resources] == ['data://one', 'data://picture']
            (template,) = await toolset.list_resource_templates()
            assert isinstance(template, ResourceTemplate)
            assert template.uri_template == 'data://named/{name}'
            assert await toolset.read_resource('data://one') == 'resource text'
            assert await toolset.read_resource(resources[1]) == IMAGE
            assert await toolset.read_resource('data://named/bo') == 'bo'
            with pytest.raises(MCPError, match='data://none') as caught:
                await toolset.read_resource('data://none')
            assert caught.value.code
            assert await toolset.list_resources() is resources

    wait(main())


def test_prompts_can_be_listed_and_filled_in() -> None:
    async def main() -> None:
        async with MCPToolset(new_server()) as toolset:
            (prompt,) = await toolset.list_prompts()
            assert prompt == Prompt(
                name='greet',
                description='Greet somebody.',
                arguments=[PromptArgument(name='name', required=True)],
                metadata=prompt.metadata,
            )
            filled = await toolset.get_prompt('greet', {'name': 'bo'})
            assert isinstance(filled, PromptResult)
            assert filled.messages == [PromptMessage(role='user', content=TextContent(content='hi bo'))]
            with pytest.raises(MCPError):
                await toolset.get_prompt('none')

    wait(main())


def test_a_server_may_ask_a_model() -> None:
    seen: list[Any] = []

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        seen.append((messages, info.model_settings))
        return ModelResponse(parts=[TextPart('an '), TextPart('answer')])

    toolset = MCPToolset(new_server(), sampling_model=FunctionModel(answer, model_name='asked'))
    assert wait(toolset.direct_call_tool('ask_model', {})) == 'asked: an answer'
    ((messages, settings),) = seen
    assert settings == {'max_tokens': 9, 'temperature': 0.5, 'stop_sequences': ['stop']}
    assert [[part.content for part in message.parts] for message in messages] == [
        ['Be brief.', 'question'],
        ['what?'],
        [[IMAGE]],
    ]


def test_a_function_may_answer_for_a_model() -> None:
    async def answer(messages: Any, params: Any, context: Any) -> str:
        return f'{len(messages)} messages'

    toolset = MCPToolset(new_server(), sampling_handler=answer)
    assert wait(toolset.direct_call_tool('ask_model', {})).endswith('3 messages')


def test_a_server_may_ask_the_user() -> None:
    questions: list[Any] = []

    async def answer(message: str, kind: Any, params: Any, context: Any) -> Any:
        questions.append(message)
        return kind(name='bo', age=4)

    def decline(message: str, kind: Any, params: Any, context: Any) -> Any:
        from mcp.types import ElicitResult

        return ElicitResult(action='decline')

    toolset = MCPToolset(new_server(), elicitation_handler=answer)
    assert 'bo' in wait(toolset.direct_call_tool('ask_user', {}))
    assert questions == ['Who?']
    assert 'decline' in wait(MCPToolset(new_server(), elicitation_handler=decline).direct_call_tool('ask_user', {}))


def test_a_server_may_ask_for_roots_and_tells_progress() -> None:
    reports: list[Any] = []

    async def progress(progressed: float, total: float | None, message: str | None) -> None:
        reports.append((progressed, total, message))

    async def main() -> str:
        async with MCPToolset(new_server(), roots=['file:///srv'], progress_handler=progress) as toolset:
            await toolset.direct_call_tool('work', {})
            return await toolset.direct_call_tool('ask_roots', {})

    assert wait(main()) == "['file:///srv']"
    assert reports == [(1.0, 2.0, 'half')]


def test_who_cannot_answer_says_so() -> None:
    with pytest.raises(ModelRetry):
        wait(MCPToolset(new_server()).direct_call_tool('ask_model', {}))


@pytest.mark.parametrize('older', [True, False])
def test_tools_are_listed_once_until_they_change(older: bool) -> None:
    async def main() -> None:
        # Who has answers to give speaks the older version, in which servers announce changes without being asked.
        options: dict[str, Any] = {'sampling_model': TestModel()} if older else {}
        async with MCPToolset(new_server(), **options) as toolset:
            assert toolset.tools_version is None
            before = await toolset.list_tools()
            assert await toolset.list_tools() is before
            version = toolset.tools_version
            assert version is not None
            await toolset.direct_call_tool('grow', {})
            if older:
                await until(lambda: toolset.tools_version is None)
                after = await toolset.list_tools()
                assert {tool.name for tool in after} - {tool.name for tool in before} == {'grown'}
                assert toolset.tools_version not in (None, version)

    wait(main())


def test_lists_are_not_kept_if_so_wished() -> None:
    async def main() -> bool:
        async with MCPToolset(new_server(), cache_tools=False) as toolset:
            return await toolset.list_tools() is await toolset.list_tools()

    assert not wait(main())


def test_what_the_server_says_about_itself_is_known_while_connected() -> None:
    async def main() -> None:
        toolset = MCPToolset(new_server())
        for name in ('server_info', 'capabilities', 'instructions'):
            with pytest.raises(AttributeError, match=f'MCPToolset.{name}.*Enter the toolset'):
                getattr(toolset, name)
        async with toolset:
            assert toolset.is_running
            assert (toolset.server_info.name, toolset.server_info.version) == ('tester', '1.5')
            assert (toolset.capabilities.tools, toolset.capabilities.completions) == (True, False)
            assert toolset.instructions == 'Be gentle.'
        assert not toolset.is_running
        with pytest.raises(AttributeError):
            toolset.server_info  # noqa: B018

    wait(main())


def test_users_share_a_connection_and_the_last_closes_it() -> None:
    async def main() -> None:
        toolset = MCPToolset(new_server())
        inside, leave = asyncio.Event(), asyncio.Event()

        async def first() -> None:
            async with toolset:
                inside.set()
                await leave.wait()

        task = asyncio.ensure_future(first())
        await inside.wait()
        async with toolset:
            leave.set()
            await task  # who opened it is gone
            assert toolset.is_running
            assert await toolset.direct_call_tool('add', {'a': 1}) == 3
        assert not toolset.is_running

    wait(main())


def test_one_toolset_serves_several_runs_at_once_and_one_after_the_other() -> None:
    calls: list[str] = []
    agent = Agent(TestModel(call_tools=['add']), toolsets=[MCPToolset(new_server(calls))])

    async def at_once() -> None:
        await asyncio.gather(*(agent.run('go') for _ in range(3)))

    wait(at_once())
    agent.run_sync('go')
    assert calls == ['add'] * 4


@pytest.mark.parametrize('kind', ['mcp', 'sse'])
def test_servers_behind_http(kind: str) -> None:
    with served(kind) as url:

        async def main() -> None:
            async with MCPToolset(url, headers={'X-Test': '1'}, include_instructions=True) as toolset:
                assert toolset.instructions == 'Be gentle.'
                assert await toolset.direct_call_tool('add', {'a': 2, 'b': 2}) == 4

        wait(main())


def test_an_http_client_of_ones_own() -> None:
    import httpx2

    with served('mcp') as url:

        async def main() -> Any:
            async with httpx2.AsyncClient(headers={'X-Test': '1'}) as client:
                return await MCPToolset(url, http_client=client).direct_call_tool('add', {'a': 2})

        assert wait(main()) == 4
        assert wait(MCPToolset(url, auth='token', verify=False).direct_call_tool('add', {'a': 3})) == 5


def test_servers_that_are_programs(tmp_path: Path) -> None:
    assert wait(MCPToolset(str(program(tmp_path)), init_timeout=60).direct_call_tool('add', {'a': 2, 'b': 3})) == 5


def test_clients_of_the_package() -> None:
    from mcp import Client

    async def main() -> None:
        toolset = MCPToolset(Client(new_server()))
        async with toolset:
            assert await toolset.direct_call_tool('add', {'a': 1}) == 3

    wait(main())
    with pytest.raises(UserError, match='`sampling_model`: settings of the client'):
        MCPToolset(Client(new_server()), sampling_model=TestModel())


def test_servers_that_cannot_be_reached(tmp_path: Path) -> None:
    async def enter(toolset: MCPToolset[Any]) -> None:
        async with toolset:
            pass

    with pytest.raises(MCPError, match=r'Cannot connect to the MCP server http://127.0.0.1:9/mcp: ConnectError'):
        wait(enter(MCPToolset('http://user:secret@127.0.0.1:9/mcp?key=secret')))
    with pytest.raises(MCPError, match='Cannot connect .* nowhere: FileNotFoundError'):
        wait(enter(MCPToolset({'a': {'command': 'nowhere'}})))
    silent = tmp_path / 'silent.py'
    silent.write_text('import time; time.sleep(60)', encoding='utf-8')
    with pytest.raises(MCPError, match='did not answer within 0.3 seconds'):
        wait(enter(MCPToolset(silent, init_timeout=0.3)))


def test_the_time_that_the_package_takes_to_load_is_not_time_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        loop, late = asyncio.get_running_loop(), [0.0]
        clock, load = loop.time, _connection.sdk

        def slowly() -> Any:
            late[0] = 1000.0
            return load()

        monkeypatch.setattr(loop, 'time', lambda: clock() + late[0])
        monkeypatch.setattr(_connection, 'sdk', slowly)
        async with MCPToolset[Any](new_server(), init_timeout=300.0):
            pass

    wait(main())


def test_servers_that_end(tmp_path: Path) -> None:
    path = tmp_path / 'ending.py'
    path.write_text(
        'import os\n'
        'from mcp.server.mcpserver import MCPServer\n'
        "server = MCPServer('ending')\n"
        'server.add_tool(lambda: os._exit(3), name="end")\n'
        "server.run('stdio')\n",
        encoding='utf-8',
    )
    toolset = MCPToolset(path, id='fragile', init_timeout=60)
    with pytest.raises(MCPError, match="MCPToolset 'fragile' is no longer connected"):
        Agent(TestModel(), toolsets=[toolset]).run_sync('go')
    assert not toolset.is_running


def test_answers_that_take_too_long() -> None:
    with pytest.raises(ModelRetry, match='(?i)timed? ?out'):
        wait(MCPToolset(new_server(), read_timeout=0.5).direct_call_tool('wait', {'seconds': 30}))


@pytest.mark.parametrize(
    ('client', 'options', 'words'),
    [
        ('nowhere.py', {}, 'neither .* URL nor the path of a script'),
        (3, {}, 'is not an MCP server'),
        (None, {}, 'is not an MCP server'),
        ({'a': {'command': 'x'}, 'b': {'command': 'y'}}, {}, 'names 2 servers'),
        ('http://x/mcp', {'headers': {'a': 'b'}, 'http_client': object()}, 'settings of the HTTP client'),
        ('http://x/mcp', {'sampling_model': TestModel(), 'sampling_handler': print}, 'Pass one of them'),
        (object(), {'headers': {'a': 'b'}}, 'for URLs only'),
    ],
)
def test_what_does_not_go_together_is_refused(client: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        MCPToolset(client, **options)


def test_an_http_client_of_another_library_is_refused() -> None:
    async def main() -> None:
        import httpx

        async with httpx.AsyncClient() as client, MCPToolset('http://127.0.0.1:9/mcp', http_client=client):
            pass

    with pytest.raises(UserError, match='takes a `httpx2.AsyncClient` as `http_client`, not httpx'):
        wait(main())


def test_tasks_are_refused_where_the_package_has_none() -> None:
    with pytest.raises(UserError, match='Leave out `use_task`'):
        wait(MCPToolset(new_server()).direct_call_tool('add', {'a': 1}, use_task=True))


def test_oauth_names_the_package_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'fastmcp', None)
    with pytest.raises(ImportError, match=r'stead\[fastmcp\]'):
        MCPToolset('http://x/mcp', auth='oauth')
    server = new_server()
    assert MCPToolset(server).client is server


def test_names_and_errors_show_no_secrets_of_the_address() -> None:
    toolset = MCPToolset('http://user:pw@x/mcp?key=1', id='me')
    assert (toolset.id, toolset.label) == ('me', "MCPToolset 'me'")
    assert repr(toolset) == "MCPToolset('http://x/mcp', id='me')"
    assert MCPToolset('http://x/mcp').label == "MCPToolset 'http://x/mcp'"
    assert '.prefixed(' in toolset.tool_name_conflict_hint
    assert str(MCPError('no', 3, {'a': 1})) == "no (code: 3, data: {'a': 1})"
    assert str(MCPError('no', 3)) == 'no (code: 3)'
