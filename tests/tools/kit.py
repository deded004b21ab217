"""What the tests of tools share: a function's schema, a validated call of it, and a run with such a call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from stead import Agent, RunContext, RunUsage, Tool
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel


def context(deps: Any = None, **fields: Any) -> RunContext[Any]:
    return RunContext(deps=deps, model=TestModel(), usage=RunUsage(), **fields)


def schema_of(function: Any, **options: Any) -> dict[str, Any]:
    return Tool(function, **options).tool_def.parameters_json_schema


def properties_of(function: Any, **options: Any) -> dict[str, Any]:
    return schema_of(function, **options)['properties']


def validated(function: Any, arguments: Any, **options: Any) -> Any:
    """Return validated arguments; both as JSON and as data, which must not differ."""
    validator = Tool(function).function_schema.validator
    from_json = validator.validate_json(json.dumps(arguments), **options)
    assert validator.validate_python(arguments, **options) == from_json
    return from_json


def called(function: Any, arguments: Any, deps: Any = None, **options: Any) -> Any:
    """Return what a function returns for arguments of a model."""
    tool = Tool(function, **options)
    values = tool.function_schema.validator.validate_json(json.dumps(arguments))
    return asyncio.run(tool.function_schema.call(values, context(deps)))


def answered(tools: list[Any], name: str, arguments: Any, **options: Any) -> Any:
    """Return the part with which a run answers a call of a tool."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart(name, arguments) if len(messages) == 1 else TextPart('done')])

    agent = Agent(FunctionModel(model), tools=tools, **options)
    return agent.run_sync('go').all_messages()[2].parts[0]


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function as decorators do."""
    import functools

    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return inner
