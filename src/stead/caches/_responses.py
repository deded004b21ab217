"""`ResponseCache`: the same request gets the same response, without the model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from .._contracts.capability import AbstractCapability, CapabilityOrdering
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.ids import generate_tool_call_id, now_utc
from .._kit.json_types import JsonObject
from .._kit.shown_json import shown_json
from .._show.compared import Conversations
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, ToolCallPart
from ..models import KnownModelName, Model, ModelRequestParameters, StreamedResponse
from ..models.cut import CutResponse
from ..models.wrapper import WrapperModel
from ..settings import ModelSettings
from ..usage import RequestUsage
from ._lookups import Lookups, OnLookup, as_json
from ._stores import CacheStore

HITS = 'response_cache_hits'
SAVED = 'response_cache_tokens'
_OF_ITS_RUN = ('run_id', 'conversation_id', 'metadata')
_USUAL_ENDS = ('stop', 'tool_call', None)


class ResponseCache(AbstractCapability[AnyDepsT]):
    """A capability that answers a request from a store, if a model has answered the same one before.

    A key is made of everything that the model is sent: the model and its settings, tools, output, instructions and messages,
    without times and ids. A response that is not complete, or that a filter or a limit of tokens has cut, is not kept.

    What a hit would have cost is not counted: its usage has no tokens, and the details `response_cache_hits`, 1, and
    `response_cache_tokens`, those that were saved. So do its span and the usage of the run.
    """

    refused_in_workflows = (
        '`ResponseCache` would not be asked, as activities send the requests. Pass the agent a model that has the cache '
        'before it instead: `Agent(cache.model(...))`.'
    )

    def __init__(
        self, store: CacheStore | None = None, *, ttl: float | None = None, on_lookup: OnLookup | None = None
    ) -> None:
        """Choose where responses are kept, and how long.

        Args:
            store: Where; by default in memory, for as long as this object lives.
            ttl: The seconds for which a response is the answer; `None` for no limit.
            on_lookup: A function that is called with each `CacheLookup`, such as `print`.

        Raises:
            UserError: An argument is not valid.
        """
        self._lookups = Lookups(store, ttl, on_lookup)
        self._compared = Conversations()

    @property
    def store(self) -> CacheStore:
        """Where responses are kept."""
        return self._lookups.store

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: specs have no stores."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Return the place nearest to the model: what hooks change is part of the key."""
        return CapabilityOrdering(position='innermost')

    def get_wrapper_model(self, model: Model[Any]) -> Model[Any]:
        """Return the model of a run, with the cache before it."""
        return self.model(model)

    def model(self, wrapped: Model[Any] | KnownModelName | str) -> Model[Any]:
        """Return a model with the cache before it, to be used without the capability.

        Args:
            wrapped: The model, or its name; errors for names as `infer_model`.
        """
        return _CachedModel(wrapped, self._lookups, self._compared)


class _CachedModel(WrapperModel):
    def __init__(self, wrapped: Model[Any] | KnownModelName | str, lookups: Lookups, compared: Conversations) -> None:
        super().__init__(wrapped)
        self._lookups = lookups
        self._compared = compared

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the response that is kept, or send the request and keep the response."""
        key, response = await self._find(messages, model_settings, model_request_parameters)
        if response is None:
            response = await self.wrapped.request(messages, model_settings, model_request_parameters)
            await self._keep(key, response)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream the response that is kept, or the one of the model, which is kept if it is read to its end."""
        params = model_request_parameters
        key, response = await self._find(messages, model_settings, params)
        if response is not None:
            yield CutResponse(params, response)
            return
        async with self.wrapped.request_stream(messages, model_settings, params, run_context) as stream:
            yield stream
        await self._keep(key, stream.get())

    async def _find(
        self, messages: list[ModelMessage], settings: ModelSettings | None, params: ModelRequestParameters
    ) -> tuple[str, ModelResponse | None]:
        conversation = self._compared.of(messages)
        key_parts: JsonObject = {
            'model': [self.system, self.model_name, self.base_url],
            'settings': as_json_or_text({**(self.settings or {}), **(settings or {})}),
            'parameters': as_json_or_text(params),
            'instructions': getattr(messages[-1], 'instructions', None),
            'messages': conversation.messages,
        }
        digests = {'messages': conversation.chain[-1]}
        key, entry = await self._lookups.find('response', self.model_name, key_parts, digests)
        return key, None if entry is None else _response_of(entry, messages)

    async def _keep(self, key: str, response: ModelResponse) -> None:
        if response.state != 'complete' or response.finish_reason not in _USUAL_ENDS or not response.parts:
            return
        plain = replace(response, **dict.fromkeys(_OF_ITS_RUN))
        await self._lookups.store.put(key, ModelMessagesTypeAdapter.dump_json([plain]), ttl=self._lookups.ttl)


def as_json_or_text(value: object) -> Any:
    """Return JSON data of a value, or JSON as text if parts of it have none."""
    try:
        return as_json(value)
    except ValueError:
        return shown_json(value).decode()


def _response_of(entry: bytes, messages: list[ModelMessage]) -> ModelResponse | None:
    """Return the response of an entry as one of now; `None` if the entry is damaged."""
    try:
        (response,) = ModelMessagesTypeAdapter.validate_json(entry)
    except ValueError:
        return None
    if not isinstance(response, ModelResponse):
        return None
    known = {getattr(part, 'tool_call_id', None) for message in messages for part in message.parts}
    for part in response.parts:
        if isinstance(part, ToolCallPart) and part.tool_call_id in known:
            part.tool_call_id = generate_tool_call_id()  # the history has another call of this id
    usage = RequestUsage(details={HITS: 1, SAVED: response.usage.total_tokens})
    return replace(response, usage=usage, timestamp=now_utc())
