"""Constructors of the records in `stead._calls`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def approvals_Deferred():
    def __init__(self, call, tool, needs_approval, metadata=..., for_people=...):
        self.call = call
        self.tool = tool
        self.needs_approval = needs_approval
        self.metadata = metadata
        self.for_people = for_people

    return __init__


def manager_ToolManager(unset, new_failed_tools, new_call_counts, new_used_up):
    def __init__(self, toolset, root_capability=..., ctx=..., tools=..., failed_tools=unset, default_max_retries=...,
            chain=..., listing_version=..., policy=..., call_counts=unset, budget=..., used_up=unset, asked_inside=...,
            is_own=..., unknown_calls=..., retries_exceeded=...):
        self.toolset = toolset
        self.root_capability = root_capability
        self.ctx = ctx
        self.tools = tools
        self.failed_tools = new_failed_tools() if failed_tools is unset else failed_tools
        self.default_max_retries = default_max_retries
        self.chain = chain
        self.listing_version = listing_version
        self.policy = policy
        self.call_counts = new_call_counts() if call_counts is unset else call_counts
        self.budget = budget
        self.used_up = new_used_up() if used_up is unset else used_up
        self.asked_inside = asked_inside
        self.is_own = is_own
        self.unknown_calls = unknown_calls
        self.retries_exceeded = retries_exceeded
        self.__post_init__()

    return __init__


def outputs_OutputValidator():
    def __init__(self, function):
        self.function = function
        self.__post_init__()

    return __init__


def running_RunningCall():
    def __init__(self, call, tool, validated, decision=...):
        self.call = call
        self.tool = tool
        self.validated = validated
        self.decision = decision

    return __init__


def step_tools_CallBudget():
    def __init__(self, limits, running=...):
        self.limits = limits
        self.running = running

    return __init__


def step_tools_StepTools(unset, new_failed_tools, new_call_counts, new_used_up):
    def __init__(self, toolset, root_capability=..., ctx=..., tools=..., failed_tools=unset, default_max_retries=...,
            chain=..., listing_version=..., policy=..., call_counts=unset, budget=..., used_up=unset, asked_inside=...,
            is_own=..., unknown_calls=..., retries_exceeded=...):
        self.toolset = toolset
        self.root_capability = root_capability
        self.ctx = ctx
        self.tools = tools
        self.failed_tools = new_failed_tools() if failed_tools is unset else failed_tools
        self.default_max_retries = default_max_retries
        self.chain = chain
        self.listing_version = listing_version
        self.policy = policy
        self.call_counts = new_call_counts() if call_counts is unset else call_counts
        self.budget = budget
        self.used_up = new_used_up() if used_up is unset else used_up
        self.asked_inside = asked_inside
        self.is_own = is_own
        self.unknown_calls = unknown_calls
        self.retries_exceeded = retries_exceeded
        self.__post_init__()

    return __init__


def validate_ValidatedToolCall():
    def __init__(self, call, tool, ctx, args_valid, validated_args=..., validation_error=..., begun=..., returned=...,
            counted=...):
        self.call = call
        self.tool = tool
        self.ctx = ctx
        self.args_valid = args_valid
        self.validated_args = validated_args
        self.validation_error = validation_error
        self.begun = begun
        self.returned = returned
        self.counted = counted

    return __init__
