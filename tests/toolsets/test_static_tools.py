"""Wrappers whose tools change only with those they wrap, and records that may be copied quickly: classes say so themselves."""

from __future__ import annotations

import asyncio
import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import SchemaValidator, core_schema

import stead
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


class Counting:
    """A `map_tools` that counts how often tools are listed."""

    listed = 0

    def map_tools(self, listing: Any) -> Any:
        self.listed += 1
        return super().map_tools(listing)  # type: ignore[misc]


class Unsaid(Passing, WrapperToolset[Any]):
    pass


class Static(Counting, WrapperToolset[Any]):
    pass


class NoLonger(Static):
    async def get_tools(self, ctx: Any) -> Any:
        return await super().get_tools(ctx)


class Untouched(PrefixedToolset[Any]):
    pass


class Prefixing(Passing, PrefixedToolset[Any]):
    pass


class StaticPrefixing(Counting, PrefixedToolset[Any]):
    pass


class Versioned(Passing, FunctionToolset[Any]):
    tools_version = 1


class Unversioned(Passing, FunctionToolset[Any]):
    pass


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
        (Unsaid(tools()), False),
        (Prefixing(tools(), 'p'), False),
        (Static(tools()), True),
        (NoLonger(tools()), False),
        (StaticPrefixing(tools(), 'p'), True),
        (Static(Unsaid(tools())), False),
        (Versioned([len]), True),
        (Unversioned([len]), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_which_wrappers_are_static(toolset: AbstractToolset[Any], known: bool) -> None:
    first, second = (asyncio.run(toolset.tool_listing(context())) for _ in range(2))
    assert (first.is_static, known <= (first is second)) == (known, True)


@pytest.mark.parametrize('kind', [Static, lambda wrapped: StaticPrefixing(wrapped, 'p')])
def test_a_version_follows_the_wrapped_toolset(kind: Any) -> None:
    inner = tools()
    toolset = kind(inner)
    first = asyncio.run(toolset.tool_listing(context()))
    assert first is asyncio.run(toolset.tool_listing(context()))
    inner.add_function(lambda: 2, name='two')
    assert len(asyncio.run(toolset.tool_listing(context())).tools) == 2


@pytest.mark.parametrize(('kind', 'listed'), [(Static, 1), (Unsaid, 2)])
def test_static_tools_are_listed_once_a_run(kind: Any, listed: int) -> None:
    toolset = kind(tools())
    assert Agent(TestModel(), toolsets=[toolset]).run_sync('go').output == '{"one":1}'
    assert toolset.listed == listed


def test_the_words_for_listings_are_few() -> None:
    source = Path(stead.__file__).parent
    words = 'tools_version|shared_tools|_last_shared|static_tools|listing_version|delegates_to_all'
    assert sum(len(re.findall(words, path.read_text('utf-8'))) for path in source.rglob('*.py')) <= 20
    for room in ('_loop', 'toolsets'):
        assert not [
            path for path in (source / room).glob('*.py') if "__module__.startswith('stead" in path.read_text('utf-8')
        ]
    assert len(inspect.getsource(PrefixedToolset).splitlines()) <= 27  # with its decorator and its first line


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
