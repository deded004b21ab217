"""Importing `Agent` loads nothing that a run may never need."""

from __future__ import annotations

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
DROPIN = 'import stead.dropin; stead.dropin.install(); from pydantic_ai import Agent'


@pytest.mark.parametrize('code', [AGENT, RUN, DROPIN], ids=['agent', 'run', 'dropin'])
def test_nothing_heavy_is_loaded(code: str) -> None:
    program = f'{code}\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules])'
    done = run_program(program)
    assert (done.stdout.strip(), done.stderr) == ('[]', '')


def test_no_validator_is_made_on_import() -> None:
    """The first validator of a program loads what looks for plugins of pydantic: metadata of packages, e-mail, zip files."""
    program = (
        f'import sys; before = set(sys.modules)\n{AGENT}\nprint("pydantic.plugin._loader" in set(sys.modules) - before)'
    )
    assert run_program(program).stdout.strip() == 'False'


def test_the_package_itself_loads_no_pydantic() -> None:
    program = "import stead, sys; print('pydantic' in sys.modules)"
    done = run_program(program)
    assert (done.stdout.strip(), done.stderr) == ('False', '')
