"""Clients of optional SDKs for annotations: checkers see the classes, and nothing loads at runtime.

Modules of providers have the names of SDKs, so that checkers may take `from openai import ...` there for themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groq import AsyncGroq as AsyncGroq
    from openai import AsyncOpenAI as AsyncOpenAI
else:
    AsyncGroq = AsyncOpenAI = Any
