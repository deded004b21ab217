"""Packages that trace SDKs see what they see of the typed methods, though requests go past those otherwise.

The packages are not needed for anything else: `make test-tracers` installs them, and requires that no test is skipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
from typing import Any

import pytest

from tests.loading import run_program

START = """
import asyncio, json, sys, warnings
warnings.simplefilter('ignore')
sys.path[:0] = ['.', 'tests/models_wire']
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
seen = []

def ask(vendor, wire):
    # What is imported here loads the SDK, which is too early for packages that wait for it.
    from _in_process import MAKERS
    from test_costs import ANSWERS
    from stead.messages import ModelRequest
    from stead.models import ModelRequestParameters

    def answer(body):
        streams = body.get('stream') or 'labels' in body
        answered = ANSWERS[vendor](2 if streams else 0)(body)
        # Google's SDK reads no names of events.
        return answered.replace(b'event: \\n', b'') if streams and vendor == 'google' else answered

    model, _ = MAKERS[vendor](answer, settings={'wire': wire})
    sent, params = [ModelRequest.user_text_prompt('hi there')], ModelRequestParameters()
    # Google has the kind of answer in its path, which a transport in this process does not show.
    streaming = {'extra_body': {'labels': {'stream': '1'}}} if vendor == 'google' else None

    async def both():
        await model.request(sent, None, params)
        async with model.request_stream(sent, streaming, params) as stream:
            async for _ in stream:
                pass

    asyncio.run(both())

def show(vendor, wire):
    exporter.clear()
    ask(vendor, wire)
    spans = exporter.get_finished_spans()
    seen.append({'vendor': vendor, 'wire': wire, 'spans': [[span.name, dict(span.attributes)] for span in spans]})

VENDORS = json.loads(sys.argv[1])
if len(sys.argv) > 2:
    for vendor in VENDORS:
        show(vendor, 'auto')
"""
END = """
for vendor in VENDORS:
    for wire in ('auto', 'sdk'):
        show(vendor, wire)
print(json.dumps(seen, default=str))
"""
OPENAI = ('openai', 'openai-responses')
PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    'openinference.instrumentation.openai': (
        OPENAI,
        """
from openinference.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)
""",
    ),
    'openinference.instrumentation.anthropic': (
        ('anthropic',),
        """
from openinference.instrumentation.anthropic import AnthropicInstrumentor
AnthropicInstrumentor().instrument(tracer_provider=provider)
""",
    ),
    'openinference.instrumentation.google_genai': (
        ('google',),
        """
from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor
GoogleGenAIInstrumentor().instrument(tracer_provider=provider)
""",
    ),
    'opentelemetry.instrumentation.openai_v2': (
        ('openai',),  # it does not know the other API
        """
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)
""",
    ),
    'langfuse': (
        OPENAI,
        """
from langfuse import Langfuse
Langfuse(public_key='p', secret_key='s', tracer_provider=provider, span_exporter=InMemorySpanExporter())
import langfuse.openai
""",
    ),
    'wrapt': (
        OPENAI,
        """
import wrapt

def watch(wrapped, instance, args, options):
    with provider.get_tracer('of-ours').start_as_current_span('call') as span:
        span.set_attribute('asked', json.dumps([options['model'], options.get('messages', options.get('input'))]))
    return wrapped(*args, **options)

@wrapt.when_imported('openai.resources.chat.completions')
def chat(module):
    wrapt.wrap_function_wrapper(module, 'AsyncCompletions.create', watch)

@wrapt.when_imported('openai.resources.responses')
def responses(module):
    wrapt.wrap_function_wrapper(module, 'AsyncResponses.create', watch)
""",
    ),
}
MODELS = {
    'openai': 'gpt-4o',
    'openai-responses': 'gpt-5',
    'anthropic': 'claude-opus-4-5',
    'google': 'gemini-2.5-flash',
}
SDKS = {'openai': 'openai', 'openai-responses': 'openai', 'anthropic': 'anthropic', 'google': 'google.genai'}
OF_THE_MOMENT = ('langfuse.observation.completion_start_time',)
NOT_SHOWN = {
    'opentelemetry.instrumentation.openai_v2': ['hi there'],
    'openinference.instrumentation.google_genai': list(MODELS.values()),
    'langfuse': list(MODELS.values()),
}
"""What the packages do not show by default; the latter two show the model of the response instead of that of the request."""


def installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize('late', [False, True], ids=['before', 'late'])
@pytest.mark.parametrize('package', PROGRAMS)
def test_a_package_that_traces_the_sdk_sees_all_of_it(package: str, late: bool) -> None:
    vendors, program = PROGRAMS[package]
    missing = [module for module in (package, *(SDKS[vendor] for vendor in vendors)) if not installed(module)]
    if missing:
        assert not os.environ.get('STEAD_NEEDS_TRACERS'), f'{missing} must be installed'
        pytest.skip(f'{missing} are not installed')
    process = run_program(START + program + END, json.dumps(vendors), *(['late'] if late else []))
    assert process.returncode == 0, process.stderr
    seen: list[dict[str, Any]] = json.loads(process.stdout.splitlines()[-1])
    if late:  # the first requests went past the typed method, and turning the tracing on was noticed
        assert all(entry['spans'] == [] for entry in seen[: len(vendors)])
        seen = seen[len(vendors) :]
    spans: dict[tuple[str, str], Any] = {}
    for entry in seen:
        for _, attributes in entry['spans']:
            for name in OF_THE_MOMENT:
                attributes.pop(name, None)
        spans[entry['vendor'], entry['wire']] = entry['spans']
    for vendor in vendors:
        assert len(spans[vendor, 'auto']) == 2, 'a request and a stream'
        assert spans[vendor, 'auto'] == spans[vendor, 'sdk']
        for text in (MODELS[vendor], 'hi there'):
            if text not in NOT_SHOWN.get(package, []):
                assert all(text in json.dumps(span) for span in spans[vendor, 'auto']), text
