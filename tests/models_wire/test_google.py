"""An agent on Google, through the SDK and a socket."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse
from kit_google import body_of, call, cloud_model, content, content_events, google_model, text
from kit_outputs import City

from stead import Agent, BinaryImage, NativeOutput, UserError
from stead.exceptions import ContentFilterError, ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from stead.messages import (
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import ModelRequestParameters, PydanticAIDeprecationWarning
from stead.native_tools import WebSearchTool
from stead.profiles.google import GoogleModelProfile
from stead.settings import ModelSettings
from stead.tools import Tool, ToolDefinition

HELLO = [ModelRequest.user_text_prompt('hi')]
SIGNED = {'thoughtSignature': 'c2ln'}
PNG = base64.b64encode(b'\x89PNG\r\n').decode()
T1 = ToolDefinition(name='t1', parameters_json_schema={'type': 'object', 'properties': {}})
T2 = ToolDefinition(name='t2', parameters_json_schema={'type': 'object', 'properties': {}})


def ask(
    model: Any,
    messages: Any = HELLO,
    settings: Any = None,
    params: ModelRequestParameters | None = None,
    *,
    stream: bool = False,
) -> ModelResponse:
    async def main() -> ModelResponse:
        if not stream:
            return await model.request(messages, settings, params or ModelRequestParameters())
        async with model.request_stream(messages, settings, params or ModelRequestParameters()) as response:
            async for _ in response:
                pass
            return response.get()

    return asyncio.run(asyncio.wait_for(main(), 50))


def test_a_tool_is_called_and_its_result_sent_back_with_the_signature() -> None:
    with Wire(content({**call('double', x=4), **SIGNED}), content(text('8'))) as wire:
        agent = Agent(google_model(wire), instructions='Be brief.')

        @agent.tool_plain
        def double(x: int) -> int:
            """Double a number."""
            return 2 * x

        assert agent.run_sync('Double 4').output == '8'
    first, second = wire.bodies
    assert first['systemInstruction']['parts'] == [{'text': 'Be brief.'}]
    called, returned = second['contents'][1:]
    assert called['role'] == 'model'
    assert called['parts'][0]['functionCall']['args'] == {'x': 4}
    assert called['parts'][0]['thoughtSignature'] == 'c2ln'
    assert returned['parts'][0]['functionResponse']['response'] == {'return_value': 8}
    assert returned['parts'][0]['functionResponse']['id'] == called['parts'][0]['functionCall']['id']


def test_output_by_tool_and_by_schema() -> None:
    with Wire(content(call('final_result', name='Bonn', people=330_000))) as wire:
        assert Agent(google_model(wire), output_type=City).run_sync('Bonn?').output.people == 330_000
    assert wire.bodies[0]['toolConfig'] == {'functionCallingConfig': {'mode': 'ANY'}}
    with Wire(content(text('{"name": "Bonn", "people": 330000}'))) as wire:
        assert Agent(google_model(wire), output_type=NativeOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
    config = wire.bodies[0]['generationConfig']
    assert config['responseMimeType'] == 'application/json'
    assert config['responseJsonSchema']['properties'].keys() == {'name', 'people'}


def test_tools_that_are_searched_for_go_with_models_that_take_one_kind_of_tools() -> None:
    def rare(x: int) -> int:
        return x

    with Wire(content(call('final_result', response=3))) as wire:
        agent = Agent(google_model(wire), output_type=int, tools=[Tool(rare, defer_loading=True)])
        assert agent.run_sync('3').output == 3
    assert [tool['name'] for tool in wire.bodies[0]['tools'][0]['functionDeclarations']] == [
        'search_tools',
        'final_result',
    ]


def test_parts_stream_as_they_come() -> None:
    chunks = [text('h', thought=True), text('m', thought=True), {**call('one', x=1), **SIGNED}]

    async def main() -> None:
        with Wire(content_events(*chunks), content_events(text('do'), text('ne'))) as wire:
            agent = Agent(google_model(wire, 'gemini-3-pro-preview'), model_settings={'thinking': 'low'})

            @agent.tool_plain
            def one(x: int) -> int:
                return x

            async with agent.run_stream('hi') as result:
                assert [piece async for piece in result.stream_text(delta=True, debounce_by=None)] == ['do', 'ne']
            think, called = result.all_messages()[1].parts
            assert isinstance(think, ThinkingPart)
            assert think.content == 'hm'
            assert isinstance(called, ToolCallPart)
            assert called.args == {'x': 1}
            assert called.provider_details == {'thought_signature': 'c2ln'}
            assert result.usage.output_tokens == 10
            assert result.response.finish_reason == 'stop'
        assert wire.requests[0].path.endswith(':streamGenerateContent?alt=sse')
        sent = wire.bodies[1]['contents'][1]['parts']
        assert sent[0] == {'text': 'hm', 'thought': True}
        assert sent[1]['thoughtSignature'] == 'c2ln'

    asyncio.run(main())


def test_arguments_may_be_null() -> None:
    with Wire(content(call('t1', x=None, y={'z': None}))) as wire:
        response = ask(google_model(wire))
    assert response.tool_calls[0].args == {'x': None, 'y': {'z': None}}


def test_images_are_outputs() -> None:
    image = {'inlineData': {'mimeType': 'image/png', 'data': PNG}}
    with Wire(content(text('Look:'), image)) as wire:
        result = Agent(google_model(wire, 'gemini-2.5-flash-image'), output_type=BinaryImage).run_sync('Draw')
    assert result.output.data == b'\x89PNG\r\n'
    assert wire.bodies[0]['generationConfig']['responseModalities'] == ['IMAGE']


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_searches_are_told(stream: bool) -> None:
    found = {
        'groundingMetadata': {
            'webSearchQueries': ['q'],
            'groundingChunks': [{'web': {'uri': 'https://a.b', 'title': 'a'}}],
        }
    }
    whole = body_of(text('hi'), candidate=found)
    with Wire(as_sse([whole], done=False) if stream else as_json(whole)) as wire:
        response = ask(google_model(wire), params=ModelRequestParameters(native_tools=[WebSearchTool()]), stream=stream)
    assert wire.bodies[0]['tools'] == [{'googleSearch': {}}]
    assert response.text == 'hi'
    if stream:  # it comes after text, which parts of it would end
        assert response.provider_details is not None
        assert response.provider_details['grounding_metadata']['web_search_queries'] == ['q']
        return
    searched, pages, _ = response.parts
    assert isinstance(searched, NativeToolCallPart)
    assert searched.args == {'queries': ['q']}
    assert isinstance(pages, NativeToolReturnPart)
    assert pages.content == [{'title': 'a', 'uri': 'https://a.b'}]


def test_pages_that_are_told_of_late_do_not_cut_off_the_text_before() -> None:
    pages = [{'retrievedUrl': 'https://a.b', 'urlRetrievalStatus': 'URL_RETRIEVAL_STATUS_SUCCESS'}]
    late = body_of(text('llo'), candidate={'urlContextMetadata': {'urlMetadata': pages}})

    async def main() -> None:
        with Wire(as_sse([body_of(text('he'), reason=None), late], done=False)) as wire:
            async with Agent(google_model(wire)).run_stream('hi') as result:
                assert await result.get_output() == 'hello'
            url_context = (result.response.provider_details or {})['url_context_metadata']
            assert url_context['url_metadata'][0]['retrieved_url'] == 'https://a.b'

    asyncio.run(main())


def test_links_are_downloaded_for_the_gemini_api_only() -> None:
    with Wire(Reply(pieces=[b'some text'], content_type='text/plain')) as file, Wire(content(text('ok'))) as wire:
        link = DocumentUrl(f'{file.url}/a.txt', force_download='allow-local')
        Agent(google_model(wire)).run_sync([link])
        assert wire.bodies[0]['contents'][0]['parts'][0]['inlineData']['data'] == 'c29tZSB0ZXh0'
        Agent(cloud_model(wire)).run_sync([ImageUrl('gs://bucket/a.png')])
        sent = wire.bodies[1]['contents'][0]['parts'][0]['fileData']
        assert 'gs://bucket/a.png' in sent.values()
        returned = ToolReturnPart('t1', [link], 'id1')
        messages = [*HELLO, ModelResponse(parts=[ToolCallPart('t1', {}, 'id1')]), ModelRequest(parts=[returned])]
        ask(google_model(wire, 'gemini-3-pro-preview'), messages)
        assert 'parts' in wire.bodies[2]['contents'][2]['parts'][0]['functionResponse']


def test_metadata_for_other_vendors_is_left_out() -> None:
    image = BinaryContent(b'x', media_type='image/png', vendor_metadata={'detail': 'low'})
    with Wire(content(text('ok'))) as wire:
        Agent(google_model(wire)).run_sync([image])
    assert wire.bodies[0]['contents'][0]['parts'][0].keys() == {'inlineData'}


def test_only_tools_of_the_request_are_demanded() -> None:
    params = ModelRequestParameters(function_tools=[T1, T2])
    with Wire(content(text('ok'))) as wire:
        ask(google_model(wire), settings=ModelSettings(tool_choice=['t1', 'unknown']), params=params)
    assert wire.bodies[0]['toolConfig']['functionCallingConfig'] == {'mode': 'ANY', 'allowedFunctionNames': ['t1']}


def test_headers_fields_and_timeout_of_settings_are_sent() -> None:
    settings = {'extra_headers': {'x-a': 'b'}, 'extra_body': {'new': {'field_of': 1}}, 'timeout': 7.5}
    with Wire(content(text('ok'))) as wire:
        ask(google_model(wire, settings=settings))
    request = wire.requests[0]
    assert request.headers['x-a'] == 'b'
    assert request.headers['x-server-timeout'] == '8'
    assert 'stead/' in request.headers['user-agent']
    assert request.body['new'] == {'field_of': 1}


def test_old_names_of_the_service_tier_still_work() -> None:
    with Wire(content(text('ok'))) as wire:
        with pytest.warns(PydanticAIDeprecationWarning, match='google_vertex_service_tier'):
            ask(cloud_model(wire), settings={'google_vertex_service_tier': 'pt_only'})
        with pytest.warns(DeprecationWarning, match='google_service_tier'):
            ask(google_model(wire), settings={'google_service_tier': 'pt_only'})
        with pytest.raises(UserError, match="no service tier 'gold'.*pt_only"):
            ask(cloud_model(wire), settings={'google_cloud_service_tier': 'gold'})
    assert wire.requests[0].headers['x-vertex-ai-llm-request-type'] == 'dedicated'
    assert 'x-vertex-ai-llm-request-type' not in wire.requests[1].headers


def test_requests_that_cannot_be_sent_are_errors_of_the_user() -> None:
    import httpx

    with Wire(content(text('ok'))) as wire:
        with pytest.raises(UserError, match='a number of seconds'):
            ask(google_model(wire), settings={'timeout': httpx.Timeout(3)})
        with pytest.raises(UserError, match='cannot be sent'):
            ask(google_model(wire), settings={'google_safety_settings': [{'nonsense': 1}]})
        with pytest.raises(UserError, match='cannot be sent: .*temperature: .* number'):
            ask(google_model(wire), settings={'temperature': 'hot'})
        tools = ModelRequestParameters(native_tools=[WebSearchTool()], function_tools=[T1])
        with pytest.raises(UserError, match='native tools and function tools together'):
            ask(google_model(wire), params=tools)
        with pytest.raises(UserError, match='begins with'):
            from stead.messages import UploadedFile

            uploaded = UploadedFile('files/a', provider_name='google', media_type='text/plain')
            ask(google_model(wire), [ModelRequest(parts=[UserPromptPart([uploaded])])])
        assert not wire.requests


def test_google_cloud_is_not_sent_what_it_does_not_know() -> None:
    tools = ModelRequestParameters(native_tools=[WebSearchTool()], function_tools=[T1])
    with Wire(content(text('ok'))) as wire:
        ask(cloud_model(wire, 'gemini-3-pro-preview'), params=tools)
        ask(google_model(wire, 'gemini-3-pro-preview'), params=tools)
    assert 'includeServerSideToolInvocations' not in wire.bodies[0]['toolConfig']
    assert wire.bodies[1]['toolConfig']['includeServerSideToolInvocations'] is True


@pytest.mark.filterwarnings('ignore:.*is not a valid:UserWarning')
@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_reasons_and_parts_that_nobody_knows_yet(stream: bool) -> None:
    used: dict[str, Any] = {'toolCall': {'id': 'x', 'toolType': 'GOOGLE_MAPS', 'args': {}}}
    whole = body_of({'smell': 1}, {}, used, {'fileData': {'fileUri': 'gs://a'}}, text('hello'), reason='BORED')
    with Wire(as_sse([whole], done=False) if stream else as_json(whole)) as wire:
        response = ask(google_model(wire), stream=stream)
    assert [type(part) for part in response.parts] == [TextPart]
    assert response.text == 'hello'
    assert response.finish_reason is None
    assert response.provider_details == {'finish_reason': 'BORED'}


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_blocked_prompts_and_filtered_answers(stream: bool) -> None:
    blocked = {'promptFeedback': {'blockReason': 'SAFETY'}, 'usageMetadata': {'promptTokenCount': 3}}
    filtered = body_of(reason='SAFETY', candidate={'content': {}})
    for body in (blocked, filtered):
        reply = as_sse([body], done=False) if stream else as_json(body)
        with Wire(reply) as wire:
            response = ask(google_model(wire), stream=stream)
            assert (response.finish_reason, response.parts) == ('content_filter', [])
            if not stream:
                with pytest.raises(ContentFilterError):
                    Agent(google_model(wire)).run_sync('hi')


def test_a_malformed_call_is_tried_again() -> None:
    malformed = body_of(reason='MALFORMED_FUNCTION_CALL', candidate={'content': {}})
    with Wire(as_json(malformed), content(text('ok'))) as wire:
        result = Agent(google_model(wire)).run_sync('hi')
    assert result.output == 'ok'
    first = result.all_messages()[1]
    assert isinstance(first, ModelResponse)
    assert (first.finish_reason, first.provider_details) == ('error', {'finish_reason': 'MALFORMED_FUNCTION_CALL'})


def test_an_answer_that_is_none_is_told_apart_from_a_request_that_is_none() -> None:
    bodies: list[Any] = [
        {'candidates': [{}]},
        {'candidates': [{'content': 'x'}]},
        {'promptFeedback': {}},
        {'candidates': [3]},
    ]
    for body in bodies:
        with Wire(as_json(body)) as wire:
            with pytest.raises(UnexpectedModelBehavior, match='gave an invalid response'):
                ask(google_model(wire))


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_when_to_come_back_is_in_the_body(stream: bool) -> None:
    details = [{'@type': 'type.googleapis.com/google.rpc.RetryInfo', 'retryDelay': '34.5s'}]
    with Wire(as_json({'error': {'code': 429, 'message': 'slow', 'details': details}}, 429)) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            ask(google_model(wire), stream=stream)
    assert caught.value.retry_after == 34.5


def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), Wire(content(text('ok')), as_json({'error': {}}, 500)) as wire:
        model = google_model(wire)
        ask(model)
        with pytest.raises(ModelHTTPError):
            ask(model)
    assert wire.requests[0].headers['x-goog-api-key'] == 'sk-secret-of-ours'
    assert caplog.records
    assert 'sk-secret' not in caplog.text


def test_a_stream_is_broken_off_by_somebody_else() -> None:
    reply = as_sse([body_of(text('he'), reason=None), 60.0, body_of(text('llo'))], done=False)

    async def main() -> None:
        with Wire(reply) as wire:
            model = google_model(wire)
            async with model.request_stream(HELLO, None, ModelRequestParameters()) as response:
                async for _ in response:
                    if not tasks:  # it begins while the next event is waited for
                        tasks.append(asyncio.ensure_future(response.cancel()))
                assert response.get().text == 'he'
                assert response.get().state == 'interrupted'
            await asyncio.gather(*tasks)

    tasks: list[Any] = []
    began = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - began < 40


def test_nothing_waits_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('stead.providers.google.TIMEOUT', 0.2)
    with Wire(Reply(pieces=[5.0, *content(text('late')).pieces])) as wire:
        with pytest.raises(ModelAPIError, match='Timeout'):
            ask(google_model(wire))


def test_an_answer_of_fifty_megabytes_is_read() -> None:
    size = 50_000_000
    with Wire(content(text('x' * size))) as wire:
        assert len(ask(google_model(wire)).text or '') == size


def test_tokens_are_counted_before_a_request() -> None:
    with Wire(as_json({'totalTokens': 17})) as wire:
        for model in (google_model(wire), cloud_model(wire)):
            usage = asyncio.run(model.count_tokens(HELLO, {'temperature': 0.5}, ModelRequestParameters()))
            assert usage.input_tokens == 17
        with pytest.raises(ModelHTTPError):
            wire.expect(as_json({'error': {}}, 400))
            asyncio.run(google_model(wire).count_tokens(HELLO, None, ModelRequestParameters()))


def test_the_old_name_for_models_that_take_everything_together_still_works() -> None:
    with pytest.warns(PydanticAIDeprecationWarning, match='write `google_supports_tool_combination`'):
        profile = GoogleModelProfile(google_supports_native_output_with_builtin_tools=True)
    tools = ModelRequestParameters(native_tools=[WebSearchTool()], function_tools=[T1])
    with Wire(content(text('ok'))) as wire:
        ask(google_model(wire, profile=profile), params=tools)
    assert [*map(list, wire.bodies[0]['tools'])] == [['googleSearch'], ['functionDeclarations']]


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_an_answer_that_reached_the_limit_of_its_request_is_continued(stream: bool) -> None:
    types = pytest.importorskip('google.genai.types')
    if 'continuation_token' not in types.GenerateContentConfig.model_fields:
        pytest.skip('the release of the SDK does not continue answers')
    usage = {'usageMetadata': {'promptTokenCount': 3, 'candidatesTokenCount': 2}}
    first = {**body_of(text('he'), reason='CONTINUATION', candidate={'continuationToken': 'dG9rZW4='}), **usage}
    second = {**body_of(text('llo')), **usage}
    replies = [as_sse([body], done=False) if stream else as_json(body) for body in (first, second)]
    found: list[Any] = []
    for wire_setting in ('auto', 'sdk'):
        # A whole answer is asked for again through the typed method, which continues it.
        expected_replies = [replies[0], *replies] if wire_setting == 'auto' and not stream else replies
        with Wire(*expected_replies) as wire:
            response = ask(google_model(wire, settings={'wire': wire_setting}), stream=stream)
            found.append((response.text, response.usage, response.finish_reason, wire.bodies[-2:]))
    assert found[0] == found[1]
    assert found[0][0] == 'hello'
