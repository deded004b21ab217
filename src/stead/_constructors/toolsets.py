"""Constructors of the records in `stead.toolsets`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _capability_owned_CapabilityOwnedToolset():
    def __init__(self, wrapped, capability_id):
        self.wrapped = wrapped
        self.capability_id = capability_id
        self.__post_init__()

    return __init__


def _definitions_DefinitionsToolset():
    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__post_init__()

    return __init__


def _per_run_WrappedForRun():
    def __init__(self, wrapped, capabilities, around=...):
        self.wrapped = wrapped
        self.capabilities = capabilities
        self.around = around

    return __init__


def approval_required_ApprovalRequiredToolset():
    def __init__(self, wrapped, approval_required_func=...):
        self.wrapped = wrapped
        self.approval_required_func = approval_required_func
        self.__post_init__()

    return __init__


def combined_CombinedToolset(new__open):
    def __init__(self, toolsets):
        self.toolsets = toolsets
        self._open = new__open()

    return __init__


def combined_CombinedToolsetTool():
    def __init__(self, *, toolset, tool_def, max_retries, args_validator, args_validator_func=..., policy=...,
            source_toolset, source_tool):
        self.toolset = toolset
        self.tool_def = tool_def
        self.max_retries = max_retries
        self.args_validator = args_validator
        self.args_validator_func = args_validator_func
        self.policy = policy
        self.source_toolset = source_toolset
        self.source_tool = source_tool

    return __init__


def deferred_loading_DeferredLoadingToolset():
    def __init__(self, wrapped, tool_names=...):
        self.wrapped = wrapped
        self.tool_names = tool_names
        self.__post_init__()

    return __init__


def filtered_FilteredToolset():
    def __init__(self, wrapped, filter_func):
        self.wrapped = wrapped
        self.filter_func = filter_func
        self.__post_init__()

    return __init__


def function_FunctionToolsetTool():
    def __init__(self, *, toolset, tool_def, max_retries, args_validator, args_validator_func=..., policy=...,
            call_func, is_async, timeout=..., in_thread=..., requires_approval=...):
        self.toolset = toolset
        self.tool_def = tool_def
        self.max_retries = max_retries
        self.args_validator = args_validator
        self.args_validator_func = args_validator_func
        self.policy = policy
        self.call_func = call_func
        self.is_async = is_async
        self.timeout = timeout
        self.in_thread = in_thread
        self.requires_approval = requires_approval

    return __init__


def function__InstructionFunction():
    def __init__(self, function, takes_ctx, is_async):
        self.function = function
        self.takes_ctx = takes_ctx
        self.is_async = is_async

    return __init__


def include_return_schemas_IncludeReturnSchemasToolset():
    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__post_init__()

    return __init__


def prefixed_PrefixedToolset():
    def __init__(self, wrapped, prefix):
        self.wrapped = wrapped
        self.prefix = prefix

    return __init__


def prepared_PreparedToolset():
    def __init__(self, wrapped, prepare_func):
        self.wrapped = wrapped
        self.prepare_func = prepare_func
        self.__post_init__()

    return __init__


def renamed_RenamedToolset():
    def __init__(self, wrapped, name_map):
        self.wrapped = wrapped
        self.name_map = name_map
        self.__post_init__()

    return __init__


def set_metadata_EffectToolset():
    def __init__(self, wrapped, effect, reconcile=...):
        self.wrapped = wrapped
        self.effect = effect
        self.reconcile = reconcile
        self.__post_init__()

    return __init__


def set_metadata_SetMetadataToolset(unset, new_metadata):
    def __init__(self, wrapped, metadata=unset):
        self.wrapped = wrapped
        self.metadata = new_metadata() if metadata is unset else metadata
        self.__post_init__()

    return __init__


def wrapper_StaticWrapperToolset():
    def __init__(self, wrapped):
        self.wrapped = wrapped

    return __init__


def wrapper_WrapperToolset():
    def __init__(self, wrapped):
        self.wrapped = wrapped

    return __init__
