"""`OpenAICompatibleProvider`: any server with an OpenAI-compatible API, under a name of its own."""

from __future__ import annotations

from collections.abc import Iterable

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..exceptions import UserError
from ..profiles import AnyProfile, ModelProfile, ModelProfileSpec
from ..profiles.openai import openai_model_profile
from ._compatible import CompatibleProvider, openai_compatible


class OpenAICompatibleProvider(CompatibleProvider):
    """The provider for a server with an OpenAI-compatible API that stead has no provider for."""

    api_url = ''
    key_variables: tuple[str, ...] = ()

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
        profile: ModelProfileSpec | None = None,
        canonical_system: str | None = None,
        compatible_systems: Iterable[str] = (),
    ) -> None:
        """Connect to a server.

        Args:
            name: The name of the provider, which responses and traces have.
            base_url: The URL of the API, such as `http://localhost:8000/v1`.
            api_key: The API key, if the server requires one.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.
            profile: What its models can do, or a function that returns it for the name of one; by default what OpenAI's model
                of that name can do.
            canonical_system: The vendor that made the API, if it is that of a vendor; by default the name.
            compatible_systems: Other systems whose thinking and signatures its models accept.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is neither a URL nor a client.
        """
        if openai_client is None and not base_url:
            raise UserError(f'There is no URL for {name!r}. Pass `base_url=`, or a client as `openai_client=`.')
        self.provider_name = name
        self.label: str = name
        self._canonical, self._compatible = canonical_system or name, frozenset(compatible_systems)
        self._connect(
            api_key=api_key,
            base_url=base_url,
            client=openai_client,
            http_client=http_client,
            fallback_key='api-key-not-set',
        )
        if profile is not None:
            chosen = profile

            def with_own(model_name: str) -> AnyProfile | None:
                return chosen(model_name) if callable(chosen) else chosen

            self.model_profile = with_own  # type: ignore[method-assign]

    @property
    def canonical_system(self) -> str:
        """The vendor that made the API, by default the name."""
        return self._canonical

    @property
    def compatible_systems(self) -> frozenset[str]:
        """Other systems whose thinking and signatures its models accept."""
        return self._compatible

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(openai_model_profile(model_name))


__all__ = ('OpenAICompatibleProvider',)
