"""`ImageGeneration`: generating images, with the native tool or with another model."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Literal

from .._contracts.run_context import AnyDepsT
from .._kit.keywords import dataclass, renamed
from ..common_tools.image_generation import ImageGenerationFallbackModel, image_generation_tool
from ..exceptions import UserError
from ..native_tools import ImageAspectRatio, ImageGenerationModelName, ImageGenerationTool
from ..tools import Tool
from ._ids import id_of_level
from .native_or_local import NativeOrLocalTool, set_options


@renamed(builtin='native')
@dataclass(kw_only=True)
class ImageGeneration(NativeOrLocalTool[AnyDepsT]):
    """Image generation: with the native tool where the model supports it, otherwise with the local tool.

    With `fallback_model`, the local tool is an agent with that model and the same settings. Without it there is no local
    tool, unless one is passed as `local`.
    """

    id: str | None = field(default_factory=id_of_level('image_generation'), kw_only=True)
    fallback_model: ImageGenerationFallbackModel = None
    """The model that generates images where the model of the run cannot: a model, its name, or a function of the run context."""
    action: Literal['generate', 'edit', 'auto'] | None = None
    """Whether to generate an image or to edit one."""
    background: Literal['transparent', 'opaque', 'auto'] | None = None
    """The background of the image."""
    input_fidelity: Literal['high', 'low'] | None = None
    """How closely the image follows the images in the prompt."""
    moderation: Literal['auto', 'low'] | None = None
    """How strictly images are moderated."""
    image_model: ImageGenerationModelName | None = None
    """The model that generates the images of the native tool."""
    output_compression: int | None = None
    """The compression of the image, from 0 to 100."""
    output_format: Literal['png', 'webp', 'jpeg'] | None = None
    """The file format."""
    quality: Literal['low', 'medium', 'high', 'auto'] | None = None
    """The quality of the image."""
    size: Literal['auto', '1024x1024', '1024x1536', '1536x1024', '512', '1K', '2K', '4K'] | None = None
    """The size of the image; in pixels, width by height, where both are listed."""
    aspect_ratio: ImageAspectRatio | None = None
    """The ratio of width to height."""

    def __post_init__(self) -> None:
        if self.fallback_model is not None and self.local is not None:
            raise UserError(
                'ImageGeneration has both a `fallback_model` and a `local` tool. Pass one of them: the model for an agent '
                'that generates the images, or a tool of your own.'
            )
        super().__post_init__()

    def _settings(self) -> dict[str, Any]:
        return set_options(
            action=self.action,
            background=self.background,
            input_fidelity=self.input_fidelity,
            moderation=self.moderation,
            model=self.image_model,
            output_compression=self.output_compression,
            output_format=self.output_format,
            quality=self.quality,
            size=self.size,
            aspect_ratio=self.aspect_ratio,
        )

    def _default_native(self) -> ImageGenerationTool:
        return ImageGenerationTool(**self._settings())

    def _default_local(self) -> Tool[Any] | None:
        if self.fallback_model is None:
            return None
        base = self.native if isinstance(self.native, ImageGenerationTool) else ImageGenerationTool()
        return image_generation_tool(self.fallback_model, replace(base, **self._settings()))

    def _native_unique_id(self) -> str:
        return ImageGenerationTool.kind
