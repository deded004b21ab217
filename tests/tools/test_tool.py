"""`Tool`: its attributes, what `prepare` may do, and tools made of a JSON schema."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from stead import ModelRetry, RunContext, Tool, ToolDefinition, ToolReturn
from stead.messages import RetryPromptPart

from .kit import answered, called, context


class Out(BaseModel):
    """What comes out."""

    x: int


def plain(a: int) -> Out:
    """Plain."""
    return Out(x=a)


def test_the_definition_says_what_the_tool_says():
    tool = Tool(
        plain,
        name='other',
        description='Other.',
        strict=True,
        sequential=True,
        requires_approval=True,
        metadata={'k': 1},
        timeout=2.5,
        defer_loading=True,
        include_return_schema=True,
        max_retries=7,
    )
    schema = {
        'type': 'object',
        'properties': {'a': {'type': 'integer'}},
        'required': ['a'],
        'additionalProperties': False,
    }
    out = {
        'description': 'What comes out.',
        'properties': {'x': {'type': 'integer'}},
        'required': ['x'],
        'title': 'Out',
        'type': 'object',
    }
    assert tool.tool_def == ToolDefinition(
        name='other',
        description='Other.',
        parameters_json_schema=schema,
        strict=True,
        sequential=True,
        metadata={'k': 1},
        timeout=2.5,
        defer_loading=True,
        kind='unapproved',
        return_schema=out,
        include_return_schema=True,
    )
    assert tool.max_retries == 7


def test_the_definition_follows_the_attributes():
    tool = Tool(plain)
    first = tool.tool_def
    assert tool.tool_def == first
    tool.description = 'Other.'
    tool.strict = True
    assert (tool.tool_def.description, tool.tool_def.strict, first.description) == ('Other.', True, 'Plain.')


@pytest.mark.parametrize(
    ('annotation', 'schema'),
    [
        (str, {'type': 'string'}),
        (None, {'type': 'null'}),
        (list[int], {'type': 'array', 'items': {'type': 'integer'}}),
        (Any, {}),
        (ToolReturn, {}),
        (ToolReturn[int], {'type': 'integer'}),
        (type, {}),
        (object(), {}),
    ],
)
def test_a_return_annotation_has_its_schema(annotation: Any, schema: Any):
    def function(): ...

    function.__annotations__['return'] = annotation
    assert Tool(function).tool_def.return_schema == schema


def test_preparing_a_definition():
    seen: list[Any] = []

    def keep(ctx: RunContext[Any], tool_def: ToolDefinition) -> ToolDefinition:
        seen.append(ctx.deps)
        return tool_def

    async def hide(ctx: RunContext[Any], tool_def: ToolDefinition) -> None:
        return None

    assert asyncio.run(Tool(plain, prepare=keep).prepare_tool_def(context(5))) == Tool(plain).tool_def
    assert asyncio.run(Tool(plain, prepare=hide).prepare_tool_def(context())) is None
    assert asyncio.run(Tool(plain).prepare_tool_def(context())) == Tool(plain).tool_def
    assert seen == [5]


def test_what_prepare_changes_holds_for_one_step():
    def prepare(ctx: RunContext[str], tool_def: ToolDefinition) -> ToolDefinition:
        tool_def.description = f'{tool_def.description} For {ctx.deps}.'
        tool_def.parameters_json_schema['properties']['a']['description'] = ctx.deps
        return tool_def

    tool = Tool(plain, prepare=prepare)
    for name in ('Ann', 'Bob'):
        definition = asyncio.run(tool.prepare_tool_def(context(name)))
        assert definition is not None
        assert definition.description == f'Plain. For {name}.'
        assert definition.parameters_json_schema['properties']['a'] == {'type': 'integer', 'description': name}
    assert tool.tool_def.description == 'Plain.'
    assert tool.tool_def.parameters_json_schema['properties'] == {'a': {'type': 'integer'}}


SCHEMA = {'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'required': ['a']}


def total(**numbers: int) -> int:
    return sum(numbers.values())


def with_context(ctx: RunContext[int], **numbers: int) -> int:
    return ctx.deps + sum(numbers.values())


async def later(**numbers: int) -> int:
    return sum(numbers.values())


def test_tools_of_a_schema():
    tool = Tool.from_schema(total, 'sum', 'Add numbers.', SCHEMA, sequential=True)
    assert tool.tool_def == ToolDefinition(
        name='sum', description='Add numbers.', parameters_json_schema=SCHEMA, sequential=True, return_schema={}
    )
    assert not tool.takes_ctx
    assert answered([tool], 'sum', {'a': 1, 'b': 2}).content == 3
    assert answered([tool], 'sum', '{"a": 1, "b": 2}').content == 3
    assert answered([Tool.from_schema(later, 'sum', None, SCHEMA)], 'sum', {'a': 1}).content == 1


def test_tools_of_a_schema_with_context():
    tool = Tool.from_schema(with_context, 'sum', None, SCHEMA, takes_ctx=True)
    values = tool.function_schema.validator.validate_json('{"a": 1}')
    assert asyncio.run(tool.function_schema.call(values, context(5))) == 6
    assert tool.description is None


@pytest.mark.parametrize('arguments', ['[]', '3', '"a"', '{', '{"a": 1'])
def test_tools_of_a_schema_take_objects_only(arguments: str):
    part = answered([Tool.from_schema(total, 'sum', None, SCHEMA)], 'sum', arguments)
    assert isinstance(part, RetryPromptPart)


def test_tools_of_a_schema_may_be_checked():
    def check(ctx: RunContext[None], **numbers: Any) -> None:
        if not isinstance(numbers.get('a'), int):
            raise ModelRetry('a must be a number')

    tool = Tool.from_schema(total, 'sum', None, SCHEMA, args_validator=check)
    assert answered([tool], 'sum', {'a': 1}).content == 1
    assert answered([tool], 'sum', {'a': 'x'}).content == 'a must be a number'


def test_a_schema_that_was_made_before():
    first = Tool(plain)
    second = Tool(plain, name='other', function_schema=first.function_schema)
    assert second.function_schema is first.function_schema
    assert (second.name, second.description) == ('other', 'Plain.')


def test_definitions_as_source():
    class Address(BaseModel):
        """Where."""

        street: str

    def send(to: Address, copies: int = 1, note: str | None = None) -> list[int]:
        """Send it."""
        return []

    send.__annotations__['to'] = Address
    definition = Tool(send).tool_def
    signature = definition.function_signature
    assert (signature.name, list(signature.params), str(signature.return_type)) == (
        'send',
        ['to', 'copies', 'note'],
        'list[int]',
    )
    assert [found.name for found in signature.referenced_types] == ['Address']
    assert definition.render_signature('...') == (
        'def send(*, to: Address, copies: int = 1, note: str | None = None) -> list[int]:\n    """Send it."""\n    ...'
    )
    assert definition.render_signature('pass', is_async=True).startswith('async def send(')


def test_names_for_validation_errors_are_those_of_functions():
    assert called(plain, {'a': 1}) == Out(x=1)
    with pytest.raises(ValueError, match='1 validation error for plain'):
        Tool(plain, name='other').function_schema.validator.validate_json('{}')
