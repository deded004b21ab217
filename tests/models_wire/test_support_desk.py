"""The example that `make demo` runs, with a model over the wire, as a user would run it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from _wire import Wire, as_json, free_port
from kit import call, completion

from examples.support_desk.__main__ import main

ROOT = Path(__file__).parents[2]
ANSWER = json.dumps({'text': 'It is on its way to Leipzig.', 'order': 'A-17', 'outcome': 'informed'})

pytest.importorskip('openai', reason='the SDK openai is not installed')


def desk_as_a_program(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.endswith(('_API_KEY', '_BASE_URL'))}
    env.update({'OPENAI_BASE_URL': url, 'OPENAI_API_KEY': 'sk-secret-of-ours', 'PYTHONIOENCODING': 'utf-8'})
    command = [sys.executable, '-W', 'error', '-m', 'examples.support_desk', '--model', *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, encoding='utf-8', timeout=60)


def desk(url: str, *arguments: str, key: str | None = 'sk-secret-of-ours') -> subprocess.CompletedProcess[str]:
    """Run the example in this process; one of its own takes more than a second to load the SDK."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name in os.environ:
            if name.endswith(('_API_KEY', '_BASE_URL')):
                patch.delenv(name)
        patch.setenv('OPENAI_BASE_URL', url)
        if key is not None:
            patch.setenv('OPENAI_API_KEY', key)
        patch.setattr(sys, 'stdin', io.StringIO())
        code = main(['--model', *arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def test_it_runs_against_any_compatible_base_url():
    replies = [call('find_order', '{"order": "A17"}'), call('find_order', '{"order": "A-17"}', 'call-2')]
    answer = call('final_result', ANSWER, 'call-3')
    with Wire(*(completion(message, 'tool_calls') for message in [*replies, answer])) as wire:
        process = desk_as_a_program(f'{wire.url}/v1', 'openai:gpt-4o', 'where is order A17?')
    assert (process.returncode, process.stderr) == (0, '')
    assert "find_order objects  There is no order 'A17'. Did you mean 'A-17'?" in process.stdout
    assert '; Mina Okafor, ' in process.stdout, 'what the tool said is shown'
    assert 'It is on its way to Leipzig. [informed]' in process.stdout
    assert [request.path for request in wire.requests] == ['/v1/chat/completions'] * 3
    assert {request.headers['authorization'] for request in wire.requests} == {'Bearer sk-secret-of-ours'}
    assert wire.bodies[0]['model'] == 'gpt-4o'
    assert {'find_order', 'cancel_order', 'final_result'} <= {
        tool['function']['name'] for tool in wire.bodies[0]['tools']
    }


def test_what_the_vendor_refuses_is_said_without_a_traceback():
    refused = [as_json({'error': {'message': f'not with this key: {status}'}}, status) for status in (401, 404, 422)]
    with Wire(*refused) as wire:
        process = desk(wire.url, 'openai:gpt-4o', 'hi', 'ho', 'hey')
    assert process.returncode == 1
    assert process.stdout.count('no answer') == 3, 'each question is tried'
    for status in (401, 404, 422):
        assert f'status_code: {status}' in process.stdout and f'not with this key: {status}' in process.stdout
    assert 'Traceback' not in process.stdout + process.stderr and 'sk-secret' not in process.stdout + process.stderr


def test_where_no_server_listens_it_says_so_without_a_traceback():
    process = desk(f'http://127.0.0.1:{free_port()}', 'openai:gpt-4o', 'hi')
    assert process.returncode == 1
    assert 'no answer' in process.stdout and 'Traceback' not in process.stdout + process.stderr


def test_there_is_no_key():
    process = desk('http://127.0.0.1:1', 'anthropic:claude-opus-4-5', 'hi', key=None)
    assert process.returncode == 2
    assert 'ANTHROPIC_API_KEY' in process.stderr or 'anthropic' in process.stderr
    assert 'Traceback' not in process.stderr
