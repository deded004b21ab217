"""Attempts before a response: those of a `FallbackModel`, alone, nested, streamed and inside of a `ModelFallback`."""

import asyncio
import json

from _common import fact
from pydantic_ai import Agent, ModelResponse, TextPart
from pydantic_ai.capabilities import ModelFallback
from pydantic_ai.exceptions import (
    ContentFilterError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelHTTPError,
    OutputTokenLimitExceeded,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage


def fails(messages, info):
    raise ModelHTTPError(500, 'a', body={'reason': 'down'})


def poor(messages, info):
    return ModelResponse(parts=[TextPart('poor')], usage=RequestUsage(input_tokens=3))


def good(messages, info):
    return ModelResponse(parts=[TextPart('good')])


async def stream_fails(messages, info):
    raise ModelHTTPError(503, 'b')
    yield ''


async def stream_good(messages, info):
    yield 'good'


def is_poor(response: ModelResponse) -> bool:
    return response.text == 'poor'


FAILS, POOR, GOOD = (FunctionModel(one) for one in (fails, poor, good))
S_FAILS, S_GOOD = (FunctionModel(stream_function=one) for one in (stream_fails, stream_good))
EITHER = [is_poor, ModelAPIError]


def attempts(response):
    return [
        [one.model_name, one.provider_name, one.outcome, one.error, one.usage and one.usage.input_tokens]
        for one in response.failed_attempts or ['none']
        if one != 'none'
    ]


def run(model, *capabilities):
    try:
        return attempts(Agent(model, capabilities=capabilities).run_sync('hi').response)
    except FallbackExceptionGroup as group:
        return [type(one).__name__ for one in group.exceptions]


async def streamed(*models):
    async with Agent(FallbackModel(*models)).run_stream('hi') as result:
        await result.get_output()
    return attempts(result.response)


fact('the first answers', run(FallbackModel(GOOD, FAILS)))
fact('a response that is not accepted', run(FallbackModel(POOR, GOOD, fallback_on=EITHER)))
fact('one of each', run(FallbackModel(POOR, FAILS, GOOD, fallback_on=EITHER)))
fact('all fail', run(FallbackModel(POOR, FAILS, fallback_on=EITHER)))
fact('nested', run(FallbackModel(FAILS, FallbackModel(FAILS, GOOD))))
fact('a stream', asyncio.run(streamed(S_FAILS, S_FAILS, S_GOOD)))
fact('a stream of the first', asyncio.run(streamed(S_GOOD, S_FAILS)))
fact('a nested stream', asyncio.run(streamed(S_FAILS, FallbackModel(S_FAILS, S_GOOD))))
fact('a member of a capability', run(FAILS, ModelFallback(FallbackModel(FAILS, GOOD))))
fact(
    'the group of a model in a capability',
    run(FallbackModel(FAILS, FAILS), ModelFallback(GOOD, fallback_on=(FallbackExceptionGroup,))),
)
dumped = Agent(FallbackModel(FAILS, GOOD)).run_sync('hi').all_messages_json()
loaded = ModelMessagesTypeAdapter.validate_json(dumped)
fact('written and read', [sorted(json.loads(dumped)[-1]['failed_attempts'][0]), attempts(loaded[-1])])


def raises(error):
    def respond(messages, info):
        raise error

    return FunctionModel(respond)


for error in (ContentFilterError('no'), OutputTokenLimitExceeded('long')):
    fact(f'{type(error).__name__} in a capability', run(raises(error), ModelFallback(GOOD)))
