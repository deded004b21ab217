"""Constructors of the records in `stead._streams`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def events_EventSink():
    def __init__(self, chain, handler=...):
        self.chain = chain
        self.handler = handler
        self.__post_init__()

    return __init__


def exchange_StreamedExchange():
    def __init__(self, connect, response=...):
        self.connect = connect
        self.response = response

    return __init__


def growing_ListField():
    def __init__(self, attribute, items, required=...):
        self.attribute = attribute
        self.items = items
        self.required = required

    return __init__


def response_AgentStream():
    def __init__(self, _raw, _run, _rules, _context, _tools, is_replayed=...):
        self._raw = _raw
        self._run = _run
        self._rules = _rules
        self._context = _context
        self._tools = _tools
        self.is_replayed = is_replayed

    return __init__


def to_end_FollowedSink(unset, new_feed):
    def __init__(self, chain, handler=..., feed=unset, stream=..., attempt=..., retries=...):
        self.chain = chain
        self.handler = handler
        self.feed = new_feed() if feed is unset else feed
        self.stream = stream
        self.attempt = attempt
        self.retries = retries
        self.__post_init__()

    return __init__
