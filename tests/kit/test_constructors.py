"""Constructors that were compiled ahead are those that the standard library would compile, and a first run compiles nothing."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import MISSING, field
from typing import Any

import pytest

from scripts.constructors import late_classes
from stead._kit.constructors import UNSET, ready_constructor
from stead.messages import UserPromptPart
from stead.settings import ToolOrOutput

from ..loading import run_program


def usual(cls: Any) -> Any:
    """Return a dataclass of the standard library with the same fields."""
    specified = [
        (
            one.name,
            one.type,
            field(default=one.default, kw_only=one.kw_only, init=one.init)
            if one.default_factory is MISSING
            else field(default_factory=one.default_factory, kw_only=one.kw_only, init=one.init),
        )
        for one in dataclasses.fields(cls)
    ]
    namespace = {'__post_init__': cls.__post_init__} if hasattr(cls, '__post_init__') else {}
    frozen = cls.__dataclass_params__.frozen
    return dataclasses.make_dataclass(cls.__name__, specified, namespace=namespace, frozen=frozen, eq=False)


class Instance:
    """Stands for an instance: it takes whatever a constructor sets, in the order of the assignments."""

    def __post_init__(self) -> None:
        self.after = 'all fields'


def constructed(cls: Any, arguments: dict[str, object]) -> list[tuple[str, object]]:
    instance = Instance()
    cls.__init__(instance, **arguments)
    return list(vars(instance).items())


@pytest.mark.parametrize('cls', late_classes(), ids=lambda cls: f'{cls.__module__}.{cls.__qualname__}')
def test_those_of_all_classes_are_ready_and_like_the_usual_ones(cls: Any) -> None:
    assert cls.__init__.__code__.co_filename.endswith('.py'), 'compiled at run time: run `make stubs`'
    other = usual(cls)
    signature = inspect.signature(cls.__init__)
    assert str(signature) == str(inspect.signature(other.__init__))
    assert cls.__init__.__annotations__ == other.__init__.__annotations__
    assert (cls.__init__.__module__, cls.__init__.__qualname__) == (cls.__module__, f'{cls.__qualname__}.__init__')
    parameters = dict(list(signature.parameters.items())[1:])
    arguments = {name: object() for name in parameters}
    assert constructed(cls, arguments) == constructed(other, arguments)
    required = {name: arguments[name] for name, each in parameters.items() if each.default is each.empty}
    fields, expected = constructed(cls, required), constructed(other, required)
    by_factory = {one.name for one in dataclasses.fields(cls) if one.default_factory is not MISSING}
    assert [name for name, _ in fields] == [name for name, _ in expected]
    assert [pair for pair in fields if pair[0] not in by_factory] == [p for p in expected if p[0] not in by_factory]
    assert not [name for name, value in fields if value is UNSET]


FIELDS: dict[str, tuple[object, Any]] = {'function_tools': ('list[str]', MISSING)}
PROMPT: dict[str, tuple[object, Any]] = {
    'content': ('str', MISSING),
    'timestamp': ('datetime', field(default_factory=list)),
    'part_kind': ('str', 'user-prompt'),
}
OTHERS: dict[str, dict[str, tuple[object, Any]]] = {
    'one more': {**PROMPT, 'name': ('str', '')},
    'one less': {name: PROMPT[name] for name in ('content', 'timestamp')},
    'another name': {**FIELDS, 'part_kind': ('str', '')},
    'another order': {name: PROMPT[name] for name in ('content', 'part_kind', 'timestamp')},
    'no factory': {**PROMPT, 'timestamp': ('datetime', None)},
    'a factory': {**PROMPT, 'part_kind': ('str', field(default_factory=str))},
    'no parameter': {**PROMPT, 'part_kind': ('str', field(init=False, default=''))},
}


def test_one_that_is_ready_is_taken_for_the_fields_that_it_was_written_for() -> None:
    assert ready_constructor(ToolOrOutput, FIELDS) is not None
    assert ready_constructor(UserPromptPart, PROMPT) is not None


@pytest.mark.parametrize('name', OTHERS)
def test_one_that_is_out_of_date_is_not_taken(name: str) -> None:
    assert ready_constructor(UserPromptPart, OTHERS[name]) is None


def test_one_for_a_class_that_can_be_changed_is_not_taken_for_a_frozen_one() -> None:
    assert ready_constructor(UserPromptPart, PROMPT, frozen=True) is None


def test_one_without_what_comes_after_it_is_not_taken() -> None:
    later = type('UserPromptPart', (), {'__module__': UserPromptPart.__module__, '__post_init__': lambda self: None})
    assert ready_constructor(later, PROMPT) is None


def test_classes_of_others_have_none() -> None:
    assert ready_constructor(Instance, {}) is None
    elsewhere: Callable[..., Any] = type('RunUsage', (), {'__module__': 'stead.nowhere.at_all'})
    assert ready_constructor(elsewhere, {}) is None  # type: ignore[arg-type]


COMPILED = """
import asyncio, sys
from pydantic import BaseModel
from stead import Agent, ModelResponse, TextPart, ToolCallPart
from stead.agent import _streaming
from stead.models.function import DeltaToolCall, FunctionModel
from stead._streams import growing, response

class Row(BaseModel):
    a: int

def reply(messages, info):
    return ModelResponse([TextPart('done') if len(messages) > 1 else ToolCallPart('double', {'x': 2})])

async def pieces(messages, info):
    yield {0: DeltaToolCall(name='final_result', json_args='')}
    for piece in ('[{"a"', ': 1}, {"a', '": 2}]'):
        yield {0: DeltaToolCall(json_args='{"response": ' * (piece[0] == '[') + piece + '}' * (piece[-1] == ']'))}

agent, streamed = Agent(FunctionModel(reply)), Agent(FunctionModel(stream_function=pieces), output_type=list[Row])

@agent.tool_plain
async def double(x: int) -> int:
    "Double a number."
    return 2 * x

async def runs():
    assert (await agent.run('go')).output == 'done'
    async with streamed.run_stream('go') as result:
        assert [len(rows) async for rows in result.stream_output(debounce_by=None)][-1] == 2

EMPTY = b'def __create_fn__(): return ()'  # which dataclasses of Python 3.13 compile where no method is to be written

def note(event, args):
    # What has a file is a module whose compiled code is not kept yet.
    if event == 'compile' and str(args[1]).startswith('<') and b' '.join(bytes(args[0]).split()) != EMPTY:
        compiled.append(args[0])

compiled = []
sys.addaudithook(note)
asyncio.run(runs())
print(compiled)
"""


def test_a_first_run_compiles_nothing() -> None:
    process = run_program(COMPILED)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')
