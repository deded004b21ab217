"""Values as XML, where this goes further than plain structures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, Field, RootModel, model_serializer

from stead.format_prompt import format_as_xml


class Leaf(BaseModel):
    a: int = Field(1, description='A "leaf"\n& more')


class Leaves(RootModel[list[Leaf]]):
    pass


class Flat(BaseModel):
    @model_serializer
    def write(self) -> str:
        return 'flat'


class Holder(BaseModel):
    leaves: Leaves = Leaves([Leaf(), Leaf(a=2)])
    value: Any = None


@dataclass
class Twin:
    a: int = field(default=1, metadata={'description': 'another'})


@pytest.mark.parametrize(
    ('value', 'options', 'xml'),
    [
        ({'name': 'Ada', 'born': 1815}, {'root_tag': 'person'}, '<person>\n  <name>Ada</name>\n  <born>1815</born>\n</person>'),
        (Leaves([Leaf()]), {'indent': None}, '<Leaf><a>1</a></Leaf>'),
        ([Leaves([Leaf()])], {'indent': None}, '<item><Leaf><a>1</a></Leaf></item>'),
        (Holder(), {'indent': None}, '<leaves><Leaf><a>1</a></Leaf><Leaf><a>2</a></Leaf></leaves><value>null</value>'),
        (Flat(), {'root_tag': 'r'}, '<r>flat</r>'),
        ([Flat()], {}, '<Flat>flat</Flat>'),
        (Holder(leaves=Leaves([]), value=(n for n in (1, 2))), {'indent': None}, '<leaves /><value><item>1</item><item>2</item></value>'),
        (Leaf(), {'include_field_info': True}, '<a description="A &quot;leaf&quot;&#10;&amp; more">1</a>'),
    ],
)  # fmt: skip
def test_a_value_is_written_as_xml(value: Any, options: dict[str, Any], xml: str):
    assert format_as_xml(value, **options) == xml


def test_once_means_once_for_each_class_even_with_equal_names():
    twin = type('Leaf', (Twin,), {})
    xml = format_as_xml([Leaf(), twin(), Leaf(), twin()], include_field_info='once', indent=None)
    assert xml.count('description=') == 2


@pytest.mark.parametrize('value', [object(), [1j], {None: 1}, Holder(value=object())])
def test_what_has_no_form_is_named(value: Any):
    with pytest.raises(TypeError, match=r'object|complex|None|Holder'):
        format_as_xml(value)
