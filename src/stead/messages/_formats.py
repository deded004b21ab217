"""Media: the base class of files in messages, tables of media types and formats, the guess of a media type from a suffix."""

from __future__ import annotations

from base64 import b64decode
from threading import RLock
from typing import Any, Literal, cast
from urllib.parse import parse_qsl, unquote_to_bytes, urlsplit

from typing_extensions import Self, TypeAlias

from .._kit.records import ShortRepr

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

_COMPILING = RLock()


class Media(ShortRepr):
    """The base class of links to files, binary content and uploaded files, which are loaded when a program uses one.

    A class is compiled before its first instance is there, by one thread.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # Left to pydantic, each thread that makes an instance would compile the class, in place. An instance that was loaded
        # could not be serialized in a value of type `Any` (pydantic 2.12).
        if not cast(Any, cls).__pydantic_complete__:
            from pydantic.dataclasses import rebuild_dataclass

            with _COMPILING:
                if not cast(Any, cls).__pydantic_complete__:
                    rebuild_dataclass(cast('type[Any]', cls))
        return super().__new__(cls)


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

# Suffixes that have a format. Python and the operating system may map them to other types, such as `audio/x-wav`, which
# providers reject, or not know them.
SUFFIXES: dict[str, str] = {
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
_ALIASES = {
    'image/jpg': 'image/jpeg',
    'image/pjpeg': 'image/jpeg',
    'image/x-png': 'image/png',
    'audio/mp3': 'audio/mpeg',
    'audio/x-mp3': 'audio/mpeg',
    'audio/wave': 'audio/wav',
    'audio/x-wav': 'audio/wav',
    'audio/vnd.wave': 'audio/wav',
    'audio/x-flac': 'audio/flac',
    'audio/x-aiff': 'audio/aiff',
    'audio/x-aac': 'audio/aac',
    'video/mkv': 'video/x-matroska',
    'application/x-pdf': 'application/pdf',
    'application/csv': 'text/csv',
    'text/x-csv': 'text/csv',
    'text/x-markdown': 'text/markdown',
}
"""Names of media types that vendors know by another one."""
_URL_SAFE = bytes.maketrans(b'-_', b'+/')
_types: Any = None


def plain_media_type(media_type: str) -> str:
    """Return a media type as vendors know it: in small letters, without parameters, by its usual name."""
    plain = media_type.partition(';')[0].strip().lower()
    return _ALIASES.get(plain, plain)


def charset_of(media_type: str) -> str | None:
    """Return the encoding in the parameters of a media type, in small letters; `None` if it has none."""
    parameters = [item.partition('=') for item in media_type.split(';')[1:]]
    return next(
        (value.strip(' "\'').lower() for name, _, value in parameters if name.strip().lower() == 'charset'), None
    )


def data_in(data_uri: str) -> tuple[str, bytes]:
    """Return the media type and the data of a data URI, in base64 or percent-encoded.

    Raises:
        ValueError: It is not such a URI, or its data is not base64 although it says so.
    """
    head, separator, text = data_uri.partition(',')
    if not separator or head[:5].lower() != 'data:':
        raise ValueError(f'{data_uri[:40]!r} is not a data URI: "data:<media type>;base64,<data>".')
    media_type, data = head[5:], unquote_to_bytes(text)
    if media_type.lower().endswith(';base64'):
        media_type = media_type[: -len(';base64')]
        letters = b''.join(data.split()).translate(_URL_SAFE).rstrip(b'=')
        try:
            data = b64decode(letters + b'=' * (-len(letters) % 4), validate=True)
        except ValueError as error:
            raise ValueError(f'The data of {data_uri[:40]!r} is not base64: {error}.') from error
    return f'text/plain{media_type}' if media_type[:1] in ('', ';') else media_type, data


def guess_media_type(location: str) -> str | None:
    """Return the media type for the suffix of a link or file name, or `None`.

    The query of a link counts only if its path has no suffix, as in `/download?file=report.pdf`. The type of a data URI is the
    one that it declares.
    """
    global _types
    import mimetypes  # slow: its first guess reads files of the operating system

    if _types is None:
        table = mimetypes.MimeTypes()
        table.types_map = ({}, SUFFIXES)
        _types = table
    # Python parses links itself only from 3.13 on; the result must not depend on its version.
    names = [path_of(location), query_of(location)] if '://' in location else [location]
    return next(
        (found for name in names if (found := _types.guess_type(name)[0] or mimetypes.guess_type(name)[0])), None
    )


def path_of(link: str) -> str:
    """Return the path of a link, or an empty string for an invalid one."""
    try:
        return urlsplit(link).path
    except ValueError:
        return ''


def query_of(link: str) -> str:
    """Return the last value in the query of a link, or an empty string for a link without one or an invalid link."""
    try:
        values = parse_qsl(urlsplit(link).query)
    except ValueError:
        return ''
    return values[-1][1].rpartition('/')[2] if values else ''


def host_of(link: str) -> str | None:
    """Return the host of a link, or `None` if it has none."""
    try:
        return urlsplit(link).hostname
    except ValueError:
        return None
