"""Requests to a local model: what comes back, whole and streamed, and what goes wrong. The weights are noise."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, IncompleteToolCall, NativeOutput, PromptedOutput, ToolOutput
from stead.exceptions import UnexpectedModelBehavior, UserError
from stead.messages import ModelMessage, ModelRequest, TextPart, ThinkingPart, ToolCallPart
from stead.models import ModelRequestParameters, override_allow_model_requests
from stead.models.llamacpp import ContextOverflow, EngineError, LlamaCppModel
from stead.models.llamacpp._stream import Fold

from .kit import asking, needs_engine, respond, tool
from .tiny import tiny_model

pytestmark = needs_engine

ANY = {'type': 'object', 'properties': {'a': {'type': 'string'}, 'b': {'type': 'integer'}}, 'required': ['a', 'b']}
CHATML = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}<|me|>{% endif %}"


class City(BaseModel):
    """A city."""

    name: str
    size: int


def test_text_is_trimmed_and_counted(tiny: LlamaCppModel) -> None:
    response = asyncio.run(respond(tiny, 'Hello', max_tokens=20))
    [part] = response.parts
    assert isinstance(part, TextPart)
    assert part.content == part.content.strip() != ''
    assert response.usage.input_tokens > 10
    assert (response.usage.output_tokens, response.finish_reason) == (20, 'length')
    assert (response.model_name, response.provider_name) == ('tiny', 'local')
    assert response.provider_response_id


def test_settings_that_are_none_are_the_defaults(tiny: LlamaCppModel) -> None:
    nothing: dict[str, Any] = {'max_tokens': None, 'temperature': None, 'llamacpp_cache_prompt': None}
    response = asyncio.run(respond(tiny, 'Go', extra_body={'ignore_eos': True, 'stop': []}, **nothing))
    assert (response.usage.output_tokens, response.finish_reason) == (1024, 'length')


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('max_tokens', 0),
        ('max_tokens', '5'),
        ('temperature', 'hot'),
        ('temperature', float('nan')),
        ('seed', 2**70),
        ('top_p', 2),
        ('stop_sequences', 'abc'),
        ('stop_sequences', ['']),
        ('timeout', '5'),
        ('timeout', -1),
        ('extra_body', 'x'),
        ('llamacpp_max_string', 'a'),
        ('llamacpp_max_items', True),
    ],
)
def test_settings_that_the_engine_would_misread_are_errors(tiny: LlamaCppModel, name: str, value: Any) -> None:
    with pytest.raises(UserError, match=f"The setting `{name}` of the local model 'tiny' must be .*, not "):
        asyncio.run(respond(tiny, 'Go', **{name: value}))


@pytest.mark.parametrize('wrapper', [ToolOutput, NativeOutput, PromptedOutput])
def test_every_output_mode_holds(tiny: LlamaCppModel, wrapper: Any) -> None:
    agent = Agent(tiny, output_type=wrapper(City))
    for seed in range(10):
        assert isinstance(agent.run_sync('Go', model_settings={'seed': seed}).output, City)


def test_native_output_beside_tools(tiny: LlamaCppModel) -> None:
    agent = Agent(tiny, output_type=NativeOutput(City), model_settings={'parallel_tool_calls': True})
    called: list[int] = []

    @agent.tool_plain
    def note(number: int) -> str:
        """Note a number."""
        called.append(number)
        return 'noted'

    results = [agent.run_sync('Go', model_settings={'seed': seed}).output for seed in range(8)]
    assert all(isinstance(result, City) for result in results)
    assert called


def test_several_calls_in_a_response(tiny: LlamaCppModel) -> None:
    params = asking(tool('one', ANY), tool('two', ANY))
    settings = {'parallel_tool_calls': True, 'tool_choice': 'required', 'llamacpp_max_calls': 3}
    counts: set[int] = set()
    for seed in range(20):
        parts = asyncio.run(respond(tiny, 'Go', params, seed=seed, **settings)).parts
        assert all(isinstance(part, ToolCallPart) and part.args_as_dict(raise_if_invalid=True) for part in parts)
        assert len({part.tool_call_id for part in parts if isinstance(part, ToolCallPart)}) == len(parts)
        counts.add(len(parts))
    assert counts <= {1, 2, 3}
    assert len(counts) > 1


async def streamed(model: Any, params: ModelRequestParameters, **settings: Any) -> tuple[list[Any], Any]:
    messages: list[ModelMessage] = [ModelRequest.user_text_prompt('Go')]
    async with model.request_stream(messages, settings, params) as stream:
        events = [event async for event in stream]
    return events, stream.get()


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('structured', [True, False])
def test_a_stream_comes_to_the_same(tiny: LlamaCppModel, seed: int, structured: bool) -> None:
    params = asking(tool('one', ANY), tool('two', ANY)) if structured else ModelRequestParameters()
    settings = {'seed': seed, 'max_tokens': 400, 'llamacpp_cache_prompt': False}
    whole = asyncio.run(respond(tiny, 'Go', params, **settings))
    events, response = asyncio.run(streamed(tiny, params, **settings))
    assert [(type(part), getattr(part, 'content', None), getattr(part, 'args', None)) for part in response.parts] == [
        (type(part), getattr(part, 'content', None), getattr(part, 'args', None)) for part in whole.parts
    ]
    assert (response.finish_reason, response.usage) == (whole.finish_reason, whole.usage)
    assert response.state == 'complete'
    assert len(events) >= 3 * len(response.parts)


def test_arguments_stream_piece_by_piece(tiny: LlamaCppModel) -> None:
    params = asking(tool('one', ANY), allow_text_output=False)
    events, response = asyncio.run(streamed(tiny, params, seed=1))
    [call] = response.parts
    pieces = [event.delta.args_delta for event in events if event.event_kind == 'part_delta']
    assert ''.join(pieces) == call.args
    assert len(pieces) > 3


def test_the_same_seed_says_the_same(tiny: LlamaCppModel) -> None:
    params = asking(tool('one', ANY))
    answers = [
        asyncio.run(respond(tiny, 'Go', params, seed=seed, llamacpp_cache_prompt=False)).parts for seed in (3, 3, 4)
    ]
    texts = [[getattr(part, 'args', None) or getattr(part, 'content', None) for part in parts] for parts in answers]
    assert texts[0] == texts[1] != texts[2]


def test_a_call_that_is_cut_is_an_incomplete_call(tiny: LlamaCppModel) -> None:
    agent = Agent(tiny, output_type=City, model_settings={'max_tokens': 30}, retries=0)
    with pytest.raises(IncompleteToolCall, match=r'token limit \(30\)'):
        agent.run_sync('Go')


def test_what_is_cut_before_it_says_anything_is_an_error(tiny: LlamaCppModel) -> None:
    agent = Agent(tiny, output_type=City, model_settings={'max_tokens': 3}, retries=0)
    with pytest.raises(UnexpectedModelBehavior, match=r'token limit \(3\)'):
        agent.run_sync('Go')


def test_an_answer_that_is_cut_is_what_there_is(tiny: LlamaCppModel) -> None:
    params = asking(tool('one', ANY))
    response = asyncio.run(respond(tiny, 'Go', params, tool_choice='none', max_tokens=6))
    assert (response.finish_reason, len(response.parts)) == ('length', 1)


@pytest.mark.parametrize('structured', [True, False])
def test_stop_sequences_are_about_the_text_only(tiny: LlamaCppModel, structured: bool) -> None:
    params = asking(tool('one', ANY), output_tools=[]) if structured else ModelRequestParameters()
    letters = ['a', 'e', 'o', 't', '"', ':']
    ended = 0
    for seed in range(12):
        response = asyncio.run(respond(tiny, 'Go', params, seed=seed, stop_sequences=letters, max_tokens=600))
        for part in response.parts:
            if isinstance(part, TextPart):
                assert not any(letter in part.content for letter in letters)
            else:
                assert isinstance(part, ToolCallPart)
                assert part.args_as_dict(raise_if_invalid=True)
        if all(isinstance(part, TextPart) for part in response.parts) and response.finish_reason == 'stop':
            ended += 1
            assert response.usage.output_tokens > 0
    assert ended


def test_a_prompt_that_is_too_long_is_an_error(tiny_file: Path) -> None:
    model = LlamaCppModel(str(tiny_file), threads=1, context_size=512)
    with pytest.raises(ContextOverflow, match=r"the context of 'tiny' is 512 tokens long.*context_size=8192") as caught:
        Agent(model).run_sync('long ' * 1000)
    assert (caught.value.context_size, caught.value.model_name) == (512, 'tiny')
    assert caught.value.tokens > 5000


def test_the_context_is_no_longer_than_the_model_knows(tmp_path: Path) -> None:
    model = LlamaCppModel(str(tiny_model(tmp_path / 'short.gguf', context=300)), threads=1)
    with pytest.raises(ContextOverflow, match='300 tokens|is 512 tokens|is 3.. tokens'):
        Agent(model).run_sync('long ' * 1000)


def test_text_of_all_kinds_comes_through(tiny: LlamaCppModel) -> None:
    prompt = '日本 \x00\x07 \ud83d <eos> </s> "\\" é🙂 ' + 'x' * 5000
    assert asyncio.run(respond(tiny, prompt, max_tokens=3)).usage.input_tokens > 5000


def test_three_hundred_tools(tmp_path: Path) -> None:
    tools = [tool(f'tool_{number}', ANY) for number in range(300)]
    file = tiny_model(tmp_path / 'long.gguf', context=16384)
    response = asyncio.run(respond(LlamaCppModel(str(file), threads=1, context_size=16384), 'Go', asking(*tools)))
    [part] = response.parts
    assert isinstance(part, TextPart) or part.tool_name in {definition.name for definition in tools}


def test_tokens_are_counted_as_the_request_will_cost(tiny: LlamaCppModel) -> None:
    async def both() -> tuple[int, int]:
        messages: list[ModelMessage] = [ModelRequest.user_text_prompt('How long is this?')]
        params = asking(tool('one', ANY))
        counted = await tiny.count_tokens(messages, None, params)
        again = await tiny.count_tokens(messages, None, params)
        assert counted == again
        return counted.input_tokens, (await tiny.request(messages, None, params)).usage.input_tokens

    counted, cost = asyncio.run(both())
    assert counted == cost > 20


def test_a_request_may_take_too_long(tiny: LlamaCppModel) -> None:
    with pytest.raises(EngineError, match=r'took longer than the 0\.05 seconds of the setting `timeout`'):
        asyncio.run(respond(tiny, 'long ' * 1500, timeout=0.05, max_tokens=8000, extra_body={'ignore_eos': True}))


def test_requests_may_be_forbidden(tiny: LlamaCppModel) -> None:
    with override_allow_model_requests(False), pytest.raises(RuntimeError, match='not allowed'):
        asyncio.run(respond(tiny, 'Hello'))


@pytest.mark.parametrize('has_template', [True, False], ids=['option', 'file'])
def test_a_chat_template_makes_a_conversation(tmp_path: Path, has_template: bool) -> None:
    file = tiny_model(tmp_path / 'chat.gguf', chat_template=None if has_template else CHATML)
    model = LlamaCppModel(
        str(file), threads=1, chat_template=CHATML if has_template else None, settings={'temperature': 2.0}
    )
    agent = Agent(model, instructions='Be kind.', output_type=City)
    for seed in range(5):
        assert isinstance(agent.run_sync('Go', model_settings={'seed': seed}).output, City)
    response = asyncio.run(respond(model, 'Hello', max_tokens=10, seed=1))
    assert [part.part_kind for part in response.parts] == ['text']


def test_json_is_not_mistaken_for_thinking(tmp_path: Path) -> None:
    thinks = CHATML.replace('<|me|>', '<|me|><think>')
    model = LlamaCppModel(str(tiny_model(tmp_path / 'thinks.gguf', chat_template=thinks)), threads=1)
    assert isinstance(Agent(model, output_type=City).run_sync('Go').output, City)


def test_thinking_is_kept_apart(tiny: LlamaCppModel) -> None:
    from stead.models._streaming.parts import ModelResponsePartsManager
    from stead.models.llamacpp._response_format import response_format_of

    params = ModelRequestParameters()
    fold = Fold(ModelResponsePartsManager(params), response_format_of(params, {}, 'm'), 'm')
    for delta in ({'reasoning_content': 'Hm'}, {'reasoning_content': '.'}, {'content': ' Yes'}, {'content': '. '}):
        assert list(fold.feed({'choices': [{'delta': delta}]}))
    assert fold.manager.get_parts() == [ThinkingPart('Hm.'), TextPart('Yes.')]


def folded(pieces: list[str], *, tools: bool = False, stop_loops: bool = True) -> Fold:
    """Return what pieces of a response add up to, read until the decoder would be stopped."""
    from stead.models._streaming.parts import ModelResponsePartsManager
    from stead.models.llamacpp._response_format import response_format_of

    params = asking(tool('one', ANY)) if tools else ModelRequestParameters()
    fold = Fold(ModelResponsePartsManager(params), response_format_of(params, {}, 'm'), 'm', stop_loops=stop_loops)
    for piece in pieces:
        list(fold.feed({'choices': [{'text': piece}]}))
        if fold.stopped:
            break
    else:
        list(fold.feed({'choices': [{'text': '', 'finish_reason': 'length'}]}))
    fold.end()
    return fold


@pytest.mark.parametrize('tools', [False, True], ids=['text', 'among tools'])
@pytest.mark.parametrize(
    'passage', ['It is a city in Europe. ', 'a', 'Sea, sky and sand, all of it blue and wide. ' * 3 + 'End. ']
)
def test_a_text_that_goes_round_in_circles_is_ended(passage: str, tools: bool) -> None:
    intro = 'Oslo is in Norway. '
    text = intro + passage * (2000 // len(passage))
    fold = folded(['{"answer": "' if tools else '', *(text[at : at + 5] for at in range(0, len(text), 5))], tools=tools)
    assert (fold.finish_reason, fold.details) == ('stop', {'finish_reason': 'repetition'})
    [part] = fold.manager.get_parts()
    assert isinstance(part, TextPart)
    assert text.startswith(part.content)
    most = len(intro) + max(4 * len(passage), 200) + 40
    assert 200 < len(part.content) <= most
    assert folded([text], stop_loops=False).finish_reason == 'length'


@pytest.mark.parametrize(
    'text',
    [
        'On and on. ' * 15,
        '\n'.join(f'{number}. Fruit' for number in range(100)),
        f'| a | b |\n|{"-" * 90}|{"-" * 90}|\n' + '| 1 | 2 |\n' * 12,
        'A passage of some length, such as the refrain of a song that comes again, and comes again. ' * 3 + 'End.',
    ],
)
def test_a_text_may_repeat_itself_a_little(text: str) -> None:
    fold = folded([text[at : at + 3] for at in range(0, len(text), 3)])
    assert (fold.finish_reason, fold.details) == ('length', {'finish_reason': 'length'})


def test_json_goes_on_to_its_end() -> None:
    pieces = ['{"tool": "one", "arguments": {"a": "', *['ha ha '] * 100, '", "b": 1}}']
    fold = folded(pieces, tools=True)
    [part] = fold.manager.get_parts()
    assert isinstance(part, ToolCallPart)
    assert part.args_as_dict()['a'] == 'ha ha ' * 100


@pytest.mark.parametrize(
    ('piece', 'error', 'text'),
    [
        ({'choices': [{'text': 'Sure: {'}]}, UnexpectedModelBehavior, r"grammar that was made of the tools \['one'\]"),
        ({'choices': [{'text': '{"tool": "one"', 'finish_reason': 'stop'}]}, UnexpectedModelBehavior, 'not complete'),
        ({'choices': [{'text': '{"tool": "one"'}]}, EngineError, 'broke off its answer'),
    ],
)
def test_a_decoder_that_does_not_keep_to_the_grammar(piece: dict[str, Any], error: type[Exception], text: str) -> None:
    from stead.models._streaming.parts import ModelResponsePartsManager
    from stead.models.llamacpp._response_format import response_format_of

    params = asking(tool('one', ANY))
    fold = Fold(ModelResponsePartsManager(params), response_format_of(params, {}, 'm'), 'm')
    with pytest.raises(error, match=text):
        list(fold.feed(piece))
        fold.end()


def test_what_the_engine_refuses_is_an_error(tiny: LlamaCppModel) -> None:
    with pytest.raises(EngineError, match="The engine of 'tiny' reports: .*grammar"):
        asyncio.run(respond(tiny, 'Go', extra_body={'grammar': 'root ::= ('}))


def test_a_run_with_tools_and_history(tiny: LlamaCppModel) -> None:
    agent = Agent(tiny, output_type=[City, str])

    @agent.tool_plain
    def weather(city: str) -> dict[str, str]:
        """Tell the weather."""
        return {'city': city}

    history: list[ModelMessage] = []
    for seed in range(4):
        result = agent.run_sync('Go', message_history=history, model_settings={'seed': seed})
        history = result.all_messages()
        json.loads(result.all_messages_json())
        assert isinstance(result.output, (City, str))
