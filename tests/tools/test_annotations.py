"""Annotations that are strings, the run context among the parameters, and what cannot be a parameter."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Generic, Optional, TypeVar, Union

import pytest
from pydantic import BaseModel

from stead import Agent, RunContext, Tool, UserError

from .kit import called, schema_of

if TYPE_CHECKING:
    from nowhere import Missing

T = TypeVar('T')


class Early(BaseModel):
    late: Late | None = None


def of_late(a: Late, b: int) -> Late: ...
def of_list(a: list[Late]): ...
def of_early(a: Early, b: int): ...


class Late(BaseModel):
    x: int


@pytest.mark.parametrize('function', [of_late, of_list, of_early])
def test_names_that_are_defined_later(function: Any):
    assert schema_of(function)['$defs']['Late']['properties'] == {'x': {'type': 'integer'}}


def test_names_of_a_closure():
    class Local(BaseModel):
        x: int

    def function(a: Local, b: int) -> Any:
        return type(a) is Local

    assert called(function, {'a': {'x': 1}, 'b': 2}) is True


class Service:
    class Inner(BaseModel):
        x: int

    def list(self, a: Inner, b: list[int]) -> Any:
        return a

    @classmethod
    def of_class(cls, a: Inner, b: int) -> Any:
        return a

    def __call__(self, a: Inner, b: int) -> Any:
        return a


@pytest.mark.parametrize(
    ('function', 'b'),
    [(Service().list, [1]), (Service.of_class, 1), (Service(), 1), (functools.partial(Service().list), [1])],
)
def test_names_of_the_class(function: Any, b: Any):
    assert called(function, {'a': {'x': 1}, 'b': b}) == Service.Inner(x=1)


@pytest.mark.parametrize(
    'text', ['Item', 'list[Item]', 'Alias', 'Name', 'module.Item', 'Optional[Item]', 'Optional["Item"]']
)
@pytest.mark.parametrize('postponed', [False, True])
def test_the_same_text_may_mean_another_class(text: str, postponed: bool):
    """Notebooks define functions again, with the same code, after the classes that they name have changed."""
    code = compile(
        f'{"from __future__ import annotations" * postponed}\ndef function(item: {text}, n: int): ...',
        '<cell>',
        'exec',
        0,
        True,
    )
    module = types.SimpleNamespace()

    def define(field: str) -> Any:
        namespace: dict[str, Any] = {'BaseModel': BaseModel, 'Optional': Optional, 'module': module, 'Name': 'Item'}
        exec(f'class Item(BaseModel):\n    {field}: int', namespace)
        module.Item = item = namespace['Item']
        namespace['Alias'] = list[item]
        exec(code, namespace)
        return schema_of(namespace['function'])['$defs']['Item']['properties']

    assert define('a') == {'a': {'type': 'integer'}}
    assert define('b') == {'b': {'type': 'integer'}}


def test_closures_may_differ_in_everything_but_their_code():
    def make(kind: Any, default: Any, doc: str) -> Any:
        def function(x, y: int = default): ...

        function.__doc__ = doc
        function.__annotations__['x'] = kind
        tool = Tool(function)
        return tool.tool_def.parameters_json_schema['properties'], tool.description

    def expected(kind: str, default: Any, doc: str) -> Any:
        return {'x': {'type': kind}, 'y': {'type': 'integer', 'default': default}}, doc

    assert make(int, 1, 'a') == expected('integer', 1, 'a')
    assert make(str, 1, 'a') == expected('string', 1, 'a')
    assert make(int, True, 'a')[0]['y']['default'] is True
    assert make(int, 1, 'b') == expected('integer', 1, 'b')
    orders = [make(Union[int, str], 1, 'a')[0]['x'], make(Union[str, int], 1, 'a')[0]['x']]
    assert [[member['type'] for member in order['anyOf']] for order in orders] == [
        ['integer', 'string'],
        ['string', 'integer'],
    ]


def test_a_new_docstring_is_read():
    def function(x: int):
        """Old."""

    assert Tool(function).description == 'Old.'
    function.__doc__ = 'New.'
    assert Tool(function).description == 'New.'


def test_what_only_type_checkers_know_about_the_result_does_not_matter():
    def function(a: int) -> Missing:
        return a

    assert Tool(function).function_schema.return_schema == {}
    assert called(function, {'a': 1}) == 1


def test_what_only_type_checkers_know_about_dependencies_does_not_matter():
    def function(ctx: RunContext[Missing], a: int) -> Any:
        return ctx.deps

    assert called(function, {'a': 1}, deps=5) == 5
    function.__annotations__.update(ctx=RunContext['Missing'], a=int)
    assert called(functools.partial(function), {'a': 1}, deps=5) == 5


def missing(a: int, b: Missing): ...
def missing_in_list(b: list[Missing]): ...
def missing_context(ctx: Missing, b: int): ...


@pytest.mark.parametrize(('function', 'parameter'), [(missing, 'b'), (missing_in_list, 'b'), (missing_context, 'ctx')])
def test_names_that_are_not_defined(function: Any, parameter: str):
    with pytest.raises(UserError) as caught:
        Tool(function)
    assert str(caught.value) == (
        f'Cannot make a tool of {function.__name__!r}: the annotation of parameter {parameter!r} uses the name '
        f"'Missing', which is not defined in module {__name__!r}. Define or import it at module level (not only under "
        '`TYPE_CHECKING`).'
    )


class Unknown: ...


def with_annotation(annotation: Any, default: Any = ...) -> Callable[..., Any]:
    if default is ...:

        def function(fine: int, odd): ...
    else:

        def function(fine: int, odd=default): ...

    function.__annotations__['odd'] = annotation
    return function


@pytest.mark.parametrize('default', [..., None])
@pytest.mark.parametrize(
    'annotation',
    [Unknown, list[Unknown], re, 3, 'not a type!', 'functools.nothing', '3', Callable[[int], int], type, list[RunContext[int]],
     Union[RunContext[int], int], 'Missing'],
)  # fmt: skip
def test_bad_annotations_are_refused_with_a_remedy(annotation: Any, default: Any):
    with pytest.raises(UserError) as caught:
        Tool(with_annotation(annotation, default), name='tool_name')
    text = str(caught.value)
    assert "Cannot make a tool of 'tool_name'" in text
    assert "parameter 'odd'" in text
    assert re.search(r'\. (Use|Annotate|Define|The run context must) ', text)


def test_agents_refuse_when_a_tool_is_registered():
    agent = Agent('test')
    with pytest.raises(UserError, match="Cannot make a tool of 'function': .*parameter 'odd'"):
        agent.tool_plain(with_annotation(Unknown))


def test_many_and_other_keywords_are_named_in_errors():
    def many(*args: Unknown): ...
    def keywords(**kwargs: Unknown): ...

    for function in (many, keywords):
        with pytest.raises(UserError, match=r"parameter '(args|\*\*)'.*Unknown"):
            Tool(function)


class Sub(RunContext[int]): ...


class GenericSub(RunContext[T], Generic[T]): ...


Alias = RunContext[str]


def ctx_bare(ctx: RunContext, x: int): ...
def ctx_deps(ctx: RunContext[int], x: int): ...
def ctx_alias(ctx: Alias, x: int): ...
def ctx_subclass(ctx: Sub, x: int): ...
def ctx_generic_subclass(ctx: GenericSub[int], x: int): ...
def ctx_optional(ctx: Optional[RunContext[int]], x: int): ...
def ctx_annotated(ctx: Annotated[RunContext[int], 'words'], x: int): ...
def ctx_positional(ctx: RunContext[int], /, x: int): ...
def ctx_keyword(*, ctx: RunContext[int], x: int): ...
def ctx_default(ctx: RunContext[int] = None, x: int = 1): ...


CONTEXTS = [ctx_bare, ctx_deps, ctx_alias, ctx_subclass, ctx_generic_subclass, ctx_optional, ctx_annotated, ctx_positional,
            ctx_keyword, ctx_default]  # fmt: skip


@pytest.mark.parametrize('function', CONTEXTS)
def test_forms_of_the_run_context(function: Any):
    for takes_ctx in (None, True):
        tool = Tool(function, takes_ctx=takes_ctx)
        assert tool.takes_ctx
        assert list(tool.tool_def.parameters_json_schema['properties']) == ['x']
    with pytest.raises(UserError, match=r"parameter 'ctx' is for a run context .* Register .* `tool`"):
        Tool(function, takes_ctx=False)


@pytest.mark.parametrize('kind', ['positional', 'keyword'])
def test_the_run_context_arrives(kind: str):
    def positional(ctx: RunContext[int], /, x: int) -> Any:
        return ctx.deps, x

    def keyword(*, ctx: RunContext[int], x: int) -> Any:
        return ctx.deps, x

    assert called(locals()[kind], {'x': 1}, deps=5) == (5, 1)


def test_a_first_parameter_without_annotation():
    def function(ctx, x: int) -> Any:
        return ctx

    assert list(schema_of(function)['properties']) == ['ctx', 'x']
    assert list(schema_of(function, takes_ctx=True)['properties']) == ['x']
    assert called(function, {'x': 1}, deps=5, takes_ctx=True).deps == 5


def ctx_second(x: int, ctx: RunContext[int]): ...
def ctx_twice(ctx: RunContext[int], other: RunContext[int]): ...
def ctx_wrong(other: int, x: int): ...
def ctx_inside(x: int, many: list[RunContext[int]]): ...


@pytest.mark.parametrize(
    ('function', 'takes_ctx', 'text'),
    [
        (
            ctx_second,
            None,
            "parameter 'ctx' is for a run context (`RunContext[int]`). The run context must be the first parameter",
        ),
        (
            ctx_twice,
            None,
            "parameter 'other' is for a run context (`RunContext[int]`). The run context must be the first parameter",
        ),
        (
            ctx_inside,
            None,
            "parameter 'many' is for a run context (`list[RunContext[int]]`).",
        ),
        (
            ctx_wrong,
            True,
            "its first parameter 'other' is annotated as `int`. Annotate it as `RunContext[...]`, or",
        ),
    ],
)
def test_the_run_context_in_the_wrong_place(function: Any, takes_ctx: Any, text: str):
    with pytest.raises(UserError, match=re.escape(text)):
        Tool(function, takes_ctx=takes_ctx)


def test_annotations_from_another_module():
    """A decorator leaves the annotations of the function that it wraps, and they are read where that was defined."""
    module = types.ModuleType('elsewhere')
    code = (
        'from __future__ import annotations\n'
        'from pydantic import BaseModel\n'
        'class There(BaseModel):\n    x: int\n'
        'def function(a: There, b: int): ...'
    )
    exec(code, module.__dict__)

    @functools.wraps(module.function)
    def wrapper(*args: Any, **kwargs: Any) -> None: ...

    assert schema_of(wrapper)['properties']['a'] == {'$ref': '#/$defs/There'}
