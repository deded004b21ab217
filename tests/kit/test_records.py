"""Records are equal by their fields, and shown with them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import pytest

from stead._kit.records import DataRecord
from stead.messages import TextPart, ToolCallPart
from stead.native_tools import WebFetchTool, WebSearchTool


@dataclass(repr=False, eq=False)
class Point(DataRecord):
    x: Any
    y: Any = None
    _seen: int = field(default=0, compare=False, repr=False)


class Named(Point):
    pass


def test_records_are_equal_if_they_are_of_one_class_and_hold_the_same() -> None:
    nan = float('nan')
    assert Point(1, 2, 3) == Point(1, 2, 4)
    assert Point(nan) == Point(nan)
    assert Point(1, 2) != Point(1, 3)
    assert Point(1) != Named(1)
    assert Point(1).__eq__(1) is NotImplemented
    with pytest.raises(TypeError, match='unhashable'):
        hash(Point(1))


def test_a_record_is_shown_with_its_fields() -> None:
    assert repr(Point(1)) == 'Point(x=1, y=None)'
    own = Point(1)
    own.y = [own]
    assert repr(own) == 'Point(x=1, y=[...])'
    assert repr(WebFetchTool(max_uses=1)).startswith("WebFetchTool(kind='web_fetch', optional=False, max_uses=1, ")


def test_a_dataclass_of_a_user_compares_its_own_fields() -> None:
    @dataclass
    class Mine(TextPart):
        more: int = 0

    assert Mine('a', more=1) == Mine('a', more=1)
    assert Mine('a', more=1) != Mine('a', more=2)
    assert Mine('a') != TextPart('a')
    assert ToolCallPart('f', {}, tool_call_id='1') == ToolCallPart('f', {}, tool_call_id='1')
    assert WebSearchTool() != WebFetchTool()


def test_no_record_compares_the_fields_of_a_base_only() -> None:
    """A dataclass without methods of its own below one that has them would leave out its own fields."""
    for module in [module for name, module in sys.modules.items() if name.startswith('stead.')]:
        for cls in vars(module).values():
            if isinstance(cls, type) and is_dataclass(cls) and issubclass(cls, DataRecord):
                writer = next(base for base in cls.__mro__ if '__eq__' in vars(base))
                assert writer in (cls, DataRecord), cls
