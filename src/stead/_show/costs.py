"""What the responses of a run cost together."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from copy import copy
from dataclasses import fields, replace
from decimal import Decimal
from operator import attrgetter

from .._kit.price_tables import MOST_KNOWN, known_prices, prices_of_text
from ..exceptions import CostCalculationFailedWarning
from ..messages import ModelMessage, ModelResponse
from ..usage import Cost, RequestUsage


def cost_of(messages: Iterable[ModelMessage]) -> Cost:
    """Return what the responses among messages cost together; requests cost nothing by themselves.

    Raises:
        ImportError: The package genai-prices is not installed; `pip install "stead[prices]"`.
        LookupError: The package does not know the model of a response.
    """
    total = paid_in = paid_out = saved = Decimal(0)
    for message in messages:
        if not isinstance(message, ModelResponse):
            continue
        try:
            price = message.cost()
        except LookupError as error:
            raise LookupError(f'The cost is unknown: {_what_is_missing(message)}') from error
        total += price.total_price
        paid_in += price.input_price
        paid_out += price.output_price
        if message.usage.cache_read_tokens or message.usage.cache_write_tokens:
            saved += _without_cache(message).cost().input_price - price.input_price
    return Cost(total, paid_in, paid_out, saved)


def _without_cache(response: ModelResponse) -> ModelResponse:
    """Return a response that differs in one thing: its provider has no cache."""
    usage = copy(response.usage)
    usage.cache_read_tokens = usage.cache_write_tokens = usage.cache_write_1h_tokens = usage.cache_audio_read_tokens = 0
    return replace(response, usage=usage)


def note_cost(response: ModelResponse) -> None:
    """Note in the usage of a response what it costs, if the provider did not say so, and if that is known."""
    if response.usage.cost is not None:
        return
    try:
        cost = _cost(response)
    except (ImportError, LookupError):
        return
    except Exception as error:  # the package may not understand a usage; the response was paid for
        warnings.warn(f'The cost of a response is not known: {error}', CostCalculationFailedWarning, stacklevel=2)
        return
    response.usage = copy(response.usage)  # models may use the same one again
    response.usage.cost = cost


def _cost(response: ModelResponse) -> Decimal:
    """Return what a response costs. Most have text alone, for which most models have two prices: then two products are enough.

    Raises:
        ImportError, LookupError: See `ModelResponse.cost`.
    """
    usage, key = response.usage, (response.model_name, response.provider_name, response.provider_url)
    known = known_prices()
    prices = None if usage.details else known.get(key)
    if prices is None or any(_NOT_OF_TEXT(usage)):
        price = response.cost()
        if len(known) < MOST_KNOWN and (found := prices_of_text(price)) is not None:
            known[key] = found
        return price.total_price
    return (usage.input_tokens * prices[0] + usage.output_tokens * prices[1]) / 1_000_000


_NOT_OF_TEXT = attrgetter(
    *(
        one.name
        for one in fields(RequestUsage)
        if one.name.endswith('_tokens') and one.name not in ('input_tokens', 'output_tokens')
    )
)
"""Counts of tokens that have prices of their own."""


def _what_is_missing(response: ModelResponse) -> str:
    """Return why a response has no price, and what to do."""
    tokens = f'`result.usage` has the tokens{"" if response.usage.has_values() else ", if the model counted them"}.'
    if not response.model_name:
        return f'a response has no `model_name`. Set it where your model makes its responses. {tokens}'
    if not (response.provider_name or response.provider_url):
        return (
            f'the responses of {response.model_name!r} name no provider, and genai-prices has no price for it. Models that '
            f'no vendor serves have none; where one does, set `provider_name` of the responses. {tokens}'
        )
    return (
        f'genai-prices has no price for the model {response.model_name!r} of the provider '
        f'{response.provider_name or response.provider_url!r}. Newer versions know more models: '
        f'`pip install --upgrade genai-prices`. {tokens}'
    )
