"""Histories as 2.x stores them, one JSON object a line: those of runs, and one with every part, content and field.

`histories.jsonl` is what release 2.68 printed. It is not masked: the histories are read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    BinaryContent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ImageUrl,
    ModelRetry,
    PromptedOutput,
    ToolDenied,
    ToolOutput,
    ToolReturn,
    messages as m,
)
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage


def model(*steps: list[Any]) -> FunctionModel:
    responses = iter(steps)
    return FunctionModel(lambda messages, info: m.ModelResponse(parts=next(responses)))


def call(name: str, id: str, **args: Any) -> m.ToolCallPart:
    return m.ToolCallPart(name, args, tool_call_id=id)


class Answer(BaseModel):
    x: int


DONE = [m.TextPart('done')]


def retries() -> Any:
    agent = Agent(
        model([call('t', 'c1', x=1)], [call('t', 'c2', x='no'), call('nope', 'c3')], [call('t', 'c4', x=2)], DONE),
        instructions='Be good.',
        system_prompt='You are.',
        retries=5,
    )

    @agent.tool_plain
    def t(x: int) -> int:
        if x == 1:
            raise ModelRetry('not 1')
        if x == 2:
            raise ToolFailed('broken')
        return x

    return agent.run_sync('q')


def outputs() -> Any:
    steps = [call('final_result', 'c1', x='a')], DONE, [], [m.ThinkingPart('hm')], [call('final_result', 'c2', x=1)]
    return Agent(model(*steps), output_type=ToolOutput(Answer), retries=9).run_sync('q')


def prompted_output() -> Any:
    texts = [m.TextPart('{"x":"a"}')], [m.TextPart('{"x":1}')], [m.TextPart('{"x":2}')]
    agent = Agent(model(*texts), output_type=PromptedOutput(Answer), retries=3)

    @agent.output_validator
    def validate(output: Answer) -> Answer:
        if output.x == 1:
            raise ModelRetry('again')
        return output

    return agent.run_sync('q')


def deferred() -> Any:
    calls = [call('careful', 'c1', x=1), call('careful', 'c2', x=2), call('later', 'c3')]
    agent = Agent(model(calls, DONE), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def careful(x: int) -> int:
        return x

    @agent.tool_plain
    def later() -> int:
        raise CallDeferred({'m': 1})

    waiting = agent.run_sync('q').all_messages()
    decided = DeferredToolResults(approvals={'c1': True, 'c2': ToolDenied('no')}, calls={'c3': 'result'})
    return agent.run_sync(message_history=waiting, deferred_tool_results=decided)


def media() -> Any:
    agent = Agent(model([call('look', 'c1')], DONE))

    @agent.tool_plain
    def look() -> ToolReturn:
        seen = [BinaryContent(b'abc', media_type='image/png'), {'a': ImageUrl('https://example.com/y.png')}]
        return ToolReturn(seen, content=['see', BinaryContent(b'\xff\xfe', media_type='audio/wav')], metadata={'k': 1})

    structured = m.StructuredContent({'a': 1}, tag='t', description='d')
    return agent.run_sync(
        ['look', ImageUrl('https://example.com/a.png'), structured, m.TextContent('t'), m.CachePoint()]
    )


def changing_instructions() -> Any:
    agent = Agent(model([call('t', 'c1')], DONE))
    count = iter(range(10))
    agent.tool_plain(name='t')(lambda: 1)

    @agent.instructions(on_change='append', name='clock')
    def clock() -> str:
        return f'It is {next(count)}.'

    @agent.instructions
    def other() -> str:
        return 'Be good.'

    return agent.run_sync('q')


def every_part() -> list[m.ModelMessage]:
    sound = BinaryContent(b'abc', media_type='audio/wav')
    now = m.UserPromptPart('x').timestamp
    request = m.ModelRequest(
        parts=[
            m.SystemPromptPart('s', context_id='c', scope='request', metadata={'a': 1}),
            m.UserPromptPart([m.StructuredContent([1]), 'x']),
            m.SpeechPart(speaker='user', transcript='hello', audio=sound, interrupted_at_ms=5),
            m.ToolReturnPart('t', 'again', 'c1', outcome='retried', retry=m.RetryInfo(cause='unavailable_tool')),
            m.ToolReturnPart('t', 'stopped', 'c2', outcome='interrupted', tool_kind='own'),
            m.RetryFeedbackPart('more', retry=m.RetryInfo(cause='no_output', attempt=1, max_retries=2)),
            m.RetryPromptPart('old', tool_name='t', tool_call_id='c3'),
            m.ToolAvailabilityDeltaPart(tools_added=['a'], tool_call_id='c1'),
            m.CapabilityLoadDeltaPart(loaded=['b']),
            m.ModelSettingsDeltaPart(settings={'thinking': 'max'}, top_level=True),
            m.InstructionBaselinePart(instructions=[m.InstructionPart('i', name='n', id='i', on_change='append')]),
            m.InstructionDeltaPart(id='i', content=None, base_hash='h'),
        ],
        instructions='i',
        state='interrupted',
    )
    cited = m.Citation(
        sources=[m.WebCitationSource(url='https://example.com', excerpts=['e']), m.DocumentCitationSource(title='t')],
        anchor=m.ContentCitationAnchor(start=0, end=1),
    )
    attempt = m.ModelRequestAttempt(
        model_name='a', outcome='error', error='e', timestamp=now, duration=timedelta(seconds=1), usage=RequestUsage()
    )
    response = m.ModelResponse(
        parts=[
            m.TextPart('t', citations=[cited]),
            m.SpeechPart(speaker='assistant', transcript='hi'),
            m.CompactionPart('c', metadata={'a': 1}),
            m.FilePart(BinaryContent(b'abc', media_type='image/png')),
            m.NativeToolCallPart('web_search', {'q': 1}, tool_call_id='n1', provider_name='p', tool_kind='own'),
            m.NativeToolReturnPart('web_search', {'a': 1}, tool_call_id='n1', provider_name='p', outcome='interrupted'),
        ],
        usage=RequestUsage(
            input_tokens=1, cache_write_1h_tokens=2, output_reasoning_tokens=3, audio_seconds=1.5, cost=Decimal('0.5')
        ),
        model_id='openai:gpt-5',
        canonical_system='openai',
        workspace_ref=m.WorkspaceRef(provider='local', id='w'),
        history_digest='d',
        failed_attempts=[attempt],
        state='suspended',
    )
    return [request, response]


RUNS: list[Callable[[], Any]] = [retries, outputs, prompted_output, deferred, media, changing_instructions]
for run in RUNS:
    print(json.dumps({run.__name__: json.loads(run().all_messages_json())}))
print(json.dumps({'every_part': m.ModelMessagesTypeAdapter.dump_python(every_part(), mode='json')}))
