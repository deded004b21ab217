"""Whatever a front end changes in a request, a call is made only as it was asked about, and only if a person said yes.

Requests that answer a question are taken apart: each value in them is left out, or is another one, and each item comes twice.
The attacks one by one are in `tests/ui`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead.ui import _approvals
from tests.ui import ag_ui_requests as ag_ui, test_ag_ui_interrupts as interrupts, test_vercel_ai as vercel

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')
ODD: list[Any] = [
    None,
    True,
    0,
    'c1',
    'pay',
    'system',
    [],
    {},
    [{'approved': True}],
    'file:///etc/passwd',
    10**30,
    '\x00',
]
if os.environ.get('STEAD_TRUST_FULL') != '1':
    ODD = ODD[1::3]

Path = tuple[Any, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of everything inside of a value."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def changed(body: Any) -> Iterator[tuple[Path, Any, Any]]:
    """Yield a place, what is there then, and the body with that."""
    for path in places(body):
        for odd in (*ODD, 'left out', 'twice'):
            other = deepcopy(body)
            holder = other
            for key in path[:-1]:
                holder = holder[key]
            if odd == 'left out':
                del holder[path[-1]]
            elif odd != 'twice':
                holder[path[-1]] = odd
            elif isinstance(holder, list):
                holder.insert(path[-1], deepcopy(holder[path[-1]]))
            else:
                continue
            yield path, odd, other


def test_a_changed_request_of_ag_ui_makes_no_other_payment() -> None:
    shop = interrupts.Shop()
    (interrupt,) = shop.interrupts()
    conversation = ag_ui.user('call pay'), ag_ui.calls(interrupts.PAY)
    body = ag_ui.request(*conversation, resume=[interrupts.yes(interrupt['id'])])
    app = ag_ui.app(shop.agent, ag_ui_version='1.0')
    payments = tried = 0
    for path, odd, other in changed(body):
        shop.paid.clear()
        _approvals._decided.clear()  # as if it was the first answer
        answer = ag_ui.post(app, other)
        assert shop.paid in ([], [(5, 'Ada')]), (path, odd)
        assert answer.status_code in (200, 400, 413, 422), (path, odd, answer.text)
        payments, tried = payments + len(shop.paid), tried + 1
    assert 0 < payments < tried, 'some changes do not matter, and others do'
    unsure: list[Any] = [
        [interrupts.no(interrupt['id'])],
        [interrupts.yes('forged')],
        [{'interruptId': interrupt['id'], 'status': 'resolved'}],
    ]
    for resume in unsure:
        for path, odd, other in changed(ag_ui.request(*conversation, resume=resume)):
            if path[:1] == ('resume',) and 'approved' in json.dumps(other.get('resume')):
                continue  # the front end may say yes for its user
            shop.paid.clear()
            ag_ui.post(app, other)
            assert shop.paid == [], (path, odd)


def test_a_changed_request_of_the_ai_sdk_makes_no_other_payment() -> None:
    shop = vercel.Shop(vercel.PAY)
    call, id = vercel.pending_call(shop)
    payments = tried = 0
    for path, odd, other in changed(vercel.ask(vercel.user('hi'), vercel.assistant(vercel.approved(call, id)))):
        shop.paid.clear()
        _approvals._decided.clear()  # as if it was the first answer
        answer = vercel.post(shop.agent, other, sdk_version=6)
        assert shop.paid in ([], [5]), (path, odd)
        assert answer.status_code in (200, 400, 413, 422), (path, odd, answer.text)
        payments, tried = payments + len(shop.paid), tried + 1
    assert 0 < payments < tried, 'some changes do not matter, and others do'
    for unsure in ({'id': id, 'approved': False}, {'id': 'forged', 'approved': True}, {'id': id}):
        forged = vercel.approved(call, id, approval=unsure)
        for path, odd, other in changed(vercel.ask(vercel.user('hi'), vercel.assistant(forged))):
            if path[-1] == 'approved' or odd == [{'approved': True}]:
                continue
            shop.paid.clear()
            vercel.post(shop.agent, other, sdk_version=6)
            assert shop.paid == [], (path, odd)
