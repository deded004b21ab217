"""Media types and formats, as data."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from typing_extensions import TypeAlias

AudioMediaType: TypeAlias = Literal['audio/wav', 'audio/mpeg', 'audio/ogg', 'audio/flac', 'audio/aiff', 'audio/aac']
ImageMediaType: TypeAlias = Literal['image/jpeg', 'image/png', 'image/gif', 'image/webp']
DocumentMediaType: TypeAlias = Literal[
    'application/pdf',
    'text/plain',
    'text/csv',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'text/html',
    'text/markdown',
    'application/msword',
    'application/vnd.ms-excel',
]
VideoMediaType: TypeAlias = Literal[
    'video/x-matroska',
    'video/quicktime',
    'video/mp4',
    'video/webm',
    'video/x-flv',
    'video/mpeg',
    'video/x-ms-wmv',
    'video/3gpp',
]
AudioFormat: TypeAlias = Literal['wav', 'mp3', 'oga', 'flac', 'aiff', 'aac']
ImageFormat: TypeAlias = Literal['jpeg', 'png', 'gif', 'webp']
DocumentFormat: TypeAlias = Literal['csv', 'doc', 'docx', 'html', 'md', 'pdf', 'txt', 'xls', 'xlsx']
VideoFormat: TypeAlias = Literal['mkv', 'mov', 'mp4', 'webm', 'flv', 'mpeg', 'mpg', 'wmv', 'three_gp']

AUDIO_FORMATS: dict[str, str] = {
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'audio/flac': 'flac',
    'audio/ogg': 'oga',
    'audio/aiff': 'aiff',
    'audio/aac': 'aac',
}
IMAGE_FORMATS: dict[str, str] = {'image/jpeg': 'jpeg', 'image/png': 'png', 'image/gif': 'gif', 'image/webp': 'webp'}
DOCUMENT_FORMATS: dict[str, str] = {
    'application/pdf': 'pdf',
    'text/plain': 'txt',
    'text/csv': 'csv',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'text/html': 'html',
    'text/markdown': 'md',
    'application/msword': 'doc',
    'application/vnd.ms-excel': 'xls',
}
VIDEO_FORMATS: dict[str, str] = {
    'video/x-matroska': 'mkv',
    'video/quicktime': 'mov',
    'video/mp4': 'mp4',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
}

# Endings that the formats above do not name, or name otherwise.
EXTENSIONS: dict[str, str] = {
    **{
        name: media_type
        for formats in (VIDEO_FORMATS, AUDIO_FORMATS, IMAGE_FORMATS, DOCUMENT_FORMATS)
        for media_type, name in formats.items()
    },
    'jpg': 'image/jpeg',
    'jpeg': 'image/jpeg',
    'mpg': 'video/mpeg',
    'ogg': 'audio/ogg',
    'htm': 'text/html',
    'markdown': 'text/markdown',
}


def guess_media_type(location: str) -> str | None:
    """Return the media type that the ending of a link or file name stands for, or `None`.

    A query string hides the ending, as nothing says what the server makes of it.
    """
    if '?' in location and urlsplit(location).query:
        return None
    name = location.rsplit('/', 1)[-1]
    if '.' not in name:
        return None
    ending = name.rsplit('.', 1)[-1].lower()
    found = EXTENSIONS.get(ending)
    if found is None:
        import mimetypes

        found = mimetypes.guess_type(f'file.{ending}')[0]
    return found
