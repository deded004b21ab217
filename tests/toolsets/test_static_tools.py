"""Wrappers whose tools change only with those they wrap, and records that may be copied quickly: classes say so themselves."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_core import SchemaValidator, core_schema

from stead import Agent
from stead.models.test import TestModel
from stead.tools import ToolDefinition
from stead.toolsets import (
    AbstractToolset,
    FilteredToolset,
    FunctionToolset,
    PrefixedToolset,
    ToolsetTool,
    WrapperToolset,
)

from .kit import context


class Passing:
    """A `get_tools` that counts how often tools are listed."""

    listed = 0

    async def get_tools(self, ctx: Any) -> Any:
        self.listed += 1
        return await super().get_tools(ctx)  # type: ignore[misc]


class Unsaid(Passing, WrapperToolset[Any]):
    pass


class Static(Passing, WrapperToolset[Any]):
    static_tools = True


class StillStatic(Static):
    pass


class NoLonger(Static):
    async def get_tools(self, ctx: Any) -> Any:
        return await super().get_tools(ctx)


class Refused(PrefixedToolset[Any]):
    static_tools = False


class Untouched(PrefixedToolset[Any]):
    pass


class Prefixing(Passing, PrefixedToolset[Any]):
    pass


class StaticPrefixing(Prefixing):
    static_tools = True


def tools() -> FunctionToolset[Any]:
    def one() -> int:
        return 1

    return FunctionToolset([one])


@pytest.mark.parametrize(
    ('toolset', 'known'),
    [
        (WrapperToolset(tools()), True),
        (PrefixedToolset(tools(), 'p'), True),
        (FilteredToolset(tools(), lambda ctx, definition: True), False),
        (Untouched(tools(), 'p'), True),
        (Refused(tools(), 'p'), False),
        (Unsaid(tools()), False),
        (Prefixing(tools(), 'p'), False),
        (Static(tools()), True),
        (StillStatic(tools()), True),
        (NoLonger(tools()), False),
        (StaticPrefixing(tools(), 'p'), True),
        (Static(Unsaid(tools())), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_which_wrappers_are_static(toolset: AbstractToolset[Any], known: bool) -> None:
    assert (toolset.tools_version is not None) is known


@pytest.mark.parametrize('kind', [Static, lambda wrapped: StaticPrefixing(wrapped, 'p')])
def test_a_version_follows_the_wrapped_toolset(kind: Any) -> None:
    inner = tools()
    toolset = kind(inner)
    first = toolset.tools_version
    assert first == toolset.tools_version != kind(inner).tools_version
    inner.add_function(lambda: 2, name='two')
    assert toolset.tools_version != first


@pytest.mark.parametrize(('kind', 'listed'), [(Static, 1), (Unsaid, 2)])
def test_static_tools_are_listed_once_a_run(kind: Any, listed: int) -> None:
    toolset = kind(tools())
    assert Agent(TestModel(), toolsets=[toolset]).run_sync('go').output == '{"one":1}'
    assert toolset.listed == listed


@dataclass(kw_only=True)
class Counted(ToolsetTool[Any]):
    built = 0

    def __post_init__(self) -> None:
        type(self).built += 1


@dataclass(kw_only=True)
class Plain(Counted):
    plain_copies = True


@dataclass(kw_only=True)
class BelowPlain(Plain):
    pass


@pytest.mark.parametrize(('kind', 'built'), [(Counted, 2), (Plain, 1), (BelowPlain, 2)])
def test_records_are_copied_as_their_own_class_says(kind: Any, built: int) -> None:
    class Listing(FunctionToolset[Any]):
        async def get_tools(self, ctx: Any) -> Any:
            validator = SchemaValidator(core_schema.any_schema())
            definition = ToolDefinition(name='a')
            return {'a': kind(toolset=self, tool_def=definition, max_retries=1, args_validator=validator)}

    kind.built = 0
    (tool,) = asyncio.run(Listing().prefixed('p').get_tools(context())).values()
    assert (type(tool), tool.tool_def.name, kind.built) == (kind, 'p_a', built)
