"""`RetryModelRequest` from hooks: the request is sent again, also to another model."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ModelHTTPError, RetryModelRequest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


async def main() -> None:
    for where in ('before_model_request', 'after_model_request', 'model_request_error'):
        for other in (False, True):
            hooks, seen = Hooks[Any](), 0
            calls: list[int] = []

            async def hook(ctx: Any, *args: Any, where: str = where, other: bool = other, **kwargs: Any) -> Any:
                nonlocal seen
                seen += 1
                if seen < 3:
                    raise RetryModelRequest(spare if other else None)
                if where == 'model_request_error':
                    raise kwargs['error']
                return kwargs['response']

            def answer(
                messages: list[ModelMessage], info: AgentInfo, where: str = where, calls: list[int] = calls
            ) -> ModelResponse:
                calls.append(1)
                if where == 'model_request_error' and len(calls) < 3:
                    raise ModelHTTPError(500, 'g')
                return ModelResponse(parts=[TextPart(f'call {len(calls)}')])

            spare = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('spare')]), model_name='spare')
            getattr(hooks.on, where)(hook)
            try:
                result = await Agent(FunctionModel(answer), capabilities=[hooks]).run('q')
                print(where, other, result.output, result.usage, len(calls), seen)
            except Exception as error:
                print(where, other, type(error).__name__, len(calls), seen)


asyncio.run(main())
