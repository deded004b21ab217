"""Models: the interface, finding one by its name, and what all of them share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Literal, TypeVar, Union

from typing_extensions import TypeAlias, TypedDict, deprecated

from .._contracts.model import Model, ModelRequestContext, ModelRequestParameters
from .._contracts.parts import ModelResponsePartsManager
from .._contracts.run_context import RunContext
from .._contracts.streamed import StreamedResponse
from .._kit.json_schema import JsonSchemaTransformer
from .._kit.warnings import PydanticAIDeprecationWarning
from ..exceptions import UserError
from ..messages import FileUrl
from ..profiles import DEFAULT_PROFILE, ModelProfile

KnownModelName: TypeAlias = Union[Literal['test'], str]
"""A name that `infer_model` takes: `'test'`, or `'provider:model'`."""
OpenAIChatCompatibleProvider: TypeAlias = str
"""The name of a provider that speaks the OpenAI chat protocol."""
OpenAIResponsesCompatibleProvider: TypeAlias = str
"""The name of a provider that speaks the OpenAI responses protocol."""
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


# Providers of models by name: the function that makes a model of a name. Rooms of providers add their rows here.
MODEL_FACTORIES: dict[str, Callable[[str], Model]] = {}

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
        model: `'test'`, `'provider:model'`, or a model.
        provider_factory: Makes the provider for its name.

    Raises:
        TypeError: What is passed is neither a model nor a name.
        UserError: The name has no provider that is known.
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
            f'Unknown model: {model!r}. Name it as "provider:model", use "test", or pass a `Model`. '
            f'Providers of this version of stead: {sorted(MODEL_FACTORIES) or "none yet"}.'
        )
    factory = MODEL_FACTORIES.get(provider)
    if factory is None:
        raise ValueError(
            f'Unknown provider: {provider!r} (in the model name {model!r}). '
            f'Providers of this version of stead: {sorted(MODEL_FACTORIES) or "none yet"}; '
            'use "test", or pass a `Model` of your own, such as a `FunctionModel`.'
        )
    return factory(name)


def infer_model_profile(model: str) -> ModelProfile:
    """Return what is known about a model by its id; the default profile if that is nothing."""
    provider, _ = parse_model_id(model)
    return DEFAULT_PROFILE if provider not in MODEL_FACTORIES else infer_model(model).profile


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
