"""The tables of the package genai-prices, which is optional: what responses of providers say of usage, and what tokens cost."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module
from typing import Any, NamedTuple

from ..exceptions import UserError

PROVIDER_IDS = {'xai': 'x-ai', 'google-cloud': 'google', 'bedrock': 'aws'}
"""Ids of providers in the tables, where they are not the names of their systems."""
_FEW, _MANY = 10**5, 10**7
"""Numbers of tokens below and above the steps of prices that depend on the length of the prompt."""
NANO = 10**9
"""How many of the units in which costs are counted a US dollar has."""


class Rates(NamedTuple):
    """The most that tokens of a model cost, in billionths of a US dollar, whatever their number."""

    input: float
    """For a token of the prompt, also if it is written to the cache of the provider."""
    output: float
    """For a token that the model writes."""
    request: int
    """For the request itself."""


class _Tokens(NamedTuple):
    """Counts of tokens, under the names that the tables read."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    input_audio_tokens: int = 0
    cache_audio_read_tokens: int = 0
    output_audio_tokens: int = 0


_known: tuple[object, dict[tuple[str, str | None, str | None, int], Rates | None]] = None, {}
"""The tables, and what was looked up in them."""


MOST_KNOWN = 512
"""Of how many models prices are kept at hand."""
_prices: tuple[object, dict[object, tuple[Decimal, Decimal]]] = None, {}
"""The tables, and the prices of text that were found in them."""


def known_prices() -> dict[object, tuple[Decimal, Decimal]]:
    """Return the prices of text that were found in the tables as they are now, for a million tokens of prompt and response.

    Raises:
        ImportError: The package is not installed.
    """
    global _prices
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    if _prices[0] is not snapshot:  # a program may update the tables
        _prices = snapshot, {}
    return _prices[1]


def prices_of_text(price: Any) -> tuple[Decimal, Decimal] | None:
    """Return the prices of text, if they depend neither on the time nor on the length of the prompt.

    Args:
        price: What `calc_price` returned for a request.
    """
    found, always = price.model_price, price.model.prices
    prices = found.input_mtok, found.output_mtok
    if found is not always or found.requests_kcount or not all(isinstance(one, Decimal) for one in prices):
        return None
    return prices


def rates_of(model_name: str, provider: str | None, url: str | None, tokens: int = _MANY) -> Rates | None:
    """Return the most that tokens of a model cost; `None` if the tables do not know it.

    Args:
        model_name: The name of the model.
        provider: Its provider; `None` if only the name of the model is known.
        url: The URL of the provider.
        tokens: The most tokens that the prompt has.
    """
    global _known
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    snapshot = get_snapshot()
    if _known[0] is not snapshot or len(_known[1]) > 512:  # a program may update the tables
        _known = snapshot, {}
    rates, key = _known[1], (model_name, provider, url, _FEW if tokens <= _FEW else _MANY)
    if key not in rates:
        rates[key] = _look_up(*key)
    return rates[key]


def _look_up(model_name: str, provider: str | None, url: str | None, most: int) -> Rates | None:
    for known in ({'provider_api_url': url}, {'provider_id': PROVIDER_IDS.get(provider or '', provider)}):
        if known.get('provider_api_url', '') is None:
            continue
        try:
            nothing = _price(_Tokens(), model_name, known)
            read = _price(_Tokens(most), model_name, known)
            stored = _price(_Tokens(most, 0, most), model_name, known)
            written = max(
                (_price(_Tokens(count, most), model_name, known) - _price(_Tokens(count), model_name, known)) / most
                for count in (0, most)
            )
        except LookupError:
            continue
        return Rates((max(read, stored) - nothing) / most, written, int(nothing))
    return None


def _price(tokens: _Tokens, model_name: str, known: dict[str, Any]) -> float:
    calc_price: Any = import_module('genai_prices').calc_price
    return float(calc_price(tokens, model_name, **known).total_price) * NANO


def counts_in(data: Any, provider: str, provider_url: str, provider_fallback: str, api_flavor: str) -> object:
    """Return the counts of tokens in a response of a provider; `None` if the tables cannot read it.

    Raises:
        UserError: The package is not installed.
    """
    try:
        snapshots: Any = import_module('genai_prices.data_snapshot')
    except ImportError as error:
        raise UserError(
            '`RequestUsage.extract()` reads usage with the `genai-prices` package, which is not installed: '
            'run `pip install "stead[prices]"`.'
        ) from error
    snapshot = snapshots.get_snapshot()
    for provider_id, url in ((None, provider_url), (provider, None), (provider_fallback, None)):
        try:
            price_table = snapshot.find_provider(None, provider_id, url)
            return price_table.extract_usage(data, api_flavor=api_flavor)[1]
        except Exception:  # a response that the tables cannot read must not fail the request
            continue
    return None
