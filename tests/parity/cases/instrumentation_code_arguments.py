"""What a toolset says about the arguments of a call, in `otel_metadata`, is in the messages of spans."""

import copy
import dataclasses
from types import SimpleNamespace

from _common import fact
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, NativeToolCallPart, ToolCallPart

CODE = {'code_arg_name': 'code', 'code_arg_language': 'python'}
VALUES = [CODE, {'code_arg_name': 'code'}, {'other': 1, 'code_arg_name': 5}, {}, None, {'code_arg_language': ''}]

for kind in (ToolCallPart, NativeToolCallPart):
    for value in VALUES:
        part = kind('run', {'code': '1+1'}, 'c1')
        part.otel_metadata = value
        response = ModelResponse(parts=[part])
        for content in (True, False):
            for version in (1, 2, 4):
                settings = SimpleNamespace(version=version, include_content=content, include_binary_content=True)
                if version == 1:
                    recorded = [event.body for event in response.otel_events(settings)]
                else:
                    recorded = response.otel_message_parts(settings)
                fact(f'{kind.__name__} {value} {content} {version}', recorded)

part = ToolCallPart('run', {}, 'c')
fact('by default', part.otel_metadata)
part.otel_metadata = CODE
fact('equal', part == ToolCallPart('run', {}, 'c'))
fact('repr', repr(part))
fact('stored', ModelMessagesTypeAdapter.dump_python([ModelResponse(parts=[part])])[0]['parts'])
fact('fields', [field.name for field in dataclasses.fields(part)])
fact('copied', copy.copy(part).otel_metadata)
fact('replaced', dataclasses.replace(part, args='{}').otel_metadata)
