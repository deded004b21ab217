"""What requests and answers of the Vercel AI SDK share."""

from __future__ import annotations

from abc import ABC
from typing import Any, Literal, Union

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAlias

ProviderMetadata: TypeAlias = dict[str, dict[str, Any]]
"""What providers, by their names, need to take something back."""
OWN = 'pydantic_ai'
"""The name for what agents need to take something back."""


class CamelBaseModel(
    BaseModel,
    ABC,
    alias_generator=to_camel,
    populate_by_name=True,
    validate_by_alias=True,
    validate_by_name=True,
    extra='forbid',
):
    """A record whose JSON has keys in camel case."""


class RequestModel(CamelBaseModel, extra='ignore'):
    """A record of a request; later versions of the SDK may send more."""


class SourceUrl(CamelBaseModel):
    """What a part and a chunk have that are links."""

    type: Literal['source-url'] = 'source-url'
    source_id: str
    url: str
    title: Union[str, None] = None
    provider_metadata: Union[ProviderMetadata, None] = None


class SourceDocument(CamelBaseModel):
    """What a part and a chunk have that are documents."""

    type: Literal['source-document'] = 'source-document'
    source_id: str
    media_type: str
    title: str
    filename: Union[str, None] = None
    provider_metadata: Union[ProviderMetadata, None] = None
