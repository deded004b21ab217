"""What the tests of output share: scripted models, and what they were asked and told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stead import Agent
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models import ModelRequestParameters
from stead.models.function import AgentInfo, FunctionModel
from stead.profiles import ModelProfile

NATIVE = ModelProfile(supports_json_schema_output=True, default_structured_output_mode='native')
PROMPTED = ModelProfile(default_structured_output_mode='prompted')
IMAGES = ModelProfile(supports_image_output=True)


@dataclass
class Run:
    """A run with answers that were written before."""

    output: Any = None
    replies: list[Any] = field(default_factory=lambda: [])
    """What the model was told after each answer: the contents of the last request."""
    parameters: ModelRequestParameters | None = None
    """The parameters of the first request, as the model gets them."""


def run(
    output_type: Any, *answers: Any, profile: ModelProfile | None = None, validators: Any = (), **options: Any
) -> Run:
    """Run an agent on answers: text, `(tool name, arguments)`, or whole responses; the last one is given forever."""
    record = Run()

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        record.parameters = record.parameters or info.model_request_parameters
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn:
            record.replies.append([part.content for part in messages[-1].parts if hasattr(part, 'content')])
        answer = answers[min(turn, len(answers) - 1)]
        if isinstance(answer, ModelResponse):
            return answer
        if isinstance(answer, str):
            return ModelResponse(parts=[TextPart(answer)])
        return ModelResponse(parts=[ToolCallPart(answer[0], answer[1], tool_call_id='id')])

    agent: Agent[Any, Any] = Agent(FunctionModel(model, profile=profile), output_type=output_type, **options)
    for validator in validators:
        agent.output_validator(validator)
    record.output = agent.run_sync('hi').output
    return record


def parameters_of(output_type: Any, profile: ModelProfile | None = None, **options: Any) -> ModelRequestParameters:
    """Return what a model is asked for."""
    seen: list[ModelRequestParameters] = []

    class Enough(Exception):
        pass

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_request_parameters)
        raise Enough

    try:
        Agent(FunctionModel(model, profile=profile), output_type=output_type, **options).run_sync('hi')
    except Enough:
        pass
    return seen[0]
