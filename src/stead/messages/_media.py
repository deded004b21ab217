"""Content other than plain text: links to files, binary content, uploaded files, cache points."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import KW_ONLY, field
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union

import pydantic
from pydantic import ConfigDict, ValidationInfo, computed_field, model_serializer, model_validator
from pydantic.dataclasses import dataclass as validated
from typing_extensions import TypeAlias, TypeGuard

from .._kit.ids import short_hash
from .._kit.json_types import JsonObject, as_dict
from .._kit.marks import Discriminator
from ._formats import (
    AUDIO_FORMATS,
    DOCUMENT_FORMATS,
    IMAGE_FORMATS,
    VIDEO_FORMATS,
    AudioFormat,
    AudioMediaType,
    DocumentFormat,
    DocumentMediaType,
    ImageFormat,
    ImageMediaType,
    Media,
    VideoFormat,
    data_in,
    guess_media_type,
    host_of,
    path_of,
    plain_media_type,
)
from ._open import OpenContent, UnknownContent, kinds_of, with_unread
from ._text_content import CachePoint, StructuredContent, TextContent

FormatT = TypeVar('FormatT', bound=str)

ForceDownloadMode: TypeAlias = Union[bool, Literal['allow-local']]
"""Whether to download a link: only if needed, always, or always and also from local addresses."""
UploadedFileProviderName: TypeAlias = Literal[
    'anthropic', 'openai', 'google', 'google-cloud', 'google-gla', 'google-vertex', 'bedrock', 'xai'
]
"""Providers that files can be uploaded to."""


def _describe_in_one_line(cls: type, core_schema: Any, handler: Any) -> dict[str, Any]:
    """Return a JSON schema whose description, which models read, is the first line of the docstring it is made from."""
    # What is stored has the same form, and unknown fields. Pydantic cannot look into a serializer.
    schema = handler({key: value for key, value in core_schema.items() if key != 'serialization'})
    described = handler.resolve_ref_schema(schema)
    if isinstance(description := described.get('description'), str):
        described['description'] = description.partition('\n')[0]
    return schema


# Media content validates its arguments on construction, unlike all other content: invalid ones would only be noticed by
# a provider. Bytes are base64 in JSON.
_VALIDATED = ConfigDict(
    defer_build=True,
    populate_by_name=True,
    ser_json_bytes='base64',
    val_json_bytes='base64',
)

_YOUTUBE = frozenset({'youtu.be', 'youtube.com', 'www.youtube.com'})


def _format_among(formats: Mapping[str, FormatT], media_type: str, what: str) -> FormatT:
    if (plain := plain_media_type(media_type)) not in formats:
        raise KeyError(f'{media_type!r} is not a media type of {what} with a format; these are: {", ".join(formats)}')
    return formats[plain]


_ANY_BYTES = 'application/octet-stream'


def _stored(self: Any, handler: Any) -> Any:
    """Return content as plain data; where it stands in the result of a tool, there is no type that says that it is content."""
    return with_unread(self, handler(self))


def _stored_link(self: Any, handler: Any) -> Any:
    """Return a link as plain data; if nothing says its media type, that is `None`."""
    try:
        _ = self.media_type
    except ValueError:
        known = copy(self)
        known._media_type = _ANY_BYTES  # the handler computes it
        data = handler(known)
        return with_unread(self, {**data, 'media_type': None} if 'media_type' in data else data)
    return _stored(self, handler)


@validated(repr=False, eq=False, config=_VALIDATED)
class FileUrl(Media, ABC):
    """A link to a file.

    Raises:
        ValidationError: An argument is of the wrong type.
    """

    __get_pydantic_json_schema__: ClassVar[Any] = classmethod(_describe_in_one_line)  # type: ignore[reportUnknownVariableType]
    _stored = model_serializer(mode='wrap')(_stored_link)

    url: str
    """The link."""
    _: KW_ONLY
    force_download: ForceDownloadMode = False
    """Whether to download the file, rather than to let the provider do so.

    `'allow-local'` allows private addresses too. It is for code: stored messages that have it are loaded with `True`, unless
    they are validated with the context `{'allow_local': True}`.
    """
    vendor_metadata: JsonObject | None = None
    """Settings for this file that are specific to the provider."""
    _media_type: Annotated[str | None, pydantic.Field(alias='media_type', exclude=True)] = field(
        default=None, compare=False
    )
    _identifier: Annotated[str | None, pydantic.Field(alias='identifier', exclude=True)] = field(
        default=None, compare=False
    )

    @model_validator(mode='before')
    @classmethod
    def _without_local_addresses(cls, data: Any, info: ValidationInfo) -> Any:
        """Take the permission to reach local addresses from stored data: code may give it, and histories may not.

        Constructors validate their arguments, which are not a dict; so that what is a dict was stored.
        """
        stored = as_dict(data)
        if stored.get('force_download') == 'allow-local' and as_dict(info.context).get('allow_local') is not True:
            return {**stored, 'force_download': True}
        return data

    def __init__(
        self,
        url: str,
        *,
        media_type: str | None = None,
        identifier: str | None = None,
        force_download: ForceDownloadMode = False,
        vendor_metadata: JsonObject | None = None,
    ) -> None: ...  # for type checkers; at runtime it is the one that pydantic generates from the fields

    @abstractmethod
    def _infer_media_type(self) -> str: ...

    @property
    @abstractmethod
    def format(self) -> str:
        """The format of the file as providers name it.

        Raises:
            KeyError: The media type has no format.
            ValueError: The media type is unknown.
        """

    @computed_field
    @property
    def media_type(self) -> str:
        """The media type: as passed, or inferred from the suffix of the link.

        Raises:
            ValueError: It was not passed and cannot be inferred from the link.
        """
        return self._media_type or self._infer_media_type()

    @computed_field
    @property
    def identifier(self) -> str:
        """A short id that prompts can refer to; by default a hash of the link."""
        return self._identifier or short_hash(self.url)

    def _guess(self, what: str, example: str) -> str:
        media_type = guess_media_type(self.url)
        if media_type is None:
            raise ValueError(
                f'The media type of the {what} at {self.url!r} cannot be inferred from the link. Pass it, for example '
                f'with `{type(self).__name__}({self.url!r}, media_type={example!r})`.'
            )
        return media_type


@validated(repr=False, eq=False, config=_VALIDATED)
class VideoUrl(FileUrl):
    """A link to a video."""

    _: KW_ONLY
    kind: Literal['video-url'] = 'video-url'
    """Discriminator of the content."""

    def __init__(
        self,
        url: str,
        *,
        media_type: str | None = None,
        identifier: str | None = None,
        force_download: ForceDownloadMode = False,
        vendor_metadata: JsonObject | None = None,
        kind: Literal['video-url'] = 'video-url',
    ) -> None: ...

    @property
    def is_youtube(self) -> bool:
        """Whether the link is to YouTube, which some providers can read."""
        return host_of(self.url) in _YOUTUBE

    def _infer_media_type(self) -> str:
        return 'video/mp4' if self.is_youtube else self._guess('video', 'video/mp4')

    @property
    def format(self) -> VideoFormat:
        """The format, for example `mp4`; see `FileUrl.format`."""
        return _format_among(VIDEO_FORMATS, self.media_type, 'a video')


@validated(repr=False, eq=False, config=_VALIDATED)
class AudioUrl(FileUrl):
    """A link to an audio file."""

    _: KW_ONLY
    kind: Literal['audio-url'] = 'audio-url'
    """Discriminator of the content."""

    def __init__(
        self,
        url: str,
        *,
        media_type: str | None = None,
        identifier: str | None = None,
        force_download: ForceDownloadMode = False,
        vendor_metadata: JsonObject | None = None,
        kind: Literal['audio-url'] = 'audio-url',
    ) -> None: ...

    def _infer_media_type(self) -> str:
        return self._guess('audio file', 'audio/mpeg')

    @property
    def format(self) -> AudioFormat:
        """The format, for example `mp3`; see `FileUrl.format`."""
        return _format_among(AUDIO_FORMATS, self.media_type, 'an audio file')


@validated(repr=False, eq=False, config=_VALIDATED)
class ImageUrl(FileUrl):
    """A link to an image."""

    _: KW_ONLY
    kind: Literal['image-url'] = 'image-url'
    """Discriminator of the content."""

    def __init__(
        self,
        url: str,
        *,
        media_type: str | None = None,
        identifier: str | None = None,
        force_download: ForceDownloadMode = False,
        vendor_metadata: JsonObject | None = None,
        kind: Literal['image-url'] = 'image-url',
    ) -> None: ...

    def _infer_media_type(self) -> str:
        return self._guess('image', 'image/png')

    @property
    def format(self) -> ImageFormat:
        """The format, for example `png`; see `FileUrl.format`."""
        return _format_among(IMAGE_FORMATS, self.media_type, 'an image')


@validated(repr=False, eq=False, config=_VALIDATED)
class DocumentUrl(FileUrl):
    """A link to a document."""

    _: KW_ONLY
    kind: Literal['document-url'] = 'document-url'
    """Discriminator of the content."""

    def __init__(
        self,
        url: str,
        *,
        media_type: str | None = None,
        identifier: str | None = None,
        force_download: ForceDownloadMode = False,
        vendor_metadata: JsonObject | None = None,
        kind: Literal['document-url'] = 'document-url',
    ) -> None: ...

    def _infer_media_type(self) -> str:
        return self._guess('document', 'application/pdf')

    @property
    def format(self) -> DocumentFormat:
        """The format, for example `pdf`.

        Raises:
            ValueError: The media type has no format, or is unknown.
        """
        try:
            return _format_among(DOCUMENT_FORMATS, self.media_type, 'a document')
        except KeyError as error:
            raise ValueError(error.args[0]) from None


@validated(repr=False, eq=False, config=_VALIDATED)
class BinaryContent(Media):
    """The content of a file.

    Raises:
        ValidationError: An argument is of the wrong type.
    """

    __get_pydantic_json_schema__: ClassVar[Any] = classmethod(_describe_in_one_line)  # type: ignore[reportUnknownVariableType]
    _stored = model_serializer(mode='wrap')(_stored)

    data: bytes
    """The bytes."""
    _: KW_ONLY
    media_type: AudioMediaType | ImageMediaType | DocumentMediaType | str
    """The media type."""
    vendor_metadata: JsonObject | None = None
    """Settings for this file that are specific to the provider."""
    _identifier: Annotated[str | None, pydantic.Field(alias='identifier', exclude=True)] = field(
        default=None, compare=False
    )
    kind: Literal['binary'] = 'binary'
    """Discriminator of the content."""

    def __init__(
        self,
        data: bytes,
        *,
        media_type: AudioMediaType | ImageMediaType | DocumentMediaType | str,
        identifier: str | None = None,
        vendor_metadata: JsonObject | None = None,
        kind: Literal['binary'] = 'binary',
    ) -> None: ...

    @staticmethod
    def narrow_type(bc: BinaryContent) -> BinaryContent | BinaryImage:
        """Return an image as `BinaryImage`, anything else as it is."""
        if not bc.is_image:
            return bc
        return BinaryImage(
            bc.data, media_type=bc.media_type, vendor_metadata=bc.vendor_metadata, identifier=bc.identifier
        )

    @classmethod
    def from_data_uri(cls, data_uri: str) -> BinaryContent:
        """Return the content of a data URI, in base64 or percent-encoded; an image as `BinaryImage`.

        Raises:
            ValueError: It is not such a URI, or its data is not base64 although it says so.
        """
        media_type, data = data_in(data_uri)
        return cls.narrow_type(cls(data, media_type=media_type))

    @classmethod
    def from_path(cls, path: PathLike[str] | str) -> BinaryContent:
        """Return the content of a file; an image as `BinaryImage`.

        Args:
            path: The file; its suffix determines the media type, `application/octet-stream` if unknown.

        Raises:
            FileNotFoundError: There is no such file.
            OSError: It cannot be read.
        """
        source = Path(path)
        media_type = guess_media_type(source.name) or _ANY_BYTES
        return cls.narrow_type(cls(source.read_bytes(), media_type=media_type))

    @computed_field
    @property
    def identifier(self) -> str:
        """A short id that prompts can refer to; by default a hash of the bytes."""
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
        return plain_media_type(self.media_type).startswith('audio/')

    @property
    def is_image(self) -> bool:
        """Whether it is an image."""
        return plain_media_type(self.media_type).startswith('image/')

    @property
    def is_video(self) -> bool:
        """Whether it is a video."""
        return plain_media_type(self.media_type).startswith('video/')

    @property
    def is_document(self) -> bool:
        """Whether it is a document of a known format."""
        return plain_media_type(self.media_type) in DOCUMENT_FORMATS

    @property
    def format(self) -> str:
        """The format as providers name it.

        Raises:
            ValueError: The media type has no format.
        """
        return _format_of(self.media_type)


@validated(repr=False, eq=False, config=_VALIDATED)
class BinaryImage(BinaryContent):
    """The content of an image; the type of image output.

    Raises:
        ValidationError: The media type is not that of an image, or an argument is of the wrong type.
    """

    def __init__(
        self,
        data: bytes,
        *,
        media_type: ImageMediaType | str,
        identifier: str | None = None,
        vendor_metadata: JsonObject | None = None,
        kind: Literal['binary'] = 'binary',
    ) -> None: ...

    def __post_init__(self) -> None:
        if not self.is_image:
            raise ValueError(f'a `BinaryImage` has a media type that starts with "image/", not {self.media_type!r}')


@validated(repr=False, eq=False, config=_VALIDATED)
class UploadedFile(Media):
    """A file that has been uploaded to a provider.

    Raises:
        ValidationError: The provider is not one of `UploadedFileProviderName`, or an argument is of the wrong type.
    """

    __get_pydantic_json_schema__: ClassVar[Any] = classmethod(_describe_in_one_line)  # type: ignore[reportUnknownVariableType]
    _stored = model_serializer(mode='wrap')(_stored)

    file_id: str
    """Its id at the provider."""
    provider_name: UploadedFileProviderName
    """The provider that stores it."""
    _: KW_ONLY
    vendor_metadata: JsonObject | None = None
    """Settings for this file that are specific to the provider."""
    _media_type: Annotated[str | None, pydantic.Field(alias='media_type', exclude=True)] = field(
        default=None, compare=False
    )
    _identifier: Annotated[str | None, pydantic.Field(alias='identifier', exclude=True)] = field(
        default=None, compare=False
    )
    kind: Literal['uploaded-file'] = 'uploaded-file'
    """Discriminator of the content."""

    def __init__(
        self,
        file_id: str,
        provider_name: UploadedFileProviderName,
        *,
        media_type: str | None = None,
        vendor_metadata: JsonObject | None = None,
        identifier: str | None = None,
        kind: Literal['uploaded-file'] = 'uploaded-file',
    ) -> None: ...

    @computed_field
    @property
    def media_type(self) -> str:
        """The media type: as passed, or inferred from the suffix of the id, which may be a link, or that of any bytes."""
        if self._media_type is not None:
            return self._media_type
        return guess_media_type(path_of(self.file_id)) or _ANY_BYTES

    @computed_field
    @property
    def identifier(self) -> str:
        """A short id that prompts can refer to; by default a hash of the file id."""
        return self._identifier or short_hash(self.file_id)

    @property
    def format(self) -> str:
        """The format as providers name it.

        Raises:
            ValueError: The media type has no format.
        """
        return _format_of(self.media_type)


def _format_of(media_type: str) -> str:
    media_type = plain_media_type(media_type)
    for formats in (AUDIO_FORMATS, IMAGE_FORMATS, VIDEO_FORMATS, DOCUMENT_FORMATS):
        if media_type in formats:
            return formats[media_type]
    raise ValueError(f'{media_type!r} is not a media type with a format that providers know.')


MultiModalContent: TypeAlias = Annotated[
    Union[ImageUrl, AudioUrl, DocumentUrl, VideoUrl, BinaryContent, UploadedFile], Discriminator('kind'), OpenContent()
]
"""Content of a prompt or a tool result other than text."""


@cache
def adapter() -> pydantic.TypeAdapter[Any]:
    """Return what reads multi-modal content from plain data."""
    return pydantic.TypeAdapter(MultiModalContent, config=ConfigDict(defer_build=True))


MULTI_MODAL_CONTENT_TYPES: tuple[type, ...] = (
    ImageUrl,
    AudioUrl,
    DocumentUrl,
    VideoUrl,
    BinaryContent,
    UploadedFile,
)
"""The classes of `MultiModalContent`, for `isinstance`."""

_KnownContent = Annotated[
    Union[
        TextContent,
        StructuredContent,
        ImageUrl,
        AudioUrl,
        DocumentUrl,
        VideoUrl,
        BinaryContent,
        UploadedFile,
        CachePoint,
    ],
    Discriminator('kind'),
]


@cache
def _content_kinds() -> frozenset[str]:
    return kinds_of(_KnownContent, 'kind')


UserContent: TypeAlias = Union[
    str,
    Annotated[Union[_KnownContent, UnknownContent], OpenContent(UnknownContent, _KnownContent, _content_kinds)],
]
"""An item of a user prompt: text or multi-modal content."""


def is_multi_modal_content(obj: object) -> TypeGuard[MultiModalContent]:
    """Return whether an object is multi-modal content."""
    return isinstance(obj, MULTI_MODAL_CONTENT_TYPES)
