"""An agent that folds is ended at any point of its journal: what it sends afterwards is what it would have sent."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict

import pytest

from stead import Agent, ModelMessage, ModelResponse
from stead.capabilities import KeepLast, OffloadToolResults, Summarise, TruncateToolResults, pin
from stead.messages import TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import crash_everywhere

from .conversations import liar, texts_of

LAST = 14


@pytest.mark.parametrize('summariser', ['honest', 'liar'])
@pytest.mark.filterwarnings('ignore::stead.capabilities.SummaryFailed')
def test_what_is_sent_after_a_crash_is_what_would_have_been_sent(summariser: str) -> None:
    sent: defaultdict[int, dict[str, list[str]]] = defaultdict(dict)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        ids = [str(getattr(part, 'tool_call_id', None) or 'call0') for one in messages for part in one.parts]
        done = max(int(id.removeprefix('call')) for id in ids)
        parts = [[(part.part_kind, getattr(part, 'content', ''), id) for part in one.parts] for one in messages]
        sent[done][repr(parts)] = texts_of(messages)
        if done == LAST:
            return ModelResponse([TextPart('done')])
        if done == LAST - 2:
            return ModelResponse([ToolCallPart('recall', {'id': 'call3'}, f'call{done + 1}')])
        return ModelResponse([ToolCallPart('look', {'n': done + 1}, f'call{done + 1}')])

    def folding() -> Agent[None, str]:
        honest = FunctionModel(lambda messages, info: ModelResponse([TextPart('They looked at things [#0].')]))
        summary = honest if summariser == 'honest' else liar(0)
        capabilities = [
            KeepLast(tokens=900),
            Summarise(at=450, into=100, model=summary),
            OffloadToolResults(over=60, preview=10),
            TruncateToolResults(over=40, keep=20),
        ]
        agent = Agent(FunctionModel(answer), capabilities=capabilities)

        @agent.tool_plain
        def look(n: int) -> str:
            return f'thing {n} ' * (30 if n % 3 == 0 else 12)

        return agent

    most = None if os.environ.get('STEAD_TRUST_FULL') == '1' else 12
    report = asyncio.run(crash_everywhere(folding, [pin('The key is 7.'), 'Look everywhere'], at_most=most))
    assert report.violations == [] and report.output == 'done'
    assert report.repeated_requests > 0
    assert sorted(sent) == [*range(LAST + 1)]
    for requests in sent.values():
        assert len(requests) == 1, 'the same step sent two requests'
        assert all(texts.count('The key is 7.') == 1 for texts in requests.values())
    assert any('summary of messages' in text.lower() for texts in sent[LAST].values() for text in texts)
    assert any(text.count('thing 3') == 30 for texts in sent[LAST - 1].values() for text in texts), 'recalled whole'
