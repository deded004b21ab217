"""Agents in an MCP server that ask the model of its client."""

from __future__ import annotations

import base64
import warnings
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, BinaryContent, ModelRetry, UserError
from stead.exceptions import ModelAPIError, UnexpectedModelBehavior
from stead.messages import (
    AudioUrl,
    CachePoint,
    FilePart,
    ModelRequest,
    ModelResponse,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import ModelRequestParameters, override_allow_model_requests
from stead.models.function import AgentInfo, FunctionModel
from stead.models.mcp_sampling import MCPSamplingModel, MCPSamplingModelSettings
from stead.output import NativeOutput, ToolOutput

from .kit import do

types: Any = pytest.importorskip('mcp.types', reason='the package mcp is not installed')
PNG = BinaryContent(b'png', media_type='image/png')


class City(BaseModel):
    name: str


def client_answer(content: Any, role: str = 'assistant', reason: str | None = 'endTurn') -> Any:
    """What a client answers."""
    content = {'type': 'text', 'text': content} if isinstance(content, str) else content
    return types.CreateMessageResult.model_validate(
        {'role': role, 'content': content, 'model': 'asked-1', 'stopReason': reason}
    )


class Session:
    """A session of which the client answers as a test lays out."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[list[tuple[str, Any]], dict[str, Any]]] = []

    async def create_message(self, messages: list[Any], **options: Any) -> Any:
        plain = [message.model_dump(by_alias=True, exclude_none=True) for message in messages]
        self.requests.append(([(item['role'], item['content']) for item in plain], options))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def text(value: str) -> dict[str, Any]:
    return {'type': 'text', 'text': value}


def test_what_it_says_of_itself() -> None:
    model = MCPSamplingModel(Session())
    assert (model.model_name, model.system, model.model_id) == ('mcp-sampling', 'MCP', 'MCP:mcp-sampling')
    assert (model.base_url, model.provider, model.default_max_tokens) == (None, None, 16_384)
    assert not model.profile.supports_tools


def test_an_agent_asks_the_client() -> None:
    session = Session(client_answer('hello'))
    agent = Agent(MCPSamplingModel(session), system_prompt='Be brief.', instructions='Speak German.')
    result = agent.run_sync('hi')
    assert result.output == 'hello'
    ((messages, options),) = session.requests
    assert messages == [('user', text('hi'))]
    assert options.pop('system_prompt') == 'Be brief.\n\nSpeak German.'
    assert options.pop('max_tokens') == 16_384
    assert set(options) == {'temperature', 'model_preferences', 'stop_sequences'}
    assert set(options.values()) == {None}
    response = result.all_messages()[-1]
    assert isinstance(response, ModelResponse)
    assert (response.model_name, response.finish_reason) == ('asked-1', 'stop')
    assert response.provider_details == {'finish_reason': 'endTurn'}


def test_settings_are_sent_to_the_client() -> None:
    session = Session(client_answer('a'), client_answer('b'))
    preferences = types.ModelPreferences.model_validate({'costPriority': 0.5})
    settings = MCPSamplingModelSettings(
        max_tokens=5, temperature=0.0, stop_sequences=['x'], mcp_model_preferences=preferences
    )
    agent = Agent(MCPSamplingModel(session, default_max_tokens=7))
    agent.run_sync('hi', model_settings=settings)
    agent.run_sync('hi')
    ours, default = (options for _, options in session.requests)
    assert ours == {
        'max_tokens': 5,
        'system_prompt': '',
        'temperature': 0.0,
        'model_preferences': preferences,
        'stop_sequences': ['x'],
    }
    assert default['max_tokens'] == 7


def test_output_of_a_type_is_asked_for_in_the_prompt() -> None:
    session = Session(client_answer('nonsense'), client_answer('{"name": "Rome"}'))
    assert Agent(MCPSamplingModel(session), output_type=City).run_sync('where?').output == City(name='Rome')
    first, second = session.requests
    assert '"name"' in first[1]['system_prompt']
    (_, question), (role, nonsense), (_, retry) = second[0]
    assert (question, role, nonsense) == (text('where?'), 'assistant', text('nonsense'))
    assert 'Fix the errors' in retry['text']


@pytest.mark.parametrize('output', [ToolOutput(City), NativeOutput(City)])
def test_output_that_it_cannot_be_held_to(output: Any) -> None:
    agent = Agent(MCPSamplingModel(Session()), output_type=output)
    with pytest.raises(UserError, match="'mcp-sampling' does not support .*PromptedOutput"):
        agent.run_sync('where?')


def test_tools_are_left_out_aloud() -> None:
    agent = Agent(MCPSamplingModel(Session(client_answer('hello'))))

    @agent.tool_plain
    def look() -> str:
        raise ModelRetry('never called')

    with pytest.warns(UserWarning, match=r"MCP sampling does not support tools: \['look'\]"):
        assert agent.run_sync('hi').output == 'hello'


def ask(*messages: Any, answer: Any = None) -> tuple[list[Any], ModelResponse]:
    session = Session(client_answer('hello') if answer is None else answer)
    response = do(MCPSamplingModel(session).request(list(messages), None, ModelRequestParameters()))
    return session.requests[0][0], response


def user(*content: Any) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(list(content))])


def test_a_conversation_is_sent_a_message_for_each_text_and_file() -> None:
    sound = BinaryContent(b'wav', media_type='audio/wav')
    history = ModelResponse(parts=[ThinkingPart('hm'), TextPart('a'), TextPart('b')])
    messages, _ = ask(user('look', CachePoint(), PNG, TextContent('and'), sound), history, user('so?'))
    assert messages == [
        ('user', text('look')),
        ('user', {'type': 'image', 'data': base64.b64encode(b'png').decode(), 'mimeType': 'image/png'}),
        ('user', text('and')),
        ('user', {'type': 'audio', 'data': base64.b64encode(b'wav').decode(), 'mimeType': 'audio/wav'}),
        ('assistant', text('ab')),
        ('user', text('so?')),
    ]


def test_links_are_downloaded() -> None:
    with pytest.raises(UserError, match='127.0.0.1'):  # where it would be downloaded from is not public
        ask(user(AudioUrl('http://127.0.0.1:1/a.wav')))


@pytest.mark.parametrize(
    'message',
    [
        user(BinaryContent(b'pdf', media_type='application/pdf')),
        user(BinaryContent(b'mp4', media_type='video/mp4')),
        ModelResponse(parts=[ToolCallPart('t')]),
        ModelResponse(parts=[FilePart(PNG)]),
        ModelRequest(parts=[ToolReturnPart('t', 'x', 'id')]),
    ],
)
def test_what_the_protocol_cannot_carry(message: Any) -> None:
    with pytest.raises(UserError, match='MCP sampling does not support .*, only text, images and audio'):
        ask(message)


@pytest.mark.parametrize(
    ('reason', 'known'),
    [('stopSequence', 'stop'), ('maxTokens', 'length'), ('toolUse', 'tool_call'), ('mine', None), (None, None)],
)
def test_why_it_stopped(reason: str | None, known: str | None) -> None:
    _, response = ask(user('hi'), answer=client_answer('x', reason=reason))
    assert response.finish_reason == known
    assert response.provider_details == ({'finish_reason': reason} if reason else None)


def test_an_answer_with_a_file() -> None:
    data = base64.b64encode(b'png').decode()
    _, response = ask(user('draw'), answer=client_answer({'type': 'image', 'data': data, 'mimeType': 'image/png'}))
    (part,) = response.parts
    assert isinstance(part, FilePart)
    assert part.content.data == b'png'


def test_an_answer_that_is_none() -> None:
    with pytest.raises(UnexpectedModelBehavior, match="a message of 'user'"):
        ask(user('hi'), answer=client_answer('x', role='user'))


def test_a_client_that_refuses() -> None:
    from mcp.shared import exceptions

    if hasattr(exceptions, 'MCPError'):
        refusal = exceptions.MCPError(-1, 'not today')
    else:
        refusal = exceptions.McpError(types.ErrorData(code=-1, message='not today'))
    with pytest.raises(ModelAPIError, match='The MCP client did not return a response: not today'):
        ask(user('hi'), answer=refusal)


def test_it_is_the_client_that_asks_a_model() -> None:
    with override_allow_model_requests(False):
        assert ask(user('hi'))


def test_it_cannot_stream() -> None:
    async def main() -> None:
        async with Agent(MCPSamplingModel(Session())).run_stream('hi'):
            pass

    with pytest.raises(UserError, match='MCPSamplingModel cannot stream'):
        do(main())


def test_from_a_server_to_its_client_and_back() -> None:
    try:
        from mcp.server.fastmcp import Context, FastMCP as Server
    except ImportError:
        from mcp.server.mcpserver import Context, MCPServer as Server  # type: ignore[no-redef]
    from stead.mcp import MCPToolset

    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # older SDKs do not get on with newer pydantic-settings
        server: Any = Server('poets')

    async def rhyme(ctx: Any, word: str) -> str:
        poet = Agent(MCPSamplingModel(ctx.session), instructions='Rhyme.', output_type=City)
        return (await poet.run(word)).output.name

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('{"name": "' + messages[-1].parts[-1].content + '-home"}')])

    toolset = MCPToolset(server, sampling_model=FunctionModel(answer))
    rhyme.__annotations__['ctx'] = Context
    rhyme.__annotations__.update(word=str, **{'return': str})  # the server reads them from here
    server.tool()(rhyme)
    assert do(toolset.direct_call_tool('rhyme', {'word': 'Rome'})) == 'Rome-home'
