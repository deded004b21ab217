"""xAI, through its own protocol."""

from __future__ import annotations

import asyncio
import os
import time
from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary

from typing_extensions import TypeAlias

from .._kit.extras import load_extra, require_extra
from .._kit.per_loop import PerLoop
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..profiles.grok import grok_model_profile
from . import Provider

AsyncXaiClient: TypeAlias = Any
"""A client of the SDK: `xai_sdk.AsyncClient`."""

API_HOST = 'api.x.ai'
# The SDK stops at 20 MiB, and then says that a limit of xAI is used up.
_CHANNEL_OPTIONS = [('grpc.max_receive_message_length', -1)]


class XaiProvider(Provider[Any]):
    """xAI, through its own protocol."""

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
        require_extra('xai_sdk', extra='xai', what="The provider 'xai'")
        self._given = xai_client
        self._host = api_host or API_HOST
        self._clients: PerLoop[Any] | None = None
        if xai_client is not None:
            if api_key is not None or api_host is not None or timeout is not None:
                raise UserError(
                    'XaiProvider takes `xai_client`, or what to make one of: not `api_key`, `api_host` or `timeout` '
                    'as well.'
                )
            return
        key = api_key or os.environ.get('XAI_API_KEY')
        if not key:
            raise UserError(
                'There is no API key for xAI. Set the environment variable `XAI_API_KEY`, '
                'or pass it as `XaiProvider(api_key=...)`.'
            )
        self._options: dict[str, Any] = {'api_key': key, 'api_host': self._host, 'timeout': timeout}
        self._clients = PerLoop(self._make_client, _close)

    def _make_client(self) -> Any:
        sdk = load_extra('xai_sdk', extra='xai', what="The provider 'xai'")

        async def make() -> Any:
            return sdk.AsyncClient(**self._client_options())

        try:
            asyncio.get_running_loop()
        except RuntimeError:  # a channel needs a loop even if it is not used
            loop = asyncio.new_event_loop()
            try:
                return loop.run_until_complete(make())
            finally:
                loop.close()
        return sdk.AsyncClient(**self._client_options())

    def _client_options(self) -> dict[str, Any]:
        return {**self._options, 'channel_options': list(_CHANNEL_OPTIONS)}

    @property
    def name(self) -> str:
        """The name of the provider."""
        return 'xai'

    @property
    def base_url(self) -> str:
        """The URL of xAI's API."""
        return f'https://{self._host}/v1'

    @property
    def client(self) -> Any:
        """The `xai_sdk.AsyncClient`: that which was passed in, or that of the running event loop.

        Outside of a loop it is one to look at: it cannot send requests.
        """
        return self._given if self._clients is None else self._clients.get()

    @property
    def secret(self) -> str | None:
        """The key, to keep it out of errors."""
        return None if self._clients is None else self._options['api_key']

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop; a client that was passed in stays open."""
        if self._clients is not None:
            await self._clients.close()
        return None

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


async def _close(client: Any) -> None:
    await client.close()
    if (cut := _cut.pop(client, None)) is not None:
        await asyncio.sleep(max(cut + _LONGEST_WAIT - time.monotonic(), 0))


__all__ = ('AsyncXaiClient', 'XaiProvider', 'note_cut_short')
