"""Requests past the typed methods of Google's SDK, with the client below them.

The SDK has a public way for fields of the body that it does not know (`HttpOptions.extra_body`), but walks through the body and
writes it anyway, and validates each chunk of a stream. So requests use its API client, which the typed method calls in the
end: URL, key or credentials, headers, timeouts, retries and errors are its own. The head of a request (tools, schemas,
settings), and contents that are not plain, are converted by the SDK itself, which is asked to send them with a client that only
takes note of it.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from os.path import dirname
from types import FunctionType, SimpleNamespace

from typing_extensions import TypeAlias

from ..._kit.json_types import JsonObject, as_dict, as_list
from ..._kit.sdk_types import SdkObject
from ...messages import ModelMessage
from ...providers.google import watch
from .._media import download_all, has_downloads
from .._wire.body import parse, write, write_body
from .._wire.door import NotedError
from .._wire.events import EventReader
from .._wire.kept import KeptMessages, Written
from ._contents import write_content
from ._request import GoogleMessageEncoder
from ._response import named_as_in_python, with_tier

_TYPED = ('generate_content', 'generate_content_stream', '_generate_content', '_generate_content_stream')
_BELOW = ('async_request', 'async_request_streamed', '_async_request', '_async_request_once', '_build_request')
_NOTHING: list[JsonObject] = [{'role': 'user', 'parts': [{'text': ''}]}]
"""Contents that are converted where none are new."""


def api_client_of(client: SdkObject) -> SdkObject:
    """Return the API client below a client, or `None` if a request past the typed method would miss something."""
    genai: SdkObject = sys.modules.get('google.genai')
    if genai is None or type(client) is not genai.Client:
        return None
    folder = dirname(genai.__file__ or '')
    api, models = client._api_client, client.aio.models
    for holder, cls, names in ((models, 'models.AsyncModels', _TYPED), (api, '_api_client.BaseApiClient', _BELOW)):
        module, _, name = cls.partition('.')
        kind: SdkObject = type(holder)  # type: ignore[reportUnknownVariableType]
        if kind is not getattr(sys.modules.get(f'google.genai.{module}'), name, None):
            return None
        for method in names:
            function = getattr(kind, method, None)
            if type(function) is not FunctionType or not function.__code__.co_filename.startswith(folder):
                return None
            if method in holder.__dict__:
                return None
    return None if api._use_aiohttp() else api


_Noted: TypeAlias = tuple[str, JsonObject, SdkObject]
"""The path, the body and the options of a request."""


class _Notes:
    """Stands for the API client, and takes note of the request that it is to send."""

    def __init__(self, api: SdkObject) -> None:
        self._api = api
        self.noted: _Noted | None = None

    def __getattr__(self, name: str) -> SdkObject:
        return getattr(self._api, name)

    async def async_request(self, method: str, path: str, body: JsonObject, options: SdkObject = None) -> None:
        self.noted = path, body, options
        raise NotedError


@dataclass
class _Head:
    """A request without its messages."""

    api: object
    """The API client that it belongs to."""
    config: JsonObject
    """What it was converted from."""
    path: str
    body: JsonObject
    options: SdkObject


@cache
def prepare() -> None:
    """Let the SDK build what it converts requests with, which it does for the first of them, and takes some 50 ms for."""
    models: SdkObject = import_module('google.genai.models')
    config: JsonObject = {
        'system_instruction': _NOTHING[0],
        'tools': [{'function_declarations': [{'name': 'any', 'parameters_json_schema': {'type': 'object'}}]}],
        'automatic_function_calling': {'disable': True},
        'http_options': {'headers': {}},
    }
    notes = _Notes(SimpleNamespace(vertexai=False))
    call = models.AsyncModels(notes)._generate_content(model='any', contents=_NOTHING, config=config)
    try:
        call.send(None)
    except Exception:  # mostly that it has been taken note of; if a release needs more, the first request takes longer
        pass
    finally:
        call.close()


class GoogleDoor:
    """The way of one model past the typed methods."""

    def __init__(self, model_name: str) -> None:
        """Begin without anything that is kept.

        Args:
            model_name: The name of the model.
        """
        self._model_name = model_name
        self._kept = KeptMessages()
        self._head: _Head | None = None
        """The head of the latest request, which most requests have in common with the one before."""

    def __reduce__(self) -> tuple[Callable[..., GoogleDoor], tuple[str]]:
        return GoogleDoor, (self._model_name,)  # a copy of the model begins with nothing

    async def send(
        self,
        api: SdkObject,
        messages: Sequence[ModelMessage],
        encoder: GoogleMessageEncoder,
        config: JsonObject,
        *,
        stream: bool,
    ) -> SdkObject:
        """Send a request.

        Args:
            api: The API client.
            messages: The messages.
            encoder: Encodes them.
            config: The configuration, in the format of the SDK.
            stream: Whether to stream the answer.

        Returns:
            The answer as plain data with the Python names of its fields, or an async generator of chunks; `None` if the SDK has
            to send the request itself.
        """
        key = self._kept.key_like((encoder.names, encoder.profile, encoder.is_cloud))
        found = self._kept.find(messages, key)
        places = [place for start, stop, known in found if known is None for place in range(start, stop)]
        new = [messages[place] for place in places]
        encoder.downloads = await download_all(new, encoder.download_format)
        unconverted = [encoder.encode_message(message) for message in new]
        plain = [[write_content(item) for item in items] for items in unconverted]
        others = [item for items, known in zip(unconverted, plain) for item, body in zip(items, known) if body is None]
        head, converted = await self._convert(api, others, config)
        if converted is None:
            return None
        rest = iter(converted)
        written: dict[int, list[Written]] = {}
        for place, items, known in zip(places, unconverted, plain):
            bodies = [write(next(rest)) if body is None else body for body in known]
            written[place] = [Written(item['role'], body) for item, body in zip(items, bodies)]
            is_kept = not has_downloads(messages[place], encoder.downloads)
            self._kept.keep(messages, place, key, written[place] if is_kept else None)
        pieces: list[Written] = []
        for start, _, known in found:
            pieces += written[start] if known is None else known
        if not pieces or pieces[0].role != 'user':  # the API requires that the user begins
            pieces.insert(0, Written('user', write(_NOTHING[0])))
        return await self._post(api, head, pieces, stream=stream)

    async def _convert(
        self, api: SdkObject, contents: list[JsonObject], config: JsonObject
    ) -> tuple[_Head, list[JsonObject] | None]:
        """Return the head of a request and its new contents as the API has them; `None` for contents that are not plain."""
        head = self._head
        if head is not None and (head.api is not api or head.config != config):
            head = None
        if head is not None and not contents:
            return head, []
        path, body, options = await self._recorded(api, contents or _NOTHING, config if head is None else None)
        converted = as_list(body.pop('contents', None))
        if head is None:
            head = self._head = _Head(api, copy.deepcopy(config), path, body, options)
        return head, converted if len(converted) == len(contents or _NOTHING) else None

    async def _recorded(self, api: SdkObject, contents: list[JsonObject], config: JsonObject | None) -> _Noted:
        models: SdkObject = sys.modules['google.genai.models']
        notes = _Notes(api)
        try:
            await models.AsyncModels(notes)._generate_content(model=self._model_name, contents=contents, config=config)
        except NotedError:
            pass
        assert notes.noted is not None
        return notes.noted

    async def _post(self, api: SdkObject, head: _Head, pieces: list[Written], *, stream: bool) -> SdkObject:
        path = head.path.replace(':generateContent', ':streamGenerateContent?alt=sse') if stream else head.path
        body = {**head.body, 'contents': _NOTHING}
        if getattr(head.options, 'extra_body', None):  # it is merged into the body, at any depth
            body = copy.deepcopy(body)
        request = api._build_request('post', path, body, head.options)
        if request.data.get('contents') == _NOTHING:
            request.data['contents'] = pieces
        request.data = write_body(request.data)
        result = await api._async_request(http_request=request, http_options=head.options, stream=stream)
        if stream:
            watch(result.response_stream)
            return chunks_of(result, has_time=bool(api.vertexai))
        text = result.response_stream[0] if result.response_stream else ''
        named = named_as_in_python(as_dict(parse(text) if text else {}), has_time=bool(api.vertexai))
        return with_tier(named, result.headers)


async def chunks_of(result: SdkObject, *, has_time: bool) -> AsyncGenerator[JsonObject, None]:
    """Yield the chunks of a streamed answer as plain data with the Python names of their fields.

    Args:
        result: The response of the API client.
        has_time: Whether the time of chunks is kept.
    """
    response = result.response_stream
    try:
        if not response.headers.get('content-type', '').startswith('text/event-stream'):
            async for chunk in result.async_segments():  # an error, in lines of JSON
                yield await _checked(as_dict(chunk), result, has_time)
            return
        reader = EventReader()
        async for piece in response.aiter_bytes():
            for event in reader.feed(piece):
                yield await _checked(as_dict(parse(event.data)), result, has_time)
        for event in reader.finish():
            yield await _checked(as_dict(parse(event.data)), result, has_time)
    finally:
        await response.aclose()


async def _checked(chunk: JsonObject, result: SdkObject, has_time: bool) -> JsonObject:
    if 'error' in chunk:
        errors: SdkObject = sys.modules['google.genai.errors']
        await errors.APIError.raise_error_async(as_dict(chunk['error']).get('code'), chunk, result)
    return with_tier(named_as_in_python(chunk, has_time=has_time), result.headers)
