"""Media types and formats, as data, and how a media type is told from the end of a name."""

from __future__ import annotations

from typing import Any, Literal
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

AUDIO_FORMATS: dict[str, AudioFormat] = {
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'audio/flac': 'flac',
    'audio/ogg': 'oga',
    'audio/aiff': 'aiff',
    'audio/aac': 'aac',
}
IMAGE_FORMATS: dict[str, ImageFormat] = {
    'image/jpeg': 'jpeg',
    'image/png': 'png',
    'image/gif': 'gif',
    'image/webp': 'webp',
}
DOCUMENT_FORMATS: dict[str, DocumentFormat] = {
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
VIDEO_FORMATS: dict[str, VideoFormat] = {
    'video/x-matroska': 'mkv',
    'video/quicktime': 'mov',
    'video/mp4': 'mp4',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
}

# Endings that have a format. Python and the machine may know them by other types, `audio/x-wav` for example, which
# providers do not take, or not at all.
ENDINGS: dict[str, str] = {
    **{
        f'.{name}': media_type
        for formats in (VIDEO_FORMATS, AUDIO_FORMATS, IMAGE_FORMATS, DOCUMENT_FORMATS)
        for media_type, name in formats.items()
    },
    '.jpg': 'image/jpeg',
    '.mpg': 'video/mpeg',
    '.ogg': 'audio/ogg',
    '.htm': 'text/html',
    '.markdown': 'text/markdown',
    '.yaml': 'application/yaml',
    '.yml': 'application/yaml',
    '.toml': 'application/toml',
    '.asciidoc': 'text/x-asciidoc',
}
_ours: Any = None


def guess_media_type(location: str) -> str | None:
    """Return the media type that the end of a link or file name stands for, or `None`.

    What follows the path of a link, such as a query, plays no part. The type of a data URI is the one it says.
    """
    global _ours
    import mimetypes  # reads files of the machine, which only those who need a guess should wait for

    if _ours is None:
        table = mimetypes.MimeTypes()
        table.types_map = ({}, ENDINGS)
        _ours = table
    # Python looks through links by itself only since 3.13; the answer must not depend on its version.
    name = path_of(location) if '://' in location else location
    return _ours.guess_type(name)[0] or mimetypes.guess_type(name)[0]


def path_of(link: str) -> str:
    """Return the path of a link, which is empty for what is no link at all."""
    try:
        return urlsplit(link).path
    except ValueError:
        return ''


def host_of(link: str) -> str | None:
    """Return the host of a link, or `None` for what has none."""
    try:
        return urlsplit(link).hostname
    except ValueError:
        return None
