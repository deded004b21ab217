"""A tool that generates images with a subagent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import RunContext
from .._kit.deprecated import warn_deprecated
from .._kit.keywords import renamed
from ..exceptions import UserError
from ..messages import BinaryImage
from ..native_tools import ImageGenerationTool
from ..tools import Tool
from ._subagent import (
    FallbackModel as ImageGenerationFallbackModel,
    FallbackModelFunc as ImageGenerationFallbackModelFunc,
    legacy_native_tool,
    run_subagent,
)

__all__ = (
    'ImageGenerationFallbackModel',
    'ImageGenerationFallbackModelFunc',
    'ImageGenerationSubagentTool',
    'image_generation_tool',
)

_MAKES_ONLY_IMAGES = ('gpt-image-', 'dall-e-')
"""How the names of models begin that have an API of their own for images, and cannot run an agent."""
INSTRUCTIONS = 'Generate an image based on the user prompt. Do not ask clarifying questions.'


@renamed(builtin_tool='native_tool')
@dataclass(kw_only=True)
class ImageGenerationSubagentTool:
    """An image generation tool that runs a subagent."""

    model: ImageGenerationFallbackModel
    """The model of the subagent."""
    native_tool: ImageGenerationTool
    """The native tool of the subagent, with its settings."""
    instructions: str = INSTRUCTIONS
    """The instructions of the subagent."""

    def __post_init__(self) -> None:
        _check_model(self.model)

    @property
    def builtin_tool(self) -> ImageGenerationTool:
        """The old name of `native_tool`."""
        warn_deprecated('`builtin_tool` is an old name; use `native_tool`.')
        return self.native_tool

    async def __call__(self, ctx: RunContext[Any], prompt: str) -> BinaryImage:
        """Generate an image using a subagent.

        Args:
            ctx: The run context of the call.
            prompt: A description of the image to generate.
        """
        return await run_subagent(
            ctx,
            prompt,
            model=self.model,
            check_model=_check_model,
            native_tool=self.native_tool,
            instructions=self.instructions,
            output_type=BinaryImage,
        )


def _check_model(model: object) -> None:
    """Raise `UserError` for the name of a model that makes images but cannot run an agent."""
    if isinstance(model, str) and model.rpartition(':')[2].startswith(_MAKES_ONLY_IMAGES):
        raise UserError(
            f'The model {model!r} only makes images, so it cannot run the agent that generates them. Pass a model that '
            "calls the image generation tool of its provider, such as 'openai-responses:gpt-5.4'."
        )


def image_generation_tool(
    model: ImageGenerationFallbackModel,
    native_tool: ImageGenerationTool | None = None,
    *,
    instructions: str = INSTRUCTIONS,
    **_deprecated_kwargs: Any,
) -> Tool[Any]:
    """Create a tool that generates images with a subagent, whose model supports that.

    Args:
        model: The model, its name, or a function of the run context that returns one.
        native_tool: The image generation tool of that model, with its settings.
        instructions: The instructions of the subagent.

    Raises:
        TypeError: `native_tool` is missing.
        UserError: The model only makes images, so it cannot run an agent.
    """
    native: ImageGenerationTool = legacy_native_tool('image_generation_tool', native_tool, _deprecated_kwargs)
    return Tool[Any](
        ImageGenerationSubagentTool(model=model, native_tool=native, instructions=instructions).__call__,
        name='generate_image',
        description='Generate an image based on the given prompt.',
        effect='read',
    )
