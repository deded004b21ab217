"""Models: their interface, how they are found by name, and the helpers that they share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, Literal, TypeVar, get_args

from typing_extensions import TypedDict, deprecated

from .. import messages as all_messages
from .._contracts.model import (
    ModelRequestContext,
    ModelRequestParameters,
    ModelResolutionContext,
    ModelSelectionContext,
)
from .._contracts.run_context import RunContext, RunContextAgentDepsT as ModelContextDepsT
from .._kit.json_schema import JsonSchemaTransformer
from .._kit.lazy import import_module, lazy_modules
from .._kit.sdk_types import HttpxAsyncClient
from ..exceptions import PydanticAIDeprecationWarning, UserError
from ..output import StructuredTextOutputSchema
from ..profiles import DEFAULT_PROFILE, ModelProfile
from ..providers import OBJECT_PROVIDERS, PROVIDERS, Provider, current_name, infer_provider
from ._base import AbstractModel, Model
from ._known_names import KnownModelName, OpenAIChatCompatibleProvider, OpenAIResponsesCompatibleProvider
from ._request_tools import prepare_return_schemas, resolve_request_tools
from ._streaming.parts import ModelResponsePartsManager
from ._streaming.streamed import CompletedStreamedResponse, StreamedResponse

DEFAULT_HTTP_TIMEOUT = 600
"""Seconds a request to a provider may take."""
DataT = TypeVar('DataT', str, bytes)
"""The type of the data of a download."""

ALLOW_MODEL_REQUESTS = True
"""Whether requests to real models are allowed. Set it to `False` in tests."""


def check_allow_model_requests() -> None:
    """Raise an error if requests to real models are not allowed. Model classes call this before each request.

    Raises:
        RuntimeError: `ALLOW_MODEL_REQUESTS` is `False`.
    """
    if not ALLOW_MODEL_REQUESTS:
        raise RuntimeError('Model requests are not allowed, since ALLOW_MODEL_REQUESTS is False')


@contextmanager
def override_allow_model_requests(allow_model_requests: bool) -> Iterator[None]:
    """Allow or forbid requests to real models in the `with` block, for the whole process."""
    global ALLOW_MODEL_REQUESTS
    before, ALLOW_MODEL_REQUESTS = ALLOW_MODEL_REQUESTS, allow_model_requests  # type: ignore[reportConstantRedefinition]
    try:
        yield
    finally:
        ALLOW_MODEL_REQUESTS = before  # type: ignore[reportConstantRedefinition]


# The module and class of each provider's models, by its name in model ids.
MODEL_CLASSES: dict[str, tuple[str, str]] = {name: (row.model_module, row.model) for name, row in PROVIDERS.items()}


def _local(name: str) -> Model:
    from .llamacpp import LlamaCppModel

    return LlamaCppModel(name)


# Functions that build a model from its name, for prefixes of ids without a provider class. They take precedence over it.
MODEL_FACTORIES: dict[str, Callable[[str], Model]] = {'local': _local}

# Providers by prefixes of model names that were once accepted without a provider.
BARE_NAMES = {'gpt': 'openai', 'o1': 'openai', 'o3': 'openai', 'claude': 'anthropic', 'gemini': 'google'}


DROPPED_PREFIXES: tuple[str, ...] = ()
"""Providers that are no longer accepted."""
UnknownProvider: type[Exception] = ValueError


def parse_model_id(model: str) -> tuple[str | None, str]:
    """Return the provider and the name in a model id; the provider is `None` if the id has none.

    Some ids without a provider are accepted by the prefix of a well-known name, with a `DeprecationWarning`.
    """
    provider, separator, name = model.partition(':')
    if separator:
        return provider, name
    for prefix, known in BARE_NAMES.items():
        if model.startswith(prefix):
            warnings.warn(
                f'Model names without a provider are deprecated: use {f"{known}:{model}"!r} rather than {model!r}.',
                DeprecationWarning,
                stacklevel=2,
            )
            return known, model
    return None, model


def infer_model(
    model: Model | KnownModelName | str, provider_factory: Callable[[str], Provider] | None = None
) -> Model:
    """Return the model for a name. A model is returned unchanged.

    Args:
        model: `'test'`, `'provider:model'` (`'gateway/provider:model'` for Pydantic AI Gateway), or a model.
        provider_factory: Returns the provider for its name.

    Raises:
        TypeError: The argument is neither a model nor a name.
        ImportError: The vendor's package is not installed.
        UserError: The name has no provider, there is no API key for the provider, or the gateway does not offer it.
        ValueError: The provider is not known.
    """
    if isinstance(model, Model):
        return model
    if not isinstance(model, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f'A model must be a `Model` or a name such as "provider:model", not {model!r}.')
    if model == 'test':
        from .test import TestModel

        return TestModel()
    provider, name = parse_model_id(model)
    if provider is None:
        raise UserError(
            f'Unknown model: {model!r}. {_suggestion(model)}Use "provider:model" or "test", or pass a `Model`. '
            f'Providers of this version of stead: {_known_providers()}.'
        )
    if provider in MODEL_FACTORIES:
        return MODEL_FACTORIES[provider](name)
    current = current_name(provider)
    row = None if provider in DROPPED_PREFIXES else MODEL_CLASSES.get(_api_provider(current))
    if row is None and provider in OBJECT_PROVIDERS:
        (provider_factory or infer_provider)(provider)  # it may say something about the provider itself
        raise UserError(f'The models of {provider!r} have no names, as {model!r} is one. Make an `OutlinesModel`.')
    if row is None:
        raise UnknownProvider(
            f'Unknown provider: {provider!r} (in the model name {model!r}). {_suggestion(model)}'
            f'Providers of this version of stead: {_known_providers()}; '
            'use "test", or pass a `Model` of your own, such as a `FunctionModel`.'
        )
    module, cls = row
    chosen = current if provider_factory is None else provider_factory(provider)
    return getattr(import_module(f'.{module}', __name__), cls)(name, provider=chosen)


@cache
def known_model_names() -> tuple[str, ...]:
    """Return the names of all models that stead knows, sorted; `infer_model` accepts others, too."""
    return tuple(sorted(get_args(KnownModelName.__value__)))


def _known_providers() -> list[str]:
    return sorted({*MODEL_CLASSES, *MODEL_FACTORIES}.difference(DROPPED_PREFIXES))


def _suggestion(model: str) -> str:
    """Return a sentence that suggests similar names, or an empty string."""
    from difflib import get_close_matches

    known = _known_providers()
    provider, separator, name = model.partition(':')
    if separator:
        close = [f'{other}:{name}' for other in get_close_matches(provider.strip().lower(), known, n=1, cutoff=0.7)]
    else:
        names = (item.partition(':') for item in get_args(KnownModelName.__value__) if model)
        close = [f'{other}:{model}' for other, _, item in names if item == model and other in known]
        close = close or get_close_matches(model, ['test', 'local:'], n=1, cutoff=0.7)
        if not close and model in known:
            close = [item for item in get_args(KnownModelName.__value__) if item.startswith(f'{model}:')][-1:]
    return f'Did you mean {" or ".join(map(repr, close))}? ' if close else ''


def _api_provider(provider: str) -> str:
    """Return the provider whose API a provider has: for the gateway, the vendor behind it.

    Raises:
        UserError: The gateway does not offer the vendor.
    """
    if not provider.startswith('gateway/'):
        return provider
    from ..providers.gateway import route_for

    return route_for(provider.removeprefix('gateway/')).provider


def infer_model_profile(model: str) -> ModelProfile:
    """Return the profile of a model by its id, or the default profile if the id is not known."""
    provider, name = parse_model_id(model)
    if provider in MODEL_FACTORIES:
        return infer_model(model).profile
    try:
        provider = _api_provider(current_name(provider or ''))
    except UserError:
        return DEFAULT_PROFILE
    if provider not in MODEL_CLASSES:
        return DEFAULT_PROFILE
    from ..providers import infer_provider_class

    return infer_provider_class(provider).model_profile(name) or DEFAULT_PROFILE


def create_async_http_client(*, timeout: int = DEFAULT_HTTP_TIMEOUT, connect: int = 5) -> HttpxAsyncClient:
    """Return a new `httpx.AsyncClient` for requests to a provider.

    Args:
        timeout: Seconds a request may take.
        connect: Seconds connecting may take.
    """
    import httpx

    return httpx.AsyncClient(
        timeout=httpx.Timeout(timeout=timeout, connect=connect), headers={'User-Agent': get_user_agent()}
    )


@deprecated('`cached_async_http_client` is deprecated: use `create_async_http_client`.')
def cached_async_http_client(
    *, provider: str | None = None, timeout: int = DEFAULT_HTTP_TIMEOUT, connect: int = 5
) -> HttpxAsyncClient:
    """Return a new HTTP client. Clients belong to one event loop, and are no longer shared.

    Args:
        provider: Ignored.
        timeout: Seconds a request may take.
        connect: Seconds connecting may take.
    """
    return create_async_http_client(timeout=timeout, connect=connect)


@cache
def get_user_agent() -> str:
    """Return the `User-Agent` header of requests to providers."""
    from .._kit.version import __version__

    return f'stead/{__version__}'


class DownloadedItem(TypedDict, Generic[DataT]):
    """A downloaded file."""

    data: DataT
    """The bytes, or text: the content itself, in base64, or as a data URI."""
    data_type: str
    """The media type, or the file extension."""


async def download_item(
    item: all_messages.FileUrl,
    data_format: Literal['bytes', 'base64', 'base64_uri', 'text'] = 'bytes',
    type_format: Literal['mime', 'extension'] = 'mime',
) -> DownloadedItem[Any]:
    """Download the file at a URL.

    Args:
        item: The URL.
        data_format: The format of the data: bytes, or text as it is, in base64 or as a data URI.
        type_format: Whether `data_type` is a media type or a file extension.

    Raises:
        UserError: The URL is of a kind that cannot be downloaded, or resolves to an address that is not public; the error
            is a `ValueError` too.
        httpx.HTTPError: The download failed.
    """
    from .._kit.http import download

    return await download(item, data_format, type_format)  # type: ignore[return-value]


__all__ = (
    'ALLOW_MODEL_REQUESTS',
    'DEFAULT_HTTP_TIMEOUT',
    'AbstractModel',
    'CompletedStreamedResponse',
    'DataT',
    'DownloadedItem',
    'JsonSchemaTransformer',
    'KnownModelName',
    'Model',
    'ModelContextDepsT',
    'ModelRequestContext',
    'ModelRequestParameters',
    'ModelResolutionContext',
    'ModelResponsePartsManager',
    'ModelSelectionContext',
    'OpenAIChatCompatibleProvider',
    'OpenAIResponsesCompatibleProvider',
    'PydanticAIDeprecationWarning',
    'RunContext',
    'StreamedResponse',
    'StructuredTextOutputSchema',
    'cached_async_http_client',
    'check_allow_model_requests',
    'create_async_http_client',
    'download_item',
    'get_user_agent',
    'infer_model',
    'infer_model_profile',
    'known_model_names',
    'override_allow_model_requests',
    'parse_model_id',
    'prepare_return_schemas',
    'resolve_request_tools',
)

lazy_modules(__name__)
