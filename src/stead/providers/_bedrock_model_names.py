"""Names of models on Amazon Bedrock: where they are answered, whose they are, and their versions."""

from __future__ import annotations

import re

BEDROCK_GEO_PREFIXES = ('us', 'eu', 'apac', 'jp', 'au', 'ca', 'global', 'us-gov')
"""What stands before the name of a model for an inference profile of a geography."""

_VERSION = re.compile(r'-v\d+(?::\d+)?$')


def remove_bedrock_geo_prefix(model_name: str) -> str:
    """Return the name of a model without the geography of its inference profile.

    Args:
        model_name: The name, such as `us.amazon.nova-lite-v1:0`, which becomes `amazon.nova-lite-v1:0`.
    """
    geography, dot, rest = model_name.partition('.')
    return rest if dot and geography in BEDROCK_GEO_PREFIXES else model_name


def split_bedrock_model_id(model_id: str) -> tuple[str | None, str]:
    """Return the vendor of a model, or `None` if the name has none, and its name without geography, vendor and version.

    Args:
        model_id: The name, such as `us.amazon.nova-lite-v1:0`, which becomes `('amazon', 'nova-lite')`.
    """
    name = remove_bedrock_geo_prefix(model_id)
    vendor, dot, rest = name.partition('.')
    if not dot:
        return None, model_id
    return vendor, _VERSION.sub('', rest)


__all__ = ('BEDROCK_GEO_PREFIXES', 'remove_bedrock_geo_prefix', 'split_bedrock_model_id')
