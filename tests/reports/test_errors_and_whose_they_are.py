"""An error says whose it is: the caller's code, the request or the answer. Only the last lets another model try."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse, free_port
from kit import ANSWERS, BOTH_WAYS, MODELS, STREAMS, chat_model, completion

from stead import Agent, InvalidModelResponse, ModelAPIError, ModelHTTPError, UnexpectedModelBehavior, UserError
from stead.models.fallback import FallbackModel
from stead.models.test import TestModel

STREAMED = pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])


def ask(model: Any, *, stream: bool = False, **options: Any) -> Any:
    agent = Agent(model, **options)

    async def main() -> Any:
        if not stream:
            return (await agent.run('hi')).output
        async with agent.run_stream('hi') as result:
            return await result.get_output()

    return asyncio.run(asyncio.wait_for(main(), 50))


@pytest.mark.parametrize('kind', [ValueError, TypeError, KeyError, PermissionError])
@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_an_error_of_the_function_that_returns_the_key_is_raised_as_it_is(kind: type[Exception], stream: bool) -> None:
    from openai import AsyncOpenAI

    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    async def key() -> str:
        raise kind('the vault is sealed')

    async def main() -> None:
        client = AsyncOpenAI(base_url='http://127.0.0.1:1', api_key=key, max_retries=0)
        model = OpenAIChatModel('gpt-4o', provider=OpenAIProvider(openai_client=client))
        agent = Agent(FallbackModel(model, TestModel()))
        if not stream:
            await agent.run('hi')
        async with agent.run_stream('hi'):
            pass

    with pytest.raises(kind, match='the vault is sealed'):
        asyncio.run(main())


@pytest.mark.parametrize('kind', [ValueError, AttributeError, FileNotFoundError])
def test_an_error_of_a_hook_of_the_http_client_is_raised_as_it_is(kind: type[Exception]) -> None:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    async def sign(request: Any) -> None:
        raise kind('the vault is sealed')

    async def main() -> None:
        async with DefaultAsyncHttpxClient(event_hooks={'request': [sign]}) as http:
            client = AsyncOpenAI(base_url='http://127.0.0.1:1', api_key='k', max_retries=0, http_client=http)
            model = OpenAIChatModel('gpt-4o', provider=OpenAIProvider(openai_client=client))
            await Agent(FallbackModel(model, TestModel())).run('hi')

    with pytest.raises(kind, match='the vault is sealed'):
        asyncio.run(main())


@STREAMED
@pytest.mark.parametrize('vendor', BOTH_WAYS)
@pytest.mark.parametrize('place', ['setting', 'tool'])
def test_a_number_that_json_does_not_have_is_named_and_nothing_is_sent(vendor: str, place: str, stream: bool) -> None:
    if place == 'tool' and vendor == 'outlines':
        pytest.skip('it takes no tools')
    with Wire(ANSWERS[vendor.partition(',')[0]]('x')) as wire:
        settings = {'temperature': math.nan} if place == 'setting' else None
        name = ['some-model'] if 'responses' in vendor else []  # other ones leave the setting out
        model = FallbackModel(BOTH_WAYS[vendor](wire, *name, settings=settings), TestModel())
        schema = {'type': 'object', 'properties': {'price': {'type': 'number', 'default': math.inf}}}

        from stead import Tool

        tools = [Tool.from_schema(lambda price=0: 'x', 'search', 'Search.', schema)] if place == 'tool' else []
        with pytest.raises(UserError, match='temperature' if place == 'setting' else 'search.*price.*is inf'):
            ask(model, stream=stream, tools=tools)
        assert wire.requests == []


def test_a_default_of_no_limit_is_left_out_of_the_schema() -> None:
    with Wire(completion()) as wire:
        agent = Agent(chat_model(wire))

        @agent.tool_plain
        def search(text: str, most: float = math.inf, prices: tuple[float, float] = (0, math.inf)) -> str:
            return text

        asyncio.run(agent.run('hi'))
        schema = wire.bodies[0]['tools'][0]['function']['parameters']
    assert schema['properties']['most'] == {'type': 'number'}
    assert schema['required'] == ['text']
    assert 'default' not in schema['properties']['prices']


BODIES = [
    b'plain words',
    b'<html>x</html>',
    b'',
    b'[1]',
    b'null',
    b'{"error": "just text"}',
    b'{"error": null}',
    b'\xff',
]


@STREAMED
@pytest.mark.parametrize('vendor', BOTH_WAYS)
def test_an_error_status_is_the_error_whatever_its_body_is(vendor: str, stream: bool) -> None:
    from stead.messages import ModelRequest, UserPromptPart
    from stead.models import ModelRequestParameters

    history = [ModelRequest(parts=[UserPromptPart('hi')])]

    async def error_of(model: Any) -> ModelHTTPError:
        with pytest.raises(ModelHTTPError) as caught:
            if stream:
                async with model.request_stream(history, None, ModelRequestParameters()):
                    pass
            else:
                await model.request(history, None, ModelRequestParameters())
        return caught.value

    async def main() -> list[ModelHTTPError]:
        errors: list[ModelHTTPError] = []
        for body in BODIES:
            wire.expect(Reply(400, {'x-should-retry': 'false'}, [body]))
            errors.append(await error_of(model))
        return errors

    with Wire() as wire:
        model = BOTH_WAYS[vendor](wire)
        errors = asyncio.run(main())
    assert [error.status_code for error in errors] == [400] * len(BODIES)
    assert {error.model_name for error in errors} == {model.model_name}


RUBBISH = {
    'page': Reply(pieces=[b'<html>down</html>'], content_type='text/html'),
    'cut': Reply(pieces=[b'{"id": "x", "choi']),
    'empty': Reply(pieces=[b'']),
    'no content': as_json({}),
}


@pytest.mark.parametrize('vendor', BOTH_WAYS)
@pytest.mark.parametrize('answer', RUBBISH)
def test_another_model_is_asked_after_an_answer_that_is_not_a_response(vendor: str, answer: str) -> None:
    with Wire(RUBBISH[answer]) as wire:
        model = FallbackModel(BOTH_WAYS[vendor](wire), TestModel(custom_output_text='second'))
        assert ask(model) == 'second'


@pytest.mark.parametrize('vendor', [vendor for vendor in BOTH_WAYS if vendor != 'outlines'])
@pytest.mark.parametrize('answer', [*RUBBISH, 'nothing'])
def test_another_model_is_asked_after_a_stream_that_is_not_a_response(vendor: str, answer: str) -> None:
    whole = STREAMS[vendor.partition(',')[0]]('hello')
    reply = RUBBISH.get(answer) or Reply(pieces=[b''], content_type=whole.content_type)
    with Wire(reply) as wire:
        model = FallbackModel(BOTH_WAYS[vendor](wire), TestModel(custom_output_text='second'))
        assert ask(model, stream=True) == 'second'


@pytest.mark.parametrize('vendor', MODELS)
def test_another_model_is_asked_if_a_server_is_overloaded_or_away(vendor: str) -> None:
    with Wire(as_json({'error': {'message': 'Overloaded'}}, 529)) as wire:
        model = FallbackModel(MODELS[vendor](wire), TestModel(custom_output_text='second'))
        assert ask(model) == 'second'
    model = FallbackModel(MODELS[vendor](f'http://127.0.0.1:{free_port()}'), TestModel(custom_output_text='second'))
    assert ask(model) == 'second'


def test_an_error_that_a_stream_reports_before_any_text_lets_another_model_try() -> None:
    with Wire(as_sse([{'error': {'message': 'died', 'code': 502}}])) as wire:
        model = FallbackModel(chat_model(wire), TestModel(custom_output_text='second'))
        assert ask(model, stream=True) == 'second'


def test_an_answer_that_is_not_a_response_is_an_error_of_both_kinds() -> None:
    with Wire(RUBBISH['page']) as wire, pytest.raises(InvalidModelResponse) as caught:
        ask(chat_model(wire))
    error = caught.value
    assert isinstance(error, ModelAPIError) and isinstance(error, UnexpectedModelBehavior)
    assert (error.model_name, error.body) == ('gpt-4o', '<html>down</html>')


def test_an_invalid_output_is_no_reason_to_ask_another_model() -> None:
    with Wire(completion()) as wire:
        calls: list[str] = []

        def refuse(text: str) -> str:
            from stead import ModelRetry

            calls.append(text)
            raise ModelRetry('no')

        with pytest.raises(UnexpectedModelBehavior) as caught:
            ask(FallbackModel(chat_model(wire), TestModel()), output_type=refuse)
    assert not isinstance(caught.value, ModelAPIError)


LOOP: dict[str, Any] = {}
LOOP['self'] = LOOP
UNSENDABLE: dict[str, dict[str, Any]] = {
    'header': {'extra_headers': {'x-a': 5}},
    'no header': {'extra_headers': {'x-a': None}},
    'lines in a header': {'extra_headers': {'x-a': 'a\nb'}},
    'negative timeout': {'timeout': -1},
    'timeout that is no number': {'timeout': math.nan},
    'limit': {'max_tokens': 'many'},
    'stop': {'stop_sequences': [None]},
    'body that holds itself': {'extra_body': LOOP},
}


@STREAMED
@pytest.mark.parametrize('vendor', MODELS)
def test_settings_that_cannot_be_sent_are_the_callers(vendor: str, stream: bool) -> None:
    with Wire(ANSWERS[vendor]) as wire:
        for settings in UNSENDABLE.values():
            with pytest.raises(UserError):
                model = FallbackModel(MODELS[vendor](wire), TestModel())
                ask(model, stream=stream, model_settings=settings)
        assert wire.requests == []


@STREAMED
@pytest.mark.parametrize('body', [{'no_such_argument': 1}, {1: 2}], ids=['unknown', 'not a name'])
def test_an_argument_that_the_client_of_outlines_does_not_take_is_the_callers(body: Any, stream: bool) -> None:
    with Wire(ANSWERS['outlines']('x')) as wire:
        with pytest.raises(UserError, match='keyword'):
            model = FallbackModel(BOTH_WAYS['outlines'](wire), TestModel())
            ask(model, stream=stream, model_settings={'extra_body': body})
        assert wire.requests == []


@STREAMED
@pytest.mark.parametrize('vendor', BOTH_WAYS)
def test_another_model_is_asked_if_nobody_listens(vendor: str, stream: bool) -> None:
    second = TestModel(custom_output_text='second')
    model = FallbackModel(BOTH_WAYS[vendor](f'http://127.0.0.1:{free_port()}'), second)
    assert ask(model, stream=stream) == 'second'


NO_RESPONSE: dict[str, Reply] = {
    'nothing': as_json(None),
    'list': as_json([]),
    'text': as_json('down'),
    'not UTF-8': Reply(pieces=[b'{"id": "\xff']),
    'no choice': as_json({'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'choices': []}),
    'other types': as_json({'id': 1, 'choices': 'no', 'content': 5, 'candidates': 7, 'output': 3, 'message': 4}),
}


@STREAMED
@pytest.mark.parametrize('vendor', BOTH_WAYS)
def test_another_model_is_asked_after_json_that_is_not_a_response(vendor: str, stream: bool) -> None:
    if vendor == 'outlines' and stream:
        pytest.skip('its client reads no events from JSON')
    for reply in NO_RESPONSE.values():
        with Wire(reply) as wire:
            model = FallbackModel(BOTH_WAYS[vendor](wire), TestModel(custom_output_text='second'))
            assert ask(model, stream=stream) == 'second'


@pytest.mark.parametrize('vendor', MODELS)
def test_a_text_that_no_encoding_knows_is_not_an_invalid_answer(vendor: str) -> None:
    with Wire(ANSWERS[vendor]) as wire:
        try:
            assert ask(
                MODELS[vendor](wire), model_settings={'stop_sequences': ['\ud83d'], 'extra_headers': {'x-a': 'é☃'}}
            )
        except UserError:
            pass
