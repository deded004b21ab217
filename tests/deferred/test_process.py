"""A conversation whose calls wait continues in another process, with nothing but JSON in between."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from stead import DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn
from stead.messages import ModelMessagesTypeAdapter, ToolCallPart

from .kit import CALLS, agent_of, answers

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import json, sys
from pydantic import TypeAdapter
from stead import DeferredToolResults
from stead.messages import ModelMessagesTypeAdapter
from tests.deferred.kit import CALLS, agent_of

stored = json.load(sys.stdin)
ran = []
result = agent_of(CALLS, ran=ran).run_sync(
    message_history=ModelMessagesTypeAdapter.validate_python(stored['messages']),
    deferred_tool_results=TypeAdapter(DeferredToolResults).validate_python(stored['results']),
)
print(json.dumps({'output': result.output, 'ran': ran, 'messages': json.loads(result.new_messages_json())}))
"""


def test_in_another_process_from_json() -> None:
    first = agent_of(CALLS).run_sync('go')
    results = {
        'calls': {'0_ask': {'answer': 'é'}, '0_job': None},
        'approvals': {
            '0_need': {'kind': 'tool-approved', 'override_args': {'x': 4}},
            '0_pay': {'kind': 'tool-denied', 'message': 'no'},
        },
        'metadata': {'0_need': {'by': 'me'}},
    }
    stored = json.dumps({'messages': json.loads(first.all_messages_json()), 'results': results})
    process = subprocess.run([sys.executable, '-c', PROGRAM], cwd=ROOT, input=stored, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    answer = json.loads(process.stdout)
    assert (answer['output'], answer['ran']) == ('done', [['need', 4, {'by': 'me'}]])
    assert answers(ModelMessagesTypeAdapter.validate_python(answer['messages'])) == {
        'need': ('tool-return', 'needed 4'),
        'ask': ('tool-return', {'answer': 'é'}),
        'job': ('tool-return', None),
        'pay': ('tool-return', 'no'),
    }


def there_and_back(value: Any) -> Any:
    adapter = TypeAdapter(type(value))
    return adapter.validate_json(adapter.dump_json(value))


def test_requests_survive_json() -> None:
    requests = DeferredToolRequests(
        calls=[ToolCallPart('c', {'x': [1, None]}, tool_call_id='c')],
        approvals=[ToolCallPart('a', '{"y": 2}', tool_call_id='a')],
        metadata={'a': {'why': {'deep': 1}}},
    )
    assert there_and_back(requests) == requests
    assert there_and_back(agent_of(CALLS).run_sync('go').output).metadata == {
        '0_job': {'job': 1},
        '0_pay': {'amount': 50},
    }


@pytest.mark.parametrize(
    'results',
    [
        DeferredToolResults(),
        DeferredToolResults(
            approvals={'a': True, 'b': False, 'c': ToolApproved(override_args={'x': 1}), 'd': ToolDenied('no')}
        ),
        DeferredToolResults(calls={'a': 1, 'b': None, 'c': 'text', 'd': [1, {'e': 2}]}, metadata={'a': {'m': 1}}),
        DeferredToolResults(calls={'a': ToolReturn('v', content='c', metadata={'m': 1})}),
    ],
)
def test_results_survive_json(results: DeferredToolResults) -> None:
    assert there_and_back(results) == results


def test_a_retry_survives_json() -> None:
    retry = there_and_back(DeferredToolResults(calls={'a': ModelRetry('again')})).calls['a']
    assert isinstance(retry, ModelRetry)
    assert retry.message == 'again'
