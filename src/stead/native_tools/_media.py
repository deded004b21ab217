"""Native tools that generate images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Union

from typing_extensions import TypeAlias, TypedDict

from .._kit.keywords import hinted
from .._kit.left_out import left_out
from ._base import AbstractNativeTool

ImageGenerationModelName: TypeAlias = Union[
    Literal['gpt-image-2', 'gpt-image-1.5', 'gpt-image-1', 'gpt-image-1-mini'], str
]
"""A model that generates images."""
ImageAspectRatio: TypeAlias = Literal['21:9', '16:9', '4:3', '3:2', '1:1', '9:16', '3:4', '2:3', '5:4', '4:5']
"""The ratio of width to height."""
ImageSize: TypeAlias = Literal['auto', '1024x1024', '1024x1536', '1536x1024', '512', '1K', '2K', '4K']
"""The size of an image."""
ImageQuality: TypeAlias = Literal['low', 'medium', 'high', 'xhigh', 'max', 'auto']
"""The quality of an image."""


class OpenAIImageGenerationToolSettings(TypedDict, total=False):
    """Settings of `ImageGenerationTool` for OpenAI; they mean what the fields of these names do."""

    action: Literal['generate', 'edit', 'auto']
    background: Literal['transparent', 'opaque', 'auto']
    input_fidelity: Literal['high', 'low']
    model: ImageGenerationModelName
    moderation: Literal['auto', 'low']
    partial_images: int
    quality: ImageQuality


class ImageGenerationProviderSettings(TypedDict, total=False):
    """Settings of `ImageGenerationTool` by vendor; other vendors ignore them."""

    openai: OpenAIImageGenerationToolSettings
    """For OpenAI."""


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class ImageGenerationTool(AbstractNativeTool):
    """A tool that generates images."""

    kind: str = 'image_generation'
    action: Literal['generate', 'edit', 'auto'] = 'auto'
    """Whether to generate an image or to edit one."""
    background: Literal['transparent', 'opaque', 'auto'] = 'auto'
    """The background."""
    input_fidelity: Literal['high', 'low'] | None = None
    """The fidelity to images in the prompt."""
    moderation: Literal['auto', 'low'] = 'auto'
    """The strictness of moderation."""
    model: ImageGenerationModelName | None = None
    """The model that generates the images."""
    output_compression: int | None = None
    """The compression level, from 0 to 100."""
    output_format: Literal['png', 'webp', 'jpeg'] | None = None
    """The format."""
    partial_images: int = 0
    """The number of partial images to stream."""
    quality: ImageQuality = 'auto'
    """The quality."""
    size: ImageSize | None = None
    """The size."""
    aspect_ratio: ImageAspectRatio | None = None
    """The ratio of width to height."""
    provider_settings: Annotated[Union[ImageGenerationProviderSettings, None], left_out()] = None
    """Settings of single vendors."""

    _vendors_of = dict.fromkeys(OpenAIImageGenerationToolSettings.__annotations__, 'openai')
