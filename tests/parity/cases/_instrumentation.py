"""What the cases on traces share: settings that record, and runs whose trace is printed."""

from _common import error_text
from _otel import Recorder
from pydantic_ai import InstrumentationSettings
from pydantic_ai.capabilities import Instrumentation

IDS = ('gen_ai.agent.call.id', 'gen_ai.conversation.id')
SETUP = ('model_request_parameters', 'gen_ai.tool.definitions', *IDS)
REQUEST = (
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.output_tokens',
    'gen_ai.provider.name',
    'gen_ai.system',
    'gen_ai.request.model',
    'gen_ai.response.model',
    *SETUP,
)


def recording(**options):
    """A recorder of spans, metrics and logs, and settings that write to it."""
    recorder = Recorder()
    settings = InstrumentationSettings(
        tracer_provider=recorder, meter_provider=recorder, logger_provider=recorder, **options
    )
    return recorder, settings


def trace(title, make, *args, without=SETUP, only=None, settings=None, **kwargs):
    """Make an agent with the `Instrumentation` capability, run it, and print the trace."""
    recorder, own_settings = recording(**(settings or {}))
    print('==', title)
    agent = make([Instrumentation(settings=own_settings)])
    try:
        print('  output', repr(agent.run_sync(*args, **kwargs).output))
    except Exception as error:
        print('  error', error_text(error))
    recorder.show(without=without, only=only, texts=(settings or {}).get('include_content', True))
    return recorder
