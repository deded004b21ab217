"""Constructors of the records in `stead.models`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _streaming_parts_ModelResponsePartsManager(new__parts, new__vendor_id_to_part_index, new__tool_kind_by_name,
        new__call_ids, new__replaced_ids):
    def __init__(self, model_request_parameters):
        self.model_request_parameters = model_request_parameters
        self._parts = new__parts()
        self._vendor_id_to_part_index = new__vendor_id_to_part_index()
        self._tool_kind_by_name = new__tool_kind_by_name()
        self._call_ids = new__call_ids()
        self._replaced_ids = new__replaced_ids()
        self.__post_init__()

    return __init__


def _streaming_streamed_StreamedResponse(new__usage):
    def __init__(self, model_request_parameters):
        self.model_request_parameters = model_request_parameters
        self._usage = new__usage()
        self.__post_init__()

    return __init__


def function_AgentInfo(put):
    def __init__(self, *, function_tools, allow_text_output, output_tools, model_settings, model_request_parameters,
            instructions):
        put(self, 'function_tools', function_tools)
        put(self, 'allow_text_output', allow_text_output)
        put(self, 'output_tools', output_tools)
        put(self, 'model_settings', model_settings)
        put(self, 'model_request_parameters', model_request_parameters)
        put(self, 'instructions', instructions)

    return __init__


def function_DeltaThinkingPart():
    def __init__(self, *, content=..., signature=...):
        self.content = content
        self.signature = signature

    return __init__


def function_DeltaToolCall():
    def __init__(self, name=..., json_args=..., *, tool_call_id=...):
        self.name = name
        self.json_args = json_args
        self.tool_call_id = tool_call_id

    return __init__


def function_FunctionStreamedResponse(unset, new__usage, new__timestamp):
    def __init__(self, model_request_parameters, _model_name=..., _first=..., _iter=..., _timestamp=unset):
        self.model_request_parameters = model_request_parameters
        self._usage = new__usage()
        self._model_name = _model_name
        self._first = _first
        self._iter = _iter
        self._timestamp = new__timestamp() if _timestamp is unset else _timestamp
        self.__post_init__()

    return __init__
