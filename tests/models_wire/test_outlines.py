"""An agent on a model of Outlines: one in this process, which is a substitute, and one on a server."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from io import BytesIO
from types import ModuleType
from typing import Any

import httpx
import pytest
from _outlines_cases import chunk, completion
from _wire import Reply, Reset, Wire, as_json, as_sse, free_port
from kit_outputs import City

from stead import Agent, ModelSettings, NativeOutput, UserError
from stead.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from stead.messages import BinaryContent, ModelRequest, TextPart, ThinkingPart
from stead.models import ModelRequestParameters, infer_model
from stead.models.outlines import OutlinesModel
from stead.providers import PydanticAIDeprecationWarning, infer_provider, infer_provider_class
from stead.providers.outlines import OutlinesProvider

models = pytest.importorskip('outlines.models', reason='the package outlines is not installed')
pytest.importorskip('openai', reason='the SDK openai is not installed')
pytestmark = pytest.mark.filterwarnings('ignore::stead._kit.warnings.PydanticAIDeprecationWarning')
HELLO = [ModelRequest.user_text_prompt('hi')]
PARAMS = ModelRequestParameters()


class Local(models.SGLang):
    """A model in this process: it has no client."""

    def __init__(self, answer: Any = 'hi', pieces: Callable[[], Iterator[str]] = lambda: iter(())) -> None:
        self.answer, self.pieces = answer, pieces
        self.inputs: list[Any] = []

    def generate(self, model_input: Any, output_type: Any = None, **arguments: Any) -> Any:
        self.inputs.append((model_input.messages, output_type, arguments))
        return self.answer() if callable(self.answer) else self.answer

    def generate_stream(self, model_input: Any, output_type: Any = None, **arguments: Any) -> Iterator[str]:
        self.inputs.append((model_input.messages, output_type, arguments))
        return self.pieces()


class Transformers(Local):
    """A substitute for a model that transformers runs, which the backend is known by."""


@pytest.mark.parametrize(
    ('settings', 'arguments'),
    [
        ({'max_tokens': 5}, {'max_new_tokens': 5}),
        ({'temperature': 0.5}, {'temperature': 0.5, 'do_sample': True}),
        ({'temperature': 0}, {'do_sample': False}),
        ({'top_p': 0.5, 'extra_body': {'do_sample': False}}, {'top_p': 0.5, 'do_sample': False}),
        ({'logit_bias': {'40': 3}}, {'sequence_bias': {(40,): 3.0}}),
    ],
)
def test_settings_have_the_names_of_the_backend(settings: Any, arguments: Any) -> None:
    local = Transformers('hello')
    Agent(OutlinesModel(local), model_settings=settings).run_sync('hi')
    assert local.inputs[0][2] == arguments


def server_model(wire: Wire | str) -> Any:
    model = OutlinesModel.from_sglang(wire if isinstance(wire, str) else wire.url, 'sk-secret-of-ours', 'm')
    model.model.client.max_retries = 0
    return model


async def streamed(model: Any) -> list[Any]:
    async with model.request_stream(HELLO, None, PARAMS) as response:
        async for _ in response:
            pass
        return response.get().parts


def test_a_model_in_this_process_answers_in_a_thread() -> None:
    local = Local(lambda: threading.current_thread().name)
    agent = Agent(OutlinesModel(local), instructions='Be brief.', model_settings=ModelSettings(max_tokens=5, seed=1))
    result = agent.run_sync('hi')
    assert result.output != threading.main_thread().name
    chat = [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'hi'}]
    assert local.inputs == [(chat, None, {'max_tokens': 5})]
    assert (result.response.model_name, result.response.provider_name) == ('outlines-model', 'outlines')


@pytest.mark.parametrize('output_type', [City, NativeOutput(City)])
def test_output_is_held_to_a_schema(output_type: Any) -> None:
    local = Local('{"name": "Bonn", "people": 330000}')
    assert Agent(OutlinesModel(local), output_type=output_type).run_sync('Bonn?').output.people == 330_000
    assert '"people"' in local.inputs[0][1].schema


def test_streams_of_a_model_in_this_process() -> None:
    local = Local(pieces=lambda: iter(['<think>', 'hm', '</think>', 'he', 'llo']))

    async def main() -> None:
        assert await streamed(OutlinesModel(local)) == [ThinkingPart('hm'), TextPart('hello')]
        with pytest.raises(UnexpectedModelBehavior, match='empty'):
            await streamed(OutlinesModel(Local()))

    asyncio.run(main())


@pytest.mark.parametrize('cancels', [False, True], ids=['left', 'cancelled'])
def test_a_model_stops_when_its_reader_does(cancels: bool) -> None:
    more, stopped = threading.Event(), threading.Event()

    def pieces() -> Iterator[str]:
        try:
            yield 'a'
            while more.wait(20):
                yield 'b'
        finally:
            stopped.set()

    async def main() -> None:
        model = OutlinesModel(Local(pieces=pieces))
        async with model.request_stream(HELLO, None, PARAMS) as response:
            events = aiter_of(response)
            await events.__anext__()
            if cancels:
                waits = asyncio.ensure_future(read(events))
                await asyncio.sleep(0)
                await response.cancel()
                await waits
        more.set()
        assert await asyncio.to_thread(stopped.wait, 20)

    def aiter_of(response: Any) -> Any:
        return response.__aiter__()

    async def read(events: Any) -> None:
        async for _ in events:
            pass

    asyncio.run(main())


class Halting(httpx.AsyncByteStream):
    """An answer that halts after its first piece, and that takes some turns of the loop to close."""

    closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield as_sse([chunk('hel')], done=False).pieces[0]
        await asyncio.sleep(60)

    async def aclose(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        self.closed = True


def test_a_stream_that_is_cancelled_closes_its_connection() -> None:
    body = Halting()
    transport = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={'content-type': 'text/event-stream'}, stream=body)
    )

    async def main() -> None:
        model = server_model('http://127.0.0.1:1')
        async with httpx.AsyncClient(transport=transport) as client:
            model.model.client = model.model.client.with_options(http_client=client)
            async with model.request_stream(HELLO, None, PARAMS) as response:
                async for _ in response:
                    cancelling = asyncio.ensure_future(response.cancel())
            await cancelling
        assert body.closed

    asyncio.run(main())


def test_a_model_does_one_thing_at_a_time() -> None:
    going: list[int] = []
    most: list[int] = []

    def answer() -> str:
        going.append(1)
        most.append(len(going))
        threading.Event().wait(0.01)
        going.pop()
        return 'hi'

    async def main() -> None:
        agent = Agent(OutlinesModel(Local(answer)))
        await asyncio.gather(*(agent.run('hi') for _ in range(4)))

    asyncio.run(main())
    assert max(most) == 1


def test_errors_of_a_model_in_this_process_are_its_own() -> None:
    def fail() -> str:
        raise ValueError('out of memory')

    with pytest.raises(ValueError, match='out of memory'):
        Agent(OutlinesModel(Local(fail))).run_sync('hi')
    with pytest.raises(UnexpectedModelBehavior, match='not one text'):
        Agent(OutlinesModel(Local(['a', 'b']))).run_sync('hi')


class LlamaCpp(Local):
    """A substitute for a model that llama.cpp runs, which the backend is known by."""


def test_an_output_is_not_left_to_chance_where_its_decoder_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'numba', None)
    local = LlamaCpp('{"name": "Bonn", "people": 3}')
    with pytest.raises(ImportError, match=r'outlines\[llamacpp\]'):
        Agent(OutlinesModel(local), output_type=City).run_sync('hi')
    assert Agent(OutlinesModel(local)).run_sync('hi').output == local.answer
    monkeypatch.setitem(sys.modules, 'numba', ModuleType('numba'))
    assert Agent(OutlinesModel(local), output_type=City).run_sync('hi').output.people == 3
    assert len(local.inputs) == 2


def test_what_outlines_cannot_do() -> None:
    agent = Agent(OutlinesModel(Local()))
    agent.tool_plain(lambda x: x, name='same')  # type: ignore[call-overload]
    with pytest.raises(UserError, match='tools'):
        agent.run_sync('hi')
    with pytest.raises(UserError, match='takes no application/pdf'):
        Agent(OutlinesModel(Local())).run_sync([BinaryContent(b'%PDF', media_type='application/pdf')])
    with pytest.raises(UserError, match='cannot be read'):
        Agent(OutlinesModel(Local())).run_sync([BinaryContent(b'no', media_type='image/png')])


def test_images_are_sent() -> None:
    image = pytest.importorskip('PIL.Image')
    image.new('RGB', (1, 1)).save(buffer := BytesIO(), 'PNG')
    local = Local()
    Agent(OutlinesModel(local)).run_sync(['see', BinaryContent(buffer.getvalue(), media_type='image/png')])
    text, sent = local.inputs[0][0][0]['content']
    assert (text, sent.image_format) == ('see', 'image/png')


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_faults_of_a_server_are_errors_with_a_name(stream: bool) -> None:
    def run(model: Any) -> Any:
        return asyncio.run(streamed(model) if stream else model.request(HELLO, None, PARAMS))

    with Wire(as_json({'error': {'message': 'bad key: sk-secret-of-ours'}}, 429, {'retry-after': '3'})) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            run(server_model(wire))
    assert (caught.value.status_code, caught.value.retry_after) == (429, 3)
    assert 'sk-secret' not in str(caught.value)
    with pytest.raises(ModelAPIError, match='connection'):
        run(server_model(f'http://127.0.0.1:{free_port()}'))
    with Wire(Reply(pieces=[Reset()])) as wire, pytest.raises(ModelAPIError):
        run(server_model(wire))
    if not stream:
        for reply in (Reply(pieces=[b'not json']), completion(None), as_json({'choices': []})):
            with Wire(reply) as wire, pytest.raises((UnexpectedModelBehavior, ModelAPIError)):
                run(server_model(wire))


def test_a_stream_of_a_server_that_breaks() -> None:
    reply = as_sse([chunk('a'), Reset()], done=False)
    with Wire(reply) as wire, pytest.raises(ModelAPIError):
        asyncio.run(streamed(server_model(wire)))


SETTINGS: Any = {'max_tokens': 5, 'top_p': 0.2, 'top_k': 3, 'seed': 4, 'logit_bias': {'1': 2}, 'extra_body': {'a': 1}}


@pytest.mark.parametrize(
    ('kind', 'names'),
    [
        ('LlamaCpp', 'max_tokens top_p seed logit_bias a'),
        ('MLXLM', 'a'),
        ('Transformers', 'max_tokens top_p logit_bias a'),
        ('SGLang', 'max_tokens top_p a'),
        ('OpenAI', 'max_tokens top_p top_k seed logit_bias a'),
    ],
)
def test_backends_get_the_settings_that_they_have(kind: str, names: str) -> None:
    cls = getattr(models, kind)
    model = OutlinesModel(cls.__new__(cls))
    assert sorted(model.format_inference_kwargs(SETTINGS)) == sorted(names.split())
    assert model.format_inference_kwargs(None) == {}


@pytest.mark.parametrize(
    ('method', 'count', 'package', 'install'),
    [
        ('from_transformers', 2, 'transformers', 'outlines[transformers]'),
        ('from_llamacpp', 1, 'llama_cpp', 'outlines[llamacpp]'),
        ('from_mlxlm', 2, 'mlx_lm', 'outlines[mlxlm]'),
        ('from_vllm_offline', 1, 'vllm', 'vllm'),
    ],
)
def test_a_missing_backend_says_what_to_install(
    method: str, count: int, package: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name, *rest: None if name == package else find(name, *rest))
    with pytest.raises(ImportError) as caught:
        getattr(OutlinesModel, method)(*[object()] * count)
    assert f'{package!r}' in str(caught.value)
    assert f'pip install "{install}"' in str(caught.value)


@pytest.mark.filterwarnings('default')
def test_the_names_are_deprecated() -> None:
    with pytest.warns(PydanticAIDeprecationWarning, match='OutlinesModel') as caught:
        OutlinesModel(Local())
        OutlinesModel.from_sglang('http://localhost:1')
    assert [item.filename for item in caught] == [__file__, __file__]
    with pytest.warns(PydanticAIDeprecationWarning, match='OutlinesProvider'):
        provider = infer_provider('outlines')
    assert (repr(provider), provider.name, infer_provider_class('outlines')) == (
        'OutlinesProvider()',
        'outlines',
        OutlinesProvider,
    )
    profile = OutlinesProvider.model_profile('x')
    assert profile is not None
    assert (profile.supports_tools, profile.default_structured_output_mode) == (False, 'native')
    for name in ('base_url', 'client'):
        with pytest.raises(NotImplementedError):
            getattr(provider, name)
    with pytest.warns(PydanticAIDeprecationWarning, match='OutlinesProvider'):
        with pytest.raises(UserError, match='OutlinesModel'):
            infer_model('outlines:x')
