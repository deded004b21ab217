"""Classes of optional or slow packages for annotations: checkers see the classes, and nothing loads at runtime.

At runtime each of them is `Any`, so that `typing.get_type_hints` works wherever they are used. Modules of providers have the
names of SDKs, so that checkers may take `from openai import ...` there for themselves; here they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import TypeAlias

if TYPE_CHECKING:
    from cohere import AsyncClientV2 as CohereClient
    from fasta2a import Broker as A2ABroker, FastA2A as FastA2A, Skill as A2ASkill, Storage as A2AStorage
    from genai_prices import UpdatePrices as UpdatePrices
    from genai_prices.types import PriceCalculation as PriceCalculation
    from google.auth.credentials import Credentials as GoogleCredentials
    from google.genai import Client as GoogleClient
    from groq import AsyncGroq as AsyncGroq
    from httpx import (
        AsyncClient as HttpxAsyncClient,
        Request as HttpxRequest,
        Response as HttpxResponse,
        Timeout as HttpxTimeout,
    )
    from huggingface_hub import AsyncInferenceClient as HuggingFaceClient
    from mistralai.client import Mistral as MistralClient
    from openai import AsyncOpenAI as AsyncOpenAI
    from opentelemetry._logs import Logger as Logger, LoggerProvider as LoggerProvider
    from opentelemetry.metrics import Histogram as Histogram, Meter as Meter, MeterProvider as MeterProvider
    from opentelemetry.trace import Span as Span, Tracer as Tracer, TracerProvider as TracerProvider
    from starlette.applications import Starlette as Starlette
    from starlette.requests import Request as StarletteRequest
    from starlette.responses import Response as StarletteResponse, StreamingResponse as StarletteStreamingResponse
else:
    CohereClient = GoogleClient = GoogleCredentials = AsyncGroq = HuggingFaceClient = MistralClient = AsyncOpenAI = Any
    HttpxAsyncClient = HttpxRequest = HttpxResponse = HttpxTimeout = Any
    PriceCalculation = UpdatePrices = Any
    A2ABroker = A2ASkill = A2AStorage = FastA2A = Any
    Logger = LoggerProvider = Histogram = Meter = MeterProvider = Span = Tracer = TracerProvider = Any
    Starlette = StarletteRequest = StarletteResponse = StarletteStreamingResponse = Any

SdkObject: TypeAlias = Any
"""An object of an SDK that is optional, and whose releases differ in their types."""

__all__ = (
    'A2ABroker',
    'A2ASkill',
    'A2AStorage',
    'AsyncGroq',
    'AsyncOpenAI',
    'CohereClient',
    'FastA2A',
    'GoogleClient',
    'GoogleCredentials',
    'Histogram',
    'HttpxAsyncClient',
    'HttpxRequest',
    'HttpxResponse',
    'HttpxTimeout',
    'HuggingFaceClient',
    'Logger',
    'LoggerProvider',
    'Meter',
    'MeterProvider',
    'MistralClient',
    'PriceCalculation',
    'SdkObject',
    'Span',
    'Starlette',
    'StarletteRequest',
    'StarletteResponse',
    'StarletteStreamingResponse',
    'Tracer',
    'TracerProvider',
    'UpdatePrices',
)
