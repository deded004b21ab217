"""xAI, through its own protocol."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any
from weakref import WeakKeyDictionary

from typing_extensions import TypeAlias

from ..profiles import ModelProfile
from ..profiles.grok import grok_model_profile
from ._client import ClientProvider, no_key

AsyncXaiClient: TypeAlias = Any
"""A client of the SDK: `xai_sdk.AsyncClient`."""

API_HOST = 'api.x.ai'
# The SDK stops at 20 MiB, and then says that a limit of xAI is used up.
_CHANNEL_OPTIONS = [('grpc.max_receive_message_length', -1)]


class XaiProvider(ClientProvider):
    """xAI, through its own protocol. Outside of event loops, its client is one to look at: it cannot send requests."""

    provider_name = sdk_extra = 'xai'
    label = 'xAI'
    sdk_module = 'xai_sdk'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        api_host: str | None = None,
        timeout: float | None = None,
        xai_client: AsyncXaiClient | None = None,
    ) -> None:
        """Connect to xAI.

        Args:
            api_key: The key; else the environment variable `XAI_API_KEY`.
            api_host: Another host.
            timeout: The seconds that a request may take; else as the SDK has it, which is 27 minutes.
            xai_client: An `xai_sdk.AsyncClient` to use as it is; it belongs to one event loop.

        Raises:
            ImportError: The package xai-sdk is not installed.
            UserError: There is no key.
        """
        self._host = api_host or API_HOST
        if self._take(xai_client, api_key=api_key, api_host=api_host, timeout=timeout):
            return
        self._key = api_key or os.environ.get('XAI_API_KEY')
        if not self._key:
            raise no_key(self.label, 'XAI_API_KEY', where='XaiProvider(api_key=...)')
        self._options: dict[str, Any] = {'api_key': self._key, 'api_host': self._host, 'timeout': timeout}
        self._prepare()

    def _new_client(self, sdk: Any) -> Any:
        async def make() -> Any:
            return sdk.AsyncClient(**self._client_options(sdk))

        try:
            asyncio.get_running_loop()
        except RuntimeError:  # a channel needs a loop even if it is not used
            loop = asyncio.new_event_loop()
            try:
                return loop.run_until_complete(make())
            finally:
                loop.close()
        return sdk.AsyncClient(**self._client_options(sdk))

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        return {**self._options, 'channel_options': list(_CHANNEL_OPTIONS)}

    @staticmethod
    async def _close_client(client: Any) -> None:
        await client.close()
        if (cut := _cut.pop(client, None)) is not None:
            await asyncio.sleep(max(cut + _LONGEST_WAIT - time.monotonic(), 0))

    @property
    def base_url(self) -> str:
        """The URL of xAI's API."""
        return f'https://{self._host}/v1'

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return grok_model_profile(model_name)


# When a call was last cut short, by its client. gRPC has one queue for all event loops: what it says about the end of such
# a call after its own loop is closed makes the next loop stumble that reads the queue, so that a loop waits for it.
_cut: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
_LONGEST_WAIT = 0.05


def note_cut_short(client: Any) -> None:
    """Note that a call of a client is cut short, for the end of its event loop."""
    try:
        _cut[client] = time.monotonic()
    except TypeError:  # a client of yours that cannot be referred to, and is yours to close
        return


__all__ = ('AsyncXaiClient', 'XaiProvider', 'note_cut_short')
