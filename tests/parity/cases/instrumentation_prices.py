"""A price that is not known is left out; one that cannot be computed is warned about."""

import asyncio
import warnings

from _common import fact
from _instrumentation import recording
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage


class Broken(ModelResponse):
    def cost(self):
        raise ValueError('no price today')


KNOWN = {'model_name': 'gpt-4o', 'provider_name': 'openai'}
RESPONSES = {
    'known': ModelResponse(parts=[TextPart('x')], **KNOWN),
    'unknown model': ModelResponse(parts=[TextPart('x')], model_name='foo'),
    'unknown provider': ModelResponse(parts=[TextPart('x')], model_name='gpt-4o', provider_name='nope'),
    'no name': ModelResponse(parts=[TextPart('x')]),
    'impossible': ModelResponse(
        parts=[TextPart('x')], usage=RequestUsage(input_tokens=5, cache_read_tokens=10), **KNOWN
    ),
    'broken': Broken(parts=[TextPart('x')], model_name='m'),
}


class Answers(TestModel):
    async def request(self, *args):
        return RESPONSES[title]


for title in RESPONSES:
    recorder, settings = recording()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        model = InstrumentedModel(Answers(), settings)
        asyncio.run(model.request([ModelRequest.user_text_prompt('x')], {}, ModelRequestParameters()))
    fact(title, ['operation.cost' in recorder.spans[0].attributes, [one.category.__name__ for one in caught]])
    if title == 'broken':
        fact('words', str(caught[0].message))
