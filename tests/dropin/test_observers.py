"""Packages that watch runs by replacing methods write the spans that they write of the mirrored package.

Their spans were recorded there: of a run, a run in a loop of the caller's, a stream, and a run whose tool raises. The packages are
needed for nothing else: `make test-tracers` installs them, and requires that no test is skipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

AGENTS = """
def watched():
    import asyncio
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    agent, bad = Agent(TestModel(), name='watched'), Agent(TestModel(), name='bad')

    @agent.tool_plain
    def add(x: int) -> int:
        return x + 1

    @bad.tool_plain
    def fail(x: int) -> int:
        raise OSError('no disk')

    async def streamed():
        async with agent.run_stream('hi') as result:
            return await result.get_output()

    assert agent.run_sync('hi').output == '{"add":1}'
    assert asyncio.run(agent.run('hi')).output == '{"add":1}'
    assert asyncio.run(streamed()) == '{"add":1}'
    try:
        bad.run_sync('hi')
    except OSError:
        pass

"""
PROGRAMS = {
    'sentry_sdk': """
import sentry_sdk
from sentry_sdk.integrations.pydantic_ai import PydanticAIIntegration
from sentry_sdk.transport import Transport

class Kept(Transport):
    def __init__(self, options=None):
        super().__init__(options)

    def capture_envelope(self, envelope):
        for item in envelope.items:
            spans.extend(span['name'] for span in (item.payload.json or {}).get('items', ()) if item.type == 'span')

dsn = 'https://key@sentry.example/1'
sentry_sdk.init(dsn=dsn, transport=Kept, traces_sample_rate=1.0, integrations=[PydanticAIIntegration()])
with sentry_sdk.start_transaction(name='program', op='test'):
    watched()
sentry_sdk.flush()
""",
    'braintrust': """
import braintrust
from braintrust import logger
from braintrust.test_helpers import simulate_login
from braintrust.wrappers.pydantic_ai import setup_pydantic_ai

simulate_login()
with logger._internal_with_memory_background_logger() as kept:
    assert setup_pydantic_ai()
    braintrust.init_logger(project='p', project_id='00000000-0000-0000-0000-000000000000')
    watched()
    spans.extend(span['span_attributes']['name'] for span in kept.pop())
""",
    'ddtrace': """
import logging
import os

os.environ['DD_TRACE_AGENT_URL'] = 'http://127.0.0.1:9'
logging.disable(logging.CRITICAL)
from ddtrace import tracer
from ddtrace.contrib.internal.pydantic_ai.patch import patch
from ddtrace.trace import TraceFilter

kept = []

class Kept(TraceFilter):
    def process_trace(self, trace):
        kept.extend(trace)

tracer.configure(trace_processors=[Kept()])
patch()
watched()
tracer.flush()
spans.extend(f'{span.name} {span.resource}' for span in sorted(kept, key=lambda span: span.start_ns))
""",
    'mlflow': """
import logging
import os
import tempfile

os.environ['MLFLOW_TRACKING_URI'] = f'sqlite:///{tempfile.mkdtemp()}/mlflow.db'
logging.disable(logging.CRITICAL)
import mlflow.pydantic_ai
from mlflow.entities.span import LiveSpan

begin = LiveSpan.__init__

def begun(self, *args, **options):
    begin(self, *args, **options)
    spans.append(self.name)

LiveSpan.__init__ = begun
mlflow.pydantic_ai.autolog()
watched()
""",
}
CHATS = ['chat test', 'execute_tool add', 'chat test']
OF_BRAINTRUST = ['chat test', 'add', 'chat test']
OF_MLFLOW = ['TestModel.request', 'ToolManager.execute_tool_call', 'TestModel.request']
SPANS = {
    'sentry_sdk': [
        *(['invoke_agent watched', *CHATS] * 3),
        *['invoke_agent bad', 'chat test', 'execute_tool fail'],
    ],
    'braintrust': [
        *['agent_run_sync [watched]', 'agent_run [watched]', *OF_BRAINTRUST, 'add'],  # the last from the messages
        *['agent_run [watched]', *OF_BRAINTRUST, 'agent_run_stream [watched]', *OF_BRAINTRUST],
        *['agent_run_sync [bad]', 'agent_run [bad]', 'chat test', 'fail'],
    ],
    'ddtrace': [
        *(['pydantic_ai.agent watched', 'pydantic_ai.tool add'] * 3),
        *['pydantic_ai.agent bad', 'pydantic_ai.tool fail'],
    ],
    'mlflow': [
        *['Agent.run_sync', 'Agent.run', *OF_MLFLOW, 'Agent.run', *OF_MLFLOW, 'Agent.run_stream', *OF_MLFLOW],
        *['Agent.run_sync', 'Agent.run', *OF_MLFLOW[:2]],
    ],
}


@pytest.mark.parametrize('package', PROGRAMS)
def test_its_spans_are_those_of_the_mirrored_package(package: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(package) is None:
        assert not os.environ.get('STEAD_NEEDS_TRACERS'), f'{package} must be installed'
        pytest.skip(f'{package} is not installed')
    program = tmp_path / 'program.py'
    end = "\nimport json\nprint('spans', json.dumps(spans))\n"
    program.write_text(f'spans = []\n{AGENTS}{PROGRAMS[package]}{end}', encoding='utf-8')
    command = [sys.executable, '-m', 'stead.dropin', str(program)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    printed = [line for line in ran.stdout.splitlines() if line.startswith('spans ')]
    assert printed, ran.stderr
    assert json.loads(printed[0][6:]) == SPANS[package]
