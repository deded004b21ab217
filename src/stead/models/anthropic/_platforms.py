"""What the platforms that offer Anthropic's models leave out of its API, by the SDK's client for each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """The parts of the API that a platform has."""

    has_request_cache: bool = True
    """Whether requests may have a cache point of their own; elsewhere it stands at the last block of the last message."""
    has_speeds: bool = True
    """Whether requests may ask for a speed."""
    counts_tokens: bool = True
    """Whether tokens can be counted."""


_ALL = Platform()
_PLATFORMS = {
    'AsyncAnthropicBedrock': Platform(has_request_cache=False, has_speeds=False, counts_tokens=False),
    'AsyncAnthropicVertex': Platform(has_request_cache=False, has_speeds=False),
    'AsyncAnthropicFoundry': Platform(has_speeds=False),
    'AsyncAnthropicBedrockMantle': Platform(has_speeds=False),
}


def platform_of(client: object) -> Platform:
    """Return the platform that a client of the SDK, or of a subclass, sends its requests to."""
    return next((_PLATFORMS[base.__name__] for base in type(client).__mro__ if base.__name__ in _PLATFORMS), _ALL)


__all__ = ('Platform', 'platform_of')
