"""Answers of Bedrock, and models that ask the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _bedrock_bodies import CLAUDE
from _wire import Wire

KEY = 'sk-secret-of-ours'


def bedrock_model(wire: Wire | str, name: str = CLAUDE, **options: Any) -> Any:
    """A model on Bedrock whose client tries once."""
    pytest.importorskip('boto3', reason='the SDK boto3 is not installed')
    from botocore.config import Config

    from stead.models.bedrock import BedrockConverseModel
    from stead.providers.bedrock import BedrockProvider

    class Provider(BedrockProvider):
        def _config(self, *arguments: Any) -> Any:
            return super()._config(*arguments).merge(Config(retries={'total_max_attempts': 1}))

    url = wire if isinstance(wire, str) else wire.url
    provider = Provider(base_url=url, api_key=KEY, region_name='us-east-1')
    return BedrockConverseModel(name, provider=provider, **options)
