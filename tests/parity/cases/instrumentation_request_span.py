"""The span of a model request, opened by hand."""

from _common import fact
from _instrumentation import recording
from pydantic_ai.capabilities.instrumentation import open_model_request_span
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.test import TestModel

for version in (1, 2, 5):
    recorder, settings = recording(version=version)
    request = ModelRequestContext(
        model=TestModel(),
        messages=[ModelRequest(parts=[UserPromptPart('hi')])],
        model_settings={'max_tokens': 3},
        model_request_parameters=ModelRequestParameters(),
    )
    with open_model_request_span(settings, request) as (finish, prepared):
        fact('prepared', [prepared.model_settings, len(prepared.messages), prepared is request])
        finish(ModelResponse(parts=[TextPart('x')], model_name='test'))
    recorder.show()
    recorder.show_metrics()
