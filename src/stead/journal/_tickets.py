"""Tickets: the right to decide about one call, as a text that can be put into a link."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import NamedTuple

from .._kit.short import short_repr
from ..messages import is_same_question, questions_in
from ._errors import JournalError
from ._fold import RecordedRun


class InvalidTicket(JournalError):
    """A ticket is forged, altered, expired or used, or the call is no longer what it was."""

    __module__ = 'stead.journal'  # where it is imported from, as a traceback shows it


class Ticket(NamedTuple):
    """What a ticket says."""

    run_id: str
    """The run."""
    call_id: str
    """The call."""
    call: str
    """The digest of the question, so that the ticket is for these arguments only, and for the tool as it was then."""
    expires_at: float
    """When it ends, in seconds since 1970."""


def sign(ticket: Ticket, secret: bytes) -> str:
    """Return a ticket as text."""
    body = base64.urlsafe_b64encode(json.dumps(ticket).encode()).rstrip(b'=')
    return f'{body.decode()}.{_signature(body, secret)}'


def _signature(body: bytes, secret: bytes) -> str:
    return base64.urlsafe_b64encode(hmac.new(secret, body, hashlib.sha256).digest()).rstrip(b'=').decode()


def _bytes(text: str) -> bytes:
    return text.encode(errors='surrogatepass')  # a link may hold anything


def verify(text: str, secret: bytes) -> Ticket:
    """Return a ticket from its text.

    Raises:
        InvalidTicket: It is not signed with the secret, or has expired.
    """
    body, _, signature = text.partition('.') if isinstance(text, str) else ('', '', '')  # pyright: ignore[reportUnnecessaryIsInstance]
    if not hmac.compare_digest(_signature(_bytes(body), secret).encode(), _bytes(signature)):
        raise InvalidTicket('The ticket was not issued by this journal, or was altered.')
    ticket = Ticket(*json.loads(base64.urlsafe_b64decode(body + '=' * (-len(body) % 4))))
    if ticket.expires_at < time.time():
        raise InvalidTicket(f'The ticket expired {time.time() - ticket.expires_at:.0f} seconds ago. Issue another one.')
    return ticket


def check_redeemed(ticket: Ticket, state: RecordedRun, decision: object) -> None:
    """Check that the call of a ticket waits as it did, and that a decision is about it.

    Args:
        ticket: What the ticket says.
        state: How its run stands.
        decision: The decision of its holder.

    Raises:
        InvalidTicket: The call does not wait, has changed, or is approved with other arguments.
    """
    requests, call_id = state.requests(), ticket.call_id
    asked = None if requests is None else questions_in(requests).get(call_id)
    if asked is None:
        raise InvalidTicket(f'The ticket was used: call {short_repr(call_id)} no longer waits.')
    if not is_same_question(ticket.call, asked):
        raise InvalidTicket(f'Call {short_repr(call_id)} is not the one that the ticket was issued for.')
    # Whatever passes on what the holder of a ticket sends would else let the holder choose them.
    if getattr(decision, 'override_args', None) is not None and call_id not in state.questions.redacted:
        raise InvalidTicket(
            f'The ticket is for the arguments that call {short_repr(call_id)} has, and the decision has others. Nothing was '
            'decided. Approve other arguments by `journal.answer`.'
        )
