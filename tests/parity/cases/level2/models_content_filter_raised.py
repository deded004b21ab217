"""`RaiseContentFilterError` says the reason that the provider gives, as the loop does for empty responses."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.capabilities import RaiseContentFilterError
from pydantic_ai.exceptions import ContentFilterError
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


async def main() -> None:
    for details in (None, {'finish_reason': 'SAFETY'}, {'block_reason': 'OTHER'}, {'refusal': 'no'}):
        for parts in ([], [TextPart('half')]):
            response = ModelResponse(parts=parts, finish_reason='content_filter', provider_details=details)
            model = FunctionModel(lambda messages, info, r=response: r)
            try:
                await Agent(model, capabilities=[RaiseContentFilterError()]).run('x')
            except ContentFilterError as error:
                print(details, len(parts), error.message)


asyncio.run(main())
