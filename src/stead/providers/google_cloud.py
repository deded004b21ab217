"""Google Cloud, formerly Vertex AI."""

from __future__ import annotations

from .._kit.sdk_types import GoogleClient, GoogleCredentials, HttpxAsyncClient
from .google import BaseGoogleProvider, GoogleCloudLocation, choose_credentials


class GoogleCloudProvider(BaseGoogleProvider):
    """The provider for Google's models on Google Cloud."""

    provider_name = 'google-cloud'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        credentials: GoogleCredentials | None = None,
        project: str | None = None,
        location: GoogleCloudLocation | str | None = None,
        client: GoogleClient | None = None,
        http_client: HttpxAsyncClient | None = None,
        base_url: str | None = None,
    ) -> None:
        """Connect to Google Cloud, with an API key or for a project.

        Args:
            api_key: The API key; by default from the environment variable `GOOGLE_API_KEY`, or `GEMINI_API_KEY`. It is
                ignored if any of the next three arguments is passed.
            credentials: Credentials of `google.auth`; by default the application default credentials.
            project: The project; by default from the environment variable `GOOGLE_CLOUD_PROJECT`, else the project of the
                credentials.
            location: Where the model runs; by default from the environment variable `GOOGLE_CLOUD_LOCATION`, else
                `'us-central1'`.
            client: A `google.genai.Client` to use as is.
            http_client: An `httpx.AsyncClient` to use. It belongs to one event loop.
            base_url: A URL to use instead of the default.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is neither a key nor access to a project.
        """
        if client is None:
            choose_credentials(self, api_key, credentials, project, location)
        self._connect(client, http_client, base_url)

    @property
    def is_cloud(self) -> bool:
        """Whether requests go to Google Cloud."""
        return True


__all__ = ('GoogleCloudProvider',)
