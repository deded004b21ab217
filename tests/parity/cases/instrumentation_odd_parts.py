"""Objects in requests that are not parts of requests are not shown, and do not break the request."""

import asyncio

from _instrumentation import recording
from pydantic_ai.messages import ModelRequest, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.test import TestModel


class Answers(TestModel):
    async def request(self, *args):
        return await super().request([ModelRequest.user_text_prompt('x')], *args[1:])


odd = TextPart('odd')
messages = [
    ModelRequest(parts=[odd, UserPromptPart('x'), odd, SystemPromptPart('y')]),
    ModelRequest(parts=[odd]),
    ModelRequest.user_text_prompt('z'),
]
for version in (1, 2, 4):
    recorder, settings = recording(version=version)
    asyncio.run(InstrumentedModel(Answers(), settings).request(messages, {}, ModelRequestParameters()))
    recorder.show(only=('events', 'gen_ai.input.messages'))
