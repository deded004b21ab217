"""Tickets: the right to decide about one call, as a text that can be put into a link."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import NamedTuple

from ._errors import JournalError


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
    """The digest of the call, so that the ticket is for these arguments only."""
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
