"""Native tools that make images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from typing_extensions import TypeAlias

from ._base import AbstractNativeTool

ImageGenerationModelName: TypeAlias = Union[
    Literal['gpt-image-2', 'gpt-image-1.5', 'gpt-image-1', 'gpt-image-1-mini'], str
]
"""Models that make images."""
ImageAspectRatio: TypeAlias = Literal['21:9', '16:9', '4:3', '3:2', '1:1', '9:16', '3:4', '2:3', '5:4', '4:5']
"""Width to height."""


@dataclass(kw_only=True)
class ImageGenerationTool(AbstractNativeTool):
    """Makes images."""

    kind: str = 'image_generation'
    action: Literal['generate', 'edit', 'auto'] = 'auto'
    """Whether to make an image or to change one."""
    background: Literal['transparent', 'opaque', 'auto'] = 'auto'
    """The background."""
    input_fidelity: Literal['high', 'low'] | None = None
    """How closely images in the prompt are followed."""
    moderation: Literal['auto', 'low'] = 'auto'
    """How strictly images are moderated."""
    model: ImageGenerationModelName | None = None
    """The model that makes the images."""
    output_compression: int | None = None
    """Compression, from 0 to 100."""
    output_format: Literal['png', 'webp', 'jpeg'] | None = None
    """The format."""
    partial_images: int = 0
    """How many unfinished images are streamed."""
    quality: Literal['low', 'medium', 'high', 'auto'] = 'auto'
    """The quality."""
    size: Literal['auto', '1024x1024', '1024x1536', '1536x1024', '512', '1K', '2K', '4K'] | None = None
    """The size."""
    aspect_ratio: ImageAspectRatio | None = None
    """Width to height."""
