"""`KeepLast`, `Summarise`, `TruncateToolResults`, `OffloadToolResults`, `pin` and `recall`, as their users see them."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stead import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolReturn,
)
from stead.capabilities import (
    Compaction,
    KeepLast,
    OffloadToolResults,
    ProcessHistory,
    Summarise,
    SummaryFailed,
    TruncateToolResults,
    pin,
)
from stead.exceptions import CallDeferred, ConversationTooLong, UserError
from stead.journal import Journal, MemoryStore
from stead.messages import (
    ModelMessagesTypeAdapter,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from .conversations import texts_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


class Looker:
    """A model that calls `look` so many times, and keeps what it was sent."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.sent: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append([*messages])
        if len(self.sent) > self.times:
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart('look', {'place': f'shelf {len(self.sent)}'}, f'call-{len(self.sent)}')])


def looking(*capabilities: Any, times: int = 10, result: Any = 'nothing here', **options: Any) -> tuple[Agent, Looker]:
    model = Looker(times)
    agent = Agent(FunctionModel(model), capabilities=capabilities, system_prompt='Look well.')

    @agent.tool_plain(**options)
    async def look(place: str) -> Any:
        return result

    return agent, model


def summariser(*texts: str) -> FunctionModel:
    """Return a model that answers with one text after the other, the last one again and again."""
    left = list(texts)
    return FunctionModel(lambda messages, info: ModelResponse([TextPart(left.pop(0) if len(left) > 1 else left[0])]))


def test_what_is_sent_is_short_and_the_history_is_whole() -> None:
    agent, model = looking(KeepLast(messages=4))
    result = agent.run_sync('Find the ledger')
    assert [len(messages) for messages in model.sent] == [1, 3, 3, 5, 3, 5, 3, 5, 3, 5, 3]
    assert len(result.all_messages()) == 22
    hint = 'Call `recall` with words to look for, or with these numbers, to read them.'
    assert texts_of(model.sent[-1])[:3] == [
        'Look well.',
        f'[Messages 0 to 18 of this conversation are not shown. {hint}]',
        'Find the ledger',
    ]
    folds = [m.metadata for m in result.all_messages() if isinstance(m, ModelResponse) and m.metadata]
    assert folds[-1] == {'stead_folded': [{'by': 'KeepLast', 'messages': [0, 18]}]}


def test_the_model_recalls_what_is_not_shown() -> None:
    steps = iter(
        [
            *(ToolCallPart('look', {'place': str(n)}, f'call-{n}') for n in range(6)),
            ToolCallPart('recall', {'query': 'ledger of 1911'}),
            ToolCallPart('recall', {'id': 'call-2'}),
            ToolCallPart('recall', {'id': '0-2'}),
            ToolCallPart('recall', {'id': 'no-such'}),
            ToolCallPart('recall', {}),
            TextPart('done'),
        ]
    )
    agent = Agent(
        FunctionModel(lambda messages, info: ModelResponse([next(steps)])), capabilities=[KeepLast(messages=2)]
    )

    @agent.tool_plain
    def look(place: str) -> str:
        return 'the ledger of 1911 is green' if place == '2' else f'only dust on {place}'

    result = agent.run_sync('Find it')
    recalled = [
        part.content
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart) and part.tool_name == 'recall'
    ]
    assert recalled[0].splitlines()[0] == '[6, result of look, id call-2] the ledger of 1911 is green'
    assert recalled[1] == 'the ledger of 1911 is green'
    assert recalled[2] == '[0, user] Find it\n[1, call of look] {"place":"0"}\n[2, result of look] only dust on 0'
    assert recalled[3].startswith("There is nothing with the id 'no-such'. Messages have the numbers 0 to ")
    assert recalled[4] == 'Pass `query`, words to look for, or `id`, the id of a call or the number of a message.'


