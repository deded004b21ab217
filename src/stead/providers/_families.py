"""Profiles by model family, for providers that host models of other vendors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from typing_extensions import TypeAlias

from ..profiles import ModelProfile
from ..profiles.amazon import amazon_model_profile
from ..profiles.anthropic import anthropic_model_profile
from ..profiles.cohere import cohere_model_profile
from ..profiles.deepseek import deepseek_model_profile
from ..profiles.google import google_model_profile
from ..profiles.grok import grok_model_profile
from ..profiles.harmony import harmony_model_profile
from ..profiles.meta import meta_model_profile
from ..profiles.mistral import mistral_model_profile
from ..profiles.moonshotai import moonshotai_model_profile
from ..profiles.openai import openai_model_profile
from ..profiles.qwen import qwen_model_profile
from ..profiles.zai import zai_model_profile

Family: TypeAlias = Callable[[str], 'ModelProfile | None']
"""A function that returns the profile of a model of the family by its name."""

# By the prefixes of model names.
PREFIXES: dict[str, Family] = {
    'llama': meta_model_profile,
    'meta-llama': meta_model_profile,
    'gemma': google_model_profile,
    'qwen': qwen_model_profile,
    'qwq': qwen_model_profile,
    'deepseek': deepseek_model_profile,
    'mistral': mistral_model_profile,
    'command': cohere_model_profile,
    'gpt-oss': harmony_model_profile,
    'zai': zai_model_profile,
    'kimi': moonshotai_model_profile,
}

# By the vendor before the slash in model names. Providers spell some vendors differently.
VENDORS: dict[str, Family] = {
    'amazon': amazon_model_profile,
    'anthropic': anthropic_model_profile,
    'bedrock': amazon_model_profile,
    'cohere': cohere_model_profile,
    'deepseek': deepseek_model_profile,
    'deepseek-ai': deepseek_model_profile,
    'google': google_model_profile,
    'meta': meta_model_profile,
    'meta-llama': meta_model_profile,
    'mistral': mistral_model_profile,
    'mistral-ai': mistral_model_profile,
    'mistralai': mistral_model_profile,
    'moonshotai': moonshotai_model_profile,
    'openai': openai_model_profile,
    'qwen': qwen_model_profile,
    'vertex': google_model_profile,
    'x-ai': grok_model_profile,
    'xai': grok_model_profile,
    'z-ai': zai_model_profile,
}


def profile_by_prefix(model_name: str, *prefixes: str, **others: Family) -> ModelProfile | None:
    """Return the profile of a model whose name begins with the prefix of a family, or `None`.

    Args:
        model_name: The name of the model.
        prefixes: The keys of `PREFIXES` that the provider hosts.
        others: Further prefixes, and their families.
    """
    name = model_name.lower()
    for prefix, family in {**{prefix: PREFIXES[prefix] for prefix in prefixes}, **others}.items():
        if name.startswith(prefix):
            return family(model_name)
    return None


def profile_by_vendor(model_name: str, vendors: Mapping[str, Family]) -> ModelProfile | None:
    """Return the profile of a model whose name is `vendor/model`, or `None` if the vendor is not known."""
    vendor, _, name = model_name.lower().partition('/')
    family = vendors.get(vendor)
    return family(name.removesuffix(':free')) if family is not None else None


def vendors(*names: str, **others: Family) -> dict[str, Family]:
    """Return the vendors that a provider hosts: the named ones of `VENDORS`, and others with their families."""
    return {**{name: VENDORS[name] for name in names}, **others}


__all__ = ('PREFIXES', 'VENDORS', 'Family', 'profile_by_prefix', 'profile_by_vendor', 'vendors')
