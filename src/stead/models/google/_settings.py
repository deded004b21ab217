"""Settings of Google's models."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ...settings import ModelSettings

LatestGoogleModelNames: TypeAlias = Literal[
    'gemini-flash-latest',
    'gemini-flash-lite-latest',
    'gemini-2.0-flash',
    'gemini-2.0-flash-lite',
    'gemini-2.5-flash',
    'gemini-2.5-flash-preview-09-2025',
    'gemini-2.5-flash-image',
    'gemini-2.5-flash-lite',
    'gemini-2.5-flash-lite-preview-09-2025',
    'gemini-2.5-pro',
    'gemini-3-flash-preview',
    'gemini-3-pro-image-preview',
    'gemini-3-pro-preview',
    'gemini-3.1-flash-image-preview',
    'gemini-3.1-flash-lite-preview',
    'gemini-3.1-pro-preview',
    'gemini-3.5-flash',
]
"""Names that are known."""
GoogleModelName: TypeAlias = Union[str, LatestGoogleModelNames]
"""The name of a model; those that are known, or any other."""
GoogleCloudServiceTier: TypeAlias = Literal[
    'pt_then_on_demand',
    'pt_only',
    'pt_then_flex',
    'pt_then_priority',
    'on_demand',
    'flex_only',
    'priority_only',
]
"""What a request on Google Cloud is run on: throughput that was paid for (`pt`), and what to use without it."""
GoogleVertexServiceTier: TypeAlias = GoogleCloudServiceTier
"""The old name of `GoogleCloudServiceTier`."""
GoogleServiceTier: TypeAlias = GoogleCloudServiceTier
"""The old name of `GoogleCloudServiceTier`."""


class GoogleModelSettings(ModelSettings, total=False):
    """Settings of Google's models."""

    google_safety_settings: list[Any]
    """Which content is blocked, as the SDK has it: dicts with `category` and `threshold`."""
    google_thinking_config: Any
    """How the model thinks, as the SDK has it; goes over `thinking`."""
    google_labels: dict[str, str]
    """Labels for the bill, on Google Cloud only."""
    google_video_resolution: Any
    """How finely images and videos are looked at, such as `'MEDIA_RESOLUTION_LOW'`."""
    google_cached_content: str
    """The name of content that was cached before; it has its own instructions and tools, so none are sent."""
    google_logprobs: bool
    """Whether the response says how likely its tokens were."""
    google_top_logprobs: int
    """How many other tokens it says that of; needs `google_logprobs`."""
    google_cloud_service_tier: GoogleCloudServiceTier
    """What a request on Google Cloud is run on; goes over `service_tier`."""
    google_vertex_service_tier: GoogleCloudServiceTier
    """The old name of `google_cloud_service_tier`."""
    google_service_tier: GoogleServiceTier
    """The old name of `google_cloud_service_tier`; on the Gemini API use `service_tier`."""


__all__ = (
    'GoogleCloudServiceTier',
    'GoogleModelName',
    'GoogleModelSettings',
    'GoogleServiceTier',
    'GoogleVertexServiceTier',
    'LatestGoogleModelNames',
)
