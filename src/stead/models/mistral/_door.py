"""Requests past the typed methods of Mistral's SDK, with the methods below them.

A typed method makes a model class of pydantic for each argument of each call, and validates all messages, which takes some 3 ms
for the first message of a conversation and 25 ms for the two hundredth. The SDK has no public way around that. So requests use
what the typed method calls in the end: one method that builds a request, with URL, key and headers, and one that sends it, with
hooks, timeouts, retries and errors. What these two are called with is found out by calling the typed method, with a message that
stands for all others, on an object that only takes note. That depends on settings, tools and the client, and is done again if
one of them changes.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from os.path import dirname
from types import FunctionType
from typing import Any

from ..._kit.json_types import JsonObject, as_dict
from ..._kit.sdk_types import SdkObject
from .._wire.body import parse, write
from .._wire.door import NotedError
from .._wire.kept import Written

_METHODS = (
    'complete_async',
    'stream_async',
    '_build_request_async',
    '_build_request_with_client',
    'do_request_async',
    '_get_url',
)
_ONE_MESSAGE: list[JsonObject] = [{'role': 'user', 'content': ''}]
"""The messages that stand for those of a request."""


def chat_of(client: SdkObject) -> SdkObject:
    """Return the part of a client that sends requests, or `None` if one past the typed method would miss something."""
    sdk: SdkObject = sys.modules.get('mistralai.client')
    if sdk is None or type(client) is not sdk.Mistral:
        return None
    chat = client.chat
    kind = _kind_of(chat)
    if kind is not getattr(sys.modules.get('mistralai.client.chat'), 'Chat', None):
        return None
    folder = dirname(sdk.__file__ or '')
    for name in _METHODS:
        function = getattr(kind, name, None)
        if type(function) is not FunctionType or not function.__code__.co_filename.startswith(folder):
            return None
        if name in chat.__dict__:
            return None
    return chat


@cache
def _noting(kind: SdkObject) -> SdkObject:
    """Return a subclass of the SDK's class for requests that takes note of them."""

    class Noting(kind):
        noted: tuple[JsonObject, JsonObject]

        def _build_request_async(self, **options: Any) -> None:
            self.noted = options, {}

        async def do_request_async(self, **options: Any) -> None:
            self.noted = self.noted[0], options
            raise NotedError

    return Noting


@cache
def _answered(kind: SdkObject) -> SdkObject:
    """Return a subclass of the SDK's class for requests whose requests have been answered already."""

    class Answered(kind):
        response: SdkObject

        def _build_request_async(self, **options: Any) -> None:
            return None

        async def do_request_async(self, **options: Any) -> SdkObject:
            return self.response

    return Answered


@dataclass
class _ChatHead:
    """A request without its messages."""

    chat: object
    """What it belongs to."""
    configuration: JsonObject
    """How that was configured."""
    arguments: JsonObject
    """What it was made of."""
    build: JsonObject
    """The arguments of the method that builds a request."""
    send: JsonObject
    """The arguments of the method that sends it."""
    body: bytes
    """The body, up to the messages."""


class MistralDoor:
    """The way of one model past the typed methods."""

    def __init__(self) -> None:
        """Begin without anything that is kept."""
        self._heads: dict[bool, _ChatHead] = {}
        """The heads of the latest requests, with and without a stream."""

    def __reduce__(self) -> tuple[Callable[..., MistralDoor], tuple[()]]:
        return MistralDoor, ()  # a copy of the model begins with nothing

    async def send(
        self, chat: SdkObject, arguments: JsonObject, messages: list[Written | JsonObject], *, stream: bool
    ) -> SdkObject:
        """Send a request.

        Args:
            chat: The part of a client that sends requests, from `chat_of`.
            arguments: The arguments of the typed method, without messages.
            messages: The messages.
            stream: Whether to stream the answer.

        Returns:
            The response of the HTTP library, which has the answer or begins it; `None` if the SDK has to send the request itself.
        """
        head = self._heads.get(stream)
        configuration = chat.sdk_configuration.__dict__
        if head is None or (head.chat, head.configuration, head.arguments) != (chat, configuration, arguments):
            head = self._heads[stream] = await _head_of(chat, arguments, stream)
        try:
            pieces = [item.json if isinstance(item, Written) else write(item) for item in messages]
        except (TypeError, ValueError):  # the SDK may know better, and has errors of its own
            return None
        requests: SdkObject = sys.modules['mistralai.client.utils.requestbodies']
        body = requests.SerializedRequestBody('application/json', head.body + b','.join(pieces) + b']}')
        request = chat._build_request_async(**{**head.build, 'get_serialized_body': lambda: body})
        sent = {**head.send, 'hook_ctx': copy.copy(head.send['hook_ctx']), 'request': request}
        response = await chat.do_request_async(**sent)
        kind, _, _ = response.headers.get('content-type', '').partition(';')
        expected = 'text/event-stream' if stream else 'application/json'
        if response.status_code != 200 or kind.strip().lower() != expected:
            answered = _answered(_kind_of(chat))(chat.sdk_configuration)
            answered.response = response
            await _typed(answered, stream)(**arguments, messages=_ONE_MESSAGE)  # it raises the error of the SDK
        return response


def _kind_of(chat: SdkObject) -> SdkObject:
    return type(chat)  # type: ignore[reportUnknownVariableType]


@cache
def prepare() -> None:
    """Load what a request needs, so that the first one does not: the SDK loads its modules one by one."""
    configuration = import_module('mistralai.client.sdkconfiguration').SDKConfiguration
    empty = configuration(
        client=None, client_supplied=True, async_client=None, async_client_supplied=True, debug_logger=None
    )
    noting = _noting(import_module('mistralai.client.chat').Chat)(empty)
    function: JsonObject = {'name': 'any', 'description': '', 'parameters': {}}
    for stream in (False, True):
        call = _typed(noting, stream)(
            model='any',
            messages=_ONE_MESSAGE,
            tools=[{'type': 'function', 'function': function}],
            tool_choice='auto',
        )
        try:
            call.send(None)
        except (
            Exception
        ):  # mostly that it has been taken note of; if a release needs more, the first request takes longer
            pass
        finally:
            call.close()


def _typed(chat: SdkObject, stream: bool) -> Callable[..., SdkObject]:
    return chat.stream_async if stream else chat.complete_async


async def _head_of(chat: SdkObject, arguments: JsonObject, stream: bool) -> _ChatHead:
    noting = _noting(_kind_of(chat))(chat.sdk_configuration)
    try:
        await _typed(noting, stream)(**arguments, messages=_ONE_MESSAGE)
    except NotedError:
        pass
    build, send = noting.noted
    fields = as_dict(parse(build['get_serialized_body']().content))
    utils: SdkObject = sys.modules['mistralai.client.utils']
    request = build['request']
    if not utils.get_query_params(request, None, None) and not utils.get_headers(request, None):
        build['request'] = None  # there is nothing to find in it, which takes as long as the rest
    del fields['messages']
    body = write(fields)[:-1] + b',"messages":['
    return _ChatHead(chat, dict(chat.sdk_configuration.__dict__), copy.deepcopy(arguments), build, send, body)
