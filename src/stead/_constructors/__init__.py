"""Constructors of the records in `stead`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def concurrency_ConcurrencyLimit():
    def __init__(self, max_running, max_queued=...):
        self.max_running = max_running
        self.max_queued = max_queued

    return __init__


def profiles_ModelProfile(unset, new_supported_native_tools):
    def __init__(self, *, supports_tools=..., supports_tool_return_schema=..., supports_json_schema_output=...,
            supports_json_object_output=..., supports_image_output=..., supports_inline_system_prompts=...,
            default_structured_output_mode=..., prompted_output_template=...,
            native_output_requires_schema_in_instructions=..., json_schema_transformer=..., supports_thinking=...,
            thinking_always_enabled=..., thinking_tags=..., ignore_streamed_leading_whitespace=...,
            supported_native_tools=unset):
        self.supports_tools = supports_tools
        self.supports_tool_return_schema = supports_tool_return_schema
        self.supports_json_schema_output = supports_json_schema_output
        self.supports_json_object_output = supports_json_object_output
        self.supports_image_output = supports_image_output
        self.supports_inline_system_prompts = supports_inline_system_prompts
        self.default_structured_output_mode = default_structured_output_mode
        self.prompted_output_template = prompted_output_template
        self.native_output_requires_schema_in_instructions = native_output_requires_schema_in_instructions
        self.json_schema_transformer = json_schema_transformer
        self.supports_thinking = supports_thinking
        self.thinking_always_enabled = thinking_always_enabled
        self.thinking_tags = thinking_tags
        self.ignore_streamed_leading_whitespace = ignore_streamed_leading_whitespace
        self.supported_native_tools = new_supported_native_tools() if supported_native_tools is unset else supported_native_tools

    return __init__


def result_StreamedRunResultSync():
    def __init__(self, _streamed_run_result, _bridge=...):
        self._streamed_run_result = _streamed_run_result
        self._bridge = _bridge
        self.__post_init__()

    return __init__


def run_AgentRunResult(unset, new__state):
    def __init__(self, output, _output_tool_name=..., _state=unset, _new_message_index=..., _traceparent_value=...):
        self.output = output
        self._output_tool_name = _output_tool_name
        self._state = new__state() if _state is unset else _state
        self._new_message_index = _new_message_index
        self._traceparent_value = _traceparent_value

    return __init__


def run_AgentRunResultEvent():
    def __init__(self, result, *, event_kind=...):
        self.result = result
        self.event_kind = event_kind

    return __init__


def settings_ToolOrOutput():
    def __init__(self, function_tools):
        self.function_tools = function_tools

    return __init__


def usage_RequestUsage(unset, new_details):
    def __init__(self, *, input_tokens=..., cache_write_tokens=..., cache_read_tokens=..., output_tokens=...,
            input_audio_tokens=..., cache_audio_read_tokens=..., output_audio_tokens=..., details=unset):
        self.input_tokens = input_tokens
        self.cache_write_tokens = cache_write_tokens
        self.cache_read_tokens = cache_read_tokens
        self.output_tokens = output_tokens
        self.input_audio_tokens = input_audio_tokens
        self.cache_audio_read_tokens = cache_audio_read_tokens
        self.output_audio_tokens = output_audio_tokens
        self.details = new_details() if details is unset else details

    return __init__


def usage_RunUsage(unset, new_details):
    def __init__(self, *, input_tokens=..., cache_write_tokens=..., cache_read_tokens=..., output_tokens=...,
            input_audio_tokens=..., cache_audio_read_tokens=..., output_audio_tokens=..., details=unset, requests=...,
            tool_calls=...):
        self.input_tokens = input_tokens
        self.cache_write_tokens = cache_write_tokens
        self.cache_read_tokens = cache_read_tokens
        self.output_tokens = output_tokens
        self.input_audio_tokens = input_audio_tokens
        self.cache_audio_read_tokens = cache_audio_read_tokens
        self.output_audio_tokens = output_audio_tokens
        self.details = new_details() if details is unset else details
        self.requests = requests
        self.tool_calls = tool_calls

    return __init__


def usage_Usage(unset, new_details):
    def __init__(self, *, input_tokens=..., cache_write_tokens=..., cache_read_tokens=..., output_tokens=...,
            input_audio_tokens=..., cache_audio_read_tokens=..., output_audio_tokens=..., details=unset, requests=...,
            tool_calls=...):
        self.input_tokens = input_tokens
        self.cache_write_tokens = cache_write_tokens
        self.cache_read_tokens = cache_read_tokens
        self.output_tokens = output_tokens
        self.input_audio_tokens = input_audio_tokens
        self.cache_audio_read_tokens = cache_audio_read_tokens
        self.output_audio_tokens = output_audio_tokens
        self.details = new_details() if details is unset else details
        self.requests = requests
        self.tool_calls = tool_calls

    return __init__


def usage_UsageBase(unset, new_details):
    def __init__(self, *, input_tokens=..., cache_write_tokens=..., cache_read_tokens=..., output_tokens=...,
            input_audio_tokens=..., cache_audio_read_tokens=..., output_audio_tokens=..., details=unset):
        self.input_tokens = input_tokens
        self.cache_write_tokens = cache_write_tokens
        self.cache_read_tokens = cache_read_tokens
        self.output_tokens = output_tokens
        self.input_audio_tokens = input_audio_tokens
        self.cache_audio_read_tokens = cache_audio_read_tokens
        self.output_audio_tokens = output_audio_tokens
        self.details = new_details() if details is unset else details

    return __init__