def test_what_is_recalled_fits_into_a_request() -> None:
    text = 'The ledger is green. ' * 400
    steps = iter(
        [ToolCallPart('look', {}, 'call-1'), *[ToolCallPart('recall', {'id': 'call-1'})] * 5, TextPart('done')]
    )
    agent = Agent(
        FunctionModel(lambda messages, info: ModelResponse([next(steps)])),
        capabilities=[KeepLast(tokens=1_000), OffloadToolResults(over=100)],
    )
    agent.tool_plain(lambda: text, name='look')
    result = agent.run_sync('Find it')
    recalled = [
        getattr(p, 'content', '')
        for m in result.all_messages()
        for p in m.parts
        if getattr(p, 'tool_name', '') == 'recall'
    ]
    assert result.output == 'done'
    assert f"[{len(text) - 500} characters more: recall(id='call-1', offset=500)]" in str(recalled)


def test_several_capabilities_share_the_tool() -> None:
    agent, model = looking(TruncateToolResults(), OffloadToolResults(), KeepLast(messages=4), times=1)
    names: list[str] = []

    @agent.instructions
    def tools(ctx: Any) -> str:
        names[:] = sorted(ctx.tools)
        return ''

    agent.run_sync('Find it')
    assert names == ['look', 'recall']
    without, _ = looking(KeepLast(messages=4, recall=False), times=1)
    assert 'recall' not in str(without.run_sync('Find it').all_messages())


@pytest.mark.parametrize('how', ['option', 'metadata', 'result', 'keep'])
def test_results_that_are_pinned_stay_with_their_calls(how: str) -> None:
    keep = (lambda part: getattr(part, 'content', None) == 'the key is 7') if how == 'keep' else None
    options: dict[str, Any] = {}
    if how == 'option':
        options['pinned'] = True
    elif how == 'metadata':
        options['metadata'] = {'pinned': True}
    result = pin(ToolReturn('the key is 7')) if how == 'result' else 'the key is 7'
    agent, model = looking(KeepLast(messages=4, keep=keep), result=result, times=6, **options)
    agent.run_sync('Find the key')
    last = model.sent[-1]
    calls = [part.tool_call_id for m in last for part in m.parts if isinstance(part, ToolCallPart)]
    assert calls == [f'call-{n}' for n in range(1, 7)]
    assert texts_of(last).count('the key is 7') == 6


read = ModelMessagesTypeAdapter.validate_json


def test_a_pin_survives_storage_and_later_runs() -> None:
    agent, model = looking(KeepLast(messages=4), times=3)
    stored = agent.run_sync(pin('My name is Ada.')).all_messages_json()
    stored = agent.run_sync([pin('I am 36.'), 'Find it'], message_history=read(stored)).all_messages_json()
    for _ in range(3):
        model.sent.clear()
        stored = agent.run_sync('And again', message_history=read(stored)).all_messages_json()
    assert texts_of(model.sent[-1]).count('My name is Ada.') == 1
    assert texts_of(model.sent[-1]).count('I am 36.') == 1
    assert 'Find it' not in texts_of(model.sent[-1])
    assert 'And again' in texts_of(model.sent[-1])


class Vague(int):
    """A result that cannot be compared, as arrays cannot."""

    def __eq__(self, other: object) -> bool:
        raise ValueError('neither true nor false')

    __hash__ = int.__hash__


def test_results_that_cannot_be_compared_are_folded_too() -> None:
    def copied(messages: list[ModelMessage]) -> list[ModelMessage]:
        found = [
            [replace(part, content=Vague(1)) if isinstance(part, ToolReturnPart) else part for part in one.parts]
            for one in messages
        ]
        return [replace(one, parts=parts) for one, parts in zip(messages, found)]  # type: ignore[arg-type]

    agent, model = looking(ProcessHistory(copied), KeepLast(messages=4), TruncateToolResults(over=90), times=6)
    agent.run_sync('Find it')
    assert len(model.sent[-1]) <= 6


