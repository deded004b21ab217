"""`OpenAICompatibleProvider`: the base class of providers that speak OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ..profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
from ._sdk import SdkProvider


class OpenAICompatibleProvider(SdkProvider):
    """A provider that speaks OpenAI's protocol. Subclasses say its name, address and environment variables.

    Those that can be passed more than a key, or know their models, override the constructor, or `model_profile`.
    """

    sdk_module = sdk_extra = 'openai'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to the provider.

        Args:
            api_key: The key; else the first of the environment variables in `key_variables` that is set.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
        """
        self._connect(api_key=api_key, client=openai_client, http_client=http_client)

    def _new_client(self, sdk: Any) -> Any:
        return sdk.AsyncOpenAI(**self._client_options(sdk))

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(None)


def openai_compatible(profile: ModelProfile | None, **changes: Any) -> OpenAIModelProfile:
    """Return the profile of a model behind OpenAI's protocol: its family's, with a transformer of schemas.

    Args:
        profile: What is known about the family.
        changes: What the provider makes of it; the family's profile goes over these.
    """
    return OpenAIModelProfile(json_schema_transformer=OpenAIJsonSchemaTransformer, **changes).update(profile)


__all__ = ('OpenAICompatibleProvider', 'openai_compatible')
