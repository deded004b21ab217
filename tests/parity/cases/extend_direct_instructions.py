"""Which instructions a model gets when the request parameters name none: through `direct`, and from a model's own look."""

import json

from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import (
    InstructionPart,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.function import FunctionModel


def request(instructions=None, *parts):
    return ModelRequest(parts=list(parts) or [UserPromptPart('hi')], instructions=instructions)


RESPONSE = ModelResponse(parts=[TextPart('hello')])
RETURN = ToolReturnPart('look', 'seen', tool_call_id='1')
CONVERSATIONS = {
    'none': [request()],
    'one': [request('A')],
    'two': [request('A'), RESPONSE, request('B')],
    'first only': [request('A'), RESPONSE, request()],
    'then a return': [request('A'), RESPONSE, request(None, RETURN)],
    'then a retry': [request('A'), RESPONSE, request(None, RetryPromptPart('again'))],
    'then a return and a prompt': [request('A'), RESPONSE, request(None, RETURN, UserPromptPart('and'))],
    'then two returns': [request('A'), RESPONSE, request(None, RETURN), RESPONSE, request(None, RETURN)],
    'ends in a response': [request('A'), RESPONSE],
}
NAMED = [InstructionPart(content='C'), InstructionPart(content='D', dynamic=True)]

model = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart(repr(info.instructions))]))
for name, messages in CONVERSATIONS.items():
    facts = []
    for parameters in (None, ModelRequestParameters(), ModelRequestParameters(instruction_parts=NAMED)):
        response = model_request_sync(model, messages, model_request_parameters=parameters)
        facts.append(response.parts[0].content)
        parts = Model._get_instruction_parts(messages, parameters or ModelRequestParameters())
        facts.append(parts and [part.content for part in parts])
    nothing = Model._get_instruction_parts(messages, ModelRequestParameters(instruction_parts=[]))
    print(json.dumps([name, facts, nothing]))
