"""`OpenAICompatibleProvider`: the mould of providers that speak OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ..profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
from ._sdk import SdkProvider


class OpenAICompatibleProvider(SdkProvider):
    """A provider that speaks OpenAI's protocol. Subclasses say its name, address and environment variables."""

    sdk_module = sdk_extra = 'openai'

    def _new_client(self, sdk: Any) -> Any:
        return sdk.AsyncOpenAI(**self._client_options(sdk))


def openai_compatible(profile: ModelProfile | None, **changes: Any) -> OpenAIModelProfile:
    """Return the profile of a model behind OpenAI's protocol: its family's, with a transformer of schemas.

    Args:
        profile: What is known about the family.
        changes: What the provider makes of it; the family's profile goes over these.
    """
    return OpenAIModelProfile(json_schema_transformer=OpenAIJsonSchemaTransformer, **changes).update(profile)


__all__ = ('OpenAICompatibleProvider', 'openai_compatible')
