"""Constructors of the records in `stead.messages`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _deltas_TextPartDelta():
    def __init__(self, content_delta, *, provider_name=..., provider_details=..., part_delta_kind=...):
        self.content_delta = content_delta
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_delta_kind = part_delta_kind

    return __init__


def _deltas_ThinkingPartDelta():
    def __init__(self, *, content_delta=..., signature_delta=..., provider_name=..., provider_details=...,
            part_delta_kind=...):
        self.content_delta = content_delta
        self.signature_delta = signature_delta
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_delta_kind = part_delta_kind

    return __init__


def _deltas_ToolCallPartDelta():
    def __init__(self, *, tool_name_delta=..., args_delta=..., tool_call_id=..., provider_name=...,
            provider_details=..., part_delta_kind=...):
        self.tool_name_delta = tool_name_delta
        self.args_delta = args_delta
        self.tool_call_id = tool_call_id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_delta_kind = part_delta_kind

    return __init__


def _events_BuiltinToolCallEvent():
    def __init__(self, part, *, event_kind=...):
        self.part = part
        self.event_kind = event_kind

    return __init__


def _events_BuiltinToolResultEvent():
    def __init__(self, result, *, event_kind=...):
        self.result = result
        self.event_kind = event_kind

    return __init__


def _events_FinalResultEvent():
    def __init__(self, *, tool_name, tool_call_id, event_kind=...):
        self.tool_name = tool_name
        self.tool_call_id = tool_call_id
        self.event_kind = event_kind

    return __init__


def _events_FunctionToolCallEvent():
    def __init__(self, part, event_kind=..., *, args_valid=...):
        self.part = part
        self.args_valid = args_valid
        self.event_kind = event_kind

    return __init__


def _events_FunctionToolProgressEvent():
    def __init__(self, *, tool_name, tool_call_id, content, event_kind=...):
        self.tool_name = tool_name
        self.tool_call_id = tool_call_id
        self.content = content
        self.event_kind = event_kind

    return __init__


def _events_OutputToolCallEvent():
    def __init__(self, part, event_kind=..., *, args_valid=...):
        self.part = part
        self.args_valid = args_valid
        self.event_kind = event_kind

    return __init__


def _events_OutputToolResultEvent():
    def __init__(self, part, event_kind=...):
        self.part = part
        self.event_kind = event_kind

    return __init__


def _events_PartDeltaEvent():
    def __init__(self, *, index, delta, event_kind=...):
        self.index = index
        self.delta = delta
        self.event_kind = event_kind

    return __init__


def _events_PartEndEvent():
    def __init__(self, *, index, part, next_part_kind=..., event_kind=...):
        self.index = index
        self.part = part
        self.next_part_kind = next_part_kind
        self.event_kind = event_kind

    return __init__


def _events_PartStartEvent():
    def __init__(self, *, index, part, previous_part_kind=..., event_kind=...):
        self.index = index
        self.part = part
        self.previous_part_kind = previous_part_kind
        self.event_kind = event_kind

    return __init__


def _events_ResponseRestartEvent():
    def __init__(self, *, model_name, failed_model_name, error, event_kind=...):
        self.model_name = model_name
        self.failed_model_name = failed_model_name
        self.error = error
        self.event_kind = event_kind

    return __init__


def _events_StreamAttemptEvent():
    def __init__(self, *, attempt, reason, event_kind=...):
        self.attempt = attempt
        self.reason = reason
        self.event_kind = event_kind

    return __init__


def _events_ToolCallEvent():
    def __init__(self, part, *, args_valid=...):
        self.part = part
        self.args_valid = args_valid

    return __init__


def _events_ToolResultEvent():
    def __init__(self, part):
        self.part = part

    return __init__


def _media_CachePoint():
    def __init__(self, kind=..., ttl=...):
        self.kind = kind
        self.ttl = ttl

    return __init__


def _media_TextContent():
    def __init__(self, content, *, metadata=..., kind=...):
        self.content = content
        self.metadata = metadata
        self.kind = kind

    return __init__


def _message_ModelRequest():
    def __init__(self, parts, *, timestamp=..., instructions=..., kind=..., run_id=..., conversation_id=...,
            metadata=...):
        self.parts = parts
        self.timestamp = timestamp
        self.instructions = instructions
        self.kind = kind
        self.run_id = run_id
        self.conversation_id = conversation_id
        self.metadata = metadata

    return __init__


def _message_ModelResponse(unset, new_usage, new_timestamp):
    def __init__(self, parts, *, usage=unset, model_name=..., timestamp=unset, kind=..., provider_name=...,
            provider_url=..., provider_details=..., provider_response_id=..., finish_reason=..., run_id=...,
            conversation_id=..., metadata=..., state=...):
        self.parts = parts
        self.usage = new_usage() if usage is unset else usage
        self.model_name = model_name
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.kind = kind
        self.provider_name = provider_name
        self.provider_url = provider_url
        self.provider_details = provider_details
        self.provider_response_id = provider_response_id
        self.finish_reason = finish_reason
        self.run_id = run_id
        self.conversation_id = conversation_id
        self.metadata = metadata
        self.state = state

    return __init__


def _parts_CompactionPart():
    def __init__(self, content=..., *, id=..., provider_name=..., provider_details=..., part_kind=...):
        self.content = content
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _parts_FilePart():
    def __init__(self, content, *, id=..., provider_name=..., provider_details=..., part_kind=...):
        self.content = content
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _parts_InstructionPart():
    def __init__(self, content, *, dynamic=..., part_kind=...):
        self.content = content
        self.dynamic = dynamic
        self.part_kind = part_kind

    return __init__


def _parts_SystemPromptPart(unset, new_timestamp):
    def __init__(self, content, *, timestamp=unset, dynamic_ref=..., part_kind=...):
        self.content = content
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.dynamic_ref = dynamic_ref
        self.part_kind = part_kind

    return __init__


def _parts_TextPart():
    def __init__(self, content, *, id=..., provider_name=..., provider_details=..., part_kind=...):
        self.content = content
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _parts_ThinkingPart():
    def __init__(self, content, *, id=..., signature=..., provider_name=..., provider_details=..., part_kind=...):
        self.content = content
        self.id = id
        self.signature = signature
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _parts_UserPromptPart(unset, new_timestamp):
    def __init__(self, content, *, timestamp=unset, part_kind=...):
        self.content = content
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.part_kind = part_kind

    return __init__


def _tool_parts_BaseToolCallPart(unset, new_tool_call_id):
    def __init__(self, tool_name, args=..., tool_call_id=unset, *, tool_kind=..., id=..., provider_name=...,
            provider_details=...):
        self.tool_name = tool_name
        self.args = args
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details

    return __init__


def _tool_parts_BaseToolReturnPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, tool_name, content, tool_call_id=unset, *, tool_kind=..., metadata=..., timestamp=unset,
            outcome=...):
        self.tool_name = tool_name
        self.content = content
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.metadata = metadata
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.outcome = outcome

    return __init__


def _tool_parts_NativeToolCallPart(unset, new_tool_call_id):
    def __init__(self, tool_name, args=..., tool_call_id=unset, *, tool_kind=..., id=..., provider_name=...,
            provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.args = args
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _tool_parts_NativeToolReturnPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, tool_name, content, tool_call_id=unset, *, tool_kind=..., metadata=..., timestamp=unset,
            outcome=..., provider_name=..., provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.content = content
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.metadata = metadata
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.outcome = outcome
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _tool_parts_RetryPromptPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, content, *, tool_name=..., tool_call_id=unset, timestamp=unset, part_kind=...):
        self.content = content
        self.tool_name = tool_name
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.part_kind = part_kind

    return __init__


def _tool_parts_ToolCallPart(unset, new_tool_call_id):
    def __init__(self, tool_name, args=..., tool_call_id=unset, *, tool_kind=..., id=..., provider_name=...,
            provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.args = args
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _tool_parts_ToolReturn():
    def __init__(self, return_value, *, content=..., metadata=..., kind=...):
        self.return_value = return_value
        self.content = content
        self.metadata = metadata
        self.kind = kind

    return __init__


def _tool_parts_ToolReturnPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, tool_name, content, tool_call_id=unset, *, tool_kind=..., metadata=..., timestamp=unset,
            outcome=..., part_kind=...):
        self.tool_name = tool_name
        self.content = content
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.metadata = metadata
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.outcome = outcome
        self.part_kind = part_kind

    return __init__


def _typed_parts_LoadCapabilityCallPart(unset, new_tool_call_id):
    def __init__(self, tool_call_id=unset, *, tool_name=..., args=..., tool_kind=..., id=..., provider_name=...,
            provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.args = args
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _typed_parts_LoadCapabilityReturnPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, tool_call_id=unset, *, tool_name=..., content, tool_kind=..., metadata=..., timestamp=unset,
            outcome=..., part_kind=...):
        self.tool_name = tool_name
        self.content = content
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.metadata = metadata
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.outcome = outcome
        self.part_kind = part_kind

    return __init__


def _typed_parts_NativeToolSearchCallPart(unset, new_tool_call_id):
    def __init__(self, tool_name=..., args=..., tool_call_id=unset, tool_kind=..., *, id=..., provider_name=...,
            provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.args = args
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _typed_parts_NativeToolSearchReturnPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, tool_name=..., tool_call_id=unset, tool_kind=..., *, content, metadata=..., timestamp=unset,
            outcome=..., provider_name=..., provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.content = content
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.metadata = metadata
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.outcome = outcome
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _typed_parts_ToolSearchCallPart(unset, new_tool_call_id):
    def __init__(self, tool_name=..., args=..., tool_call_id=unset, tool_kind=..., *, id=..., provider_name=...,
            provider_details=..., part_kind=...):
        self.tool_name = tool_name
        self.args = args
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.id = id
        self.provider_name = provider_name
        self.provider_details = provider_details
        self.part_kind = part_kind

    return __init__


def _typed_parts_ToolSearchReturnPart(unset, new_tool_call_id, new_timestamp):
    def __init__(self, tool_name=..., tool_call_id=unset, tool_kind=..., *, content, metadata=..., timestamp=unset,
            outcome=..., part_kind=...):
        self.tool_name = tool_name
        self.content = content
        self.tool_call_id = new_tool_call_id() if tool_call_id is unset else tool_call_id
        self.tool_kind = tool_kind
        self.metadata = metadata
        self.timestamp = new_timestamp() if timestamp is unset else timestamp
        self.outcome = outcome
        self.part_kind = part_kind

    return __init__
