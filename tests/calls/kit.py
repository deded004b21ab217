"""Managers of a step without an agent around them, and tools that write down what they do."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from stead import FunctionToolset, RunContext
from stead.messages import ToolCallPart
from stead.models.test import TestModel
from stead.tool_manager import ToolManager
from stead.usage import RunUsage

T = TypeVar('T')


def context(deps: Any = None, **fields: Any) -> RunContext[Any]:
    return RunContext(deps=deps, model=TestModel(), usage=RunUsage(), **{'run_step': 1, 'max_retries': 1, **fields})


def wait(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


async def managing(
    *tools: Any, toolset: Any = None, ctx: RunContext[Any] | None = None, **options: Any
) -> ToolManager[Any]:
    """Return the manager of a first step with these tools."""
    manager: ToolManager[Any] = ToolManager(FunctionToolset(tools) if toolset is None else toolset, **options)
    return await manager.for_run_step(ctx or context())


def call(name: str, args: Any = None, call_id: str | None = None) -> ToolCallPart:
    return ToolCallPart(name, {} if args is None else args, tool_call_id=call_id or f'id_{name}')
