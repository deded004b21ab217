"""Constructors of the records in `stead._contracts`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def call_policy_CallPolicy(put):
    def __init__(self, max_calls=..., limiters=..., on_error=..., effect=..., reconcile=...):
        put(self, 'max_calls', max_calls)
        put(self, 'limiters', limiters)
        put(self, 'on_error', on_error)
        put(self, 'effect', effect)
        put(self, 'reconcile', reconcile)

    return __init__


def call_policy_ToolErrors(put):
    def __init__(self, action=..., show_text=...):
        put(self, 'action', action)
        put(self, 'show_text', show_text)

    return __init__


def capability_CapabilityOrdering():
    def __init__(self, position=..., wraps=..., wrapped_by=..., requires=...):
        self.position = position
        self.wraps = wraps
        self.wrapped_by = wrapped_by
        self.requires = requires

    return __init__


def deferred_DeferredToolRequests(unset, new_calls, new_approvals, new_metadata):
    def __init__(self, *, calls=unset, approvals=unset, metadata=unset):
        self.calls = new_calls() if calls is unset else calls
        self.approvals = new_approvals() if approvals is unset else approvals
        self.metadata = new_metadata() if metadata is unset else metadata

    return __init__


def deferred_DeferredToolResults(unset, new_calls, new_approvals, new_metadata, new_digests):
    def __init__(self, *, calls=unset, approvals=unset, metadata=unset, digests=unset):
        self.calls = new_calls() if calls is unset else calls
        self.approvals = new_approvals() if approvals is unset else approvals
        self.metadata = new_metadata() if metadata is unset else metadata
        self.digests = new_digests() if digests is unset else digests

    return __init__


def deferred_ToolApproved():
    def __init__(self, *, override_args=..., kind=...):
        self.override_args = override_args
        self.kind = kind

    return __init__


def deferred_ToolDenied():
    def __init__(self, message=..., *, kind=...):
        self.message = message
        self.kind = kind

    return __init__


def facts_CallAnswered():
    def __init__(self, call, answer, additions, is_counted=...):
        self.call = call
        self.answer = answer
        self.additions = additions
        self.is_counted = is_counted

    return __init__


def facts_CallAsked():
    def __init__(self, call, needs_approval, metadata, has_started, results=...):
        self.call = call
        self.needs_approval = needs_approval
        self.metadata = metadata
        self.has_started = has_started
        self.results = results

    return __init__


def facts_CallProgressed():
    def __init__(self, call, content):
        self.call = call
        self.content = content

    return __init__


def facts_CallReturned():
    def __init__(self, call, result):
        self.call = call
        self.result = result

    return __init__


def facts_CallStarting():
    def __init__(self, call, tool, args, policy, needs_task=...):
        self.call = call
        self.tool = tool
        self.args = args
        self.policy = policy
        self.needs_task = needs_task

    return __init__


def facts_CallsDecided():
    def __init__(self, results):
        self.results = results

    return __init__


def facts_CallsWait():
    def __init__(self, requests):
        self.requests = requests

    return __init__


def facts_HookActed():
    def __init__(self, step, capability, hook, did, changes=..., call=..., error=...):
        self.step = step
        self.capability = capability
        self.hook = hook
        self.did = did
        self.changes = changes
        self.call = call
        self.error = error

    return __init__


def facts_HookChange(put):
    def __init__(self, what, before, after, at=..., left_out=...):
        put(self, 'what', what)
        put(self, 'before', before)
        put(self, 'after', after)
        put(self, 'at', at)
        put(self, 'left_out', left_out)

    return __init__


def facts_RequestReady():
    def __init__(self, *, step, request, messages, history, following, new_message_index, output_retries, retries,
            call_counts, pending):
        self.step = step
        self.request = request
        self.messages = messages
        self.history = history
        self.following = following
        self.new_message_index = new_message_index
        self.output_retries = output_retries
        self.retries = retries
        self.call_counts = call_counts
        self.pending = pending

    return __init__


def facts_RequestSent():
    def __init__(self, step, request, fitted, settings_from, instructions_from):
        self.step = step
        self.request = request
        self.fitted = fitted
        self.settings_from = settings_from
        self.instructions_from = instructions_from

    return __init__


def facts_ResponseTaken():
    def __init__(self, messages, history, pending, max_tokens):
        self.messages = messages
        self.history = history
        self.pending = pending
        self.max_tokens = max_tokens

    return __init__


def facts_RunBegan():
    def __init__(self, *, conversation_id, messages, new_message_index, metadata, prompt, decisions, restored,
            model_settings=..., usage_limits=..., passed_metadata=...):
        self.conversation_id = conversation_id
        self.messages = messages
        self.new_message_index = new_message_index
        self.metadata = metadata
        self.prompt = prompt
        self.decisions = decisions
        self.restored = restored
        self.model_settings = model_settings
        self.usage_limits = usage_limits
        self.passed_metadata = passed_metadata

    return __init__


def facts_RunEnded():
    def __init__(self, how, messages, history, metadata, output=..., error=...):
        self.how = how
        self.messages = messages
        self.history = history
        self.metadata = metadata
        self.output = output
        self.error = error

    return __init__


def hooks_HookPoint():
    def __init__(self, name, subject, value, result, positional=..., around_before=..., after_sees_value=...,
            handles=..., passes=..., skip=..., skip_ends=..., begun=..., needs_value=..., needs_result=...):
        self.name = name
        self.subject = subject
        self.value = value
        self.result = result
        self.positional = positional
        self.around_before = around_before
        self.after_sees_value = after_sees_value
        self.handles = handles
        self.passes = passes
        self.skip = skip
        self.skip_ends = skip_ends
        self.begun = begun
        self.needs_value = needs_value
        self.needs_result = needs_result

    return __init__


def model_ModelRequestContext():
    def __init__(self, *, model, messages, model_settings, model_request_parameters):
        self.model = model
        self.messages = messages
        self.model_settings = model_settings
        self.model_request_parameters = model_request_parameters

    return __init__


def model_ModelRequestParameters(unset, new_function_tools, new_native_tools, new_output_tools):
    def __init__(self, *, function_tools=unset, native_tools=unset, output_mode=..., output_object=...,
            output_tools=unset, prompted_output_template=..., allow_text_output=..., allow_image_output=...,
            instruction_parts=..., thinking=...):
        self.function_tools = new_function_tools() if function_tools is unset else function_tools
        self.native_tools = new_native_tools() if native_tools is unset else native_tools
        self.output_mode = output_mode
        self.output_object = output_object
        self.output_tools = new_output_tools() if output_tools is unset else output_tools
        self.prompted_output_template = prompted_output_template
        self.allow_text_output = allow_text_output
        self.allow_image_output = allow_image_output
        self.instruction_parts = instruction_parts
        self.thinking = thinking

    return __init__


def output_FinalResult():
    def __init__(self, output, tool_name=..., tool_call_id=...):
        self.output = output
        self.tool_name = tool_name
        self.tool_call_id = tool_call_id

    return __init__


def output_OutputContext():
    def __init__(self, mode, output_type, object_def, has_function, function_name=..., tool_call=..., tool_def=...,
            allows_text=..., allows_image=..., allows_deferred_tools=...):
        self.mode = mode
        self.output_type = output_type
        self.object_def = object_def
        self.has_function = has_function
        self.function_name = function_name
        self.tool_call = tool_call
        self.tool_def = tool_def
        self.allows_text = allows_text
        self.allows_image = allows_image
        self.allows_deferred_tools = allows_deferred_tools

    return __init__


def output_OutputObjectDefinition():
    def __init__(self, json_schema, name=..., description=..., strict=...):
        self.json_schema = json_schema
        self.name = name
        self.description = description
        self.strict = strict

    return __init__


def output_TextOutput():
    def __init__(self, output_function):
        self.output_function = output_function

    return __init__


def pending_PendingMessage():
    def __init__(self, messages, priority=..., call_id=...):
        self.messages = messages
        self.priority = priority
        self.call_id = call_id

    return __init__


def run_context_RunContext(unset, new_messages, new_tracer, new_retries, new_call_key, new_report_progress,
        new_capabilities, new_loaded_capability_ids, new_discovered_tool_names):
    def __init__(self, *, deps, model, usage, agent=..., prompt=..., messages=unset, validation_context=...,
            tracer=unset, trace_include_content=..., instrumentation_version=..., retries=unset, tool_call_id=...,
            tool_name=..., call_key=unset, report_progress=unset, retry=..., max_retries=..., run_step=...,
            tool_call_approved=..., tool_call_metadata=..., partial_output=..., run_id=..., conversation_id=...,
            metadata=..., model_settings=..., pending_messages=..., tool_manager=..., capabilities=unset,
            loaded_capability_ids=unset, capability_loaded=..., discovered_tool_names=unset):
        self.deps = deps
        self.model = model
        self.usage = usage
        self.agent = agent
        self.prompt = prompt
        self.messages = new_messages() if messages is unset else messages
        self.validation_context = validation_context
        self.tracer = new_tracer() if tracer is unset else tracer
        self.trace_include_content = trace_include_content
        self.instrumentation_version = instrumentation_version
        self.retries = new_retries() if retries is unset else retries
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self.call_key = new_call_key() if call_key is unset else call_key
        self.report_progress = new_report_progress() if report_progress is unset else report_progress
        self.retry = retry
        self.max_retries = max_retries
        self.run_step = run_step
        self.tool_call_approved = tool_call_approved
        self.tool_call_metadata = tool_call_metadata
        self.partial_output = partial_output
        self.run_id = run_id
        self.conversation_id = conversation_id
        self.metadata = metadata
        self.model_settings = model_settings
        self.pending_messages = pending_messages
        self.tool_manager = tool_manager
        self.capabilities = new_capabilities() if capabilities is unset else capabilities
        self.loaded_capability_ids = new_loaded_capability_ids() if loaded_capability_ids is unset else loaded_capability_ids
        self.capability_loaded = capability_loaded
        self.discovered_tool_names = new_discovered_tool_names() if discovered_tool_names is unset else discovered_tool_names

    return __init__


def run_state_RecordedAnswer(put):
    def __init__(self, answer, additions=...):
        put(self, 'answer', answer)
        put(self, 'additions', additions)

    return __init__


def run_state_RunState(unset, new_message_history, new_usage, new_run_id, new_conversation_id, new_pending_messages,
        new_retries, new_call_counts, new_calls_of_step, new_decisions, new_decision_metadata):
    def __init__(self, *, message_history=unset, usage=unset, output_retries_used=..., run_step=..., run_id=unset,
            conversation_id=unset, metadata=..., last_max_tokens=..., pending_messages=unset, new_message_index=...,
            prompt=..., retries=unset, call_counts=unset, calls_of_step=unset, is_fresh=..., following=...,
            answers_calls=..., decisions=unset, decision_metadata=unset):
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

    return __init__


def tool_definition_ToolDefinition(unset, new_parameters_json_schema):
    def __init__(self, *, name, parameters_json_schema=unset, description=..., outer_typed_dict_key=..., strict=...,
            sequential=..., kind=..., metadata=..., timeout=..., defer_loading=..., unless_native=..., with_native=...,
            tool_kind=..., return_schema=..., include_return_schema=..., capability_id=...):
        self.name = name
        self.parameters_json_schema = new_parameters_json_schema() if parameters_json_schema is unset else parameters_json_schema
        self.description = description
        self.outer_typed_dict_key = outer_typed_dict_key
        self.strict = strict
        self.sequential = sequential
        self.kind = kind
        self.metadata = metadata
        self.timeout = timeout
        self.defer_loading = defer_loading
        self.unless_native = unless_native
        self.with_native = with_native
        self.tool_kind = tool_kind
        self.return_schema = return_schema
        self.include_return_schema = include_return_schema
        self.capability_id = capability_id
        self.__post_init__()

    return __init__


def toolset_ToolsetTool():
    def __init__(self, *, toolset, tool_def, max_retries, args_validator, args_validator_func=..., policy=...):
        self.toolset = toolset
        self.tool_def = tool_def
        self.max_retries = max_retries
        self.args_validator = args_validator
        self.args_validator_func = args_validator_func
        self.policy = policy

    return __init__
