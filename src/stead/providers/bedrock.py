"""Amazon Bedrock."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from .._kit.extras import load_extra
from .._kit.sdk_types import SdkObject
from .._kit.secret import Secret
from ..exceptions import UserError
from ..profiles import ModelProfile
from . import Provider
from ._bedrock_profiles import (
    BEDROCK_GEO_PREFIXES,
    BedrockJsonSchemaTransformer,
    BedrockModelProfile,
    bedrock_amazon_model_profile,
    bedrock_anthropic_model_profile,
    bedrock_deepseek_model_profile,
    bedrock_google_model_profile,
    bedrock_minimax_model_profile,
    bedrock_mistral_model_profile,
    bedrock_model_profile,
    bedrock_nvidia_model_profile,
    bedrock_qwen_model_profile,
    remove_bedrock_geo_prefix,
    split_bedrock_model_id,
)

READ_TIMEOUT = 300
"""Seconds a response may take, by default."""
CONNECT_TIMEOUT = 60
"""Seconds connecting may take, by default."""
CONNECTIONS = 40
"""How many connections are kept: as many as there are threads that may wait for answers."""

_WHAT = "The provider 'bedrock'"


def _session(profile_name: str | None) -> SdkObject:
    """Return a session, as one of boto3 has it. What describes the services is read once: that takes a tenth of a second."""
    session: SdkObject = load_extra('botocore.session', extra='bedrock', what=_WHAT).Session(profile=profile_name)
    session.register_component('data_loader', _loader(session.get_config_variable('data_path')))
    return session


@cache
def _loader(data_path: str | None) -> SdkObject:
    return load_extra('botocore.loaders', extra='bedrock', what=_WHAT).create_loader(data_path)


class _Authorizer:
    """Puts an API key into requests."""

    def __init__(self, key: str) -> None:
        self._key = Secret(key)

    def __call__(self, request: SdkObject, **_: object) -> None:
        request.headers['Authorization'] = f'Bearer {self._key}'


class BedrockProvider(Provider):
    """The provider for Amazon Bedrock. Its client, of boto3, blocks the thread that calls it."""

    sdk_extra = 'bedrock'

    def __init__(
        self,
        *,
        bedrock_client: SdkObject = None,
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
            bedrock_client: A client of boto3's service `bedrock-runtime` to use as is; the other arguments are then unused.
            aws_access_key_id: The id of the access key.
            aws_secret_access_key: The secret of the access key.
            aws_session_token: The token of a session, for temporary keys.
            base_url: A URL to use instead of that of the region.
            region_name: The region; by default that of the profile, or from the environment variable `AWS_DEFAULT_REGION`
                or `AWS_REGION`.
            profile_name: The profile of the configuration files of AWS.
            api_key: An API key of Bedrock, which is sent as a bearer token; by default from the environment variable
                `AWS_BEARER_TOKEN_BEDROCK`.
            aws_read_timeout: Seconds a response may take; by default 300, or what `AWS_READ_TIMEOUT` says.
            aws_connect_timeout: Seconds connecting may take; by default 60, or what `AWS_CONNECT_TIMEOUT` says.

        Raises:
            ImportError: The package boto3 is not installed.
            UserError: There is no region, or a profile or an argument is not valid.
        """
        token = api_key or os.environ.get('AWS_BEARER_TOKEN_BEDROCK')
        secret = token or aws_secret_access_key
        self.secret: str | None = Secret(secret) if secret else None
        if bedrock_client is not None:
            self._client = bedrock_client
            return
        load_extra('boto3', extra='bedrock', what=_WHAT)
        exceptions: SdkObject = load_extra('botocore.exceptions', extra='bedrock', what=_WHAT)
        try:
            session = _session(profile_name)
            # The second of the two variables, which programs of AWS share, is not read there.
            region = region_name or session.get_config_variable('region') or os.environ.get('AWS_REGION')
            self._client = session.create_client(
                'bedrock-runtime',
                region_name=region,
                endpoint_url=base_url,
                aws_access_key_id=aws_access_key_id,
                aws_secret_access_key=aws_secret_access_key,
                aws_session_token=aws_session_token,
                config=self._config(aws_read_timeout, aws_connect_timeout, api_key),
            )
        except exceptions.NoRegionError as error:
            raise UserError(
                'There is no region for Bedrock. Pass `BedrockProvider(region_name=...)`, or set the environment variable '
                '`AWS_DEFAULT_REGION`.'
            ) from error
        except (exceptions.BotoCoreError, ValueError) as error:
            raise UserError(f'The client of Bedrock cannot be built: {error}') from error
        if api_key:
            self._client.meta.events.register('before-send.bedrock-runtime', _Authorizer(api_key))

    def _config(self, read: float | None, connect: float | None, api_key: str | None) -> Any:
        """Return the configuration of the client."""
        botocore: SdkObject = load_extra('botocore', extra='bedrock', what=_WHAT)
        config: SdkObject = load_extra('botocore.config', extra='bedrock', what=_WHAT)
        return config.Config(
            read_timeout=read or float(os.environ.get('AWS_READ_TIMEOUT', READ_TIMEOUT)),
            connect_timeout=connect or float(os.environ.get('AWS_CONNECT_TIMEOUT', CONNECT_TIMEOUT)),
            max_pool_connections=CONNECTIONS,
            # A key authorizes requests by itself. The one in the environment is found by boto3.
            signature_version=botocore.UNSIGNED if api_key else None,
        )

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

    @client.setter
    def client(self, value: Any) -> None:
        self._client = value

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name, or `None` if its vendor is not known."""
        return bedrock_model_profile(model_name)


__all__ = (
    'BEDROCK_GEO_PREFIXES',
    'BedrockJsonSchemaTransformer',
    'BedrockModelProfile',
    'BedrockProvider',
    'bedrock_amazon_model_profile',
    'bedrock_anthropic_model_profile',
    'bedrock_deepseek_model_profile',
    'bedrock_google_model_profile',
    'bedrock_minimax_model_profile',
    'bedrock_mistral_model_profile',
    'bedrock_nvidia_model_profile',
    'bedrock_qwen_model_profile',
    'remove_bedrock_geo_prefix',
    'split_bedrock_model_id',
)
