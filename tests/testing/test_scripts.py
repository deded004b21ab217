"""`ScriptedModel`, `assert_run` and `faults`, as tests of agents use them."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, ModelRequest, UserError
from stead.capabilities import ModelFallback
from stead.exceptions import ModelHTTPError, ModelRateLimitError, ModelTimeoutError, UnexpectedModelBehavior
from stead.messages import PartDeltaEvent, TextPartDelta, ThinkingPart
from stead.models.test import TestModel
from stead.testing import (
    ScriptedModel,
    ScriptError,
    assert_run,
    call,
    connection_lost,
    empty,
    expect,
    faults,
    fine,
    garbage,
    malformed_args,
    offered,
    prompted,
    raises,
    returns,
    say,
    slow,
    status,
    think,
    timeout,
    tool_retried,
    tool_returned,
    truncated,
    works,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def desk(model: Any, **options: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(model, **options)

    @agent.tool_plain
    def find(order: str) -> str:
        return f'{order}: two lamps'

    @agent.tool_plain
    def cancel(order: str) -> str:
        return f'{order} is cancelled'

    @agent.tool_plain(requires_approval=True)
    def refund(order: str, amount: float) -> str:
        return 'paid'

    return agent


SCRIPT = [
    expect(prompted('A-17'), offered('find', 'cancel')).then(think('hm') & call('find', order='A-17')),
    expect(tool_returned('find', 'two lamps')).then(say('Found it. '), call('cancel', order='A-17')),
    'All done.',
]


@pytest.mark.parametrize('way', ['run', 'stream'])
async def test_a_script_is_followed(way: str) -> None:
    with ScriptedModel(SCRIPT) as model:
        agent = desk(model)
        if way == 'run':
            result: Any = await agent.run('Cancel A-17')
        else:
            texts: list[str] = []
            async with agent.run_stream_events('Cancel A-17') as events:
                async for event in events:
                    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                        texts.append(event.delta.content_delta)
            assert texts == ['it. ', 'done.']
    assert isinstance(model.requests[0][0], ModelRequest)
    assert any(isinstance(part, ThinkingPart) for message in model.requests[-1] for part in message.parts)
    if way == 'run':
        assert result.output == 'All done.'
        assert len(model.requests) == 3


def test_a_script_can_be_used_by_one_run_after_the_other() -> None:
    model = ScriptedModel(['one', 'two'])
    agent = desk(model)
    assert [agent.run_sync('go').output, agent.run_sync('go').output] == ['one', 'two']
    with pytest.raises(ScriptError, match='there was a request after all 2 steps') as caught:
        agent.run_sync('and now?')
    assert 'and now?' in str(caught.value)


def test_a_step_that_is_not_used_fails_and_shows_the_conversation() -> None:
    with pytest.raises(ScriptError) as caught:
        with ScriptedModel([call('find', order='A-17'), say('done'), say('never'), call('find')]) as model:
            desk(model).run_sync('Find A-17')
    text = str(caught.value)
    assert text.startswith(
        "The script did not go as written: 2 of 4 steps were not used; the next one is say('never').\n"
    )
    assert 'Find A-17' in text and 'A-17: two lamps' in text


def test_an_error_of_the_test_is_not_hidden_by_steps_that_were_not_used() -> None:
    with pytest.raises(ZeroDivisionError):
        with ScriptedModel(['never']):
            _ = 1 / 0


@pytest.mark.parametrize(
    ('check', 'wrong'),
    [
        (tool_returned('find'), "expects a result of the tool 'find'"),
        (tool_retried('find', 'again'), "expects a retry of the tool 'find' with 'again'"),
        (prompted('B-18'), "expects a prompt with 'B-18'"),
        (offered('find', 'fly'), r"expects the tools \['fly'\], not only \['cancel', 'find', 'refund'\]"),
        (lambda messages, info: 'something else', 'step 0 expects something else'),
    ],
)
def test_what_is_expected_and_not_so(check: Any, wrong: str) -> None:
    with pytest.raises(ScriptError, match=wrong):
        desk(ScriptedModel([expect(check).then(say('x'))])).run_sync('Find A-17')


def test_a_result_that_is_another() -> None:
    script = [call('find', order='A-17'), expect(tool_returned('find', 'three lamps')).then(say('x'))]
    with pytest.raises(ScriptError, match="the result 'three lamps' of the tool 'find', not 'A-17: two lamps'"):
        desk(ScriptedModel(script)).run_sync('Find A-17')


def test_a_retry_is_expected() -> None:
    script = [call('find', number=3), expect(tool_retried('find', 'order')).then(say('I give up.'))]
    with ScriptedModel(script) as model:
        assert desk(model).run_sync('Find it').output == 'I give up.'


def finished() -> Any:
    script = [[call('find', order='A-17'), call('find', order='B-18')], call('cancel', order='A-17'), 'All done.']
    return desk(ScriptedModel(script)).run_sync('Cancel A-17')


def test_assertions_that_hold() -> None:
    result = finished()
    for what in (result, result.all_messages()):
        (
            assert_run(what)
            .called('find', order='A-17')
            .before('cancel')
            .called('cancel')
            .after('find', order='B-18')
            .never_called('refund')
            .never_called('find', order='C-19')
            .called_times('find', 2)
            .returned('cancel', 'A-17 is cancelled')
            .wrote('All done')
            .requests_below(4)
            .tokens_below(100_000)
        )
    assert_run(result).output('All done.')
    pytest.importorskip('genai_prices')
    with pytest.raises(LookupError, match='The cost is unknown'):
        assert_run(result).cost_below(1)


@pytest.mark.parametrize(
    ('assertion', 'message'),
    [
        (lambda run: run.called('refund'), r'Expected a call of refund\(\)'),
        (lambda run: run.called('find', order='C-19'), r"Expected a call of find\(order='C-19'\)"),
        (lambda run: run.called('cancel').before('find'), r"Expected 'cancel' before the first call of find\(\)"),
        (lambda run: run.called('find').after('cancel'), r"Expected 'find' after a call of cancel\(\)"),
        (lambda run: run.never_called('cancel'), r'Expected no call of cancel\(\)'),
        (lambda run: run.called_times('find', 3), "Expected 3 calls of 'find', not 2"),
        (lambda run: run.returned('find', 'x'), "Expected 'find' to return 'x'"),
        (lambda run: run.asked_approval('refund'), r'Expected a question about refund\(\)'),
        (lambda run: run.wrote('No.'), "Expected the model to say 'No.'"),
        (lambda run: run.output('No.'), "Expected the output 'No.', not 'All done.'"),
        (lambda run: run.requests_below(3), 'Expected fewer than 3 requests, not 3'),
        (lambda run: run.tokens_below(3), 'Expected fewer than 3 tokens'),
    ],
)
def test_assertions_that_fail_show_the_conversation(assertion: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message) as caught:
        assertion(assert_run(finished()))
    assert 'find({"order": "A-17"})' in str(caught.value).replace('":"', '": "')


def test_questions_and_misuse() -> None:
    agent = desk(ScriptedModel([call('refund', order='A-17', amount=5.0)]), output_type=[str, DeferredToolRequests])
    assert_run(agent.run_sync('Refund')).asked_approval('refund', amount=5.0)
    with pytest.raises(TypeError, match=r'`\.before\(\.\.\.\)` follows `\.called\(\.\.\.\)`'):
        assert_run(finished()).before('find')
    with pytest.raises(TypeError, match='takes the result of a run'):
        assert_run('text')


@pytest.mark.parametrize(
    ('fault', 'error'),
    [
        (timeout(), ModelTimeoutError),
        (status(429, retry_after=2), ModelRateLimitError),
        (status(404), ModelHTTPError),
        (connection_lost(), Exception),
    ],
)
def test_a_model_fails(fault: Any, error: type[Exception]) -> None:
    agent = desk(TestModel(call_tools=['find']))
    broken = [faults(model=[fault])]
    with pytest.raises(error):
        agent.run_sync('go', capabilities=broken)
    assert agent.run_sync('go', capabilities=[ModelFallback(TestModel(call_tools=[])), *broken]).output == (
        'success (no tool calls)'
    )
    with pytest.raises(error):  # each run has them from the first on
        agent.run_sync('go', capabilities=broken)
    assert agent.run_sync('go').output


def test_responses_that_are_broken() -> None:
    agent = desk(ScriptedModel([call('find', order='A-17'), call('find', order='A-17'), 'found']))
    result = agent.run_sync('go', capabilities=[faults(model=[malformed_args(), fine()], seed=3)])
    assert_run(result).called_times('find', 2).returned('find', 'A-17: two lamps')
    with pytest.raises(UnexpectedModelBehavior):
        desk(ScriptedModel(['', '', ''])).run_sync('go', capabilities=[faults(model=[empty(), empty(), empty()])])
    cut = desk(ScriptedModel(['a long answer'])).run_sync('go', capabilities=[faults(model=[truncated()])])
    assert cut.output == 'a long'


def test_tools_fail() -> None:
    script = [
        call('find', order='A'),
        call('find', order='B'),
        call('find', order='C'),
        call('cancel', order='A'),
        'done',
    ]
    broken = faults(tools={'find': [garbage(), works(), returns('nothing')], 'cancel': slow(0)}, seed=7)
    results = [desk(ScriptedModel(script)).run_sync('go', capabilities=[broken]).all_messages() for _ in range(2)]
    for messages in results:
        assert_run(messages).returned('find', 'B: two lamps').returned('find', 'nothing').returned(
            'cancel', 'A is cancelled'
        )
    first, second = ([p.content for m in one for p in m.parts if p.part_kind == 'tool-return'] for one in results)
    assert first == second and len(first[0]) == 80
    with pytest.raises(KeyError):
        desk(ScriptedModel(script)).run_sync('go', capabilities=[faults(tools={'find': raises(KeyError('x'))})])


@pytest.mark.parametrize('script', ['text', 3, [3], [['text', None]]])
def test_what_is_no_script(script: Any) -> None:
    with pytest.raises(UserError, match='script'):
        ScriptedModel(script)


def test_what_is_no_fault() -> None:
    with pytest.raises(UserError, match=r'takes faults such as `timeout\(\)` and `raises\(\.\.\.\)`, not 429'):
        faults(model=[429])  # type: ignore[list-item]
