"""The programs of `tests/typing/programs`, which pass checkers in strict mode, run; each in processes of its own, with warnings as errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stead import Agent
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel
from tests.typing.programs.personal_data import RedactPII

PROGRAMS = Path(__file__).parent.parent / 'typing' / 'programs'


def _run(folder: Path, *command: str) -> list[str]:
    command = (sys.executable, '-W', 'error', str(PROGRAMS / command[0]), *command[1:])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_research_keeps_its_history_and_streams_what_it_does(tmp_path: Path) -> None:
    lines = _run(tmp_path, 'research.py', 'history.db')
    assert [line.split(' RunUsage')[0] for line in lines if line.startswith('All read.')] == [
        'All read. 0',
        'All read. 7',
    ]
    assert lines[-5:] == [
        'call kb_find {"query": "agents loop"}',
        "result ['agents']",
        'call kb_read {"title": "agents"}',
        'result Agents call tools in a loop.',
        "['llama', 'sqlite', 'agents']",
    ]


@pytest.mark.parametrize(
    ('answer', 'output'),
    [('yes', 'Done: 120 paid to Ida by Mina, left 380 4'), ('no', 'Done: The boss said no. 4')],
)
def test_a_payment_waits_for_a_person_who_decides_in_another_process(tmp_path: Path, answer: str, output: str) -> None:
    assert _run(tmp_path, 'payments.py', 'ask', 'Pay 120 to Ida') == [
        "waits: pay {'to': 'Ida', 'amount': 120} {'balance': 500, 'to': 'Ida'}"
    ]
    assert _run(tmp_path, 'payments.py', 'decide', answer) == [output]


def test_limits_of_a_payment_count_both_agents_and_the_error_has_what_was_done(tmp_path: Path) -> None:
    (line,) = _run(tmp_path, 'payments.py')
    assert line == 'limit: The next request would exceed the request_limit of 2 2 3'


def test_the_model_reads_tokens_and_tools_and_callers_the_data() -> None:
    read, sent = list[str](), list[str]()

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        read.append(str(messages))
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse([TextPart(f'Sent to <EMAIL_1>: {last.content}')])
        return ModelResponse([ToolCallPart('mail', {'to': '<EMAIL_1>'})])

    agent = Agent(FunctionModel(model), capabilities=[RedactPII()])

    @agent.tool_plain
    def mail(to: str) -> str:
        sent.append(to)
        return f'ok {to}'

    for address in ('ida@example.org', 'bob@example.org'):
        result = agent.run_sync(f'Write to {address}, phone +49 170 1234567')
        assert result.output == f'Sent to {address}: ok {address}'
    assert sent == ['ida@example.org', 'bob@example.org']
    assert not [text for text in read if '@' in text or '170 1234567' in text]
