"""Schemas are made once for each function, and for all closures of the same signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from stead import Agent, FunctionToolset, RunContext, Tool
from stead.tools import GenerateToolJsonSchema


class Counting(GenerateToolJsonSchema):
    """Counts how many schemas are made: one for the parameters, one for what is returned if it is not a plain type."""

    schemas = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        type(self).schemas += 1


def counted(action: Callable[[], Any]) -> int:
    before = Counting.schemas
    action()
    return Counting.schemas - before


class Item(BaseModel):
    x: int


def twenty() -> list[Callable[..., Any]]:
    """Return twenty functions of different signatures."""
    functions: list[Callable[..., Any]] = []
    for number in range(20):
        exec(f'def tool_{number}(a_{number}: int, item: Item, more: Described = 1): ...', namespace := dict(NAMES))
        functions.append(namespace[f'tool_{number}'])
    return functions


NAMES = {'Item': Item, 'Described': Annotated[int, Field(description='more')]}


def agent_of(functions: list[Callable[..., Any]]) -> Agent[Any, Any]:
    return Agent('test', toolsets=[FunctionToolset(functions, schema_generator=Counting)])


def test_a_second_agent_costs_nothing():
    functions = twenty()
    assert counted(lambda: agent_of(functions)) == 20
    assert counted(lambda: agent_of(functions)) == 0


def test_tools_of_one_function_share_its_schema_but_not_their_options():
    (function, *_) = twenty()
    first = Tool(function, schema_generator=Counting)
    assert counted(lambda: Tool(function, schema_generator=Counting, name='other', strict=True)) == 0
    assert counted(lambda: Tool(function, schema_generator=Counting, docstring_format='numpy')) == 1
    assert first.function_schema.validator is Tool(function, schema_generator=Counting).function_schema.validator


def closure(number: int) -> Callable[..., Any]:
    def function(ctx: RunContext[int], a: int, items: list[Item], b: str = 'x') -> int:
        """Do it."""
        return number

    return function


def test_closures_share_a_schema():
    assert counted(lambda: Tool(closure(1), schema_generator=Counting)) == 1
    second = Tool(closure(2), schema_generator=Counting)
    assert counted(lambda: Tool(closure(3), schema_generator=Counting)) == 0
    assert second.function(None, a=1, items=[]) == 2  # type: ignore[call-arg]


def test_methods_share_a_schema():
    class Service:
        def method(self, a: int) -> int:
            return a

    assert counted(lambda: Tool(Service().method, schema_generator=Counting)) == 1
    assert counted(lambda: Tool(Service().method, schema_generator=Counting)) == 0
    unbound: Any = Service.method
    assert counted(lambda: Tool(unbound, schema_generator=Counting)) == 1


def test_functions_are_not_kept_alive():
    import gc
    import weakref

    def make() -> weakref.ref[Any]:
        exec('def function(a: int): ...', namespace := {})
        Tool(namespace['function'])
        return weakref.ref(namespace['function'])

    found = make()
    gc.collect()
    assert found() is None
