"""The result of embedding texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Literal

from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.sdk_types import PriceCalculation
from .._kit.well_formed import well_formed
from ..messages import ModelResponse
from ..usage import RequestUsage

EmbedInputType = Literal['query', 'document']
"""What a text is: something that is searched for, or something that can be found."""


@dataclass
class EmbeddingResult:
    """The vectors of texts. `result[0]` and `result['text']` are the vector of a text."""

    embeddings: Sequence[Sequence[float]]
    """A vector for each text, in the same order."""
    _: KW_ONLY
    inputs: Sequence[str]
    """The texts."""
    input_type: EmbedInputType
    """What the texts are."""
    model_name: str
    """The name of the model, as the provider says it."""
    provider_name: str
    """The name of the provider."""
    timestamp: datetime = field(default_factory=now_utc)
    """When the result came."""
    usage: RequestUsage = field(default_factory=RequestUsage)
    """The tokens that were counted."""
    provider_details: JsonObject | None = None
    """More that the provider says."""
    provider_response_id: str | None = None
    """The id of the response."""

    def __getitem__(self, item: int | str) -> Sequence[float]:
        """Return the vector of a text, by its number or the text itself.

        Raises:
            IndexError: There are not that many texts.
            ValueError: The text is not one of the inputs.
        """
        return self.embeddings[item if isinstance(item, int) else self.inputs.index(well_formed(item))]

    def cost(self) -> PriceCalculation:
        """Return the price of the request, according to the package genai-prices.

        Returns:
            A `genai_prices.types.PriceCalculation`, with `total_price` in US dollars.

        Raises:
            ImportError: The package genai-prices is not installed; `pip install "stead[prices]"`.
            LookupError: The package does not know the model.
        """
        response = ModelResponse(
            parts=[],
            usage=self.usage,
            model_name=self.model_name,
            provider_name=self.provider_name,
            timestamp=self.timestamp,
        )
        return response.cost()


__all__ = ('EmbedInputType', 'EmbeddingResult')
