"""The old address of Google Cloud, formerly Vertex AI: `stead.providers.google_cloud` has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typing_extensions import deprecated

from .._kit.extras import load_extra
from .._kit.sdk_types import HttpxAsyncClient
from ..exceptions import UserError
from .google import GoogleCloudLocation
from .google_cloud import GoogleCloudProvider

VertexAiRegion = GoogleCloudLocation
"""Old name of `GoogleCloudLocation`."""


@deprecated('`GoogleVertexProvider` is deprecated: use `GoogleCloudProvider` with `GoogleModel`.')
class GoogleVertexProvider(GoogleCloudProvider):
    """The provider for Google's models on Google Cloud, by its old name."""

    provider_name = 'google-vertex'

    def __init__(
        self,
        *,
        service_account_file: Path | str | None = None,
        service_account_info: Mapping[str, str] | None = None,
        project_id: str | None = None,
        region: GoogleCloudLocation | str = 'us-central1',
        model_publisher: str = 'google',
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Google Cloud for a project.

        Args:
            service_account_file: The file with the key of a service account.
            service_account_info: The content of such a file; only one of both.
            project_id: The project; by default that of the credentials.
            region: Where the model runs.
            model_publisher: Whose models; only `'google'`.
            http_client: An `httpx.AsyncClient` to use. It belongs to one event loop.

        Raises:
            ImportError: The package google-genai is not installed.
            OSError: The file cannot be read.
            UserError: There is no access to a project, both kinds of credentials are passed, or the publisher is another one.
        """
        if model_publisher != 'google':
            raise UserError(
                f'`GoogleVertexProvider` cannot ask for models of {model_publisher!r}; use their own provider, or '
                "`model_publisher='google'`."
            )
        credentials = _credentials(service_account_file, service_account_info)
        project = project_id or getattr(credentials, 'project_id', None)
        super().__init__(credentials=credentials, project=project, location=region, http_client=http_client)


def _credentials(file: Path | str | None, info: Mapping[str, str] | None) -> Any:
    """Return the credentials of a service account, or `None` if none is passed.

    Raises:
        ImportError: The package google-genai is not installed.
        OSError: The file cannot be read.
        UserError: Both are passed.
    """
    if file is None and info is None:
        return None
    if file is not None and info is not None:
        raise UserError('Pass only one of `service_account_file` and `service_account_info`.')
    service_account = load_extra('google.oauth2.service_account', extra='google', what='A service account')
    scopes = ['https://www.googleapis.com/auth/cloud-platform']
    if file is not None:
        return service_account.Credentials.from_service_account_file(str(file), scopes=scopes)
    return service_account.Credentials.from_service_account_info(info, scopes=scopes)


__all__ = ('GoogleVertexProvider',)
