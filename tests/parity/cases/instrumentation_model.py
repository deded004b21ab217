"""`InstrumentedModel` by itself: requests and streams."""

import asyncio

from _common import fact
from _instrumentation import recording
from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentedModel, instrument_model
from pydantic_ai.models.test import TestModel

MESSAGES = [ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('hey')], instructions='I')]


async def main(model):
    response = await model.request(MESSAGES, {'temperature': 0.1}, ModelRequestParameters())
    fact('text', response.text)
    async with model.request_stream(MESSAGES, None, ModelRequestParameters()) as stream:
        async for _ in stream:
            pass
    fact('streamed', stream.get().text)
    try:
        async with model.request_stream(MESSAGES, None, ModelRequestParameters()) as stream:
            raise KeyError('left')
    except KeyError:
        pass


for version in (1, 2):
    recorder, settings = recording(version=version)
    asyncio.run(main(InstrumentedModel(TestModel(), settings)))
    recorder.show()
    recorder.show_metrics()

model = TestModel()
traced = instrument_model(model, True)
fact(
    'instrument_model',
    [
        instrument_model(model, False) is model,
        type(traced).__name__,
        traced.wrapped is model,
        instrument_model(traced, True) is traced,
    ],
)
recorder, settings = recording()
fact(
    'settings',
    [instrument_model(model, settings).instrumentation_settings is settings, InstrumentedModel('test').model_name],
)
fact('passed on', [traced.model_name, traced.system, traced.model_id, traced.profile == model.profile])
