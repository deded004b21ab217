"""Models: the interface, finding one by its name, and what all of them share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar, get_args

from typing_extensions import TypedDict, deprecated

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from .._kit.json_schema import JsonSchemaTransformer
from .._kit.warnings import PydanticAIDeprecationWarning
from ..exceptions import UserError
from ..messages import FileUrl
from ..profiles import DEFAULT_PROFILE, ModelProfile
from ..providers import PROVIDERS, current_name
from ._base import Model
from ._known_names import KnownModelName, OpenAIChatCompatibleProvider, OpenAIResponsesCompatibleProvider
from ._streaming.parts import ModelResponsePartsManager
from ._streaming.streamed import StreamedResponse

DEFAULT_HTTP_TIMEOUT = 600
"""Seconds a request to a provider may take."""
DataT = TypeVar('DataT', str, bytes)

ALLOW_MODEL_REQUESTS = True
"""Whether requests to real models are allowed; set it to `False` in tests."""


def check_allow_model_requests() -> None:
    """Raise `RuntimeError` if requests to real models are not allowed; model classes call it before each of theirs."""
    if not ALLOW_MODEL_REQUESTS:
        raise RuntimeError('Model requests are not allowed, since ALLOW_MODEL_REQUESTS is False')


@contextmanager
def override_allow_model_requests(allow_model_requests: bool) -> Iterator[None]:
    """Allow or forbid requests to real models inside the `with` block, for the whole process."""
    global ALLOW_MODEL_REQUESTS
    before, ALLOW_MODEL_REQUESTS = ALLOW_MODEL_REQUESTS, allow_model_requests  # type: ignore[reportConstantRedefinition]
    try:
        yield
    finally:
        ALLOW_MODEL_REQUESTS = before  # type: ignore[reportConstantRedefinition]


# The module and class of the models of each provider, by its name in model ids.
MODEL_CLASSES: dict[str, tuple[str, str]] = {name: (row.model_module, row.model) for name, row in PROVIDERS.items()}


def _local(name: str) -> Model:
    from .llamacpp import LlamaCppModel

    return LlamaCppModel(name)


# Names without a provider, and those of your own: the function that makes a model of a name. They go over the classes.
MODEL_FACTORIES: dict[str, Callable[[str], Model]] = {'local': _local}

# Prefixes of names that were usable without a provider.
_BARE_NAMES = {'gpt': 'openai', 'o1': 'openai', 'o3': 'openai', 'claude': 'anthropic', 'gemini': 'google'}


def parse_model_id(model: str) -> tuple[str | None, str]:
    """Return the provider and the name in a model id; the provider is `None` if the id does not say.

    Some ids that begin like those of well-known models do without a provider, with a `DeprecationWarning`.
    """
    provider, separator, name = model.partition(':')
    if separator:
        return provider, name
    for prefix, known in _BARE_NAMES.items():
        if model.startswith(prefix):
            warnings.warn(
                f'A model name without a provider is going away: write {f"{known}:{model}"!r} rather than {model!r}.',
                DeprecationWarning,
                stacklevel=2,
            )
            return known, model
    return None, model


def infer_model(model: Model | KnownModelName | str, provider_factory: Callable[[str], Any] | None = None) -> Model:
    """Return the model for a name; a model is returned as it is.

    Args:
        model: `'test'`, `'provider:model'` (`'gateway/provider:model'` goes through Pydantic AI Gateway), or a model.
        provider_factory: Makes the provider for its name.

    Raises:
        TypeError: What is passed is neither a model nor a name.
        ImportError: The package of the vendor is not installed.
        UserError: The name has no provider that is known, or there is no key for it.
        ValueError: The provider is not known.
    """
    if isinstance(model, Model):
        return model
    if not isinstance(model, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f'A model is a `Model` or a name such as "provider:model", not {model!r}.')
    if model == 'test':
        from .test import TestModel

        return TestModel()
    provider, name = parse_model_id(model)
    if provider is None:
        raise UserError(
            f'Unknown model: {model!r}. {_suggestion(model)}Name it as "provider:model", use "test", or pass a `Model`. '
            f'Providers of this version of stead: {_known_providers()}.'
        )
    if provider in MODEL_FACTORIES:
        return MODEL_FACTORIES[provider](name)
    current = current_name(provider)
    row = MODEL_CLASSES.get(_spoken_to_as(current))
    if row is None:
        raise ValueError(
            f'Unknown provider: {provider!r} (in the model name {model!r}). {_suggestion(model)}'
            f'Providers of this version of stead: {_known_providers()}; '
            'use "test", or pass a `Model` of your own, such as a `FunctionModel`.'
        )
    module, cls = row
    made = current if provider_factory is None else provider_factory(provider)
    return getattr(import_module(f'.{module}', __name__), cls)(name, provider=made)


def _known_providers() -> list[str]:
    return sorted({*MODEL_CLASSES, *MODEL_FACTORIES})


def _suggestion(model: str) -> str:
    """Return a sentence with what may have been meant by a name, or nothing."""
    from difflib import get_close_matches

    known = _known_providers()
    provider, separator, name = model.partition(':')
    if separator:
        close = [f'{other}:{name}' for other in get_close_matches(provider.strip().lower(), known, n=1, cutoff=0.7)]
    else:
        names = (item.partition(':') for item in get_args(KnownModelName.__value__) if model)
        close = [f'{other}:{model}' for other, _, item in names if item == model and other in known]
    return f'Did you mean {" or ".join(map(repr, close))}? ' if close else ''


def _spoken_to_as(provider: str) -> str:
    """Return the provider that one is spoken to as: the vendor, behind the gateway.

    Raises:
        UserError: The gateway does not have it.
    """
    if not provider.startswith('gateway/'):
        return provider
    from ..providers.gateway import upstream_of

    return upstream_of(provider.removeprefix('gateway/')).provider


def infer_model_profile(model: str) -> ModelProfile:
    """Return what is known about a model by its id; the default profile if that is nothing."""
    provider, name = parse_model_id(model)
    if provider in MODEL_FACTORIES:
        return infer_model(model).profile
    try:
        provider = _spoken_to_as(current_name(provider or ''))
    except UserError:
        return DEFAULT_PROFILE
    if provider not in MODEL_CLASSES:
        return DEFAULT_PROFILE
    from ..providers import infer_provider_class

    return infer_provider_class(provider).model_profile(name) or DEFAULT_PROFILE


def create_async_http_client(*, timeout: int = DEFAULT_HTTP_TIMEOUT, connect: int = 5) -> Any:
    """Return a new `httpx.AsyncClient` for requests to a provider.

    Args:
        timeout: Seconds a request may take.
        connect: Seconds connecting may take.
    """
    import httpx

    return httpx.AsyncClient(
        timeout=httpx.Timeout(timeout=timeout, connect=connect), headers={'User-Agent': get_user_agent()}
    )


@deprecated(
    '`cached_async_http_client` is going away; use `create_async_http_client`.', category=PydanticAIDeprecationWarning
)
def cached_async_http_client(
    *, provider: str | None = None, timeout: int = DEFAULT_HTTP_TIMEOUT, connect: int = 5
) -> Any:
    """Return a new HTTP client; clients belong to one event loop and are not shared any more."""
    return create_async_http_client(timeout=timeout, connect=connect)


def get_user_agent() -> str:
    """Return what requests to providers say about who sends them."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f'stead/{version("stead")}'
    except PackageNotFoundError:
        return 'stead'


