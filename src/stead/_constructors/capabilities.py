"""Constructors of the records in `stead.capabilities`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _chain_PointSteps():
    def __init__(self, before, wrap, after, on_error):
        self.before = before
        self.wrap = wrap
        self.after = after
        self.on_error = on_error

    return __init__


def _dynamic_DynamicCapability():
    def __init__(self, capability_func, *, id=..., description=..., defer_loading=...):
        self.id = id
        self.description = description
        self.defer_loading = defer_loading
        self.capability_func = capability_func
        self.__post_init__()

    return __init__


def _tool_search_ToolSearch():
    def __init__(self, strategy=..., max_results=..., tool_description=..., parameter_description=..., *, id=...,
            description=..., defer_loading=..., max_queries=..., max_query_length=...):
        self.id = id
        self.description = description
        self.defer_loading = defer_loading
        self.strategy = strategy
        self.max_results = max_results
        self.tool_description = tool_description
        self.parameter_description = parameter_description
        self.max_queries = max_queries
        self.max_query_length = max_query_length
        self.__post_init__()

    return __init__


def _watch_NotedTools():
    def __init__(self, wrapped):
        self.wrapped = wrapped

    return __init__


def _watch_WatchedTools():
    def __init__(self, wrapped, capability, announce):
        self.wrapped = wrapped
        self.capability = capability
        self.announce = announce

    return __init__


def combined_CombinedCapability():
    def __init__(self, capabilities, *, id=..., description=..., defer_loading=...):
        self.id = id
        self.description = description
        self.defer_loading = defer_loading
        self.capabilities = capabilities
        self.__post_init__()

    return __init__


def native_tool_NativeTool():
    def __init__(self, tool, *, id=..., description=..., defer_loading=...):
        self.id = id
        self.description = description
        self.defer_loading = defer_loading
        self.tool = tool

    return __init__
