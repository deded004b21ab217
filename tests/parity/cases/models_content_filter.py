"""The error of a response that a content filter stopped: the reason of the provider, whichever it gives."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.exceptions import ContentFilterError
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

DETAILS: list[dict[str, Any] | None] = [
    None,
    {'finish_reason': 'SAFETY'},
    {'block_reason': 'OTHER'},
    {'finish_reason': 'SAFETY', 'block_reason': 'OTHER'},
    {'refusal': 'I cannot help with that.'},
]


async def main() -> None:
    for details in DETAILS:
        for parts in ([], [TextPart('half')]):
            response = ModelResponse(parts=parts, finish_reason='content_filter', provider_details=details)
            try:
                result = await Agent(FunctionModel(lambda messages, info, r=response: r)).run('x')
                print(details, result.output)
            except ContentFilterError as error:
                print(details, error.message, bool(error.body))


asyncio.run(main())
