"""Content that is not plain text: links to files, bytes, uploaded files, cache points."""

from __future__ import annotations

import base64
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Tag
from pydantic_core import core_schema
from typing_extensions import TypeAlias, TypeGuard

from .._kit.records import repr_without_defaults
from .formats import (
    AUDIO_FORMATS,
    DOCUMENT_FORMATS,
    IMAGE_FORMATS,
    VIDEO_FORMATS,
    guess_media_type,
)

ForceDownloadMode: TypeAlias = Union[bool, Literal['allow-local']]
"""Whether a link is downloaded by us: never unless needed, always, or always and also from local addresses."""
UploadedFileProviderName: TypeAlias = Literal[
    'anthropic', 'openai', 'google', 'google-cloud', 'google-gla', 'google-vertex', 'bedrock', 'xai'
]
"""Providers that files can be uploaded to."""


def short_hash(data: str | bytes) -> str:
    """Return six hex digits that identify content in a prompt."""
    return hashlib.sha1(data.encode() if isinstance(data, str) else data, usedforsecurity=False).hexdigest()[:6]


def _schema(cls: Any, dump: Callable[[Any, bool], dict[str, Any]]) -> core_schema.CoreSchema:
    """Return the pydantic schema of a media class: its constructor's arguments in, `dump` of it out."""

    def validate(value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise ValueError(f'expected a {cls.__name__} or its JSON object')
        known: dict[str, Any] = {key: item for key, item in value.items() if key in cls.json_keys}  # type: ignore[reportUnknownVariableType]
        if isinstance(known.get('data'), str):
            known['data'] = base64.b64decode(known['data'].replace('-', '+').replace('_', '/'), validate=True)
        try:
            return cls(**known)
        except TypeError as error:
            raise ValueError(str(error)) from None

    def serialize(value: Any, info: core_schema.SerializationInfo) -> dict[str, Any]:
        return dump(value, info.mode == 'json')

    return core_schema.no_info_plain_validator_function(
        validate,
        serialization=core_schema.plain_serializer_function_ser_schema(serialize, info_arg=True),
    )


@dataclass(init=False, repr=False)
class FileUrl(ABC):
    """A link to a file."""

    url: str
    """The link."""
    _: KW_ONLY
    force_download: ForceDownloadMode = False
    """Whether we download the file rather than the provider."""
    vendor_metadata: dict[str, Any] | None = None
    """Settings of the provider for this file."""
    _media_type: str | None = field(default=None, compare=False)
    _identifier: str | None = field(default=None, compare=False)

    json_keys = frozenset({'url', 'force_download', 'vendor_metadata', 'kind', 'media_type', 'identifier'})

    def __init__(
        self,
        url: str,
        *,
        media_type: str | None = None,
        identifier: str | None = None,
        force_download: ForceDownloadMode = False,
        vendor_metadata: dict[str, Any] | None = None,
        kind: str | None = None,
        _media_type: str | None = None,
        _identifier: str | None = None,
    ) -> None:
        self.url = url
        self.force_download = force_download
        self.vendor_metadata = vendor_metadata
        self._media_type = media_type or _media_type
        self._identifier = identifier or _identifier

    @abstractmethod
    def _infer_media_type(self) -> str: ...

    @property
    @abstractmethod
    def format(self) -> str:
        """The format of the file as providers name it.

        Raises:
            KeyError: The media type is none that has a format.
        """

    @property
    def media_type(self) -> str:
        """The media type: as given, else by the ending of the link.

        Raises:
            ValueError: It was not given and cannot be told from the link.
        """
        return self._media_type or self._infer_media_type()

    @property
    def identifier(self) -> str:
        """A short id that prompts can refer to; by default made from the link."""
        return self._identifier or short_hash(self.url)

    def _guess(self, what: str, known: dict[str, str]) -> str:
        media_type = guess_media_type(self.url)
        if media_type is None:
            raise ValueError(
                f'Could not infer media type from {what} URL: {self.url}. Pass `media_type=...`, '
                f'for example {next(iter(known))!r}.'
            )
        return media_type

    __repr__ = repr_without_defaults

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        def dump(value: Any, json: bool) -> dict[str, Any]:
            return {
                'url': value.url,
                'force_download': value.force_download,
                'vendor_metadata': value.vendor_metadata,
                'kind': value.kind,
                'media_type': value.media_type,
                'identifier': value.identifier,
            }

        return _schema(cls, dump)


def _is_youtube(url: str) -> bool:
    return url.startswith(('https://youtu.be/', 'https://youtube.com/', 'https://www.youtube.com/'))


@dataclass(init=False, repr=False)
class VideoUrl(FileUrl):
    """A link to a video."""

    kind: Literal['video-url'] = field(default='video-url', kw_only=True)
    """Discriminator of the content."""

    @property
    def is_youtube(self) -> bool:
        """Whether the link is to YouTube, which some providers can read."""
        return _is_youtube(self.url)

    def _infer_media_type(self) -> str:
        return 'video/mp4' if self.is_youtube else self._guess('video', VIDEO_FORMATS)

    @property
    def format(self) -> str:
        """The format, for example `mp4`."""
        return VIDEO_FORMATS[self.media_type]


@dataclass(init=False, repr=False)
class AudioUrl(FileUrl):
    """A link to an audio file."""

    kind: Literal['audio-url'] = field(default='audio-url', kw_only=True)
    """Discriminator of the content."""

    def _infer_media_type(self) -> str:
        return self._guess('audio', AUDIO_FORMATS)

    @property
    def format(self) -> str:
        """The format, for example `mp3`."""
        return AUDIO_FORMATS[self.media_type]


@dataclass(init=False, repr=False)
class ImageUrl(FileUrl):
    """A link to an image."""

    kind: Literal['image-url'] = field(default='image-url', kw_only=True)
    """Discriminator of the content."""

    def _infer_media_type(self) -> str:
        return self._guess('image', IMAGE_FORMATS)

    @property
    def format(self) -> str:
        """The format, for example `png`."""
        return IMAGE_FORMATS[self.media_type]


@dataclass(init=False, repr=False)
class DocumentUrl(FileUrl):
    """A link to a document."""

    kind: Literal['document-url'] = field(default='document-url', kw_only=True)
    """Discriminator of the content."""

    def _infer_media_type(self) -> str:
        return self._guess('document', DOCUMENT_FORMATS)

    @property
    def format(self) -> str:
        """The format, for example `pdf`.

        Raises:
            ValueError: The media type is none that has a format.
        """
        media_type = self.media_type
        if media_type not in DOCUMENT_FORMATS:
            raise ValueError(f'Unknown document media type: {media_type}')
        return DOCUMENT_FORMATS[media_type]


@dataclass(repr=False)
class TextContent:
    """Text in a user prompt that carries metadata, which is not sent to the model."""

    content: str
    """The text."""
    _: KW_ONLY
    metadata: Any = None
    """Data for your own code."""
    kind: Literal['text-content'] = 'text-content'
    """Discriminator of the content."""

    __repr__ = repr_without_defaults


@dataclass(init=False, repr=False)
class BinaryContent:
    """A file by its bytes."""

    data: bytes
    """The bytes."""
    _: KW_ONLY
    media_type: str
    """The media type."""
    vendor_metadata: dict[str, Any] | None = None
    """Settings of the provider for this file."""
    _identifier: str | None = field(default=None, compare=False)
    kind: Literal['binary'] = 'binary'
    """Discriminator of the content."""

    json_keys = frozenset({'data', 'media_type', 'vendor_metadata', 'kind', 'identifier'})

    def __init__(
        self,
        data: bytes,
        *,
        media_type: str,
        identifier: str | None = None,
        vendor_metadata: dict[str, Any] | None = None,
        kind: Literal['binary'] = 'binary',
        _identifier: str | None = None,
    ) -> None:
        self.data = data
        self.media_type = media_type
        self.vendor_metadata = vendor_metadata
        self._identifier = identifier or _identifier
        self.kind = kind

    @staticmethod
    def narrow_type(bc: BinaryContent) -> BinaryContent | BinaryImage:
        """Return an image as `BinaryImage`, anything else as it is."""
        if not bc.is_image or isinstance(bc, BinaryImage):
            return bc
        return BinaryImage(
            bc.data, media_type=bc.media_type, vendor_metadata=bc.vendor_metadata, identifier=bc.identifier
        )

    @classmethod
    def from_data_uri(cls, data_uri: str) -> BinaryContent:
        """Return the content of a data URI with base64 data.

        Raises:
            ValueError: It is no such URI.
        """
        if not data_uri.startswith('data:'):
            raise ValueError('Data URI must start with "data:"')
        head, separator, data = data_uri[5:].partition(',')
        if not separator or not head.endswith(';base64'):
            raise ValueError('Data URI must have the form "data:<media type>;base64,<data>"')
        content = cls(base64.b64decode(data), media_type=head[: -len(';base64')])
        return cls.narrow_type(content)

    @classmethod
    def from_path(cls, path: PathLike[str] | str) -> BinaryContent:
        """Return the content of a file; its media type is told by its ending.

        Raises:
            FileNotFoundError: There is no such file.
        """
        source = Path(path)
        if not source.exists():
            raise FileNotFoundError(f'File not found: {source}')
        media_type = guess_media_type(source.name) or 'application/octet-stream'
        return cls.narrow_type(cls(source.read_bytes(), media_type=media_type))

    @property
    def identifier(self) -> str:
        """A short id that prompts can refer to; by default made from the bytes."""
        return self._identifier or short_hash(self.data)

    @property
    def data_uri(self) -> str:
        """The content as a data URI."""
        return f'data:{self.media_type};base64,{self.base64}'

    @property
    def base64(self) -> str:
        """The bytes in base64."""
        return base64.b64encode(self.data).decode()

    @property
    def is_audio(self) -> bool:
        """Whether it is audio."""
        return self.media_type.startswith('audio/')

    @property
    def is_image(self) -> bool:
        """Whether it is an image."""
        return self.media_type.startswith('image/')

    @property
    def is_video(self) -> bool:
        """Whether it is a video."""
        return self.media_type.startswith('video/')

    @property
    def is_document(self) -> bool:
        """Whether it is a document of a known format."""
        return self.media_type in DOCUMENT_FORMATS

    @property
    def format(self) -> str:
        """The format as providers name it.

        Raises:
            ValueError: The media type is none that has a format.
        """
        for formats in (AUDIO_FORMATS, IMAGE_FORMATS, VIDEO_FORMATS, DOCUMENT_FORMATS):
            if self.media_type in formats:
                return formats[self.media_type]
        raise ValueError(f'Unknown media type: {self.media_type}')

    __repr__ = repr_without_defaults

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        def dump(value: Any, json: bool) -> dict[str, Any]:
            return {
                # URL-safe base64 is pydantic's own form of bytes in JSON, which stored histories have.
                'data': base64.urlsafe_b64encode(value.data).decode() if json else value.data,
                'media_type': value.media_type,
                'vendor_metadata': value.vendor_metadata,
                'kind': value.kind,
                'identifier': value.identifier,
            }

        return _schema(cls, dump)


@dataclass(init=False, repr=False)
class BinaryImage(BinaryContent):
    """An image by its bytes; the type of image output."""

    def __init__(
        self,
        data: bytes,
        *,
        media_type: str = 'image/png',
        identifier: str | None = None,
        vendor_metadata: dict[str, Any] | None = None,
        kind: Literal['binary'] = 'binary',
        _identifier: str | None = None,
    ) -> None:
        super().__init__(
            data,
            media_type=media_type,
            identifier=identifier or _identifier,
            vendor_metadata=vendor_metadata,
            kind=kind,
        )
        if not self.is_image:
            raise ValueError(f'`BinaryImage` must have a media type that starts with "image/", not {media_type!r}')


@dataclass
class CachePoint:
    """A place in a user prompt up to which the provider may cache; not sent to providers without prompt caching."""

    kind: Literal['cache-point'] = 'cache-point'
    """Discriminator of the content."""
    ttl: Literal['5m', '1h'] = '5m'
    """How long the cache lives."""


@dataclass(init=False, repr=False)
class UploadedFile:
    """A file that was uploaded to a provider before."""

    file_id: str
    """The id that the provider gave it."""
    provider_name: UploadedFileProviderName
    """The provider that has it."""
    _: KW_ONLY
    vendor_metadata: dict[str, Any] | None = None
    """Settings of the provider for this file."""
    _media_type: str | None = field(default=None, compare=False)
    _identifier: str | None = field(default=None, compare=False)
    kind: Literal['uploaded-file'] = 'uploaded-file'
    """Discriminator of the content."""

    json_keys = frozenset({'file_id', 'provider_name', 'vendor_metadata', 'kind', 'media_type', 'identifier'})

    def __init__(
        self,
        file_id: str,
        provider_name: UploadedFileProviderName,
        *,
        media_type: str | None = None,
        vendor_metadata: dict[str, Any] | None = None,
        identifier: str | None = None,
        kind: Literal['uploaded-file'] = 'uploaded-file',
        _media_type: str | None = None,
        _identifier: str | None = None,
    ) -> None:
        self.file_id = file_id
        self.provider_name = provider_name
        self.vendor_metadata = vendor_metadata
        self._media_type = media_type or _media_type
        self._identifier = identifier or _identifier
        self.kind = kind

    @property
    def media_type(self) -> str:
        """The media type: as given, else by the ending of the id, else that of any bytes."""
        return self._media_type or guess_media_type(self.file_id) or 'application/octet-stream'

    @property
    def identifier(self) -> str:
        """A short id that prompts can refer to; by default made from the file id."""
        return self._identifier or short_hash(self.file_id)

    @property
    def format(self) -> str:
        """The format as providers name it.

        Raises:
            ValueError: The media type is none that has a format.
        """
        return BinaryContent(b'', media_type=self.media_type).format

    __repr__ = repr_without_defaults

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        def dump(value: Any, json: bool) -> dict[str, Any]:
            return {
                'file_id': value.file_id,
                'provider_name': value.provider_name,
                'vendor_metadata': value.vendor_metadata,
                'kind': value.kind,
                'media_type': value.media_type,
                'identifier': value.identifier,
            }

        return _schema(cls, dump)


def content_kind(value: Any) -> str | None:
    """Return the discriminator of user content, of an instance or of its JSON."""
    if isinstance(value, str):
        return 'str'
    if isinstance(value, dict):
        return value.get('kind')  # type: ignore[reportUnknownVariableType]
    return getattr(value, 'kind', None)


MultiModalContent = Annotated[
    Union[
        Annotated[ImageUrl, Tag('image-url')],
        Annotated[AudioUrl, Tag('audio-url')],
        Annotated[DocumentUrl, Tag('document-url')],
        Annotated[VideoUrl, Tag('video-url')],
        Annotated[BinaryContent, Tag('binary')],
        Annotated[UploadedFile, Tag('uploaded-file')],
    ],
    Discriminator(content_kind),
]
"""Content of a prompt or a tool result that is no text."""

MULTI_MODAL_CONTENT_TYPES: tuple[type, ...] = (
    ImageUrl,
    AudioUrl,
    DocumentUrl,
    VideoUrl,
    BinaryContent,
    UploadedFile,
)
"""The classes of `MultiModalContent`, for `isinstance`."""

MEDIA_BY_KIND: dict[str, Any] = {
    'image-url': ImageUrl,
    'audio-url': AudioUrl,
    'document-url': DocumentUrl,
    'video-url': VideoUrl,
    'binary': BinaryContent,
    'uploaded-file': UploadedFile,
}
"""The class for each discriminator."""

_UserContentSchema = Annotated[
    Union[
        Annotated[str, Tag('str')],
        Annotated[TextContent, Tag('text-content')],
        Annotated[ImageUrl, Tag('image-url')],
        Annotated[AudioUrl, Tag('audio-url')],
        Annotated[DocumentUrl, Tag('document-url')],
        Annotated[VideoUrl, Tag('video-url')],
        Annotated[BinaryContent, Tag('binary')],
        Annotated[UploadedFile, Tag('uploaded-file')],
        Annotated[CachePoint, Tag('cache-point')],
    ],
    Discriminator(content_kind),
]
UserContent: TypeAlias = _UserContentSchema
"""An item of a user prompt: text or multi-modal content."""


def is_multi_modal_content(obj: Any) -> TypeGuard[MultiModalContent]:
    """Return whether an object is multi-modal content."""
    return isinstance(obj, MULTI_MODAL_CONTENT_TYPES)
