"""Files in messages, as blocks of the Converse API. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import BinaryContent, FileUrl, MultiModalContent, UploadedFile
from .._media import Downloads, is_text

S3 = 's3://'
"""The beginning of links that Bedrock reads by itself."""

_IMAGES = {'image/png': 'png', 'image/jpeg': 'jpeg', 'image/gif': 'gif', 'image/webp': 'webp'}
_DOCUMENTS = {
    'application/pdf': 'pdf',
    'text/plain': 'txt',
    'text/csv': 'csv',
    'text/html': 'html',
    'text/markdown': 'md',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
}
_VIDEOS = {
    'video/x-matroska': 'mkv',
    'video/quicktime': 'mov',
    'video/mp4': 'mp4',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
}
_KINDS: Mapping[str, Mapping[str, str]] = {'image': _IMAGES, 'document': _DOCUMENTS, 'video': _VIDEOS}


def kind_of(item: MultiModalContent) -> tuple[str, str]:
    """Return the kind of the block for a file, and its format, as the API has them.

    Raises:
        UserError: Bedrock does not take such files, or the type of the file is not known.
    """
    try:
        media_type = item.media_type.partition(';')[0]
    except ValueError as error:
        raise UserError(str(error)) from error
    for kind, formats in _KINDS.items():
        if media_type in formats:
            return kind, formats[media_type]
    if is_text(media_type):
        return 'document', 'txt'
    known = ', '.join(sorted({*_IMAGES.values(), *_DOCUMENTS.values(), *_VIDEOS.values()} - {'three_gp'}))
    raise UserError(
        f'Bedrock does not take files of type {media_type!r}, but text and these formats: {known}. Use another model, or '
        'leave the file out.'
    )


def file_block(item: MultiModalContent, system: str, downloads: Downloads, number: int) -> JsonObject:
    """Return the block for a file.

    Args:
        item: The file.
        system: The name of the provider.
        downloads: The files that were downloaded for the request.
        number: The number of the file among the documents of the request. Each document needs a name of its own.

    Raises:
        UserError: Bedrock does not take the file.
    """
    if isinstance(item, UploadedFile):
        _check_uploaded(item, system)
    kind, form = kind_of(item)
    named = {'name': f'Document {number}'} if kind == 'document' else {}
    return {kind: {**named, 'format': form, 'source': _source(item, downloads)}}


def _source(item: MultiModalContent, downloads: Downloads) -> JsonObject:
    if isinstance(item, BinaryContent):
        return {'bytes': item.data}
    if isinstance(item, FileUrl):
        download = downloads.get(id(item))
        if download is not None:
            data: Any = download['data']
            return {'bytes': data if isinstance(data, bytes) else data.encode()}
        return {'s3Location': s3_location(item.url)}
    return {'s3Location': s3_location(item.file_id)}


def s3_location(url: str) -> JsonObject:
    """Return the place of a file in S3; the query may name the owner of the bucket, as `?bucketOwner=123456789012`."""
    parts = urlsplit(url)
    owner = parse_qs(parts.query).get('bucketOwner')
    location: JsonObject = {'uri': urlunsplit(parts._replace(query='', fragment=''))}
    if owner:
        location['bucketOwner'] = owner[0]
    return location


def _check_uploaded(item: UploadedFile, system: str) -> None:
    if item.provider_name != system:
        raise UserError(
            f'The file {item.file_id!r} was uploaded to {item.provider_name!r}, but the request goes to {system!r}. Upload '
            'it there, or send its bytes as `BinaryContent`.'
        )
    if not item.file_id.startswith(S3):
        raise UserError(
            f'Bedrock reads uploaded files from S3, but the id of the file is {item.file_id!r}. Pass its address there, '
            'such as `s3://bucket/key.pdf`, as the `file_id`.'
        )
