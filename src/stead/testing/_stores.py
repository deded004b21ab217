"""`check_store`: the duties of every store of a journal."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ..journal import Entry, Record, RunFilter, RunInfo, Store

T = TypeVar('T')
MakeStore = Callable[[], Store]
CHECKS: list[Callable[[Store, Store], None]] = []
"""The checks; each gets two stores with the same data, as two processes would have them."""


def check_store(make_store: MakeStore, *, again: Callable[[Store], Store] | None = None) -> list[str]:
    """Check that a store does what it promises.

    Args:
        make_store: Returns a store without data, which is not open.
        again: Returns another store with the data of one, as another process would open it; by default the same object.

    Returns:
        The names of the checks that were passed: all of them.

    Raises:
        AssertionError: A check failed; its note names the check.
    """
    for check in CHECKS:
        store = make_store()
        store.open()
        other = again(store) if again is not None else store
        if other is not store:
            other.open()
        try:
            check(store, other)
        except AssertionError as error:
            raise AssertionError(f'{check.__name__.replace("_", " ")}: {error}') from error
        finally:
            if other is not store:
                other.close()
            store.close()
    return [check.__name__ for check in CHECKS]


def _check(function: Callable[[Store, Store], None]) -> Callable[[Store, Store], None]:
    CHECKS.append(function)
    return function


def _run(run_id: str, **values: object) -> RunInfo:
    info = RunInfo(run_id=run_id, agent='agent', begun_at=1.0, updated_at=1.0, token=1, holder='me', lease_until=100.0)
    for name, value in values.items():
        setattr(info, name, value)
    return info


def _records(first: int, count: int, body: bytes = b'{}') -> list[Record]:
    return [Record(seq, 'kind', 10.0 + seq, body) for seq in range(first, first + count)]


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise AssertionError(what)


@_check
def what_was_appended_is_read_in_order(store: Store, other: Store) -> None:
    store.create(_run('r'))
    bodies = [b'{"a": 1}', b'\x00\xff', '"\u00e9\U0001f600"'.encode(), b'x' * 1_000_000]
    records = [Record(seq, f'kind-{seq}', seq / 7, body) for seq, body in enumerate(bodies, 1)]
    refused = store.append([Entry('r', 1, records, 'running', 3)], durable=True)
    _expect(not refused, f'nothing may be refused, but {refused} was')
    _expect(other.read('r') == records, 'records have to come back as they were appended')
    _expect(other.read('r', after=2) == records[2:], '`after` leaves out the first records')
    _expect(other.read('r', after=1, limit=2) == records[1:3], '`limit` ends the records')
    info = other.get('r')
    _expect(info is not None and (info.steps, info.last_seq, info.updated_at) == (3, 4, 4 / 7), 'the run has to follow')


@_check
def unknown_runs_have_nothing(store: Store, other: Store) -> None:
    _expect(store.get('none') is None and store.read('none') == [], 'an unknown run has no records')
    _expect(store.acquire('none', 'me', 0.0, 9.0) is None, 'an unknown run has no lease')
    _expect(
        store.append([Entry('none', 1, _records(1, 1), 'done', 0)], durable=False) == {'none'}, 'it takes no records'
    )
    _expect(store.delete(['none']) == 0, 'it cannot be deleted')
    _expect(store.renew([('none', 1)], 9.0) == {'none'}, 'its lease is lost')
    store.release('none', 1)


@_check
def a_run_is_created_once(store: Store, other: Store) -> None:
    first = _run('r', parent_id='p', conversation_id='c', base_id='b', base_seq=4, status='waiting', steps=2)
    _expect(store.create(first) == first, 'a new run is returned as it is')
    _expect(other.create(_run('r', agent='another')) == first, 'a run of the same id is left as it is')
    _expect(other.get('r') == first, 'all fields of a run are kept')


@_check
def a_run_is_created_with_its_first_records(store: Store, other: Store) -> None:
    store.create(_run('r', last_seq=2), _records(1, 2))
    _expect(other.read('r') == _records(1, 2), 'the first records are there')
    store.create(_run('r', last_seq=1), _records(1, 1, b'another'))
    _expect(other.read('r') == _records(1, 2), 'they are not replaced')
    _expect(other.append([Entry('r', 1, _records(3, 1), 'done', 1)], durable=False) == set(), 'others follow them')


@_check
def a_key_belongs_to_one_run(store: Store, other: Store) -> None:
    store.create(_run('r', key='order-17'))
    _expect(other.create(_run('s', key='order-17')).run_id == 'r', 'the first run keeps the key')
    _expect(other.get('s') is None, 'no second run is added')
    store.create(_run('t'))
    store.create(_run('u'))
    _expect(other.get('t') is not None and other.get('u') is not None, 'many runs may have no key')
    store.delete(['r'])
    _expect(other.create(_run('s', key='order-17')).run_id == 's', 'the key of a deleted run is free')


@_check
def a_turn_belongs_to_one_run(store: Store, other: Store) -> None:
    store.create(_run('r', turn='#me'))
    _expect(other.get('r') == _run('r', turn='#me'), 'the turn of a run is kept')
    _expect(other.create(_run('s', turn='#me')).run_id == 'r', 'the first run keeps the turn')
    _expect(other.create(_run('s', turn='#me', key='k')).run_id == 'r', 'a key changes nothing about that')
    _expect(other.get('s') is None, 'no second run is added')
    store.create(_run('t', key='k'))
    _expect(other.create(_run('s', turn='#me', key='k')).run_id == 't', 'the run that has the key comes first')
    store.delete(['r'])
    _expect(other.create(_run('s', turn='#me')).run_id == 's', 'the turn of a deleted run is free')


@_check
def turns_are_taken_by_one_of_many(store: Store, other: Store) -> None:
    def take(number: int) -> str | None:
        return (store if number % 2 else other).create(_run(f'r{number}', turn='#me')).run_id

    taken = set(_at_once(take))
    _expect(len(taken) == 1, f'one of eight runs gets the turn, not {len(taken)}')


@_check
def only_the_last_lease_may_append(store: Store, other: Store) -> None:
    store.create(_run('r'))
    _expect(other.acquire('r', 'you', 50.0, 10.0) is None, 'a lease cannot be taken before it ends')
    _expect(other.acquire('r', 'you', 100.0, 10.0) == 2, 'it can be taken at its end, with the next token')
    _expect(
        store.append([Entry('r', 1, _records(1, 1), 'done', 1)], durable=False) == {'r'}, 'the old token is refused'
    )
    _expect(other.read('r') == [], 'nothing is appended with an old token')
    info = other.get('r')
    _expect(info is not None and info.status == 'running', 'nor does the run change')
    _expect(
        other.append([Entry('r', 2, _records(1, 1), 'done', 1)], durable=False) == set(), 'the new token is accepted'
    )
    _expect(store.renew([('r', 1)], 500.0) == {'r'}, 'a lost lease cannot be renewed')
    _expect(other.renew([('r', 2)], 500.0) == set(), 'one that is held can')
    _expect(store.acquire('r', 'me', 499.0, 1.0) is None, 'and lasts until then')
    store.release('r', 1)
    _expect(store.acquire('r', 'me', 499.0, 1.0) is None, 'an old token releases nothing')
    other.release('r', 2)
    _expect(store.acquire('r', 'me', 3.0, 1.0) == 3, 'a released lease can be taken at once')


@_check
def records_follow_each_other(store: Store, other: Store) -> None:
    store.create(_run('r'))
    store.create(_run('s'))
    refused = store.append(
        [
            Entry('r', 1, _records(1, 2), 'running', 1),
            Entry('r', 1, _records(4, 1), 'done', 9),
            Entry('s', 1, _records(1, 1), 'running', 1),
            Entry('r', 1, _records(3, 1), 'done', 9),
        ],
        durable=False,
    )
    _expect(refused == {'r'}, f'only the run with a gap is refused, not {refused}')
    _expect(
        [record.seq for record in other.read('r')] == [1, 2], 'what came before the gap is kept, and nothing after it'
    )
    _expect(len(other.read('s')) == 1, 'other runs are not affected')
    _expect(
        store.append([Entry('r', 1, _records(2, 1), 'done', 1)], durable=False) == {'r'}, 'no record is written twice'
    )


@_check
def runs_are_found(store: Store, other: Store) -> None:
    store.create(_run('a', begun_at=1.0, updated_at=5.0, conversation_id='c', holder=None, lease_until=0.0))
    store.create(_run('b', begun_at=2.0, updated_at=6.0, status='waiting', parent_id='a', key='k'))
    store.create(_run('c', begun_at=2.0, updated_at=7.0, agent='other', base_id='a', lease_until=50.0))

    def ids(wanted: RunFilter) -> list[str]:
        return [run.run_id for run in other.find(wanted)]

    for wanted, expected in (
        (RunFilter(), ['c', 'b', 'a']),
        (RunFilter(limit=1), ['c']),
        (RunFilter(before=(2.0, 'c')), ['b', 'a']),
        (RunFilter(before=(2.0, 'b'), limit=5), ['a']),
        (RunFilter(status='waiting'), ['b']),
        (RunFilter(agent='other'), ['c']),
        (RunFilter(parent_id='a'), ['b']),
        (RunFilter(is_inner=True), ['b']),
        (RunFilter(is_inner=False), ['c', 'a']),
        (RunFilter(conversation_id='c'), ['a']),
        (RunFilter(key='k'), ['b']),
        (RunFilter(base_id='a'), ['c']),
        (RunFilter(updated_before=6.0), ['a']),
        (RunFilter(free_at=50.0), ['c', 'a']),
        (RunFilter(status='done'), []),
        (RunFilter(id_begins='b'), ['b']),
        (RunFilter(id_begins=''), ['c', 'b', 'a']),
        (RunFilter(id_begins='bc'), []),
        (RunFilter(id_begins='%'), []),
        (RunFilter(id_begins='B'), []),
        (RunFilter(id_ends='b'), ['b']),
        (RunFilter(id_ends=''), ['c', 'b', 'a']),
        (RunFilter(id_ends='bc'), []),
        (RunFilter(id_ends='%'), []),
    ):
        found = ids(wanted)
        _expect(found == expected, f'{wanted} should find {expected}, not {found}')


@_check
def deleted_runs_are_gone(store: Store, other: Store) -> None:
    store.create(_run('r'))
    store.create(_run('s'))
    store.append([Entry('r', 1, _records(1, 3), 'done', 1)], durable=False)
    _expect(other.delete(['r', 'none']) == 1, 'the number of runs that were deleted is returned')
    _expect(store.get('r') is None and store.read('r') == [], 'nothing is left of a deleted run')
    _expect(store.get('s') is not None, 'other runs stay')
    store.create(_run('r'))
    _expect(store.read('r') == [], 'a new run of the same id has none of its records')


@_check
def only_trees_that_nothing_stands_on_are_deleted(store: Store, other: Store) -> None:
    over = {'status': 'done', 'holder': None, 'lease_until': 0.0}
    for run in (
        _run('a', **over),
        _run('b', **over, parent_id='a'),
        _run('c', **over),
        _run('d', **over, base_id='c'),
        _run('e', holder=None),
        _run('f', status='done'),
    ):
        store.create(run)
    _expect(
        other.delete_unused([['a'], ['c'], ['e'], ['f'], ['none']], 50.0) == 0, 'what is needed, held or not over stays'
    )
    _expect(len(store.find(RunFilter())) == 6, 'nothing is deleted then')
    _expect(
        other.delete_unused([['a', 'b'], ['d'], ['c']], 50.0) == 4,
        'trees go as a whole, in order',
    )
    _expect(other.delete_unused([['f']], 150.0) == 1, 'a lease that has ended holds nothing')
    _expect([run.run_id for run in store.find(RunFilter())] == ['e'], 'all others are gone')


@_check
def a_store_can_be_opened_again(store: Store, other: Store) -> None:
    store.create(_run('r'))
    store.append([Entry('r', 1, _records(1, 1), 'done', 1)], durable=True)
    store.close()
    store.close()
    store.open()
    _expect(len(store.read('r')) == 1, 'records are there when a store is opened again')


@_check
def leases_are_taken_by_one_of_many(store: Store, other: Store) -> None:
    store.create(_run('r', holder=None, lease_until=0.0))

    def take(number: int) -> int | None:
        return (store if number % 2 else other).acquire('r', f'holder-{number}', 10.0, 10.0)

    taken = [token for token in _at_once(take) if token is not None]
    _expect(len(taken) == 1, f'one of eight holders gets the lease, not {len(taken)}')


def _at_once(function: Callable[[int], T]) -> list[T]:
    """Return what a function returned in each of eight threads, which call it at the same time with numbers from 0 to 7."""
    results: list[T] = []
    start = threading.Barrier(8)

    def call(number: int) -> None:
        start.wait()
        results.append(function(number))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
