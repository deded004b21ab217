"""Version 1 with its events as log records."""

from _common import call, script
from _instrumentation import recording, trace
from _otel import Recorder
from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import TextPart


def make(capabilities):
    agent = Agent(
        script([call('t', {'n': 1}), TextPart('z')], [TextPart('done')]),
        name='u',
        instructions='i',
        capabilities=capabilities,
    )

    @agent.tool_plain
    def t(n: int):
        return {'a': [n]}

    return agent


for content in (True, False):
    trace(
        f'content {content}', make, 'x', settings={'version': 1, 'event_mode': 'logs', 'include_content': content}
    ).show_logs()
unsampled = Recorder()
settings = InstrumentationSettings(meter_provider=unsampled, logger_provider=unsampled, version=1, event_mode='logs')
make([Instrumentation(settings)]).run_sync('x')
unsampled.show_logs()
unsampled.show_metrics()
recorder, settings = recording(version=2, event_mode='logs')
print(settings.version, settings.event_mode)
