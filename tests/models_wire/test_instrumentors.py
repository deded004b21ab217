"""Packages that trace SDKs still see what they expect: the typed method, with the objects of the SDK."""

from __future__ import annotations

import importlib.util

import pytest

from tests.loading import run_program

START = """
import asyncio, sys, warnings
warnings.simplefilter('ignore')
sys.path.insert(0, 'tests/models_wire')
from _in_process import MAKERS
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from stead.messages import ModelRequest
from stead.models import ModelRequestParameters

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
"""
END = """
for vendor in ('openai', 'openai-responses'):
    model, wire = MAKERS[vendor]()
    asyncio.run(model.request([ModelRequest.user_text_prompt('hi')], None, ModelRequestParameters()))
    exporter.get_finished_spans()
print(sorted({str(value) for span in exporter.get_finished_spans() for value in (span.attributes or {}).values()}))
"""
PROGRAMS = {
    'openinference.instrumentation.openai': """
from openinference.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)
""",
    'wrapt': """
import wrapt

def watch(wrapped, instance, args, options):
    with provider.get_tracer('of-ours').start_as_current_span('call') as span:
        span.set_attribute('model', options['model'])
    return wrapped(*args, **options)

wrapt.wrap_function_wrapper('openai.resources.chat.completions', 'AsyncCompletions.create', watch)
wrapt.wrap_function_wrapper('openai.resources.responses', 'AsyncResponses.create', watch)
""",
}


def installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize('package', PROGRAMS)
def test_a_package_that_traces_the_sdk_sees_requests(package: str) -> None:
    if not installed(package) or not installed('openai'):
        pytest.skip(f'{package} is not installed')
    done = run_program(START + PROGRAMS[package] + END)
    assert done.returncode == 0, done.stderr
    assert 'gpt-4o' in done.stdout
    assert 'gpt-5' in done.stdout
