"""`ImageEncoder`: chat completions of APIs that take text and images, and no other files. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import Self

from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import AudioUrl, BinaryContent, DocumentUrl, FileUrl, ModelMessage, UploadedFile, UserContent, VideoUrl
from ...profiles import ModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._media import DownloadFormat, is_text
from .request import ChatEncoder


@dataclass
class ImageEncoder(ChatEncoder):
    """Encoder of messages of text and images. Thinking goes back as text between tags; fields that are null are left out."""

    label: ClassVar[str]
    """The display name of the vendor, for errors."""

    @classmethod
    def of(cls, system: str, profile: ModelProfile) -> Self:
        """Return an encoder for a model with a profile."""
        tags = OpenAIModelProfile(thinking_tags=profile.thinking_tags, openai_chat_send_back_thinking_parts='tags')
        return cls(system, tags, 'system')

    def encode_message(self, message: ModelMessage) -> list[JsonObject]:
        """Return the messages of the vendor's API that a message becomes, without fields that are null.

        Raises:
            UserError: The message has content that the model does not take.
        """
        encoded = super().encode_message(message)
        return [{name: value for name, value in item.items() if value is not None} for item in encoded]

    def _item(self, item: UserContent) -> JsonObject | None:
        if _is_refused(item):
            what = item.media_type if isinstance(item, BinaryContent) else type(item).__name__
            raise UserError(
                f'{self.label} takes no {what} in user prompts: it takes images and text. Use another model for it, '
                'or send what it says as text.'
            )
        return super()._item(item)

    def download_format(self, item: FileUrl) -> DownloadFormat | None:
        """Return the format that a link is downloaded in; `None` sends the link."""
        return None if _is_refused(item) else super().download_format(item)


def _is_refused(item: UserContent | FileUrl) -> bool:
    if isinstance(item, BinaryContent):
        return not item.is_image and not is_text(item.media_type)
    if isinstance(item, DocumentUrl):
        return not is_text(item.media_type)
    return isinstance(item, (AudioUrl, VideoUrl, UploadedFile))
