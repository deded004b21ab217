"""How outputs are asked for: bare types and the markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional, Union

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypeAliasType, TypedDict

from stead import (
    Agent,
    BinaryImage,
    DeferredToolRequests,
    NativeOutput,
    PromptedOutput,
    StructuredDict,
    TextOutput,
    ToolOutput,
    UserError,
)
from stead.messages import FilePart, ModelResponse
from stead.output import OutputSchema
from tests.calls.kit import context, wait

from .kit import IMAGES, NATIVE, PROMPTED, parameters_of, run


class Row(BaseModel):
    """A row."""

    n: int


class Cell(BaseModel):
    k: str


@dataclass
class Point:
    x: int


class Typed(TypedDict):
    t: int


def make(n: int) -> Row:
    """Make a row."""
    return Row(n=n)


Either = TypeAliasType('Either', Union[Row, Cell])


@pytest.mark.parametrize(
    ('output', 'names'),
    [
        (Row, ['final_result']),
        ([Row], ['final_result']),
        ([Row, Cell], ['final_result_Row', 'final_result_Cell']),
        ((Row, Cell), ['final_result_Row', 'final_result_Cell']),
        (Union[Row, Cell], ['final_result_Row', 'final_result_Cell']),
        (Either, ['final_result_Row', 'final_result_Cell']),
        ([Either, int], ['final_result_Row', 'final_result_Cell', 'final_result_int']),
        ([[Row, Cell], int], ['final_result_Row', 'final_result_Cell', 'final_result_int']),
        ([Row, make], ['final_result_Row', 'final_result_make']),
        ([Row, Row], ['final_result_Row', 'final_result_Row_2']),
        (list[Row], ['final_result']),
        (make, ['final_result']),
        (ToolOutput(Row), ['final_result']),
        (ToolOutput(Row, name='mine'), ['mine']),
        ([ToolOutput(Row, name='mine'), Cell], ['mine', 'final_result_Cell']),
        ([ToolOutput(Row, name='same'), ToolOutput(Cell, name='same')], ['same', 'same_2']),
        (ToolOutput(Union[Row, Cell]), ['final_result']),
        ([Row, ToolOutput(None)], ['final_result_Row', 'final_result_NoneType']),
    ],
)
def test_names_of_output_tools(output: Any, names: list[str]):
    params = parameters_of(output)
    assert [tool.name for tool in params.output_tools] == names
    assert (params.output_mode, params.allow_text_output) == ('tool', False)


@pytest.mark.parametrize('output', [[Row, str], [str, Row], Union[str, Row], [ToolOutput(Row), str]])
def test_text_beside_tools(output: Any):
    params = parameters_of(output)
    assert (params.output_mode, params.allow_text_output, len(params.output_tools)) == ('tool', True, 1)
    assert run(output, 'words').output == 'words'
    assert run(output, ('final_result', {'n': 1})).output == Row(n=1)


def test_what_a_marker_says_of_its_tool():
    (tool,) = parameters_of(ToolOutput(Row, name='mine', description='My own.', strict=True)).output_tools
    assert (tool.name, tool.description, tool.strict, tool.kind) == ('mine', 'My own.. A row.', True, 'output')
    (tool,) = parameters_of(Row).output_tools
    assert (tool.description, tool.strict) == ('A row.', None)
    (tool,) = parameters_of(Cell).output_tools
    assert tool.description == 'The final response which ends this conversation'
    first, second = parameters_of([Row, Cell]).output_tools
    assert first.description == 'A row.'
    assert second.description == 'Cell: The final response which ends this conversation'


@pytest.mark.parametrize(
    ('output', 'args', 'value'),
    [
        (Row, {'n': 1}, Row(n=1)),
        (Point, {'x': 1}, Point(1)),
        (Typed, {'t': 1}, {'t': 1}),
        (int, {'response': 1}, 1),
        (int, {'response': '1'}, 1),
        (list[Row], {'response': [{'n': 1}]}, [Row(n=1)]),
        (list[Row], {'response': '[{"n": 1}]'}, [Row(n=1)]),
        (Annotated[int, Field(ge=1)], {'response': 1}, 1),
        (dict[str, int], {'response': {'a': 1}}, {'a': 1}),
        (bool, {'response': True}, True),
        (make, {'n': 1}, Row(n=1)),
        (Row, '{"n": 1}', Row(n=1)),
        (StructuredDict({'type': 'object', 'properties': {}}), {'any': 'thing'}, {'any': 'thing'}),
    ],
)
def test_arguments_become_values(output: Any, args: Any, value: Any):
    assert run(output, ('final_result', args)).output == value


def test_values_that_are_no_objects_are_wrapped():
    (tool,) = parameters_of(int).output_tools
    assert tool.outer_typed_dict_key == 'response'
    assert tool.parameters_json_schema['properties'] == {'response': {'type': 'integer'}}
    (tool,) = parameters_of(Row).output_tools
    assert tool.outer_typed_dict_key is None


@pytest.mark.parametrize(
    ('marker', 'profile', 'mode'), [(NativeOutput, NATIVE, 'native'), (PromptedOutput, PROMPTED, 'prompted')]
)
def test_structured_text_is_asked_for_by_schema_and_read(marker: Any, profile: Any, mode: str):
    params = parameters_of(marker(Row), profile)
    assert (params.output_mode, params.allow_text_output, params.output_tools) == (mode, True, [])
    assert params.output_object is not None
    assert (params.output_object.name, params.output_object.description) == ('Row', 'A row.')
    assert params.output_object.json_schema['properties'] == {'n': {'type': 'integer'}}
    assert run(marker(Row), '{"n": 1}', profile=profile).output == Row(n=1)
    assert run(marker(int), '{"response": 1}', profile=profile).output == 1
    assert run(marker(make), '{"n": 1}', profile=profile).output == Row(n=1)
    named = parameters_of(marker(Row, name='mine', description='My own.'), profile).output_object
    assert named is not None
    assert (named.name, named.description) == ('mine', 'My own.. A row.')


@pytest.mark.parametrize(('marker', 'profile'), [(NativeOutput, NATIVE), (PromptedOutput, PROMPTED)])
@pytest.mark.parametrize('outputs', [[Row, Cell], Union[Row, Cell], Either])
def test_one_of_several_in_text(marker: Any, profile: Any, outputs: Any):
    text = '{"result": {"kind": "Cell", "data": {"k": "x"}}}'
    assert run(marker(outputs), text, profile=profile).output == Cell(k='x')
    output_object = parameters_of(marker(outputs), profile).output_object
    assert output_object is not None
    kinds = [m['properties']['kind']['const'] for m in output_object.json_schema['properties']['result']['anyOf']]
    assert kinds == ['Row', 'Cell']


def test_the_profile_decides_for_bare_types():
    assert run(Row, '{"n": 1}', profile=PROMPTED).output == Row(n=1)
    assert run(Row, '{"n": 1}', profile=NATIVE).output == Row(n=1)
    assert parameters_of(ToolOutput(Row), NATIVE).output_mode == 'tool'
    assert parameters_of([Row, str], NATIVE).output_mode == 'tool'


def test_strict_native_output():
    output_object = parameters_of(NativeOutput(Row, strict=True), NATIVE).output_object
    assert output_object is not None and output_object.strict is True


IMAGE = ModelResponse(parts=[FilePart(BinaryImage(b'1', media_type='image/png'))])


def test_images_are_an_output_where_the_model_makes_them():
    for output in (BinaryImage, [BinaryImage, str], [BinaryImage, Row]):
        record = run(output, IMAGE, profile=IMAGES)
        assert isinstance(record.output, BinaryImage)
        assert record.parameters is not None and record.parameters.allow_image_output
    assert run([BinaryImage, str], 'words', profile=IMAGES).output == 'words'
    assert run(BinaryImage, 'words', IMAGE, profile=IMAGES).replies == [['Please return an image.']]
    with pytest.raises(UserError, match='does not support image output'):
        run(BinaryImage, IMAGE)


def test_no_answer_may_be_enough():
    empty = ModelResponse(parts=[])
    assert run([str, None], empty).output is None
    assert run(Optional[str], empty).output is None
    assert run([str, None], 'words').output == 'words'
    assert run([Row, None], ('final_result_NoneType', {'response': None})).output is None


NAMED = StructuredDict(
    {'type': 'object', 'properties': {'a': {'type': 'integer'}}}, name='Named', description='Has a name.'
)


def test_dicts_with_a_schema():
    (tool,) = parameters_of(NAMED).output_tools
    assert (tool.description, tool.outer_typed_dict_key) == ('Has a name.', None)
    assert tool.parameters_json_schema == {'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'title': 'Named'}
    assert [each.name for each in parameters_of([NAMED, Row]).output_tools] == [
        'final_result_Named',
        'final_result_Row',
    ]
    assert run(NAMED, ('final_result', {'a': 'not checked'})).output == {'a': 'not checked'}


def test_definitions_of_dicts_are_put_in_place():
    schema = {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}, '$defs': {'A': {'type': 'integer'}}}
    (tool,) = parameters_of(StructuredDict(schema)).output_tools
    assert tool.parameters_json_schema['properties'] == {'a': {'type': 'integer'}}
    assert '$defs' in schema


@pytest.mark.parametrize(
    ('schema', 'message'),
    [
        ({'type': 'string'}, 'object'),
        (
            {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}},
            r"refers to \['#/\$defs/A'\], which it does not define",
        ),
        (
            {
                '$ref': '#/$defs/N',
                'type': 'object',
                '$defs': {'N': {'type': 'object', 'properties': {'n': {'$ref': '#/$defs/N'}}}},
            },
            r"refers to itself: \['N'\]. Use a model or a `TypedDict`",
        ),
    ],
)
def test_schemas_that_dicts_cannot_have(schema: Any, message: str):
    with pytest.raises(UserError, match=message):
        StructuredDict(schema)


@pytest.mark.parametrize(
    ('output', 'message'),
    [
        ([], '`output_type` is empty. Give at least one type'),
        (DeferredToolRequests, 'needs a type in addition to `DeferredToolRequests`'),
        (None, 'needs a type in addition to `None`'),
        ([DeferredToolRequests, None], 'needs a type in addition to `DeferredToolRequests` and `None`'),
        ([str, TextOutput(str.upper)], '`str` or one `TextOutput`, not several'),
        ([NativeOutput(Row), Cell], '`NativeOutput` must be the only output type; pass all types to it'),
        ([PromptedOutput(Row), str], '`PromptedOutput` must be the only output type'),
        ([NativeOutput(Row), PromptedOutput(Row)], 'must be the only output type'),
        ([Row, NativeOutput(Cell)], '`NativeOutput` must be the only output type'),
        (NativeOutput([Row, BinaryImage]), r'cannot hold `BinaryImage`. List both: `\[NativeOutput'),
        (NativeOutput(ToolOutput(Row)), '`NativeOutput` takes types and functions, not another marker'),
        (PromptedOutput([Row, PromptedOutput(Cell)]), '`PromptedOutput` takes types and functions, not another marker'),
        (NativeOutput([]), '`NativeOutput` is empty. Give it at least one type'),
        (PromptedOutput([Row, DeferredToolRequests]), r'cannot hold `DeferredToolRequests`. List both: `\[Prompted'),
        (ToolOutput(ToolOutput(Row)), '`ToolOutput` takes a type or a function, not another marker'),
        (ToolOutput(TextOutput(str.upper)), '`ToolOutput` takes a type or a function, not another marker'),
        (TextOutput(3), '`TextOutput` takes a function of the text, not 3'),
        (TextOutput(lambda: ''), "'<lambda>', must take one `str`"),
        (TextOutput(lambda a, b: ''), "'<lambda>', must take one `str`"),
    ],
)  # fmt: skip
def test_outputs_that_do_not_go_together(output: Any, message: str):
    with pytest.raises(UserError, match=message):
        Agent('test', output_type=output)


class Opaque:
    """Nothing that pydantic knows."""


@pytest.mark.parametrize(
    ('output', 'mode'),
    [(Opaque, 'auto'), ([Opaque, str], 'tool'), (NativeOutput(Opaque), 'native'), (PromptedOutput(Opaque), 'prompted')],
)
def test_types_that_cannot_be_carried(output: Any, mode: str):
    with pytest.raises(
        UserError, match=f"Output in mode '{mode}' cannot be of type .*Opaque.*an output function that takes"
    ):
        Agent('test', output_type=output)


def test_output_tools_are_those_of_a_toolset_like_any_other():
    toolset = OutputSchema[Any].build([Row, ToolOutput(int, name='number', max_retries=3)]).toolset
    assert toolset is not None
    assert toolset.id == '<output>'
    tools = wait(toolset.get_tools(context()))
    assert {name: (tool.toolset is toolset, tool.max_retries) for name, tool in tools.items()} == {
        'final_result_Row': (True, 1),
        'number': (True, 3),
    }
    assert wait(toolset.call_tool('number', {'response': 3}, context(), tools['number'])) == 3
    with pytest.raises(UserError, match=r"no output tool 'gone'; there are \['final_result_Row', 'number'\]"):
        wait(toolset.call_tool('gone', {}, context(), tools['number']))


def test_what_is_only_an_image_is_asked_for_as_one():
    params = parameters_of(BinaryImage, IMAGES)
    assert (params.output_mode, params.allow_text_output, params.allow_image_output) == ('image', False, True)
    params = parameters_of([str, BinaryImage], IMAGES)
    assert (params.output_mode, params.allow_text_output, params.allow_image_output) == ('text', True, True)
