"""What requests and answers of the Vercel AI SDK share."""

from __future__ import annotations

from abc import ABC
from typing import Any, Literal, Union

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAlias

from ..._kit.json_types import as_dict
from ..._kit.records import is_str_dict
from ...messages import NativeToolCallPart, TextPart, ThinkingPart, ToolCallPart

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


def metadata_of(**values: Any) -> ProviderMetadata | None:
    """Return values as metadata; `None` if all of them are missing."""
    kept = {key: value for key, value in values.items() if value is not None}
    return {OWN: kept} if kept else None


def part_metadata(part: TextPart | ThinkingPart | ToolCallPart | NativeToolCallPart) -> ProviderMetadata | None:
    """Return the metadata of a part."""
    signature = part.signature if isinstance(part, ThinkingPart) else None
    details = part.provider_details
    return metadata_of(id=part.id, signature=signature, provider_name=part.provider_name, provider_details=details)


def fields_of(metadata: ProviderMetadata | None, *names: str, under: str = '') -> dict[str, Any]:
    """Return the fields of a part from metadata; what is not of their type is left out.

    Args:
        metadata: The metadata.
        names: The names of the fields, in addition to `provider_name` and `provider_details`.
        under: The key of the values, if there is one; else they are at the top.
    """
    data = as_dict((metadata or {}).get(OWN))
    data = as_dict(data.get(under)) or data
    fields = {name: data[name] for name in ('provider_name', *names) if isinstance(data.get(name), str)}
    details = data.get('provider_details')
    return {**fields, 'provider_details': details} if is_str_dict(details) else fields
