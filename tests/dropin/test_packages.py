"""Published packages that are written for the mirrored interface run on the alias unchanged. They are installed for this.

Runs with `STEAD_TRUST_FULL=1`, since it needs a package index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ['pydantic-evals==1.107.0', 'clai==1.107.0']
NEEDED = ['rich', 'logfire-api', 'pyyaml']

pytestmark = pytest.mark.skipif(not os.environ.get('STEAD_TRUST_FULL'), reason='installs packages')

EVALUATION = """
from dataclasses import dataclass

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Contains, EqualsExpected, Evaluator, EvaluatorContext, IsInstance, LLMJudge

agent = Agent(TestModel(custom_output_text='Paris'))
judge = TestModel(custom_output_args={'reason': 'fine', 'pass': True, 'score': 1.0})


@dataclass
class Exact(Evaluator[str, str]):
    def evaluate(self, ctx: EvaluatorContext[str, str]) -> float:
        return 1.0 if ctx.output == ctx.expected_output else 0.5


async def answer(question: str) -> str:
    return (await agent.run(question)).output


cases = [
    Case(name='fr', inputs='France?', expected_output='Paris', evaluators=[Contains('ar')]),
    Case(name='de', inputs='Germany?', expected_output='Berlin'),
]
evaluators = [Exact(), IsInstance('str'), EqualsExpected(), LLMJudge(rubric='names a city', model=judge)]
report = Dataset(name='capitals', cases=cases, evaluators=evaluators).evaluate_sync(answer, progress=False)
for case in report.cases:
    print(case.name, {k: v.value for k, v in case.scores.items()}, {k: v.value for k, v in case.assertions.items()})
text = 'name: x\\ncases:\\n- {name: a, inputs: hi}\\nevaluators:\\n- EqualsExpected\\n- LLMJudge: {rubric: kind}\\n'
print(Dataset[str, str, None].from_text(text).evaluators)
"""


@pytest.fixture(scope='module')
def on_the_alias(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    home = tmp_path_factory.mktemp('packages')
    uv = shutil.which('uv')
    assert uv, 'this test needs uv'
    python = home / 'bin' / 'python'
    subprocess.run([uv, 'venv', '-q', '--python', sys.executable, '--allow-existing', str(home)], check=True)
    install = [uv, 'pip', 'install', '-q', '--python', str(python)]
    environment = {**os.environ, 'SSL_CERT_FILE': os.environ['STEAD_SSL_CERT_FILE']}  # a registry is asked
    if not environment['SSL_CERT_FILE']:
        del environment['SSL_CERT_FILE']
    subprocess.run(
        [*install, '--no-deps', *PACKAGES], check=True, env=environment
    )  # what they need is what stead replaces
    subprocess.run([*install, str(ROOT), *NEEDED], check=True, env=environment)

    def run(*arguments: str) -> str:
        command = [str(python), '-W', 'ignore', '-m', 'stead.dropin', *arguments]
        return subprocess.run(command, cwd=home, check=True, capture_output=True, text=True, encoding='utf-8').stdout

    return run


def test_an_evaluation_of_the_evals_package_runs_on_the_alias(on_the_alias: Callable[..., str], tmp_path: Path) -> None:
    script = tmp_path / 'evaluation.py'
    script.write_text(EVALUATION, encoding='utf-8')
    assert on_the_alias(str(script)).splitlines() == [
        "fr {'Exact': 1.0} {'Contains': True, 'IsInstance': True, 'EqualsExpected': True, 'LLMJudge': True}",
        "de {'Exact': 0.5} {'IsInstance': True, 'EqualsExpected': False, 'LLMJudge': True}",
        "[EqualsExpected(), LLMJudge(rubric='kind', assertion={'include_reason': True})]",
    ]


def test_the_command_of_the_clai_package_runs_on_the_alias(on_the_alias: Callable[..., str]) -> None:
    assert on_the_alias('-m', 'clai', '-m', 'test', 'hello') == 'success (no tool calls)\n'
