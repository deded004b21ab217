"""Wrappers whose tools change only with those they wrap, and records that may be copied quickly: classes say so themselves."""

from __future__ import annotations

import asyncio
import inspect
import re
from copy import copy
from dataclasses import dataclass, replace
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
    CombinedToolset,
    FilteredToolset,
    FunctionToolset,
    Listing,
    PrefixedToolset,
    ToolsetTool,
    WrapperToolset,
)

from ..counting import Calls
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


class StillStatic(Static):
    pass


class Untouched(PrefixedToolset[Any]):
    """Changes calls, and not what is listed."""

    async def call_tool(self, *args: Any) -> Any:
        return await super().call_tool(*args)


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


def listing(toolset: AbstractToolset[Any]) -> Listing[Any]:
    return asyncio.run(toolset.tool_listing(context()))


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
        (StillStatic(tools()), True),
        (NoLonger(tools()), False),
        (StaticPrefixing(tools(), 'p'), True),
        (Static(Unsaid(tools())), False),
        (Versioned([len]), True),
        (Unversioned([len]), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_which_wrappers_are_static(toolset: AbstractToolset[Any], known: bool) -> None:
    first, second = listing(toolset), listing(toolset)
    assert (first.is_static, first is second) == (known, known or isinstance(toolset, FilteredToolset))


@pytest.mark.parametrize('kind', [Static, lambda wrapped: StaticPrefixing(wrapped, 'p')])
def test_a_version_follows_the_wrapped_toolset(kind: Any) -> None:
    inner = tools()
    toolset = kind(inner)
    first = listing(toolset)
    assert first is listing(toolset)
    assert all(tool.toolset is not toolset for tool in listing(kind(inner)).tools.values())
    inner.add_function(lambda: 2, name='two')
    assert listing(toolset) is listing(toolset) is not first
    assert len(listing(toolset).tools) == 2


@pytest.mark.parametrize(('kind', 'listed'), [(Static, 1), (Unsaid, 2)])
def test_static_tools_are_listed_once_a_run(kind: Any, listed: int) -> None:
    toolset = kind(tools())
    assert Agent(TestModel(), toolsets=[toolset]).run_sync('go').output == '{"one":1}'
    assert toolset.listed == listed


@dataclass
class Suffixed(Counting, WrapperToolset[Any]):
    """Says nothing of what its tools depend on."""

    suffix: str = ''

    def map_tools(self, listing: Listing[Any]) -> Any:
        return {
            name + self.suffix: replace(tool, tool_def=replace(tool.tool_def, name=name + self.suffix))
            for name, tool in super().map_tools(listing).items()
        }


def test_a_field_that_is_assigned_changes_the_tools() -> None:
    toolset = Suffixed(tools(), 'a')
    assert [*listing(toolset).tools] == [*listing(toolset).tools] == ['onea']
    toolset.suffix = 'b'
    assert [*listing(toolset).tools] == ['oneb']
    assert toolset.listed == 2


class Undecided(PrefixedToolset[Any]):
    moment = 0

    def depends_on(self) -> object:
        return self.moment


def test_a_wrapper_says_what_else_its_tools_depend_on() -> None:
    toolset = Undecided(tools(), 'p')
    first = listing(toolset)
    assert listing(toolset) is first
    toolset.moment = 1
    assert listing(toolset) is not first


@pytest.mark.parametrize('kind', [tools, lambda: PrefixedToolset(tools(), 'p')])
def test_a_copy_lists_tools_of_its_own(kind: Any) -> None:
    toolset = kind()
    before = listing(toolset)
    own = copy(toolset)
    assert [tool.toolset is own for tool in listing(own).tools.values()] == [True]
    assert listing(toolset) is before


class Raced(FilteredToolset[Any]):
    """Keeps what a run in another thread has listed, each time that this one has kept something."""

    @property
    def _last_listing(self) -> Any:
        return vars(self).get('kept')

    @_last_listing.setter
    def _last_listing(self, value: Any) -> None:
        vars(self)['kept'] = object(), Listing({})


class RacedCombined(CombinedToolset[Any]):
    _last_listing = Raced._last_listing


@pytest.mark.parametrize(
    'toolset', [Raced(tools(), lambda ctx, definition: True), RacedCombined([tools()])], ids=['filtered', 'combined']
)
def test_a_run_never_lists_what_another_one_may_see(toolset: AbstractToolset[Any]) -> None:
    assert [*listing(toolset).tools] == ['one']


def test_a_wrapper_of_others_is_as_quick_as_ours() -> None:
    def calls_for_the_second_time(toolset: PrefixedToolset[Any]) -> int:
        async def count() -> int:
            await toolset.tool_listing(ctx)
            with Calls() as calls:
                await toolset.tool_listing(ctx)
            return calls.all

        ctx = context()
        return asyncio.run(count())

    assert calls_for_the_second_time(Untouched(tools(), 'p')) == calls_for_the_second_time(
        PrefixedToolset(tools(), 'p')
    )


class Opened(CombinedToolset[Any]):
    async def for_run(self, ctx: Any) -> Any:
        return tools()


def test_a_combination_of_others_is_asked_for_the_toolset_of_a_run() -> None:
    agent = Agent(TestModel(), toolsets=[CombinedToolset([Opened([])])])
    assert agent.run_sync('go').output == '{"one":1}'


def test_the_words_for_listings_are_few() -> None:
    source = Path(stead.__file__).parent
    words = 'tools_version|shared_tools|_last_shared|static_tools|listing_version|delegates_to_all|rewritten'
    texts = {path: path.read_text(encoding='utf-8') for path in source.rglob('*.py')}
    assert sum(len(re.findall(words, text)) for text in texts.values()) <= 20
    rooms = {source / room for room in ('_contracts', '_loop', 'toolsets')}
    assert not [path for path, text in texts.items() if path.parent in rooms and '__module__.startswith' in text]


def test_a_wrapper_is_short() -> None:
    assert len(inspect.getsource(PrefixedToolset).splitlines()) <= 25


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