def test_pins_that_are_too_long_end_the_run_with_an_error_that_names_them() -> None:
    agent, _ = looking(KeepLast(tokens=200), result='found ' * 20, times=9, pinned=True)
    with pytest.raises(
        ConversationTooLong, match=r"may send 200.*Pinned are the call 'call-1' of the tool 'look' with its"
    ):
        agent.run_sync('Find it')


def test_what_can_be_pinned() -> None:
    assert pin(['a', 'b'])[1].content == 'b'  # type: ignore[union-attr]
    assert pin(TextPart('a')).provider_details == {'stead_pinned': True}
    assert pin(UserPromptPart('a')).content[0].content == 'a'  # type: ignore[union-attr]
    assert pin(ToolReturnPart('t', 1, metadata={'x': 1})).metadata == {'x': 1, 'stead_pinned': True}
    assert pin(ModelRequest([])).metadata == {'stead_pinned': True}
    for wrong in (3, ToolReturnPart('t', 1, metadata=[1])):
        with pytest.raises(UserError, match='^`pin` '):
            pin(wrong)


def test_signed_thinking_stays_with_the_calls_that_it_led_to() -> None:
    sent: list[list[ModelMessage]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append([*messages])
        thinking = ThinkingPart(f'thought {len(sent)}', signature='signed')
        if len(sent) > 5:
            return ModelResponse([TextPart('done')])
        return ModelResponse([thinking, ToolCallPart('a' if len(sent) == 1 else 'b', {})])

    agent = Agent(FunctionModel(model), capabilities=[KeepLast(messages=2)])
    agent.tool_plain(lambda: 'A', name='a', pinned=True)
    agent.tool_plain(lambda: 'B', name='b')
    agent.run_sync('Go')
    assert [text for text in texts_of(sent[-1]) if 'thought' in text] == ['thought 1', 'thought 5']


def test_a_summary_takes_the_place_of_earlier_messages() -> None:
    agent, model = looking(
        Summarise(at=700, into=100, model=summariser('The shelves are empty [#1-#3].')), result='dust ' * 200, times=9
    )
    result = agent.run_sync('Find it')
    texts = texts_of(model.sent[-1])
    assert texts[0] == 'Look well.'
    assert texts[1].endswith('to read them.]\nThe shelves are empty [#1-#3].')
    assert texts[2] == 'Find it'
    details = result.usage.details
    assert details['summary_requests'] >= 2 and details['summary_input_tokens'] > 100
    assert result.usage.requests == len(model.sent) + details['summary_requests']


def test_the_next_run_and_a_resumed_one_use_the_summary_that_there_is() -> None:
    asked: list[int] = []

    def write(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(1)
        return ModelResponse([TextPart(f'summary {len(asked)}')])

    agent, model = looking(Summarise(at=700, into=100, model=FunctionModel(write)), result='dust ' * 200, times=6)
    first = agent.run_sync('Find it')
    before = model.sent[-1]
    stored = ModelMessagesTypeAdapter.validate_json(first.all_messages_json())
    count = len(asked)
    agent.run_sync('And now?', message_history=stored)
    assert len(asked) == count
    assert texts_of(model.sent[-1])[:2] == texts_of(before)[:2]


@pytest.mark.parametrize(
    'texts',
    [('',), ('word ' * 3_000,), ('So it was [#999].',), ('So it was [#7-#2].',)],
    ids=['empty', 'long', 'lie', 'range'],
)
def test_a_summary_that_cannot_be_used_is_asked_for_once_more_and_then_done_without(texts: tuple[str, ...]) -> None:
    agent, model = looking(Summarise(at=900, into=200, model=summariser(*texts)), result='dust ' * 200, times=5)
    with pytest.warns(SummaryFailed, match='got no usable summary of messages 0 to'):
        result = agent.run_sync('Find it')
    assert '[#0] user: Find it' in texts_of(model.sent[-1])[1] or '[#0] user: Find it' in texts_of(model.sent[-2])[1]
    assert result.output == 'done'
    agent, model = looking(
        Summarise(at=900, into=200, model=summariser(*texts, 'All dust.')), result='dust ' * 200, times=4
    )
    agent.run_sync('Find it')
    assert texts_of(model.sent[-1])[1].endswith('All dust.')


async def test_a_summary_is_written_ahead_and_none_is_left_behind() -> None:
    started = asyncio.Event()
    release = asyncio.Event()
    cancelled: list[bool] = []

    async def write(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        started.set()
        try:
            await release.wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return ModelResponse([TextPart('written ahead')])

    agent, model = looking(
        Summarise(at=900, into=100, model=FunctionModel(write), ahead=0.5), result='dust ' * 200, times=3
    )
    await agent.run('Find it')
    assert started.is_set() and cancelled == [True]
    release.set()
    agent, model = looking(
        Summarise(at=900, into=100, model=FunctionModel(write), ahead=0.5), result='dust ' * 200, times=8
    )
    await agent.run('Find it')
    assert any('written ahead' in text for text in texts_of(model.sent[-1]))


def test_long_results_are_truncated_from_the_first_time_on() -> None:
    agent, model = looking(TruncateToolResults(over=50, keep=12), result='start ' + 'x' * 1_000 + ' end', times=2)
    result = agent.run_sync('Find it')
    sent = [part for m in model.sent[-1] for part in m.parts if isinstance(part, ToolReturnPart)]
    assert sent[0].content.startswith('start xxx') and sent[0].content.endswith('xxx end')
    assert "characters are left out: recall(id='call-1') shows it" in sent[0].content
    assert len(sent[0].content) < 150
    whole = [part for m in result.all_messages() for part in m.parts if isinstance(part, ToolReturnPart)]
    assert len(whole[0].content) == 1_010


@pytest.mark.parametrize('kind', ['memory', 'directory', 'sqlite'])
def test_long_results_are_put_into_a_store(kind: str, tmp_path: Path) -> None:
    memory: dict[str, str] = {}
    store: Any = {'memory': memory, 'directory': tmp_path / 'results', 'sqlite': str(tmp_path / 'results.db')}[kind]
    text = 'é' * 3_000
    capability: OffloadToolResults[Any] = OffloadToolResults(over=50, store=store, preview=5)
    agent, model = looking(capability, result=text, times=2)
    result = agent.run_sync('Find it')
    stub = next(part for m in model.sent[-1] for part in m.parts if isinstance(part, ToolReturnPart)).content
    key = stub.split("recall(id='")[1].split("'")[0]
    assert asyncio.run(capability.stored(key)) == text
    # The history can be cut: the store still has it.
    calls = iter([ToolCallPart('recall', {'id': key, 'offset': 2_990}), TextPart('done')])
    reader = Agent(FunctionModel(lambda messages, info: ModelResponse([next(calls)])), capabilities=[capability])
    read = reader.run_sync('Read it').all_messages()[2].parts[0]
    assert isinstance(read, ToolReturnPart) and read.content == 'é' * 10
    assert asyncio.run(capability.stored('../../etc/passwd')) is None
    # What else is in the store is none of the model's business.
    capability._texts['secrets'] = 'the key is 7'
    assert asyncio.run(capability.stored('secrets')) is None
    assert result.output == 'done'


def test_a_store_that_fails_is_a_warning() -> None:
    class Full(dict[str, str]):
        def __setitem__(self, key: str, value: str) -> None:
            raise OSError('the disk is full')

    agent, _ = looking(OffloadToolResults(over=50, store=Full()), result='x' * 1_000, times=1)
    with pytest.warns(UserWarning, match='could not store the result .*the disk is full'):
        assert agent.run_sync('Find it').output == 'done'


async def test_a_stream_is_shortened_and_says_so() -> None:
    sent: list[int] = []

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        sent.append(len(messages))
        if len(sent) > 6:
            yield 'done'
        else:
            yield {0: DeltaToolCall('look', '{}', tool_call_id=f'call-{len(sent)}')}

    agent = Agent(FunctionModel(stream_function=stream), capabilities=[KeepLast(messages=4)])
    agent.tool_plain(lambda: 'nothing', name='look')
    async with agent.run_stream('Find it') as result:
        assert await result.get_output() == 'done'
    folded = [m for m in result.all_messages() if isinstance(m, ModelResponse) and m.metadata]
    assert sent == [1, 3, 3, 5, 3, 5, 3] and len(folded) == 3 and len(result.all_messages()) == 14


async def test_a_run_that_is_resumed_sends_what_it_would_have_sent() -> None:
    class Stop(Exception):
        pass

    def agent_of(journal: Journal, sent: list[list[str]], stop_at: int | None) -> Agent:
        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            sent.append(texts_of(messages))
            if stop_at is not None and len(sent) == stop_at:
                raise Stop
            done = sum(isinstance(part, ToolReturnPart) for m in messages for part in m.parts)
            n = int(max((t.rpartition(' ')[2] for t in sent[-1] if t.startswith('shelf')), default='0', key=int)) + 1
            return ModelResponse(
                [TextPart('done')] if n > 9 else [ToolCallPart('look', {'n': n})], model_name=str(done)
            )

        agent = Agent(FunctionModel(model), name='looker', capabilities=[KeepLast(messages=4), journal])

        @agent.tool_plain(effect='read')
        async def look(n: int) -> str:
            return f'shelf {n}'

        return agent

    whole: list[list[str]] = []
    await agent_of(Journal(MemoryStore()), whole, None).run('Find it')
    for stop_at in (3, 6, 9):
        journal, sent = Journal(MemoryStore()), []
        with pytest.raises(Stop):
            await agent_of(journal, sent, stop_at).run('Find it', run_id='r')
        await journal.resume(agent_of(journal, sent, None), 'r')
        assert sent[: stop_at - 1] + sent[stop_at:] == whole


async def is_kept_async(part: Any) -> bool:
    return True


@pytest.mark.parametrize(
    ('build', 'message'),
    [
        (lambda: KeepLast(), 'one of `messages=` and `tokens=`'),
        (lambda: KeepLast(messages=3, tokens=3), 'one of `messages=` and `tokens=`'),
        (lambda: KeepLast(messages=1), '`messages` of `KeepLast` is a whole number, 2 or more, not 1'),
        (lambda: KeepLast(tokens=True), '`tokens` of `KeepLast` is a whole number, 2 or more, not True'),
        (lambda: Summarise(at='x'), "`at` of `Summarise` is a whole number, 1 or more, not 'x'"),
        (lambda: Summarise(ahead='x'), "at most 1, not 'x'"),
        (
            lambda: TruncateToolResults(over='4'),
            "`over` of `TruncateToolResults` is a whole number, 1 or more, not '4'",
        ),
        (lambda: TruncateToolResults(keep=0), '`keep` of `TruncateToolResults` is a whole number, 1 or more, not 0'),
        (lambda: OffloadToolResults(over=-1), '`over` of `OffloadToolResults` is a whole number, 0 or more, not -1'),
        (lambda: TruncateToolResults(over=5, keep=9), 'keeps 9 tokens of results over 5'),
        (lambda: OffloadToolResults(recall=False), 'needs a `store=`'),
        (lambda: OffloadToolResults(store=3), 'mapping of texts or a path, not 3'),
        (lambda: OffloadToolResults(store=''), "mapping of texts or a path, not ''"),
        (lambda: KeepLast(messages=4, keep=3), '`keep` of `KeepLast` is a function of a part'),
        (lambda: Summarise(keep=is_kept_async), '`keep` of `Summarise` is a function of a part .* not async'),
        (lambda: TruncateToolResults(keep_results=True), '`keep_results` of `TruncateToolResults` is a function'),
        (lambda: OffloadToolResults(keep_results='x'), '`keep_results` of `OffloadToolResults` is a function'),
        (lambda: Compaction(at=3), '^`Compaction.at=3, into=2000.` leaves no room'),
        (lambda: Summarise(at=100, into=90), 'at most half'),
        (lambda: Summarise(ahead=2), 'more than 0 and at most 1, not 2'),
    ],
)
def test_what_is_refused(build: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        build()


def test_an_unknown_summariser_is_an_error_before_anything_is_sent() -> None:
    agent, model = looking(Summarise(model='nobody:nothing'))
    with pytest.raises(ValueError, match='nobody'):
        agent.run_sync('Find it')
    assert model.sent == []


def test_a_history_without_run_ids_keeps_its_last_prompt() -> None:
    history: list[ModelMessage] = [ModelRequest([SystemPromptPart('Old system.'), UserPromptPart('first')])]
    for n in range(8):
        history += [ModelResponse([TextPart(f'answer {n}')]), ModelRequest([UserPromptPart(f'prompt {n}')])]
    history.append(ModelResponse([TextPart('the end')]))
    agent, model = looking(KeepLast(messages=4), times=0)
    with warnings.catch_warnings():
        agent.run_sync('now', message_history=history)
    assert texts_of(model.sent[0])[0] == 'Old system.'
    assert texts_of(model.sent[0])[-1] == 'now'


def looked_up(*queries: dict[str, Any], result: str, capabilities: list[Any]) -> tuple[list[ModelMessage], list[str]]:
    """Return the messages of a conversation, and what `recall` says at its end."""
    calls = [*(ToolCallPart('look', {}) for _ in range(3)), *(ToolCallPart('recall', query) for query in queries)]
    agent: Agent = Agent(
        FunctionModel(lambda messages, info: ModelResponse([calls.pop(0) if calls else TextPart('done')])),
        capabilities=capabilities,
    )
    agent.tool_plain(lambda: f'{result} {"filler " * 60}', name='look')
    messages = agent.run_sync('Go').all_messages()
    parts = [part for m in messages for part in m.parts if isinstance(part, ToolReturnPart)]
    return messages, [str(part.content) for part in parts if part.tool_name == 'recall']


def test_nothing_of_another_conversation_is_recalled() -> None:
    shared: list[Any] = [OffloadToolResults(over=10, store={}), KeepLast(messages=4)]
    first, _ = looked_up(result='alpha is 77', capabilities=shared)
    id = next(part.tool_call_id for m in first for part in m.parts if isinstance(part, ToolReturnPart))
    queries = ({'query': 'alpha'}, {'id': id}, {'id': '0-99'}, {'query': 'beta'})
    _, found = looked_up(*queries, result='beta is 88', capabilities=shared)
    assert ['alpha is 77' in text for text in found] == [False] * 4
    assert ['beta is 88' in text for text in found] == [False, False, True, True]


def test_a_result_that_comes_later_may_be_pinned() -> None:
    sent: list[list[ModelMessage]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append([*messages])
        if len(sent) == 1:
            return ModelResponse([ToolCallPart('ask', {}, 'q1')])
        return ModelResponse([ToolCallPart('look', {}) if len(sent) < 10 else TextPart('done')])

    agent: Agent[None, Any] = Agent(
        FunctionModel(model), capabilities=[KeepLast(messages=4)], output_type=[str, DeferredToolRequests]
    )
    agent.tool_plain(lambda: 'nothing', name='look')

    @agent.tool_plain
    def ask() -> str:
        raise CallDeferred

    waiting = agent.run_sync('Go').all_messages()
    answers = DeferredToolResults(calls={'q1': pin(ToolReturn('the key is 7'))})
    result = agent.run_sync(message_history=waiting, deferred_tool_results=answers)
    assert result.output == 'done' and len(result.all_messages()) > 12
    assert len(sent[-1]) <= 7 and texts_of(sent[-1]).count('the key is 7') == 1
