"""Constructors of the records in `stead._loop`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def capture_CapturedMessages(unset, new_messages):
    def __init__(self, messages=unset, used=...):
        self.messages = new_messages() if messages is unset else messages
        self.used = used

    return __init__


def late_prompts_LatePrompts():
    def __init__(self, seen=..., after_first=..., found=...):
        self.seen = seen
        self.after_first = after_first
        self.found = found

    return __init__


def nodes_CallToolsNode():
    def __init__(self, model_response, tool_call_results=..., tool_call_metadata=..., user_prompt=...,
            tool_call_digests=...):
        self.model_response = model_response
        self.tool_call_results = tool_call_results
        self.tool_call_metadata = tool_call_metadata
        self.user_prompt = user_prompt
        self.tool_call_digests = tool_call_digests

    return __init__


def nodes_ModelRequestNode():
    def __init__(self, request, is_resuming_without_prompt=...):
        self.request = request
        self.is_resuming_without_prompt = is_resuming_without_prompt

    return __init__


def nodes_SetFinalResult():
    def __init__(self, final_result):
        self.final_result = final_result

    return __init__


def nodes_UserPromptNode(unset, new_instructions_functions, new_system_prompt_functions,
        new_system_prompt_dynamic_functions):
    def __init__(self, user_prompt, *, deferred_tool_results=..., instructions=..., instructions_functions=unset,
            system_prompts=..., system_prompt_functions=unset, system_prompt_dynamic_functions=unset):
        self.user_prompt = user_prompt
        self.deferred_tool_results = deferred_tool_results
        self.instructions = instructions
        self.instructions_functions = new_instructions_functions() if instructions_functions is unset else instructions_functions
        self.system_prompts = system_prompts
        self.system_prompt_functions = new_system_prompt_functions() if system_prompt_functions is unset else system_prompt_functions
        self.system_prompt_dynamic_functions = new_system_prompt_dynamic_functions() if system_prompt_dynamic_functions is unset else system_prompt_dynamic_functions

    return __init__


def prompts_SystemPromptRunner():
    def __init__(self, function, dynamic=...):
        self.function = function
        self.dynamic = dynamic
        self.__post_init__()

    return __init__


def repair_Soundness(unset, new_special, new_open_calls):
    def __init__(self, sound=..., special=unset, open_calls=unset, beginning=...):
        self.sound = sound
        self.special = new_special() if special is unset else special
        self.open_calls = new_open_calls() if open_calls is unset else open_calls
        self.beginning = beginning

    return __init__


def request_Exchange():
    def __init__(self, ctx, step, response=..., fitted=...):
        self.ctx = ctx
        self.step = step
        self.response = response
        self.fitted = fitted

    return __init__


def seen_HistoryFacts(unset, new_soundness, new_late_prompts):
    def __init__(self, length=..., soundness=unset, late_prompts=unset, has_neighbours=..., last_kind=...,
            conversation_id=..., named_at=...):
        self.length = length
        self.soundness = new_soundness() if soundness is unset else soundness
        self.late_prompts = new_late_prompts() if late_prompts is unset else late_prompts
        self.has_neighbours = has_neighbours
        self.last_kind = last_kind
        self.conversation_id = conversation_id
        self.named_at = named_at

    return __init__


def seen__Memory():
    def __init__(self, last, before, special, outlines, facts):
        self.last = last
        self.before = before
        self.special = special
        self.outlines = outlines
        self.facts = facts

    return __init__


def state_GraphAgentDeps(put):
    def __init__(self, *, context, chain, root_capability, get_validation_context, get_model_settings, get_instructions,
            usage_limits, max_output_retries, end_strategy, output_schema, output_validators, native_tools,
            kept_parameters, place=..., sources=..., keep_interrupted=...):
        put(self, 'context', context)
        put(self, 'chain', chain)
        put(self, 'root_capability', root_capability)
        put(self, 'get_validation_context', get_validation_context)
        put(self, 'get_model_settings', get_model_settings)
        put(self, 'get_instructions', get_instructions)
        put(self, 'usage_limits', usage_limits)
        put(self, 'max_output_retries', max_output_retries)
        put(self, 'end_strategy', end_strategy)
        put(self, 'output_schema', output_schema)
        put(self, 'output_validators', output_validators)
        put(self, 'native_tools', native_tools)
        put(self, 'kept_parameters', kept_parameters)
        put(self, 'place', place)
        put(self, 'sources', sources)
        put(self, 'keep_interrupted', keep_interrupted)

    return __init__


def state_GraphAgentState(unset, new_message_history, new_usage, new_run_id, new_conversation_id, new_pending_messages,
        new_retries, new_call_counts, new_calls_of_step, new_decisions, new_decision_metadata, new_unfinished,
        new_late_prompts, new_deferral):
    def __init__(self, *, message_history=unset, usage=unset, output_retries_used=..., run_step=..., run_id=unset,
            conversation_id=unset, metadata=..., last_max_tokens=..., pending_messages=unset, new_message_index=...,
            prompt=..., retries=unset, call_counts=unset, calls_of_step=unset, is_fresh=..., following=...,
            answers_calls=..., decisions=unset, decision_metadata=unset, last_model_request_parameters=...,
            announced=..., announced_version=..., history_version=..., unfinished=unset, begun_with=..., resumed=...,
            needs_cleaning=..., needs_repair=..., late_prompts=unset, deferral=unset, changes=...):
        self.message_history = new_message_history() if message_history is unset else message_history
        self.usage = new_usage() if usage is unset else usage
        self.output_retries_used = output_retries_used
        self.run_step = run_step
        self.run_id = new_run_id() if run_id is unset else run_id
        self.conversation_id = new_conversation_id() if conversation_id is unset else conversation_id
        self.metadata = metadata
        self.last_max_tokens = last_max_tokens
        self.pending_messages = new_pending_messages() if pending_messages is unset else pending_messages
        self.new_message_index = new_message_index
        self.prompt = prompt
        self.retries = new_retries() if retries is unset else retries
        self.call_counts = new_call_counts() if call_counts is unset else call_counts
        self.calls_of_step = new_calls_of_step() if calls_of_step is unset else calls_of_step
        self.is_fresh = is_fresh
        self.following = following
        self.answers_calls = answers_calls
        self.decisions = new_decisions() if decisions is unset else decisions
        self.decision_metadata = new_decision_metadata() if decision_metadata is unset else decision_metadata
        self.last_model_request_parameters = last_model_request_parameters
        self.announced = announced
        self.announced_version = announced_version
        self.history_version = history_version
        self.unfinished = new_unfinished() if unfinished is unset else unfinished
        self.begun_with = begun_with
        self.resumed = resumed
        self.needs_cleaning = needs_cleaning
        self.needs_repair = needs_repair
        self.late_prompts = new_late_prompts() if late_prompts is unset else late_prompts
        self.deferral = new_deferral() if deferral is unset else deferral
        self.changes = changes

    return __init__


def state_KeptParameters():
    def __init__(self, is_exposed=..., last=...):
        self.is_exposed = is_exposed
        self.last = last

    return __init__


def state_RequestSources(unset, new_settings, new_instructions):
    def __init__(self, settings=unset, instructions=unset):
        self.settings = new_settings() if settings is unset else settings
        self.instructions = new_instructions() if instructions is unset else instructions

    return __init__


def state_RunStep():
    def __init__(self, context, tools, request=..., counted=..., answers=...):
        self.context = context
        self.tools = tools
        self.request = request
        self.counted = counted
        self.answers = answers

    return __init__
