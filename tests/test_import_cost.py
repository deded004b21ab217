"""Importing `Agent` loads nothing that a run may never need."""

from __future__ import annotations

import sys

import pytest

from .loading import run_program

HEAVY = (
    'anthropic',
    'anyio',
    'boto3',
    'cohere',
    'cryptography',
    'fastmcp',
    'genai_prices',
    'google.genai',
    'griffe',
    'groq',
    'grpc',
    'httpx',
    'huggingface_hub',
    'jinja2',
    'logfire',
    'mcp',
    'mistralai',
    'openai',
    'opentelemetry',
    'opentelemetry.sdk',
    'outlines',
    'psycopg',
    'rich',
    'starlette',
    'tenacity',
    'xai_sdk',
    'yaml',
)
AGENT = 'from stead import Agent'
RUN = """
from stead import Agent
agent = Agent('test')

@agent.tool_plain
async def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

assert agent.run_sync('go').output == '{"add":0}'
"""
PYDANTIC = """
from pydantic import BaseModel

class Model(BaseModel):
    a: int
"""
DROPIN = 'import stead.dropin; stead.dropin.install(); from pydantic_ai import Agent'


@pytest.mark.parametrize('code', [AGENT, RUN, DROPIN], ids=['agent', 'run', 'dropin'])
def test_nothing_heavy_is_loaded(code: str) -> None:
    program = f'{code}\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules])'
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


def test_no_validator_is_made_on_import() -> None:
    """The first validator of a program loads what looks for plugins of pydantic: metadata of packages, e-mail, zip files."""
    program = (
        f'import sys; before = set(sys.modules)\n{AGENT}\nprint("pydantic.plugin._loader" in set(sys.modules) - before)'
    )
    assert run_program(program).stdout.strip() == 'False'


def test_the_package_itself_loads_no_pydantic() -> None:
    program = "import stead, sys; print('pydantic' in sys.modules)"
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('False', '')


NOT_BEFORE_AN_AGENT = (
    'asyncio',
    'concurrent.futures',
    'logging',
    'pydantic.fields',
    'queue',
    'ssl',
    'stead._calls.batch',
    'stead._contracts.facts',
    'stead._kit.aio',
    'stead._loop.nodes',
    'stead._streams.events',
    'stead.agent._plan',
    'stead.agent._rare_options',
    'stead.agent._scope',
    'stead.capabilities._chain',
    'stead.messages._media',
    'stead.run',
)


def test_what_runs_an_agent_is_not_loaded_by_an_import() -> None:
    # Older releases of pydantic load asyncio themselves.
    program = f"""
import sys, pydantic
from pydantic import BaseModel
before = {{*sys.modules}}
{AGENT}
print([name for name in {NOT_BEFORE_AN_AGENT!r} if name in {{*sys.modules}} - before])
"""
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


FIRST_RUN = """
import asyncio, sys
from stead import Agent
agent = Agent('test')

@agent.tool_plain
async def add(a: int, b: int) -> int:
    return a + b

before = {*sys.modules}
asyncio.run(agent.run('go'))
print(sorted(name for name in {*sys.modules} - before if name.startswith('stead.')))
"""


def test_the_event_loop_does_not_wait_for_modules_in_a_first_run() -> None:
    process = run_program(FIRST_RUN)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


HINTS = """
from typing import get_type_hints
from stead import Agent

hints = get_type_hints(Agent.run)
from stead.run import AgentRunResult

assert hints['return'].__origin__ is AgentRunResult
for name in ('iter', 'run_sync', 'run_stream', 'run_stream_sync', 'run_stream_events', 'override', '__init__'):
    assert get_type_hints(getattr(Agent, name))
for name in ('is_user_prompt_node', 'is_model_request_node', 'is_call_tools_node', 'is_end_node', 'using_thread_executor'):
    assert get_type_hints(getattr(Agent, name))
"""


def test_what_is_not_loaded_yet_has_its_type_hints() -> None:
    assert run_program(HINTS).stderr == ''


