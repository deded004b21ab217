"""What is sent, and what is made of the answers, is what the reference implementation does."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Iterator

import _facts
import pytest
from record import NAMES, agreed_facts, all_facts, record_of

SDK = {
    'chat': 'openai',
    'compatible': 'openai',
    'openrouter': 'openai',
    'responses': 'openai',
    'anthropic': 'anthropic',
    'cohere': 'cohere',
    'google': 'google.genai',
    'groq': 'groq',
    'huggingface': 'huggingface_hub',
    'mistral': 'mistralai',
    'outlines': 'outlines openai',
    'xai': 'xai_sdk',
    'bedrock': 'boto3',
    'compaction': 'openai anthropic',
    'tool_search': 'openai anthropic',
    'settings': 'openai anthropic',
    'history': 'openai anthropic',
    'answers': 'openai anthropic',
}


def skip_without_sdk(name: str) -> None:
    for sdk in SDK[name].split():
        pytest.importorskip(sdk, reason=f'the SDK {sdk} is not installed')


@pytest.fixture
def wire(request: pytest.FixtureRequest) -> Iterator[None]:
    """The setting `wire` for all cases."""
    _facts.added_settings['wire'] = request.param
    yield
    _facts.added_settings.clear()


WAYS = [(name, 'auto') for name in NAMES] + [
    (name, 'sdk') for name in NAMES if name not in ('bedrock', 'cohere', 'huggingface', 'xai')
]


@pytest.mark.parametrize('name, wire', WAYS, indirect=['wire'])
@pytest.mark.usefixtures('wire')
def test_cases_agree(name: str) -> None:
    skip_without_sdk(name)
    recorded = dict(line.split('\t', 1) for line in record_of(name).read_text(encoding='utf-8').splitlines())
    found = asyncio.run(all_facts(name))
    assert recorded.keys() == found.keys(), 'record the cases anew'
    agreed = agreed_facts(name)
    assert [case for case in agreed if agreed[case] == recorded[case]] == [], 'these agree again: remove them'
    recorded.update(agreed)
    wrong = [
        f'{case}\n  recorded {recorded[case]}\n  found    {found[case]}'
        for case in recorded
        if json.loads(recorded[case]) != json.loads(found[case])
    ]
    assert not wrong, '\n'.join(wrong)


@pytest.mark.parametrize('name', NAMES)
def test_cases_are_many(name: str) -> None:
    skip_without_sdk(name)
    assert len(importlib.import_module(f'_{name}_cases').cases) >= 40
