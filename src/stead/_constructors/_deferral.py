"""Constructors of the records in `stead._deferral`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def catalog_DeferredCapabilities(unset, new_by_id):
    def __init__(self, texts_of, by_id=unset):
        self.texts_of = texts_of
        self.by_id = new_by_id() if by_id is unset else by_id

    return __init__


def loading_CapabilityLoaderToolset():
    def __init__(self, wrapped, deferred):
        self.wrapped = wrapped
        self.deferred = deferred

    return __init__


def loading__LoadTool():
    def __init__(self, *, toolset, tool_def, max_retries, args_validator, args_validator_func=..., policy=...):
        self.toolset = toolset
        self.tool_def = tool_def
        self.max_retries = max_retries
        self.args_validator = args_validator
        self.args_validator_func = args_validator_func
        self.policy = policy

    return __init__


def ranking__Costs(unset, new_steps):
    def __init__(self, words=..., steps=unset):
        self.words = words
        self.steps = new_steps() if steps is unset else steps

    return __init__


def search_ToolSearchToolset():
    def __init__(self, wrapped, search_fn=..., max_results=..., tool_description=..., parameter_description=...,
            enable_fallback=..., algorithm=..., replaced_by_native=..., max_queries=..., max_query_length=...):
        self.wrapped = wrapped
        self.search_fn = search_fn
        self.max_results = max_results
        self.tool_description = tool_description
        self.parameter_description = parameter_description
        self.enable_fallback = enable_fallback
        self.algorithm = algorithm
        self.replaced_by_native = replaced_by_native
        self.max_queries = max_queries
        self.max_query_length = max_query_length
        self.__post_init__()

    return __init__


def search__Listing(unset, new_sources, new_deferred, new_owners):
    def __init__(self, visible, sources=unset, deferred=unset, owners=unset, _index=...):
        self.visible = visible
        self.sources = new_sources() if sources is unset else sources
        self.deferred = new_deferred() if deferred is unset else deferred
        self.owners = new_owners() if owners is unset else owners
        self._index = _index

    return __init__


def search__RequiresCapability():
    def __init__(self, *, capability_id):
        self.capability_id = capability_id

    return __init__


def search__SearchTool():
    def __init__(self, *, toolset, tool_def, max_retries, args_validator, args_validator_func=..., policy=..., listing):
        self.toolset = toolset
        self.tool_def = tool_def
        self.max_retries = max_retries
        self.args_validator = args_validator
        self.args_validator_func = args_validator_func
        self.policy = policy
        self.listing = listing

    return __init__


def toolsets_DeferredCapabilityToolset():
    def __init__(self, wrapped, capability_id):
        self.wrapped = wrapped
        self.capability_id = capability_id
        self.__post_init__()

    return __init__


def wrappers_DeferredWrapper():
    def __init__(self, wrapped, capability, capability_id):
        self.wrapped = wrapped
        self.capability = capability
        self.capability_id = capability_id

    return __init__


def wrappers__MarkedToolset(unset, new_key):
    def __init__(self, wrapped, key=unset):
        self.wrapped = wrapped
        self.key = new_key() if key is unset else key

    return __init__


def wrappers__WrappedWhenLoaded():
    def __init__(self, wrapped, capability_id, key, is_loaded=...):
        self.wrapped = wrapped
        self.capability_id = capability_id
        self.key = key
        self.is_loaded = is_loaded

    return __init__
