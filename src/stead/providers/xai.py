"""xAI, through its gRPC API."""

from __future__ import annotations

import asyncio
import os
import time
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from typing_extensions import TypeAlias

from .._kit.secret import Secret
from ..profiles import ModelProfile
from ..profiles.grok import grok_model_profile
from ._client import ClientProvider, missing_key

AsyncXaiClient: TypeAlias = Any
"""A client of the SDK: `xai_sdk.AsyncClient`. `Any`, since the SDK is optional."""

API_HOST = 'api.x.ai'
# By default, the SDK rejects responses over 20 MiB, with an error that looks like an exhausted quota of xAI.
_CHANNEL_OPTIONS = [('grpc.max_receive_message_length', -1)]


class XaiProvider(ClientProvider):
    """The provider for xAI's gRPC API.

    Outside of an event loop, `client` can be inspected, but cannot send requests.
    """

    provider_name = sdk_extra = 'xai'
    label = 'xAI'
    sdk_module = 'xai_sdk'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        api_host: str | None = None,
        timeout: float | None = None,
        metadata: tuple[tuple[str, str], ...] | None = None,
        xai_client: AsyncXaiClient | None = None,
    ) -> None:
        """Connect to xAI.

        Args:
            api_key: The API key; by default from the environment variable `XAI_API_KEY`.
            api_host: A host to use instead of the default.
            timeout: Seconds a request may take; by default the limit of the SDK, which is 27 minutes.
            metadata: Names and values that are sent with every request, as headers are.
            xai_client: An `xai_sdk.AsyncClient` to use as is. It belongs to one event loop.

        Raises:
            ImportError: The package xai-sdk is not installed.
            UserError: There is no API key.
        """
        self._host, self._named_host, self._key = api_host or API_HOST, api_host, None
        if self._use_client(xai_client, api_key=api_key, api_host=api_host, timeout=timeout, metadata=metadata):
            return
        key = api_key or os.environ.get('XAI_API_KEY')
        if not key:
            raise missing_key(self.label, 'XAI_API_KEY', where='XaiProvider(api_key=...)')
        self._key = Secret(key)
        self._options: dict[str, Any] = {'api_key': self._key, 'api_host': self._host, 'timeout': timeout}
        if metadata is not None:
            self._options['metadata'] = metadata
        self._prepare()

    @property
    def api_key(self) -> str | None:
        """The API key; `None` if a client was passed."""
        return self._key

    @property
    def api_host(self) -> str | None:
        """The host that was passed; `None` for that of xAI."""
        return self._named_host

    def _new_client(self, sdk: ModuleType) -> Any:
        async def make() -> Any:
            return sdk.AsyncClient(**self._client_options(sdk))

        try:
            asyncio.get_running_loop()
        except RuntimeError:  # a gRPC channel cannot be built without an event loop, even if it is never used
            loop = asyncio.new_event_loop()
            try:
                return loop.run_until_complete(make())
            finally:
                loop.close()
        return sdk.AsyncClient(**self._client_options(sdk))

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        return {**self._options, 'channel_options': list(_CHANNEL_OPTIONS)}

    @staticmethod
    async def _close_client(client: Any) -> None:
        await client.close()
        if (cancelled := _cancelled.pop(client, None)) is not None:
            await asyncio.sleep(max(cancelled + _GRACE_PERIOD - time.monotonic(), 0))

    @property
    def base_url(self) -> str:
        """The URL of xAI's API."""
        return f'https://{self._host}/v1'

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return grok_model_profile(model_name)


# When a call of each client was last cancelled, in monotonic seconds. gRPC has one completion queue for all event loops. If
# it reports the end of a cancelled call after the loop of that call is closed, the next loop to read the queue fails.
# Closing a client therefore waits until gRPC has had time to report.
_cancelled: WeakKeyDictionary[object, float] = WeakKeyDictionary()
_GRACE_PERIOD = 0.05
"""Seconds between the cancellation of a call and its report."""


def note_cancelled_call(client: object) -> None:
    """Record that a call of a client was cancelled, so that closing the client waits for gRPC's report."""
    try:
        _cancelled[client] = time.monotonic()
    except TypeError:  # a client that was passed in, and that has no weak references: the caller closes it
        return


__all__ = ('AsyncXaiClient', 'XaiProvider', 'note_cancelled_call')
