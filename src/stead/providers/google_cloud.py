"""Google Cloud, once called Vertex AI."""

from __future__ import annotations

from typing import Any

from .google import BaseGoogleProvider, GoogleCloudLocation, choose_access


class GoogleCloudProvider(BaseGoogleProvider):
    """Google's models on Google Cloud."""

    provider_name = 'google-cloud'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        credentials: Any = None,
        project: str | None = None,
        location: GoogleCloudLocation | str | None = None,
        client: Any = None,
        http_client: Any = None,
        base_url: str | None = None,
    ) -> None:
        """Connect to Google Cloud, with a key or for a project.

        Args:
            api_key: The key; else the environment variable `GOOGLE_API_KEY`, or `GEMINI_API_KEY`. Of no use with any of
                the next three.
            credentials: Credentials of `google.auth`; else those that it finds.
            project: The project; else the environment variable `GOOGLE_CLOUD_PROJECT`, else that of the credentials.
            location: Where the model runs; else the environment variable `GOOGLE_CLOUD_LOCATION`, else `'us-central1'`.
            client: A `google.genai.Client` to use as it is.
            http_client: An `httpx.AsyncClient` to use; it belongs to one event loop.
            base_url: Another URL.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is neither a key nor access to a project.
        """
        if client is None:
            choose_access(self, api_key, credentials, project, location)
        self._connect(client, http_client, base_url)

    @property
    def is_cloud(self) -> bool:
        """Whether requests go to Google Cloud."""
        return True


__all__ = ('GoogleCloudProvider',)