NOT_BY_PLAIN_RUNS = (
    'email',
    'pydantic.plugin._loader',
    'stead._deferral.catalog',
    'stead._deferral.loading',
    'stead._deferral.ranking',
    'stead._deferral.toolsets',
    'stead._deferral.wrappers',
    'stead._streams.response',
    'stead.agent._explain',
    'stead.agent._rare_options',
    'stead.agent._streaming',
    'stead.agent.wrapper',
    'stead.capabilities.capability',
    'stead.messages._media',
    'stead.models.instrumented',
    'stead.result',
    'stead.toolsets._dynamic',
    'stead.toolsets.approval_required',
    'stead.toolsets.combined',
    'stead.toolsets.filtered',
    'stead.toolsets.prepared',
)
PLAIN_RUN = """
from stead import Agent
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel

def answer(messages, info):
    return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else ToolCallPart('double', {'x': 2})])

agent = Agent(FunctionModel(answer))

@agent.tool_plain
async def double(x: int, names: list[str] | None = None) -> int:
    "Double a number."
    return 2 * x

import asyncio
assert asyncio.run(agent.run('go')).output == 'done'
"""


def test_a_plain_run_loads_nothing_that_it_does_not_need() -> None:
    program = f'{PLAIN_RUN}\nimport sys; print([name for name in {NOT_BY_PLAIN_RUNS!r} if name in sys.modules])'
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


COMPILED = f"""
{PLAIN_RUN.partition('assert asyncio.run(')[0]}
import sys
EMPTY = b'def __create_fn__(): return ()'  # which dataclasses of Python 3.13 compile where no method is to be written

def note(event, args):
    # What has a file is a module whose compiled code is not kept yet.
    if event == 'compile' and str(args[1]).startswith('<') and b' '.join(bytes(args[0]).split()) != EMPTY:
        compiled.append(args[0])

compiled = []
sys.addaudithook(note)
asyncio.run(agent.run('go'))
print(compiled)
"""


def test_the_event_loop_compiles_nothing_in_a_first_run() -> None:
    process = run_program(COMPILED)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


OPENED = """
import importlib, json, sys
import stead.messages, stead.models.test, stead.usage

modules = [importlib.import_module(name) for name in ('stead', 'stead.messages', 'stead.models', 'stead.tools')]
for module in modules:
    hasattr(module, 'NewPartOf2x')
opened, calls = [], []
sys.addaudithook(lambda event, args: event in ('open', 'os.listdir', 'os.scandir', 'import') and opened.append((event, args)))

def note(frame, event, argument):
    if event in ('call', 'c_call'):
        calls.append(frame.f_code.co_name)

for module in [*modules, stead.models.test, stead.usage]:
    sys.setprofile(note)
    found = hasattr(module, 'NewPartOf2y'), getattr(module, 'NewPartOf2y', None)
    sys.setprofile(None)
    assert found == (False, None)
print(opened, max(len(calls) // 12, 0))
"""


def test_a_name_that_a_module_lacks_opens_no_file_and_takes_few_calls() -> None:
    process = run_program(OPENED)
    assert process.stderr == ''
    opened, _, calls = process.stdout.strip().rpartition(' ')
    assert opened == '[]'
    assert int(calls) <= 7


COUNTED = """
import sys
calls = 0

def note(frame, event, argument):
    global calls
    calls += event in ('call', 'c_call')

code = compile(sys.argv[1], 'program', 'exec')
sys.setprofile(note)
exec(code, {'__name__': '__main__'})
sys.setprofile(None)
print(calls)
"""
MOST_OF_PYDANTIC = {AGENT: 1.8, RUN: 2.3 if sys.version_info < (3, 12) else 2.55}
"""The calls of a program, as a multiple of those of bare pydantic, which takes an eighth fewer since comprehensions are no calls. By
time, which is to stay under 1.9 and 2.6, they are 1.7 and 2.4."""


@pytest.mark.parametrize('code', MOST_OF_PYDANTIC, ids=['import', 'first run'])
def test_a_start_makes_few_calls_beside_bare_pydantic(code: str) -> None:
    def calls(program: str) -> int:
        # The first process of a fresh environment may compile modules.
        return min(int(run_program(COUNTED, program).stdout.split()[-1]) for _ in range(2))

    assert calls(code) / calls(PYDANTIC) <= MOST_OF_PYDANTIC[code]
