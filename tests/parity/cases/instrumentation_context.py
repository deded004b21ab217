"""What tools see of the trace, and what results are."""

from _common import fact
from _instrumentation import recording
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel

for options in ({}, {'version': 3}, {'include_content': False}):
    recorder, settings = recording(**options)
    agent = Agent(TestModel(), name='c', instrument=settings)

    @agent.tool
    def t(ctx: RunContext):
        fact('tool', [ctx.trace_include_content, ctx.instrumentation_version, ctx.tracer is settings.tracer])
        with ctx.tracer.start_as_current_span('mine'):
            pass

    result = agent.run_sync('x')
    recorder.show(only=())
    run = next(span for span in recorder.spans if span.parent is None)
    fact('traceparent', result._traceparent() == f'00-{1:032x}-{run.context.span_id:016x}-01')

plain = Agent(TestModel())


@plain.tool
def u(ctx: RunContext):
    fact('untraced', [ctx.trace_include_content, ctx.instrumentation_version])
    with ctx.tracer.start_as_current_span('mine') as span:
        fact('recording', span.is_recording())


result = plain.run_sync('x')
fact('traceparent', result._traceparent(required=False))
try:
    result._traceparent()
except AttributeError:
    fact('required', 'AttributeError')
