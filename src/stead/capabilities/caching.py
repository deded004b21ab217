"""`Caching`: the provider caches the prompt."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Union

from .._contracts.capability import AbstractCapability
from .._kit.keywords import dataclass
from ..settings import CacheRetention, CacheSetting, ModelSettings, cache_choice
from ._ids import id_of_level


@dataclass
class Caching(AbstractCapability[Any]):
    """Let the provider cache tools, instructions and conversation; models without such a choice ignore it."""

    id: str | None = field(default_factory=id_of_level('caching'), kw_only=True)
    retention: Union[bool, CacheRetention] = field(default=True, kw_only=False)
    """How long the prompt is cached: `True` for the default of the provider, `False` for not at all, or `'5m'` to `'12h'`."""
    messages: bool = True
    """Whether the conversation is cached, in addition to tools and instructions."""

    def get_model_settings(self) -> ModelSettings:
        """Return the setting `cache`.

        Raises:
            UserError: `retention` has an invalid value.
        """
        cache: CacheSetting = self.retention
        if not self.messages:
            cache = {'messages': False}
            if self.retention is not True:
                cache = {'retention': self.retention, 'messages': False}
        cache_choice(cache)
        return ModelSettings(cache=cache)
