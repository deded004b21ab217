"""Usage on spans and in metrics; ids and finish reasons of responses; names for the usage of whole runs."""

from _instrumentation import trace
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.usage import RequestUsage, RunUsage


class SameAnswer(Model):
    def __init__(self, response):
        super().__init__()
        self.response = response

    model_name = 'big'
    system = 'acme'

    async def request(self, *args):
        return self.response


FULL = RequestUsage(
    input_tokens=10,
    output_tokens=5,
    cache_read_tokens=3,
    cache_write_tokens=2,
    input_audio_tokens=1,
    details={'reasoning_tokens': 7, 'none': 0},
)
RESPONSES = {
    'full': ModelResponse(
        parts=[TextPart('x')],
        usage=FULL,
        model_name='big-2',
        finish_reason='length',
        provider_response_id='rid',
        provider_name='acme',
    ),
    'none': ModelResponse(parts=[TextPart('x')]),
    'input only': ModelResponse(parts=[TextPart('x')], usage=RequestUsage(input_tokens=3), model_name='other'),
}
for title, response in RESPONSES.items():
    for settings in ({}, {'version': 1}, {'use_aggregated_usage_attribute_names': True}):
        recorder = trace(
            f'{title} {settings}',
            lambda capabilities: Agent(SameAnswer(response), name='u', capabilities=capabilities),
            'x',
            settings=settings,
        )
        recorder.show_metrics()
trace(
    'usage that was passed in',
    lambda capabilities: Agent(SameAnswer(RESPONSES['full']), name='u', capabilities=capabilities),
    'x',
    usage=RunUsage(input_tokens=1000, requests=3),
)
