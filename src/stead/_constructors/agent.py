"""Constructors of the records in `stead.agent`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _checks__Rule(put):
    def __init__(self, fits, what, remedy=...):
        put(self, 'fits', fits)
        put(self, 'what', what)
        put(self, 'remedy', remedy)

    return __init__


def _deprecated_TranslatedArguments(unset, new_capabilities, new_toolsets):
    def __init__(self, retries, capabilities=unset, toolsets=unset, event_stream_handler=..., instrument=...):
        self.retries = retries
        self.capabilities = new_capabilities() if capabilities is unset else capabilities
        self.toolsets = new_toolsets() if toolsets is unset else toolsets
        self.event_stream_handler = event_stream_handler
        self.instrument = instrument

    return __init__


def _explain_CapabilityNote():
    def __init__(self, name, deferred, reasons):
        self.name = name
        self.deferred = deferred
        self.reasons = reasons

    return __init__


def _explain_Explanation(unset, new_capabilities, new_hooks, new_tools, new_instructions, new_settings, new_warnings,
        new_messages):
    def __init__(self, model, output, capabilities=unset, hooks=unset, tools=unset, instructions=unset, settings=unset,
            warnings=unset, messages=unset, parameters=...):
        self.model = model
        self.output = output
        self.capabilities = new_capabilities() if capabilities is unset else capabilities
        self.hooks = new_hooks() if hooks is unset else hooks
        self.tools = new_tools() if tools is unset else tools
        self.instructions = new_instructions() if instructions is unset else instructions
        self.settings = new_settings() if settings is unset else settings
        self.warnings = new_warnings() if warnings is unset else warnings
        self.messages = new_messages() if messages is unset else messages
        self.parameters = parameters

    return __init__


def _explain_SourceNote():
    def __init__(self, source, value, name=...):
        self.source = source
        self.value = value
        self.name = name

    return __init__


def _explain_ToolNote(unset, new_changes):
    def __init__(self, name, kind, source, changes=unset, status=...):
        self.name = name
        self.kind = kind
        self.source = source
        self.changes = new_changes() if changes is unset else changes
        self.status = status

    return __init__


def _options_Overrides():
    def __init__(self, name=..., deps=..., model=..., toolsets=..., tools=..., native_tools=..., instructions=...,
            metadata=..., model_settings=..., retries=..., capabilities=...):
        self.name = name
        self.deps = deps
        self.model = model
        self.toolsets = toolsets
        self.tools = tools
        self.native_tools = native_tools
        self.instructions = instructions
        self.metadata = metadata
        self.model_settings = model_settings
        self.retries = retries
        self.capabilities = capabilities

    return __init__


def _plan_RunPlan(unset, new_capabilities, new_settings_from, new_instructions_from, new_kept):
    def __init__(self, toolset, output_schema, output_validators, instructions, settings, whole_run_settings,
            native_tools, root_capability, capabilities=unset, settings_from=unset, instructions_from=unset,
            kept=unset):
        self.toolset = toolset
        self.output_schema = output_schema
        self.output_validators = output_validators
        self.instructions = instructions
        self.settings = settings
        self.whole_run_settings = whole_run_settings
        self.native_tools = native_tools
        self.root_capability = root_capability
        self.capabilities = new_capabilities() if capabilities is unset else capabilities
        self.settings_from = new_settings_from() if settings_from is unset else settings_from
        self.instructions_from = new_instructions_from() if instructions_from is unset else instructions_from
        self.kept = new_kept() if kept is unset else kept

    return __init__


def _plan__Parts(unset, new_settings_from, new_instructions_from):
    def __init__(self, toolsets, instructions, settings, native_tools, replaced, settings_from=unset,
            instructions_from=unset, deferred=...):
        self.toolsets = toolsets
        self.instructions = instructions
        self.settings = settings
        self.native_tools = native_tools
        self.replaced = replaced
        self.settings_from = new_settings_from() if settings_from is unset else settings_from
        self.instructions_from = new_instructions_from() if instructions_from is unset else instructions_from
        self.deferred = deferred

    return __init__


def _scope_RunSetup(unset, new_message_history):
    def __init__(self, plan, plan_for_run, first_node, model, deps, agent, end_strategy, output_retries, tool_retries,
            validation_context, message_history=unset, conversation_id=..., usage=..., usage_limits=...,
            model_settings=..., metadata=..., limiter=..., call_policy=..., keep_interrupted=..., dry=...):
        self.plan = plan
        self.plan_for_run = plan_for_run
        self.first_node = first_node
        self.model = model
        self.deps = deps
        self.agent = agent
        self.end_strategy = end_strategy
        self.output_retries = output_retries
        self.tool_retries = tool_retries
        self.validation_context = validation_context
        self.message_history = new_message_history() if message_history is unset else message_history
        self.conversation_id = conversation_id
        self.usage = usage
        self.usage_limits = usage_limits
        self.model_settings = model_settings
        self.metadata = metadata
        self.limiter = limiter
        self.call_policy = call_policy
        self.keep_interrupted = keep_interrupted
        self.dry = dry

    return __init__


def _sources_Instructions(unset, new_literals, new_runners):
    def __init__(self, literals=unset, runners=unset):
        self.literals = new_literals() if literals is unset else literals
        self.runners = new_runners() if runners is unset else runners

    return __init__


def _streaming__AnswerSearch():
    def __init__(self, run, ctx, sink, answer=...):
        self.run = run
        self.ctx = ctx
        self.sink = sink
        self.answer = answer

    return __init__


def _streaming__Driver():
    def __init__(self, opened, handler, run=...):
        self.opened = opened
        self.handler = handler
        self.run = run

    return __init__


def _streaming__FirstAnswer():
    def __init__(self, run, ctx, step, node, stream, final, opened, taken=...):
        self.run = run
        self.ctx = ctx
        self.step = step
        self.node = node
        self.stream = stream
        self.final = final
        self.opened = opened
        self.taken = taken

    return __init__
