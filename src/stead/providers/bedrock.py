"""Amazon Bedrock."""

from __future__ import annotations

import os
from typing import Any

from .._kit.extras import load_extra
from .._kit.secret import Secret
from ..exceptions import UserError
from . import Provider


def _unsigned() -> Any:
    return load_extra('botocore', extra='bedrock', what="The provider 'bedrock'").UNSIGNED


class _Authorizer:
    """Puts an API key into requests."""

    def __init__(self, key: str) -> None:
        self._key = Secret(key)

    def __call__(self, request: Any, **_: object) -> None:
        request.headers['Authorization'] = f'Bearer {self._key}'


class BedrockProvider(Provider):
    """The provider for Amazon Bedrock. Its client, of boto3, blocks the thread that calls it."""

    def __init__(
        self,
        *,
        bedrock_client: Any = None,
        aws_access_key_id: str | None = None,
        aws_secret_access_key: str | None = None,
        aws_session_token: str | None = None,
        base_url: str | None = None,
        region_name: str | None = None,
        profile_name: str | None = None,
        api_key: str | None = None,
        aws_read_timeout: float | None = None,
        aws_connect_timeout: float | None = None,
    ) -> None:
        """Connect to Amazon Bedrock. What is not passed is found where boto3 looks for it, such as in the environment.

        Args:
            bedrock_client: A client of boto3's service `bedrock-runtime` to use as is.
            aws_access_key_id: The id of the access key.
            aws_secret_access_key: The secret of the access key.
            aws_session_token: The token of a session.
            base_url: A URL to use instead of that of the region.
            region_name: The region.
            profile_name: The profile of the configuration files of AWS.
            api_key: An API key of Bedrock; by default from the environment variable `AWS_BEARER_TOKEN_BEDROCK`.
            aws_read_timeout: Seconds a response may take; by default 300, or what `AWS_READ_TIMEOUT` says.
            aws_connect_timeout: Seconds connecting may take; by default 60, or what `AWS_CONNECT_TIMEOUT` says.

        Raises:
            ImportError: The package boto3 is not installed.
            UserError: There is no region.
        """
        self.secret: str | None = api_key or aws_secret_access_key or os.environ.get('AWS_BEARER_TOKEN_BEDROCK')
        if bedrock_client is not None:
            self._client = bedrock_client
            return
        boto3 = load_extra('boto3', extra='bedrock', what="The provider 'bedrock'")
        config: Any = load_extra('botocore.config', extra='bedrock', what="The provider 'bedrock'").Config
        exceptions: Any = load_extra('botocore.exceptions', extra='bedrock', what="The provider 'bedrock'")
        times = {
            'read_timeout': aws_read_timeout or float(os.environ.get('AWS_READ_TIMEOUT', 300)),
            'connect_timeout': aws_connect_timeout or float(os.environ.get('AWS_CONNECT_TIMEOUT', 60)),
        }
        try:
            session = boto3.Session(
                aws_access_key_id=aws_access_key_id,
                aws_secret_access_key=aws_secret_access_key,
                aws_session_token=aws_session_token,
                region_name=region_name,
                profile_name=profile_name,
            )
            # A key authorizes requests by itself. The one in the environment is found by boto3.
            settings = config(**times, signature_version=_unsigned() if api_key else None)
            self._client = session.client('bedrock-runtime', config=settings, endpoint_url=base_url)
            if api_key:
                self._client.meta.events.register('before-send.bedrock-runtime', _Authorizer(api_key))
        except exceptions.NoRegionError as error:
            raise UserError(
                'There is no region for Bedrock. Pass `BedrockProvider(region_name=...)`, or set the environment variable '
                '`AWS_DEFAULT_REGION`.'
            ) from error

    @property
    def name(self) -> str:
        """`'bedrock'`."""
        return 'bedrock'

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return self._client.meta.endpoint_url

    @property
    def client(self) -> Any:
        """The client, of boto3's service `bedrock-runtime`."""
        return self._client


__all__ = ('BedrockProvider',)
