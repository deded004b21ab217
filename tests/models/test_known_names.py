"""What follows from the table of providers: the names that type checkers know, the page, and a provider that is added."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from scripts import write_known_names as script
from stead.models import KnownModelName, Model, OpenAIChatCompatibleProvider, infer_model
from stead.models.openai import OpenAIChatModel
from stead.providers import PROVIDERS, infer_provider_class
from stead.providers._compatible import CompatibleProvider

ROOT = Path(__file__).parents[2]
BEING_WRITTEN = shutil.ignore_patterns('*.pyc.*')
"""Compiled files that another process is about to rename; those that are whole save each process from compiling all of stead."""
NAMES: tuple[str, ...] = get_args(KnownModelName.__value__)
PREFIXES = sorted({name.partition(':')[0] for name in NAMES})
KEYS = (
    'OPENAI',
    'ANTHROPIC',
    'GOOGLE',
    'GROQ',
    'MISTRAL',
    'XAI',
    'CEREBRAS',
    'DEEPSEEK',
    'GROK',
    'MOONSHOTAI',
    'CRUSOE',
    'META',
    'ZAI',
)
PACKAGES = {
    'anthropic': 'anthropic',
    'bedrock': 'boto3',
    'google': 'google.genai',
    'google-cloud': 'google.genai',
    'cohere': 'cohere',
    'groq': 'groq',
    'huggingface': 'huggingface_hub',
    'local': 'xllamacpp',
    'mistral': 'mistralai',
    'test': 'pydantic',
    'xai': 'xai_sdk',
}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(f'{name}_API_KEY', 'k-of-ours')
    monkeypatch.setenv('CO_API_KEY', 'k-of-ours')
    monkeypatch.setenv('HF_TOKEN', 'hf_k_of_ours')
    monkeypatch.setenv('HEROKU_INFERENCE_KEY', 'k-of-ours')
    monkeypatch.setenv('SNOWFLAKE_ACCOUNT', 'ours')
    monkeypatch.setenv('SNOWFLAKE_TOKEN', 'k-of-ours')
    monkeypatch.setenv('AWS_DEFAULT_REGION', 'us-east-1')
    monkeypatch.setenv('PYDANTIC_AI_GATEWAY_API_KEY', 'pylf_v1_us_0123456789')


@pytest.mark.usefixtures('keys')
@pytest.mark.filterwarnings('ignore:`GrokProvider` is an old name:DeprecationWarning')
@pytest.mark.parametrize('prefix', PREFIXES)
def test_every_known_name_is_taken(prefix: str) -> None:
    package = PACKAGES.get(prefix.removeprefix('gateway/'), 'openai')
    pytest.importorskip(package, reason=f'the package {package} is not installed')
    for name in NAMES:
        if name.partition(':')[0] == prefix:
            assert isinstance(infer_model(name), Model)


def test_what_is_written_is_what_the_table_says() -> None:
    assert script.MODULE.read_text(encoding='utf-8') == script.module_of(PROVIDERS), 'run `make known-names`'
    page = script.PAGE.read_text(encoding='utf-8')
    assert page == script.page_of(PROVIDERS, page), 'run `make known-names`'


def test_names_appear_when_their_provider_does() -> None:
    names = script.known_names(PROVIDERS)
    assert {name.partition(':')[0] for name in names} == set(PREFIXES)
    assert len(names) == len(set(names)) > 500
    assert 'bedrock:us.amazon.nova-pro-v1:0' in names
    without = {name: row for name, row in PROVIDERS.items() if name != 'anthropic'}
    assert not [name for name in script.known_names(without) if 'anthropic:' in name]


@pytest.mark.parametrize('name', PROVIDERS)
def test_providers_that_speak_openais_protocol_are_known_as_such(name: str) -> None:
    cls = infer_provider_class(name)
    compatible = issubclass(cls, CompatibleProvider) and cls.provider_name != 'openai'
    assert (name in get_args(OpenAIChatCompatibleProvider.__value__)) == compatible
    assert not PROVIDERS[name].responses or compatible


PROVIDER = '''
"""A provider for a test."""

from ._compatible import CompatibleProvider


class ThrowawayProvider(CompatibleProvider):
    """A provider for a test."""

    provider_name = 'throwaway'
    label = 'Throwaway'
    api_url = 'https://throwaway.example/v1'
    key_variables = ('THROWAWAY_API_KEY',)


__all__ = ('ThrowawayProvider',)
'''
USE = """
import os, stead
from pathlib import Path
from typing import get_args
from stead.models import OpenAIChatCompatibleProvider, infer_model, infer_model_profile

os.environ['THROWAWAY_API_KEY'] = 'k'
model = infer_model('throwaway:x')
print(Path(stead.__file__).parents[2], type(model).__name__, model.system, model.model_name, model.base_url)
print(infer_model_profile('throwaway:x').json_schema_transformer.__name__)
print('throwaway' in get_args(OpenAIChatCompatibleProvider.__value__))
"""


def test_a_provider_is_a_file_and_a_row(tmp_path: Path) -> None:
    """It is added to a copy of stead, whose written files follow with `make known-names`."""
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    for folder in ('src', 'scripts', 'docs'):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=BEING_WRITTEN)
    providers = tmp_path / 'src' / 'stead' / 'providers'
    (providers / 'throwaway.py').write_text(PROVIDER.lstrip(), encoding='utf-8')
    table = (providers / '_table.py').read_text(encoding='utf-8')
    start = 'PROVIDERS: dict[str, ProviderRow] = {\n'
    assert start in table
    row = f"{start}    'throwaway': ProviderRow('throwaway', 'ThrowawayProvider'),\n"
    (providers / '_table.py').write_text(table.replace(start, row), encoding='utf-8')

    def run(*arguments: Any) -> list[str]:
        program = [sys.executable, *map(str, arguments)]
        path = {'PYTHONPATH': str(tmp_path / 'src')}
        process = subprocess.run(program, capture_output=True, text=True, env={**os.environ, **path}, cwd=tmp_path)
        assert (process.stderr, process.returncode) == ('', 0)
        return process.stdout.splitlines()

    facts = f'{tmp_path} {OpenAIChatModel.__name__} throwaway x https://throwaway.example/v1/'
    assert run('-c', USE) == [facts, 'OpenAIJsonSchemaTransformer', 'False']
    assert run(tmp_path / 'scripts' / 'write_known_names.py') == []
    assert run('-c', USE) == [facts, 'OpenAIJsonSchemaTransformer', 'True']
    page = (tmp_path / 'docs' / 'models.md').read_text(encoding='utf-8')
    assert '| `throwaway` | `THROWAWAY_API_KEY` | `openai` | `OpenAIChatModel` |\n' in page
