"""Where requests go, and settings of the model itself."""

from _instrumentation import trace
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel


def model_at(url):
    return type('At', (WrapperModel,), {'base_url': url})


for url in ('https://api.example.com:8443/v1', 'https://api.example.com/v1', 'http://[::1]:80/', None, 'nonsense', ''):
    recorder = trace(
        str(url),
        lambda capabilities: Agent(
            model_at(url)(TestModel(settings={'temperature': 0.25, 'max_tokens': 9})),
            name='s',
            capabilities=capabilities,
        ),
        'x',
        model_settings={'max_tokens': 10},
    )
    recorder.show_metrics()
