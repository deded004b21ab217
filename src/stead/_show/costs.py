"""What the responses of a run cost together."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from ..messages import ModelMessage, ModelResponse
from ..usage import Cost


def cost_of(messages: Iterable[ModelMessage]) -> Cost:
    """Return what the responses among messages cost together; requests cost nothing by themselves.

    Raises:
        ImportError: The package genai-prices is not installed; `pip install "stead[prices]"`.
        LookupError: The package does not know the model of a response.
    """
    total = paid_in = paid_out = Decimal(0)
    for message in messages:
        if not isinstance(message, ModelResponse):
            continue
        try:
            price = message.cost()
        except LookupError as error:
            raise LookupError(
                f'The cost is unknown, because there is no price for the model {message.model_name!r} '
                f'of the provider {message.provider_name!r}: {error}'
            ) from error
        total += price.total_price
        paid_in += price.input_price
        paid_out += price.output_price
    return Cost(total, paid_in, paid_out)
