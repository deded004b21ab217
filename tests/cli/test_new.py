"""`stead new`: a project that works as it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stead._cli import main
from stead._cli.new import files


def new(*arguments: str) -> int:
    return main(['new', *arguments])


def run_tests(folder: Path) -> str:
    """Run the tests of a project; return what they print."""
    command = [
        sys.executable,
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        '-p',
        'no:xdist',
        '-p',
        'no:hypothesispytest',
    ]
    environment = {name: value for name, value in os.environ.items() if name != 'OPENAI_API_KEY'}
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return process.stdout


def test_the_tests_of_a_new_project_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert new('my-shop', '--model', 'openai:gpt-5') == 0
    folder = tmp_path / 'my-shop'
    assert '2 passed' in run_tests(folder)
    assert not (folder / 'worked.py').exists()
    assert "name='my_shop'" in (folder / 'agent.py').read_text()
    assert (folder / 'requirements.txt').read_text().startswith('stead[openai,cli,web]')
    assert 'OPENAI_API_KEY' in (folder / 'README.md').read_text()


def test_the_small_model_reads_worked_examples_that_no_conversation_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert new('shop') == 0
    folder = tmp_path / 'shop'
    (folder / 'test_examples.py').write_text(
        'from agent import Shop, agent\n'
        'from worked import EXAMPLES\n'
        'from stead import ModelResponse, TextPart\n'
        'from stead.models.function import FunctionModel\n'
        'def test_examples():\n'
        '    sent = []\n'
        '    def respond(messages, info):\n'
        '        sent.extend(messages)\n'
        "        return ModelResponse([TextPart('Hello.')])\n"
        "    result = agent.run_sync('Hi', deps=Shop(), model=FunctionModel(respond))\n"
        '    assert sent[:-1] == EXAMPLES and len(sent) == 21\n'
        '    assert len(result.all_messages()) == 2\n'
    )
    assert '3 passed' in run_tests(folder)
    assert 'one of the smallest there are' in (folder / 'README.md').read_text()
    assert (folder / 'requirements.txt').read_text().startswith('stead[local,cli,web]')


@pytest.mark.parametrize(
    ('model', 'extras', 'key'),
    [
        ('xai:grok-4', 'xai,cli,web', 'Set `XAI_API_KEY` first.'),
        ('openai-responses:gpt-5', 'openai,cli,web', 'Set `OPENAI_API_KEY` first.'),
        ('ollama:qwen3', 'openai,cli,web', 'If its provider wants a key'),
        ('bedrock:amazon.nova-lite-v1:0', 'bedrock,cli,web', 'If its provider wants a key'),
        ('test', 'cli,web', 'If its provider wants a key'),
    ],
)
def test_what_a_model_needs(model: str, extras: str, key: str) -> None:
    contents = files('shop', model)
    assert contents['requirements.txt'].startswith(f'stead[{extras}]')
    assert key in contents['README.md'] and 'in this process' not in contents['README.md']


@pytest.mark.parametrize(
    ('name', 'says'), [('a b', 'is not a name'), ('class', 'is not a name'), ('..', 'is not a name')]
)
def test_a_name_that_is_no_package_is_refused_and_leaves_no_files(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert new(name) == 2
    assert says in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / 'shop'
    folder.mkdir()
    (folder / 'agent.py').write_text('mine')
    assert new(str(folder)) == 2
    assert 'exists already' in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ['agent.py']
    assert (folder / 'agent.py').read_text() == 'mine'


@pytest.mark.parametrize(
    ('source', 'requirement'),
    [
        ({'url': 'file://{folder}', 'dir_info': {'editable': True}}, 'stead[cli,web] @ file://{folder}'),
        ({'url': 'file://{folder}/stead-9.whl', 'archive_info': {}}, 'stead[cli,web]'),  # the file is gone
        ({'url': 'https://host/stead-9.whl', 'archive_info': {}}, 'stead[cli,web] @ https://host/stead-9.whl'),
        (
            {'url': 'https://host/stead.git', 'vcs_info': {'vcs': 'git', 'commit_id': 'a1b2'}},
            'stead[cli,web] @ git+https://host/stead.git@a1b2',
        ),
        (None, 'stead[cli,web]'),  # from an index
    ],
)
def test_a_project_installs_stead_from_where_it_came(
    source: dict[str, object] | None, requirement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / 'stead-9.dist-info'
    installed.mkdir()
    (installed / 'METADATA').write_text('Metadata-Version: 2.1\nName: stead\nVersion: 9\n')
    if source is not None:
        (installed / 'direct_url.json').write_text(json.dumps(source).replace('{folder}', tmp_path.as_posix()))
    monkeypatch.syspath_prepend(tmp_path)
    expected = requirement.replace('{folder}', tmp_path.as_posix())
    assert files('shop', 'test')['requirements.txt'].splitlines()[0] == expected


@pytest.mark.skipif(shutil.which('make') is None, reason='make is not installed')
def test_an_installation_that_failed_is_done_again(tmp_path: Path) -> None:
    """The interpreter is a script that writes down what it is asked for, and whose first installation fails."""
    for name, text in files('shop', 'test').items():
        (tmp_path / name).write_text(text)
    python = tmp_path / 'python'
    python.write_text(
        '#!/bin/sh\n'
        'echo "$2" >>asked\n'
        'if [ "$2" = venv ]; then mkdir -p .venv/bin && cp "$0" .venv/bin/python; fi\n'
        'if [ "$2" = pip ] && [ ! -e tried ]; then touch tried; exit 1; fi\n'
    )
    python.chmod(0o755)
    command = ['make', 'test', f'PYTHON={python}']
    codes = [subprocess.run(command, cwd=tmp_path, capture_output=True).returncode for _ in range(3)]
    assert codes == [2, 0, 0]
    assert (tmp_path / 'asked').read_text().split() == ['venv', 'pip', 'venv', 'pip', 'pytest', 'pytest']