class DownloadedItem(TypedDict, Generic[DataT]):
    """A file that was downloaded."""

    data: DataT
    """The bytes, or text in base64 or as a data URI."""
    data_type: str
    """The media type, or the format."""


async def download_item(
    item: FileUrl,
    data_format: Literal['bytes', 'base64', 'base64_uri', 'text'] = 'bytes',
    type_format: Literal['mime', 'extension'] = 'mime',
) -> DownloadedItem[Any]:
    """Download the file of a link.

    Args:
        item: The link.
        data_format: The form of the data.
        type_format: Whether to name the media type or the format.

    Raises:
        UserError: The link is one that cannot be downloaded, or leads to an address that is not public.
        httpx.HTTPError: The download failed.
    """
    from .._kit.http import download

    return await download(item, data_format, type_format)  # type: ignore[return-value]


__all__ = (
    'ALLOW_MODEL_REQUESTS',
    'DEFAULT_HTTP_TIMEOUT',
    'DataT',
    'DownloadedItem',
    'JsonSchemaTransformer',
    'KnownModelName',
    'Model',
    'ModelRequestContext',
    'ModelRequestParameters',
    'ModelResponsePartsManager',
    'OpenAIChatCompatibleProvider',
    'OpenAIResponsesCompatibleProvider',
    'PydanticAIDeprecationWarning',
    'RunContext',
    'StreamedResponse',
    'cached_async_http_client',
    'check_allow_model_requests',
    'create_async_http_client',
    'download_item',
    'get_user_agent',
    'infer_model',
    'infer_model_profile',
    'override_allow_model_requests',
    'parse_model_id',
)
