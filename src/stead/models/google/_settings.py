"""Settings of Google's models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Union

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
"""The names of models that stead knows."""
GoogleModelName: TypeAlias = Union[str, LatestGoogleModelNames]
"""The name of a model: a known one, or any other."""
GoogleCloudServiceTier: TypeAlias = Literal[
    'pt_then_on_demand',
    'pt_only',
    'pt_then_flex',
    'pt_then_priority',
    'on_demand',
    'flex_only',
    'priority_only',
]
"""The capacity for a request on Google Cloud: provisioned throughput (`pt`), or the tier to use without it."""
GoogleVertexServiceTier: TypeAlias = GoogleCloudServiceTier
"""Deprecated name of `GoogleCloudServiceTier`."""
GoogleServiceTier: TypeAlias = GoogleCloudServiceTier
"""Deprecated name of `GoogleCloudServiceTier`."""


class GoogleModelSettings(ModelSettings, total=False):
    """Settings of Google's models."""

    google_safety_settings: Sequence[object]
    """Which content is blocked, in the SDK's format: dicts with `category` and `threshold`."""
    google_thinking_config: Mapping[str, object]
    """How the model thinks, in the SDK's format; takes precedence over `thinking`."""
    google_labels: dict[str, str]
    """Labels for billing, on Google Cloud only."""
    google_video_resolution: str
    """The resolution at which images and videos are processed, such as `'MEDIA_RESOLUTION_LOW'`."""
    google_cached_content: str
    """The name of cached content. It includes its own instructions and tools, so none are sent."""
    google_logprobs: bool
    """Whether the response has the log probabilities of its tokens."""
    google_top_logprobs: int
    """The number of alternatives to report for each token; needs `google_logprobs`."""
    google_cloud_service_tier: GoogleCloudServiceTier
    """The capacity for a request on Google Cloud; takes precedence over `service_tier`."""
    google_vertex_service_tier: GoogleCloudServiceTier
    """Deprecated name of `google_cloud_service_tier`."""
    google_service_tier: GoogleServiceTier
    """Deprecated name of `google_cloud_service_tier`; on the Gemini API, use `service_tier`."""
    wire: Literal['auto', 'sdk']
    """How requests reach the SDK: `'sdk'` calls its typed method, `'auto'`, the default, goes past it where nothing is lost."""


__all__ = (
    'GoogleCloudServiceTier',
    'GoogleModelName',
    'GoogleModelSettings',
    'GoogleServiceTier',
    'GoogleVertexServiceTier',
    'LatestGoogleModelNames',
)
