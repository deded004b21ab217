"""Cassettes: what is recorded, what is answered from the recording, and what a miss says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Union

import pytest
from pydantic import Field

from stead import Agent, ModelRetry, ModelSettings, NativeOutput, PromptedOutput, Tool, UserError
from stead.capabilities import Capability
from stead.messages import ModelMessage, ModelResponse, PartDeltaEvent, TextPart, TextPartDelta, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.testing import CassetteError, CassetteMiss, ScriptedModel, call, cassette, say
from stead.toolsets import FunctionToolset

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def silent(name: str = 'silent') -> ScriptedModel:
    """A model that must not be asked."""
    return ScriptedModel([], model_name=name)


def desk(model: Any, find: Callable[..., Any] | None = None, **options: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(model, **{'instructions': 'You are a desk.', **options})

    def lamps(order: str) -> str:
        """Find an order."""
        return f'{order}: two lamps'

    agent.tool_plain(name='find')(find or lamps)
    return agent


SCRIPT = [call('find', order='A-17'), say('Two lamps, on their way.')]


def recorded(path: Path, model: Any = None, prompt: str = 'Where is A-17?', **options: Any) -> Path:
    with cassette(path, mode='record', **options):
        desk(model or ScriptedModel(SCRIPT)).run_sync(prompt)
    return path


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return recorded(tmp_path / 'a' / 'refund.jsonl')


def test_a_run_is_answered_from_the_recording(tape: Path) -> None:
    before = tape.read_text()
    with cassette(tape, mode='replay') as opened:
        for _ in range(2):
            result = desk(silent()).run_sync('Where is A-17?')
            assert result.output == 'Two lamps, on their way.'
            assert result.usage.requests == 2 and result.usage.output_tokens > 0
    assert (opened.replayed, opened.recorded, tape.read_text()) == (4, 0, before)
    with pytest.raises(AssertionError, match='request after all 0 steps'):  # it is closed
        desk(silent()).run_sync('Where is A-17?')


async def test_streams_keep_their_pieces(tmp_path: Path) -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        if len(messages) > 1:
            for piece in ('Tw', 'o lam', 'ps'):
                yield piece
            return
        yield {0: DeltaToolCall('find', '{"ord', tool_call_id='c'), 1: DeltaToolCall('find', '{"o', tool_call_id='d')}
        yield {0: DeltaToolCall(json_args='er":"A"}')}
        yield {1: DeltaToolCall(json_args='rder":"B"}')}

    async def events(model: Any) -> list[Any]:
        async with desk(model).run_stream_events('Where?') as found:
            return [one async for one in found if one.event_kind in ('part_start', 'part_delta', 'part_end')]

    with cassette(tmp_path / 'c', mode='record'):
        first = await events(FunctionModel(stream_function=stream))
    with cassette(tmp_path / 'c', mode='replay'):
        assert await events(silent()) == first
        # The same recording answers a run that is not streamed, and streams what was not.
        assert (await desk(silent()).run('Where?')).output == 'Two lamps'
    recorded(tmp_path / 'd')
    with cassette(tmp_path / 'd', mode='replay'):
        async with desk(silent()).run_stream_events('Where is A-17?') as found:
            texts = [
                one.delta.content_delta
                async for one in found
                if isinstance(one, PartDeltaEvent) and isinstance(one.delta, TextPartDelta)
            ]
    assert texts == ['lamps, ', 'on ', 'their ', 'way.']


async def test_agents_in_tools_are_included(tmp_path: Path) -> None:
    def outer(model: Any, inner: Any) -> Agent[None, Any]:
        agent: Agent[None, Any] = Agent(model, name='outer')
        expert = Agent(inner, name='expert')

        @agent.tool_plain
        async def ask(question: str) -> str:
            return (await expert.run(question)).output

        return agent

    script = [[call('ask', question='one'), call('ask', question='two')], 'asked']
    with cassette(tmp_path / 'c', mode='record') as opened:
        await outer(ScriptedModel(script), ScriptedModel(['1', '2'])).run('go')
    assert opened.recorded == 4
    with cassette(tmp_path / 'c', mode='replay') as opened:
        result = await outer(silent(), silent()).run('go')
    assert opened.replayed == 4 and result.output == 'asked'
    returns = [
        part.content for message in result.all_messages() for part in message.parts if part.part_kind == 'tool-return'
    ]
    assert sorted(map(str, returns)) == ['1', '2']


def test_secrets_are_not_written(tmp_path: Path) -> None:
    secret = 'sk-abcdefghijklmnopqrstuvwxyz'

    def find(order: str) -> dict[str, str]:
        return {'order': order, 'api_key': 'swordfish', 'text': f'Bearer {secret}'}

    script = [call('find', order=secret), say(f'password=opensesame for {secret}')]
    with cassette(tmp_path / 'c', mode='record'):
        desk(ScriptedModel(script), find, model_settings={'extra_headers': {'x': 'hidden'}}).run_sync(f'Use {secret}')
    text = (tmp_path / 'c').read_text()
    assert not [word for word in (secret, 'swordfish', 'opensesame', 'hidden') if word in text]
    with cassette(tmp_path / 'c', mode='replay'):
        output = (
            desk(silent(), find, model_settings={'extra_headers': {'x': 'hidden'}}).run_sync(f'Use {secret}').output
        )
    assert output == 'password=•••••• for ••••••'


def test_secrets_that_are_lists_objects_or_numbers_are_not_written(tmp_path: Path) -> None:
    hidden = {
        'password': ['opensesame'],
        'token': {'value': 'opensesame', 'pin': 7310428},
        'sk-opensesame1234567890': 1,
        'api_key': 7310428,
    }

    def find(
        data: dict[str, Any], text: str, password: Annotated[str, Field(description='What it opens with.')] = ''
    ) -> object:
        return {
            'authorization': ['opensesame'],
            'passphrase': 7310428.5,
            'kept': {'token_count': ['3'], 'max_tokens': 4096},
        }

    settings: Any = {'extra_body': {'q': {'api_key': ['opensesame']}}}
    script = [
        call('find', data=hidden, text=json.dumps(hidden)),
        say(f'{json.dumps(hidden)} and {json.dumps({"x": json.dumps(hidden)})}, {hidden!r}'),
    ]
    for mode in ('record', 'replay'):
        with cassette(tmp_path / 'c', mode=mode):  # type: ignore[arg-type]
            desk(ScriptedModel(script) if mode == 'record' else silent(), find, model_settings=settings).run_sync('Go')
    text = (tmp_path / 'c').read_text()
    assert 'opensesame' not in text and '7310428' not in text
    assert 'What it opens with.' in text and 'token_count' in text and '4096' in text


def test_a_function_says_what_is_kept(tmp_path: Path) -> None:
    def scrub(text: str) -> str:
        return text.replace('2026-11-28', 'DAY').replace('2027-01-01', 'DAY')

    with cassette(tmp_path / 'c', mode='record', scrub=scrub):
        desk(ScriptedModel(['fine']), instructions='Today is 2026-11-28').run_sync('go')
    assert '2026' not in (tmp_path / 'c').read_text()
    with cassette(tmp_path / 'c', mode='replay', scrub=scrub):
        assert desk(silent(), instructions='Today is 2027-01-01').run_sync('go').output == 'fine'


def test_auto_records_from_the_first_difference(tape: Path) -> None:
    def three(order: str) -> str:
        """Find an order."""
        return 'three lamps'

    with cassette(tape) as opened:
        result = desk(ScriptedModel(['Three.']), three).run_sync('Where is A-17?')
    assert (result.output, opened.replayed, opened.recorded) == ('Three.', 1, 1)
    lines = [json.loads(line) for line in tape.read_text().splitlines()]
    responses = [line['response']['parts'][0] for line in lines if 'response' in line]
    assert [part.get('content') for part in responses] == [None, 'Three.']  # what it replaces is gone
    with cassette(tape, mode='replay'):
        assert desk(silent(), three).run_sync('Where is A-17?').output == 'Three.'


def test_auto_keeps_other_conversations(tape: Path) -> None:
    with cassette(tape):
        desk(ScriptedModel(['Nowhere.'])).run_sync('Where is B-18?')
    with cassette(tape, mode='replay'):
        assert desk(silent()).run_sync('Where is B-18?').output == 'Nowhere.'
        assert desk(silent()).run_sync('Where is A-17?').output == 'Two lamps, on their way.'


def test_a_failed_test_does_not_replace_a_recording(tape: Path) -> None:
    before = tape.read_text()
    with pytest.raises(ZeroDivisionError):
        with cassette(tape, mode='record'):
            desk(ScriptedModel(['Other.'])).run_sync('Where is A-17?')
            _ = 1 / 0
    assert tape.read_text() == before


def test_tools_are_answered_from_the_recording_if_that_is_wanted(tmp_path: Path) -> None:
    calls: list[str] = []

    def find(order: str) -> str:
        """Find an order."""
        calls.append(order)
        if len(calls) == 1:
            raise ModelRetry('Which one?')
        return 'two lamps'

    script = [call('find', order='A'), call('find', order='A-17'), 'Done.']
    with cassette(tmp_path / 'c', mode='record'):
        desk(ScriptedModel(script), find).run_sync('go')
    assert calls == ['A', 'A-17']
    for names in (True, ['find']):
        with cassette(tmp_path / 'c', mode='replay', replay_tools=names):
            assert desk(silent(), find).run_sync('go').output == 'Done.'
    assert calls == ['A', 'A-17']
    with (
        cassette(tmp_path / 'c', mode='replay', replay_tools=['other']),
        pytest.raises(CassetteMiss, match='message 3'),
    ):
        desk(silent(), find).run_sync('go')
    assert calls[2:] == ['A']


def test_files_and_modes_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'c').write_text('{"cassette": 1}\n{"number": 1}\n')
    (tmp_path / 'd').write_text('{"cassette": 99}\n')
    for name, text in (('c', 'Line 2 of .* is not of a cassette'), ('d', 'has format 99'), ('e', 'cannot be read')):
        with pytest.raises(CassetteError, match=text), cassette(tmp_path / name, mode='replay'):
            pass
    with pytest.raises(UserError, match='one of'):
        cassette(tmp_path / 'c', mode='play')  # type: ignore[arg-type]
    monkeypatch.setenv('STEAD_CASSETTES', 'replay')
    assert cassette(tmp_path / 'c').mode == 'replay'


# Fifty changes


def find_with_limit(order: str, limit: int = 3) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_by_number(order: int) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_described(order: str) -> str:
    """Find one order."""
    return f'{order}: two lamps'


def find_anything() -> str:
    """Find an order."""
    return 'two lamps'


def find_bounded(order: Annotated[str, Field(max_length=9)]) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_optional(order: str = 'A-17') -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_one_of(order: Literal['A-17', 'B-18']) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_explained(order: Annotated[str, Field(description='Its number.')]) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_several(order: Union[str, list[str]]) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def find_two(order: str, city: str = '', floor: int = 0) -> str:
    """Find an order."""
    return f'{order}: two lamps'


def other_result(order: str) -> str:
    """Find an order."""
    return f'{order}: three lamps'


def cancel(order: str) -> str:
    return 'done'


def pay(order: str) -> str:
    return 'paid'


class Settings(Capability[Any]):
    """Adds settings."""

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings

    def get_model_settings(self) -> ModelSettings:
        return self.settings


SETTINGS: list[tuple[ModelSettings, str]] = [
    ({'temperature': 0.5}, 'settings: `temperature` is new: 0.5'),
    ({'max_tokens': 9}, 'settings: `max_tokens` is new: 9'),
    ({'seed': 1}, 'settings: `seed` is new: 1'),
    ({'top_p': 0.1}, 'settings: `top_p` is new: 0.1'),
    ({'stop_sequences': ['x']}, "settings: `stop_sequences` is new: ['x']"),
    ({'parallel_tool_calls': False}, 'settings: `parallel_tool_calls` is new: False'),
]
CHANGES: list[tuple[dict[str, Any], str]] = [
    ({'instructions': f'You are a {word}.'}, f"instructions changed in part 1: 'You are a desk.' → 'You are a {word}.'")
    for word in ('clerk', 'robot', 'desk, and kind', 'Desk', 'd e s k', 'shop')
]
CHANGES += [
    ({'instructions': None}, "instructions lost part 1: 'You are a desk.'"),
    ({'instructions': ['You are a desk.', lambda: 'Be brief.']}, "instructions gained part 2: 'Be brief.'"),
    ({'find': find_with_limit}, 'tool `find` gained the parameter `limit`'),
    ({'find': find_anything}, 'tool `find` lost the parameter `order`'),
    ({'find': find_by_number}, "tool `find`, parameter `order`: `type` changed: 'string' → 'integer'"),
    ({'find': find_bounded}, 'tool `find`, parameter `order`: `maxLength` is new: 9'),
    ({'find': find_described}, "tool `find`: `description` changed: 'Find an order.' → 'Find one order.'"),
    ({'tools': [cancel]}, 'tool `cancel` is new'),
    ({'tools': [pay]}, 'tool `pay` is new'),
    ({'system_prompt': 'Hello.'}, 'message 1 gained the system prompt'),
    ({'output_type': int}, 'tool `final_result` is new'),
    ({'output_type': [int, str]}, 'tool `final_result` is new'),
    ({'output_type': bool}, "output: `mode` changed: 'text' → 'auto'"),
    ({'capabilities': [Capability(instructions='Be kind.')]}, 'instructions changed in part 1'),
    ({'capabilities': [Capability(tools=[cancel])]}, 'tool `cancel` is new'),
    ({'prompt': 'Where is B-18?'}, "message 1: the prompt: 'Where is A-17?' → 'Where is B-18?'"),
    ({'prompt': 'Where is A-17'}, "message 1: the prompt: 'Where is A-17?' → 'Where is A-17'"),
    ({'prompt': ['Where is A-17?', 'Now.']}, 'message 1: the prompt: '),
    ({'find': other_result}, "message 3: the result of `find`: 'A-17: two lamps' → 'A-17: three lamps'"),
]
CHANGES += [({'model_settings': settings}, text) for settings, text in SETTINGS]
CHANGES += [({'capabilities': [Settings(settings)]}, text) for settings, text in SETTINGS]
CHANGES += [
    ({'instructions': 'You are a desk. Be kind.'}, 'instructions changed in part 1'),
    ({'instructions': ['Be kind.', 'You are a desk.']}, 'instructions changed in part 1'),
    (
        {'find': find_optional},
        "tool `find`, parameter `order`: `default` is new: 'A-17' | tool `find`: `required` is gone",
    ),
    ({'find': find_one_of}, "tool `find`, parameter `order`: `enum` is new: ['A-17', 'B-18']"),
    ({'find': find_explained}, "tool `find`, parameter `order`: `description` is new: 'Its number.'"),
    (
        {'find': find_several},
        'tool `find`, parameter `order`: `type` is gone | tool `find`, parameter `order`: `anyOf` is new',
    ),
    ({'find': find_two}, 'tool `find` gained the parameter `city` | tool `find` gained the parameter `floor`'),
    ({'tools': [cancel, pay]}, 'tool `cancel` is new | tool `pay` is new'),
    ({'tools': [Tool(cancel, name='stop')]}, 'tool `stop` is new'),
    ({'tools': [Tool(cancel, strict=True)]}, 'tool `cancel` is new'),
    ({'output_type': NativeOutput(bool)}, "output: `mode` changed: 'text' → 'native'"),
    ({'output_type': PromptedOutput(bool)}, "output: `mode` changed: 'text' → 'prompted'"),
    ({'capabilities': [Capability(toolsets=[FunctionToolset([pay])])]}, 'tool `pay` is new'),
]


def test_fifty_changes_are_each_explained_by_the_part_that_changed(tape: Path) -> None:
    assert len(CHANGES) == 50
    for change, text in CHANGES:
        options = dict(change)
        prompt = options.pop('prompt', 'Where is A-17?')
        with cassette(tape, mode='replay'), pytest.raises(CassetteMiss) as caught:
            desk(silent(), options.pop('find', None), **options).run_sync(prompt)
        changes = [line[4:] for line in str(caught.value).splitlines() if line.startswith('  - ')]
        texts = text.split(' | ')
        assert all(any(line.startswith(one) for line in changes) for one in texts), (text, changes)
        assert len(changes) <= (3 if 'output_type' in change else len(texts)), (text, changes)


def test_the_order_of_tools_and_instructions_is_a_change(tmp_path: Path) -> None:
    with cassette(tmp_path / 'c', mode='record'):
        desk(ScriptedModel(['x']), tools=[cancel, pay], instructions=['a', lambda: 'b', lambda: 'c']).run_sync('go')
    with cassette(tmp_path / 'c', mode='replay'), pytest.raises(CassetteMiss) as caught:
        desk(silent(), tools=[pay, cancel], instructions=['a', lambda: 'c', lambda: 'b']).run_sync('go')
    text = str(caught.value)
    assert 'order of tools: cancel, pay, find → pay, cancel, find' in text
    assert 'instructions are in another order' in text


def test_calls_are_compared_by_their_place_and_not_by_their_ids(tmp_path: Path) -> None:
    def history() -> list[ModelMessage]:  # other ids each time
        return desk(ScriptedModel(SCRIPT)).run_sync('before').all_messages()

    first, second = history(), history()
    with cassette(tmp_path / 'c', mode='record'):
        desk(ScriptedModel(['fine'])).run_sync('go', message_history=first)
    with cassette(tmp_path / 'c', mode='replay'):
        assert desk(silent()).run_sync('go', message_history=second).output == 'fine'


def test_another_model_is_answered_too(tape: Path) -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('never'), ToolCallPart('find')])

    with cassette(tape, mode='replay'):
        result = desk(FunctionModel(answer, model_name='other')).run_sync('Where is A-17?')
    assert result.output == 'Two lamps, on their way.'


def test_the_fixture_records_beside_the_test(tmp_path: Path) -> None:
    from stead.testing import pytest_plugin

    (tmp_path / 'test_it.py').write_text(
        'import os, pytest\n'
        'from stead import Agent\n'
        'from stead.testing import ScriptedModel\n'
        'def ask():\n'
        "    return Agent(ScriptedModel(['fine'] if os.environ['ANSWERS'] else [])).run_sync('go').output\n"
        'def test_plain(cassette):\n'
        "    assert ask() == 'fine'\n"
        "@pytest.mark.cassette('own.jsonl')\n"
        "@pytest.mark.parametrize('x', ['a/b'])\n"
        'def test_marked(cassette, x):\n'
        "    assert ask() == 'fine'\n"
    )
    options = [
        str(tmp_path),
        '--strict-markers',
        '-p',
        'no:cacheprovider',
        '-p',
        'no:terminal',
        '--rootdir',
        str(tmp_path),
    ]
    with pytest.MonkeyPatch.context() as patch:
        for answers, mode, code in (('', 'replay', 1), ('x', 'record', 0), ('', 'replay', 0), ('', 'auto', 0)):
            patch.setenv('ANSWERS', answers)
            patch.setattr('sys.dont_write_bytecode', True)
            assert pytest.main([*options, '--cassettes', mode], plugins=[pytest_plugin]) == code
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob('*.jsonl'))
    assert found == ['cassettes/own.jsonl', 'cassettes/test_it/test_plain.jsonl']


def test_one_file_serves_other_vendors(tmp_path: Path) -> None:
    httpx, openai = pytest.importorskip('httpx'), pytest.importorskip('openai')
    pytest.importorskip('anthropic')
    pytest.importorskip('groq')
    from stead.models.anthropic import AnthropicModel
    from stead.models.groq import GroqModel
    from stead.models.openai import OpenAIChatModel
    from stead.providers.anthropic import AnthropicProvider
    from stead.providers.groq import GroqProvider
    from stead.providers.openai import OpenAIProvider

    def message(number: int) -> dict[str, Any]:
        if number:
            return {'role': 'assistant', 'content': '{"lamps": 2}'}
        function = {'name': 'find', 'arguments': '{"order": "A-17"}'}
        return {'role': 'assistant', 'tool_calls': [{'id': 'c1', 'type': 'function', 'function': function}]}

    sent: list[Any] = []

    def answer(request: Any) -> Any:
        choice = {'index': 0, 'finish_reason': 'stop', 'message': message(len(sent))}
        sent.append(request)
        data = {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'gpt-5-mini', 'choices': [choice]}
        return httpx.Response(
            200, json={**data, 'usage': {'prompt_tokens': 9, 'completion_tokens': 3, 'total_tokens': 12}}
        )

    client = openai.AsyncOpenAI(
        api_key='sk-secret-of-the-shop', http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer))
    )
    with cassette(tmp_path / 'c', mode='record'):
        model = OpenAIChatModel('gpt-5-mini', provider=OpenAIProvider(openai_client=client))
        first = desk(model).run_sync('Where is A-17?')
    assert (len(sent), first.output) == (2, '{"lamps": 2}')
    assert 'sk-secret' not in (tmp_path / 'c').read_text()
    others = (
        AnthropicModel('claude-sonnet-4-5', provider=AnthropicProvider(api_key='k')),
        GroqModel('llama-3.3-70b-versatile', provider=GroqProvider(api_key='k')),
    )
    for model in others:
        with cassette(tmp_path / 'c', mode='replay'):
            result = desk(model).run_sync('Where is A-17?')
        assert (result.output, result.usage.total_tokens) == (first.output, first.usage.total_tokens)
    assert len(sent) == 2
