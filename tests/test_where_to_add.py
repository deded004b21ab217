"""What `docs/architecture.md` says about where to add things, played on a copy of the package: no other file is touched."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('ruff', reason='the package ruff is not installed')  # it formats the stubs

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / 'scripts'
GATES = ('__init__', 'blocks', 'source', 'test_exports', 'test_layers', 'test_sizes', 'test_words')
"""The tests that read all sources, and what they need."""

HIDE_WORD = '''
"""`HideWord`: keeps a word from the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from ..messages import ToolCallPart


@dataclass
class HideWord(AbstractCapability[AgentDepsT]):
    """Keep a word from the model."""

    word: str = 'secret'
    """The word."""

    async def before_tool_execute(
        self, ctx: RunContext[AgentDepsT], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments without the word."""
        return {name: str(value).replace(self.word, '*') for name, value in args.items()}

    async def after_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        result: Any,
    ) -> Any:
        """Return what the tool returned, without the word."""
        return result.replace(self.word, '*') if isinstance(result, str) else result
'''
USE_HIDE_WORD = """
from stead import Agent
from stead.capabilities import HideWord

agent = Agent.from_spec({'model': 'test', 'capabilities': [{'HideWord': {'word': 'a'}}]})

@agent.tool_plain
def echo(text: str) -> str:
    print(text)
    return 'bcd'.replace('c', 'a')

print(agent.run_sync('go').output)
try:
    Agent.from_spec({'model': 'test', 'capabilities': [{'HideWord': {'wrod': 'a'}}]})
except ValueError as error:
    print('word' in str(error))
"""

ACME = '''
"""Acme, through its OpenAI-compatible API."""

from __future__ import annotations

from ._compatible import CompatibleProvider


class AcmeProvider(CompatibleProvider):
    """The provider for Acme."""

    provider_name = 'acme'
    label = 'Acme'
    api_url = 'https://api.acme.example/v1'
    key_variables: tuple[str, ...] = ('ACME_API_KEY',)


__all__ = ('AcmeProvider',)
'''
USE_ACME = """
from stead.models import infer_model
from stead.providers import infer_provider_class
from stead.exceptions import UserError

print(infer_provider_class('acme').__name__)
try:
    infer_model('acme:coyote')
except UserError as error:
    print('ACME_API_KEY' in str(error))
except ImportError as error:
    print('stead[openai]' in str(error))
"""

ROWS = """
PROMPT = HookPoint('prompt', ('agent_name',), 'prompt', 'prompt', after_sees_value=False)
PULSE = HookPoint('pulse', ('reason',), None, 'result')

POINTS = ("""
METHODS = '''    # Prompts

    async def before_prompt(self, ctx: RunContext[AgentDepsT], *, agent_name: str, prompt: str) -> str:
        """Return the prompt."""
        return prompt

    async def after_prompt(self, ctx: RunContext[AgentDepsT], *, agent_name: str, prompt: str) -> str:
        """Return the prompt."""
        return prompt

    async def wrap_prompt(
        self, ctx: RunContext[AgentDepsT], *, agent_name: str, prompt: str, handler: Callable[[str], Awaitable[str]]
    ) -> str:
        """Run around the prompt."""
        return await handler(prompt)

    async def on_prompt_error(
        self, ctx: RunContext[AgentDepsT], *, agent_name: str, prompt: str, error: Exception
    ) -> str:
        """Raise, or return a prompt."""
        raise error

    async def before_pulse(self, ctx: RunContext[AgentDepsT], *, reason: str) -> None:
        """Observe that it starts."""

    async def after_pulse(self, ctx: RunContext[AgentDepsT], *, reason: str, result: int) -> int:
        """Return the result."""
        return result

    async def wrap_pulse(
        self, ctx: RunContext[AgentDepsT], *, reason: str, handler: Callable[[], Awaitable[int]]
    ) -> int:
        """Run around it."""
        return await handler()

    async def on_pulse_error(self, ctx: RunContext[AgentDepsT], *, reason: str, error: Exception) -> int:
        """Raise, or return a result."""
        raise error

    # Hooks without a lifecycle point
'''
# The call in the loop is in this program, where nothing depends on how the loop is written today.
USE_HOOKS = """
import asyncio
from stead import Agent, RunContext, RunUsage, UserPromptNode
from stead._contracts.hooks import PROMPT, PULSE
from stead.capabilities import AbstractCapability, CombinedCapability, Hooks, WrapperCapability
from stead.capabilities._chain import HookChain
from stead.capabilities.hooks import BeforePromptHookFunc, WrapPulseHookFunc
from stead.models.test import TestModel

context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
log = []
run = UserPromptNode.run

async def run_with_hooks(node, ctx):
    async def use(prompt):
        log.append(prompt)
        return prompt

    if ctx.deps.chain.prompt:
        node.user_prompt = await ctx.deps.chain.call(PROMPT, context, node.user_prompt, use, agent_name='a')
    return await run(node, ctx)

UserPromptNode.run = run_with_hooks

class Louder(AbstractCapability):
    async def before_prompt(self, ctx, *, agent_name, prompt):
        return prompt + '!'

hooks = Hooks(pulse_error=lambda ctx, *, reason, error: log.append(f'{reason} {error!r}') or 7)

@hooks.on.before_prompt
def greet(ctx, *, agent_name, prompt):
    return f'{agent_name}: {prompt}'

@hooks.on.prompt
async def around(ctx, *, agent_name, prompt, handler):
    return await handler(prompt.upper()) + ' end'

result = Agent('test', capabilities=[WrapperCapability(CombinedCapability([Louder(), hooks]))]).run_sync('go')
print(log, result.all_messages()[0].parts[0].content)

@hooks.on.before_pulse
def start(ctx, *, reason):
    log.append('before')

@hooks.on.pulse
async def beat(ctx, *, reason, handler):
    log.append('wrap')
    return await handler()

@hooks.on.after_pulse
def stop(ctx, *, reason, result):
    log.append(f'after {result}')
    return result

async def fail(_):
    log.append('action')
    raise ValueError('no')

log.clear()
print(asyncio.run(HookChain([hooks]).call(PULSE, context, None, fail, reason='why')), log)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the scripts work on."""
    being_written = shutil.ignore_patterns('*.pyc.*')  # compiled files that another process is about to rename
    shutil.copytree(ROOT / 'src', tmp_path / 'src', ignore=being_written)
    shutil.copytree(SCRIPTS, tmp_path / 'scripts', ignore=being_written)
    for room in ('capabilities', 'toolsets'):
        (tmp_path / 'tests' / room).mkdir(parents=True)
    return tmp_path


def run(checkout: Path, *arguments: str, code: int = 0) -> str:
    """Run Python in a copy, and return what it prints."""
    env = {**os.environ, 'PYTHONPATH': str(checkout / 'src'), 'PYTHONWARNINGS': 'error'}
    process = subprocess.run([sys.executable, *arguments], cwd=checkout, env=env, capture_output=True, text=True)
    assert process.returncode == code, process.stdout + process.stderr
    return process.stdout


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding='utf-8')
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding='utf-8')


def test_what_is_written_from_tables_is_up_to_date() -> None:
    assert run(ROOT, str(SCRIPTS / 'write_stubs.py'), '--check') == ''


def add_hide_word(checkout: Path) -> Path:
    """Add a capability to a copy, and return the folder that it is in."""
    package = checkout / 'src' / 'stead' / 'capabilities'
    (package / 'hide_word.py').write_text(HIDE_WORD.lstrip(), encoding='utf-8')
    edit(package / '__init__.py', "    'set_tool_metadata'", "    'hide_word': ('HideWord',),\n    'set_tool_metadata'")
    return package


def add_acme(checkout: Path) -> Path:
    """Add a provider to a copy, and return the folder of the package."""
    package = checkout / 'src' / 'stead'
    (package / 'providers' / 'acme.py').write_text(ACME.lstrip(), encoding='utf-8')
    table = package / 'providers' / '_table.py'
    edit(table, "    'alibaba': Pro", "    'acme': ProviderRow('acme', 'AcmeProvider'),\n    'alibaba': Pro")
    return package


def add_hook_points(checkout: Path) -> None:
    """Add two hook points to a copy."""
    contracts = checkout / 'src' / 'stead' / '_contracts'
    edit(contracts / 'hooks.py', '\nPOINTS = (', ROWS)
    edit(contracts / 'hooks.py', 'OUTPUT_PROCESS)', 'OUTPUT_PROCESS, PROMPT, PULSE)')
    edit(contracts / 'capability.py', '    # Hooks without a lifecycle point\n', METHODS)
    edit(contracts / 'capability.py', 'import AsyncIterable, Callable', 'import AsyncIterable, Awaitable, Callable')


def test_a_capability_is_a_file_and_a_row(checkout: Path) -> None:
    package = add_hide_word(checkout)
    stale = run(checkout, 'scripts/write_stubs.py', '--check', code=1)
    assert stale == f'{Path("src/stead/capabilities/__init__.pyi")} is out of date: run `make stubs`\n'
    run(checkout, 'scripts/write_stubs.py')
    assert 'from .hide_word import HideWord as HideWord\n' in (package / '__init__.pyi').read_text(encoding='utf-8')
    assert run(checkout, '-c', USE_HIDE_WORD).splitlines() == ['*', '{"echo":"b*d"}', 'True']


def test_a_provider_is_a_file_and_a_row(checkout: Path) -> None:
    (checkout / 'docs').mkdir()
    page = Path(shutil.copy(ROOT / 'docs' / 'models.md', checkout / 'docs'))
    package = add_acme(checkout)
    run(checkout, 'scripts/write_known_names.py')
    names = (package / 'models' / '_known_names.py').read_text(encoding='utf-8')
    assert re.search(r"OpenAIChatCompatibleProvider = TypeAliasType\([^)]*'acme'", names)
    assert '`ACME_API_KEY`' in page.read_text(encoding='utf-8')
    assert run(checkout, 'scripts/write_stubs.py', '--check') == ''
    assert run(checkout, '-c', USE_ACME).splitlines() == ['AcmeProvider', 'True']


def test_a_hook_point_is_a_row_its_methods_and_a_call(checkout: Path) -> None:
    add_hook_points(checkout)
    written = run(checkout, 'scripts/write_stubs.py').splitlines()
    assert [Path(line.split()[1]).name for line in written] == ['_hook_functions.py', '_chain.py']
    assert run(checkout, 'scripts/write_stubs.py', '--check') == ''
    assert run(checkout, '-c', USE_HOOKS).splitlines() == [
        "['A: GO!'] A: GO! end",
        # Nothing goes in, but the rules of a whole run are in columns of their own: `before` is outside of `wrap`.
        "7 ['before', 'wrap', 'action', \"why ValueError('no')\", 'after 7']",
    ]


def test_what_is_added_passes_the_gates(checkout: Path) -> None:
    """The samples above and what `scripts/new.py` writes meet the tests that read all sources, as a contributor's would."""
    shutil.copytree(ROOT / 'docs', checkout / 'docs')
    for name in ('CONTRIBUTING.md', 'README.md', 'pyproject.toml', *(f'tests/{each}.py' for each in GATES)):
        shutil.copy(ROOT / name, checkout / name)
    add_hide_word(checkout)
    add_acme(checkout)
    add_hook_points(checkout)
    run(checkout, 'scripts/new.py', 'capability', 'HTTPAudit')
    run(checkout, 'scripts/new.py', 'toolset', 'Sluggish')
    run(checkout, 'scripts/write_known_names.py')
    gates = [f'tests/{name}.py' for name in GATES if name.startswith('test_')]
    assert 'passed' in run(checkout, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *gates)
    if importlib.util.find_spec('ruff') is not None:
        run(checkout, '-m', 'ruff', 'check', '--no-cache', 'src')
        run(checkout, '-m', 'ruff', 'format', '--no-cache', '--check', 'src')


@pytest.mark.parametrize(
    ('kind', 'name', 'files'),
    [
        ('capability', 'HTTPAudit', ['capabilities/http_audit.py', 'capabilities/test_http_audit.py']),
        ('toolset', 'Sluggish', ['toolsets/sluggish.py', 'toolsets/test_sluggish.py']),
    ],
)
def test_scaffolds_work_as_they_are_written(checkout: Path, kind: str, name: str, files: list[str]) -> None:
    wrote = {Path(line.split()[1]) for line in run(checkout, 'scripts/new.py', kind, name).splitlines()}
    assert {Path(*path.parts[-2:]).as_posix() for path in wrote if '__init__' not in path.name} == set(files)
    (test,) = (path for path in wrote if path.name.startswith('test_'))
    assert 'passed' in run(checkout, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', str(test))
    if importlib.util.find_spec('ruff') is not None:
        shutil.copy(ROOT / 'pyproject.toml', checkout)
        run(checkout, '-m', 'ruff', 'check', '--no-cache', *map(str, wrote))
        run(checkout, '-m', 'ruff', 'format', '--no-cache', '--check', *map(str, wrote))


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (('capability', 'redact'), 'NAME must be the name of a class'),
        (('capability', ''), 'NAME must be the name of a class'),
        (('capability', 'NativeOrLocal'), 'native_or_local.py already exists'),
        (('toolset', 'FastmcpToolset'), 'fastmcp.py already exists'),
        (('model', 'Redact'), r'usage: new.py capability\|toolset NAME'),
        ((), r'usage: new.py capability\|toolset NAME'),
    ],
)
def test_scaffolds_say_what_they_need(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    with pytest.raises(SystemExit, match=message):
        importlib.import_module('new').main(list(arguments))
