"""What is sent to workers: each message once, and the right history whatever a worker has got."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given, strategies as st

from stead.durable_exec._sent import Inbox, Lacking, Outbox, read


def message(number: int) -> bytes:
    return b'{"kind":"request","number":%d,"text":"%s"}' % (number, b'x' * 50)


def deliver(outbox: Outbox, inbox: Inbox, messages: list[bytes], values: dict[str, bytes]) -> tuple[object, int]:
    """What arrives, and how many bytes it took."""
    sent, lacking = 0, None
    while True:
        body = outbox.pack(messages, values, lacking=lacking)
        sent += len(body)
        try:
            arrived = inbox.unpack('run', read(body))
        except Lacking as error:
            assert lacking is None, 'what was lacking is sent at the second try'
            lacking = read(error.answer)['lacking']
            sent += len(error.answer)
            continue
        return arrived, sent


def test_a_growing_history_is_sent_once() -> None:
    outbox, inbox = Outbox(), Inbox()
    history: list[bytes] = []
    values = {'deps': b'{"of":"%s"}' % (b'd' * 200), 'name': b'"x"'}
    total = 0
    for number in range(100):
        history.append(message(2 * number))
        arrived, sent = deliver(outbox, inbox, history, values)
        assert arrived == (history, values)
        total += sent
        response = message(2 * number + 1)
        inbox.note('run', response)
        outbox.note(history, values, response)
        history.append(response)
    requests = sum(map(len, history[::2]))
    assert requests < total < requests + 100 * 150, 'responses come from the worker, and large values were sent once'


@given(
    st.lists(
        st.sampled_from(['step', 'other worker', 'new worker', 'history changed', 'response changed', 'tool']),
        max_size=30,
    )
)
def test_any_worker_gets_the_right_history(story: list[str]) -> None:
    outbox, workers, at = Outbox(), [Inbox(), Inbox()], 0
    history: list[bytes] = [message(0)]
    values = {'deps': b'{"of":"%s"}' % (b'd' * 200)}
    for number, what in enumerate(story, 1):
        if what == 'other worker':
            at = 1 - at
        elif what == 'new worker':
            workers[at] = Inbox()
        elif what == 'history changed':
            history[len(history) // 2 :] = [message(1000 + number)]
        elif what == 'tool':
            assert deliver(outbox, workers[at], [], values)[0] == ([], values)
            continue
        assert deliver(outbox, workers[at], history, values)[0] == (history, values)
        response = message(number)
        workers[at].note('run', response)
        outbox.note(history, values, response)
        history.append(message(-number) if what == 'response changed' else response)
        history.append(message(5000 + number))


def test_a_worker_keeps_no_more_than_it_may() -> None:
    inbox = Inbox(most=10_000)
    for number in range(200):
        inbox.unpack(f'run {number}', read(Outbox().pack([message(number)], {'v': b'"%s"' % (b'y' * 500)})))
    assert inbox._size <= 10_000
    assert 1 < len(inbox._runs) < 20


def test_arguments_that_a_model_wrote_do_not_pass_for_a_digest() -> None:
    outbox, inbox = Outbox(), Inbox()
    other = b'{"of":"%s"}' % (b'd' * 200)
    deliver(outbox, inbox, [], {'args': other})
    for written in (b'{"$kept":"%s"}' % sha256(other).hexdigest()[:20].encode(), b'{"$kept":"x"}'):
        arrived, _ = deliver(outbox, inbox, [], {'args': written})
        assert arrived == ([], {'args': written})


def test_the_value_that_names_the_run_is_always_sent() -> None:
    outbox, inbox = Outbox(), Inbox()
    values = {'context': b'{"run_id":"%s"}' % (b'r' * 200), 'deps': b'"%s"' % (b'd' * 200)}
    outbox.note([], values, None)
    body = read(outbox.pack([], values))
    assert (body['values'], [*body['known']]) == ({'context': {'run_id': 'r' * 200}}, ['deps'])
    assert deliver(outbox, inbox, [], values)[0] == ([], values)
