"""The methods of the settings by themselves."""

import json

from _common import call, fact
from _instrumentation import recording
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    InstructionPart,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)
from pydantic_ai.models import ModelRequestParameters

MESSAGES = [
    ModelRequest(parts=[SystemPromptPart('s'), SystemPromptPart('t'), UserPromptPart('u'), SystemPromptPart('v')]),
    ModelResponse(
        parts=[ThinkingPart('th'), TextPart('x'), call('a', {'n': 1}), TextPart('y'), call('b', '{"n": 2}')],
        finish_reason='tool_call',
    ),
    ModelRequest(
        parts=[
            ToolReturnPart('a', {'r': [1]}, tool_call_id='id_a'),
            RetryPromptPart('no', tool_name='b', tool_call_id='id_b'),
            RetryPromptPart('really'),
        ],
        instructions='ins',
    ),
    ModelResponse(parts=[]),
    ModelRequest(
        parts=[
            UserPromptPart(
                [
                    'a',
                    TextContent('b'),
                    CachePoint(),
                    VideoUrl('http://x/y.mp4'),
                    BinaryContent(b'1', media_type='application/pdf'),
                ]
            )
        ],
        instructions='last',
    ),
]
PARAMETERS = ModelRequestParameters(instruction_parts=[InstructionPart(content='given')])
for options in ({}, {'include_content': False}, {'version': 4}, {'version': 1}):
    recorder, settings = recording(**options)
    print('==', options, sorted(set(recorder.scopes)))
    for message in settings.messages_to_otel_messages(MESSAGES):
        print('  ', json.dumps(message))
    for parameters in (None, PARAMETERS) if settings.version < 4 else ():  # events are those of version 1
        for event in settings.messages_to_otel_events(MESSAGES, parameters):
            print('   *', json.dumps([event.body, dict(event.attributes)], sort_keys=True))
    fact('instructions', [settings.system_instructions_attributes(text) for text in (None, '', 'té')])
    with settings.tracer.start_as_current_span('mine') as span:
        settings.handle_messages(MESSAGES, MESSAGES[1], 'acme', span)
        settings.handle_messages(MESSAGES[:1], MESSAGES[1], 'acme', span, PARAMETERS)
    recorder.show()
