"""Spans inside of spans: an agent in a tool of another, a traced model in a tool, and whose run each span belongs to."""

from _instrumentation import trace
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.test import TestModel


def make(capabilities):
    inner = Agent(TestModel(), name='inner', capabilities=capabilities)
    outer = Agent(TestModel(), name='outer', capabilities=capabilities)
    model = InstrumentedModel(TestModel(), capabilities[0].settings)

    @outer.tool_plain
    async def ask():
        await model.request([ModelRequest(parts=[UserPromptPart('hey')])], None, ModelRequestParameters())
        return (await inner.run('q')).output

    return outer


recorder = trace('nested', make, 'x')
runs = {}
for span in recorder.spans:
    run = runs.setdefault(span.attributes['gen_ai.agent.call.id'], len(runs))
    print(span.name, run, span.attributes['gen_ai.agent.name'], len(span.attributes['gen_ai.conversation.id']))
