"""Parameters of plain types: their schemas are made without pydantic, and are those that pydantic makes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Literal, Optional, Union

import pytest
from pydantic_core import core_schema

from stead import Agent
from stead.tools._builder import SchemaBuilder
from stead.tools._schema import GenerateToolJsonSchema

from ..loading import run_program

PLAIN = {
    'str': str,
    'int': int,
    'float': float,
    'bool': bool,
    'any': Any,
    'list': list[int],
    'list of lists': list[list[str]],
    'dict': dict[str, float],
    'dict of lists': dict[int, list[bool]],
    'literal': Literal['a', 'b'],
    'optional': Optional[str],
    'union': Union[int, str],
    'union and none': Union[int, None, str],
    'optional list': list[Optional[Literal['a']]],
    'anything in a list': list[Any],
}
DEFAULTS: dict[str, Any] = {
    'required': inspect.Parameter.empty,
    'none': None,
    'text': 'x',
    'list': [1],
    'half': 0.5,
    'infinite': float('inf'),
}
OTHERS = {
    'bytes': bytes,
    'mixed literal': Literal['a', 1],
    'list of bytes': list[bytes],
    'none': None,
    'bare list': list,
    'tuple': tuple[int, str],
}


class _Builder(SchemaBuilder):
    """A builder that always asks pydantic."""

    def plain_arguments(self) -> core_schema.CoreSchema | None:
        return None


def function(**parameters: tuple[Any, Any]) -> Callable[..., Any]:
    def tool(**arguments: Any) -> str:
        """Do it.

        Args:
            first: The first one.
        """
        return str(arguments)

    tool.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
            for name, (annotation, default) in parameters.items()
        ]
    )
    return tool


def built(builder: type[SchemaBuilder], tool: Callable[..., Any]) -> tuple[Any, list[str]]:
    compiled = builder(tool, 'tool', GenerateToolJsonSchema, False, 'auto', False).build()
    lines = re.sub(r'0x[0-9a-f]+', 'at', repr(compiled.validator)).splitlines()
    return compiled.json_schema, sorted(lines)  # the options of a literal come in any order


def asks_pydantic(tool: Callable[..., Any]) -> bool:
    builder = SchemaBuilder(tool, 'tool', GenerateToolJsonSchema, False, 'auto', False)
    builder.build()
    return builder.plain_arguments() is None


@pytest.mark.parametrize('default', DEFAULTS)
@pytest.mark.parametrize('kind', PLAIN)
def test_plain_types_give_what_pydantic_gives(kind: str, default: str) -> None:
    tool = function(first=(PLAIN[kind], DEFAULTS[default]), second=(PLAIN[kind], DEFAULTS[default]))
    assert not asks_pydantic(tool)
    assert built(SchemaBuilder, tool) == built(_Builder, tool)


def test_without_parameters_nothing_differs() -> None:
    assert built(SchemaBuilder, function()) == built(_Builder, function())


@pytest.mark.parametrize('kind', OTHERS)
def test_other_types_are_left_to_pydantic(kind: str) -> None:
    tool = function(first=(str, 'x'), second=(OTHERS[kind], inspect.Parameter.empty))
    assert asks_pydantic(tool)
    assert built(SchemaBuilder, tool) == built(_Builder, tool)


def test_a_tool_of_plain_types_loads_no_plugins() -> None:
    program = """
import sys
from stead import Agent
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel

def answer(messages, info):
    return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else ToolCallPart('add', {'a': 1})])

agent = Agent(FunctionModel(answer))

@agent.tool_plain
def add(a: int, names: list[str] | None = None, most: float = 0.5) -> int:
    return a

assert agent.run_sync('go').output == 'done'
print([name for name in ('pydantic.plugin._loader', 'email') if name in sys.modules])
"""
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


def test_errors_name_the_tool_and_what_was_sent() -> None:
    agent = Agent('test')

    @agent.tool_plain
    def double(x: int) -> int:
        return 2 * x

    validator = next(iter(agent.toolsets[0].tools.values())).function_schema.validator  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r'(?s)double\nx\n.*unable to parse.*\ny\n.*Extra inputs'):
        validator.validate_python({'x': 'one', 'y': 2})
