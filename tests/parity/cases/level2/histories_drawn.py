"""Histories as 2.x stores them, drawn at random: every part and content with any of its fields, and runs of many kinds.

`histories_drawn.jsonl` is what release 2.68 printed, one history a line; a number in the command draws that many. They are not
masked, since they are read again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    AudioUrl,
    BinaryContent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    DocumentUrl,
    ImageUrl,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    ToolApproved,
    ToolDenied,
    ToolOutput,
    ToolReturn,
    VideoUrl,
    messages as m,
)
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RequestUsage

T = TypeVar('T')
draw = Random(268)
MISSING: Any = object()
TEXTS = ['', 'x', 'two words', 'Grüße ☃ 🙂', 'line\nline', '{"a": 1}', ' ']
DATA: list[Any] = [1, 1.5, True, None, 'text', [], {}, [1, 'a', None], {'a': {'b': [1, 2]}}, {'id': 'x', 'kind': 'own'}]
MEDIA = ['image/png', 'audio/wav', 'application/pdf', 'video/mp4', 'text/plain', 'application/x-own']


class Answer(BaseModel):
    x: int
    y: str = 'y'


def one(choices: Sequence[T]) -> T:
    return draw.choice(choices)


def some(make: Callable[[], T], most: int = 3, least: int = 0) -> list[T]:
    return [make() for _ in range(draw.randint(least, most))]


def text() -> str:
    return one(TEXTS)


def data() -> Any:
    return one(DATA)


def mapping() -> dict[str, Any]:
    return {one('abc'): data() for _ in range(draw.randint(0, 2))}


def maybe(**values: Callable[[], Any]) -> dict[str, Any]:
    """Return some of the values."""
    return {name: make() for name, make in values.items() if draw.random() < 0.4}


def moment() -> datetime:
    return datetime(2026, 1, draw.randint(1, 28), draw.randint(0, 23), 5, 6, one([0, 123456]), tzinfo=timezone.utc)


def call_id() -> str:
    return f'call_{draw.randint(0, 5)}'


def binary() -> BinaryContent:
    more = maybe(identifier=text, vendor_metadata=mapping)
    return BinaryContent(one([b'', b'abc', b'\xff\xfe\xfb']), media_type=one(MEDIA), **more)


def link() -> Any:
    kind, ending = one([(ImageUrl, 'png'), (AudioUrl, 'mp3'), (DocumentUrl, 'pdf'), (VideoUrl, 'mp4')])
    url = f'https://example.com/{one(["a", "b b", "ä"])}{one(["", "." + ending])}'
    more = maybe(
        force_download=lambda: one([True, False]),
        vendor_metadata=mapping,
        media_type=lambda: one(MEDIA),
        identifier=text,
    )
    return kind(url, **more)


def uploaded() -> m.UploadedFile:
    more = maybe(media_type=lambda: one(MEDIA), identifier=text, vendor_metadata=mapping)
    return m.UploadedFile(file_id='f', provider_name=one(['openai', 'anthropic', 'google']), **more)


def structured() -> m.StructuredContent:
    return m.StructuredContent(data(), **maybe(tag=lambda: 'tag', description=text, metadata=data))


def content() -> Any:
    plain: list[Callable[[], Any]] = [
        text,
        binary,
        link,
        uploaded,
        structured,
        lambda: m.TextContent(text(), **maybe(metadata=data)),
        lambda: m.CachePoint(**maybe(ttl=lambda: one(['5m', '1h']))),
    ]
    return one(plain)()


def returned() -> Any:
    choices: list[Callable[[], Any]] = [
        data,
        text,
        binary,
        link,
        uploaded,
        lambda: some(returned),
        lambda: {'a': returned()},
        lambda: Answer(x=1),
        lambda: {'discovered_tools': [{'name': 'a', 'description': one([None, 'd'])}], **maybe(message=text)},
        lambda: {'instructions': text()},
    ]
    return one(choices)()


def instruction_id() -> Any:
    sources = [
        m.AgentInstructionSource(),
        m.RunInstructionSource(),
        m.ToolsetInstructionSource('t'),
        m.CapabilityInstructionSource('c'),
    ]
    return m.InstructionId(one(sources), name=one([None, 'name']))


def instruction() -> Any:
    if draw.random() < 0.3:
        return m.InstructionDigest(id=instruction_id(), dynamic=one([True, False]), content_hash='h')
    more = maybe(
        dynamic=lambda: True, on_change=lambda: one(['rewrite', 'append']), name=lambda: 'n', id=instruction_id
    )
    return m.InstructionPart(text(), **more)


def retry(*causes: str) -> m.RetryInfo[Any]:
    return m.RetryInfo(one(causes), **maybe(attempt=lambda: draw.randint(1, 3), max_retries=lambda: 3))


def errors() -> Any:
    wrong = {'type': 'int_parsing', 'loc': ('x', 0), 'msg': 'no', 'input': data()}
    return one([text(), [{**wrong, **maybe(ctx=lambda: {'error': 'e'}, url=lambda: 'https://example.com')}]])


def citation() -> m.Citation:
    web = m.WebCitationSource(url='https://example.com', **maybe(title=text, excerpts=lambda: some(text)))
    document = m.DocumentCitationSource(document_id='d', **maybe(title=text, excerpts=lambda: some(text)))
    anchors = m.ContentCitationAnchor(start=0, end=2), m.MarkerCitationAnchor(start=1, end=3)
    return m.Citation(sources=some(lambda: one([web, document]), least=1), **maybe(anchor=lambda: one(anchors)))


def from_provider() -> dict[str, Any]:
    return maybe(id=text, provider_name=lambda: one(['openai', 'own']), provider_details=mapping)


def speech(speaker: Any) -> m.SpeechPart:
    spoken = m.SpeechTimestamp(text='hi', start_ms=1, duration_ms=2, granularity='word')
    return m.SpeechPart(
        speaker=speaker,
        **maybe(transcript=text, audio=binary, interrupted_at_ms=lambda: 5, timestamps=lambda: [spoken]),
        **from_provider(),
    )


def tool_kind() -> Any:
    return one([None, 'own', 'tool-search', 'capability-load', 'pack.age'])


def arguments() -> Any:
    return one([None, '', '{"a": 1}', '{"a', {}, {'a': 1}, {'queries': ['q']}, {'id': 'c'}, '{"queries": ["q"]}'])


def result_of(kind: Any, **more: Any) -> Any:
    outcomes = ['success', 'failed', 'denied', 'interrupted', 'retried']
    return kind(
        one(['t', 'search_tools', 'load_capability', 'tool_search']),
        returned(),
        call_id(),
        **maybe(metadata=data, tool_kind=tool_kind),
        timestamp=moment(),
        outcome=one(outcomes),
        **more,
    )


def request_part() -> Any:
    causes = 'validation_error', 'model_retry', 'unknown_tool', 'unavailable_tool'
    parts: list[Callable[[], Any]] = [
        lambda: m.SystemPromptPart(
            text(),
            timestamp=moment(),
            **maybe(
                dynamic_ref=text, context_id=text, scope=lambda: one(['conversation', 'request']), metadata=mapping
            ),
        ),
        lambda: m.UserPromptPart(one([text(), some(content)]), timestamp=moment()),
        lambda: result_of(m.ToolReturnPart, **maybe(retry=lambda: retry(*causes))),
        lambda: m.RetryFeedbackPart(
            errors(), retry=retry('validation_error', 'no_output', 'model_retry'), timestamp=moment()
        ),
        lambda: m.ToolAvailabilityDeltaPart(tools_added=some(text), **maybe(tool_call_id=call_id)),
        lambda: m.CapabilityLoadDeltaPart(loaded=some(text), **maybe(tool_call_id=call_id)),
        lambda: m.ModelSettingsDeltaPart(settings={'thinking': one(['max', 'low'])}, **maybe(top_level=lambda: True)),
        lambda: m.InstructionBaselinePart(instructions=some(instruction)),
        lambda: m.InstructionDeltaPart(id=instruction_id(), content=one([None, 'c']), **maybe(base_hash=lambda: 'h')),
        lambda: speech('user'),
        lambda: m.ToolSearchReturnPart(
            content={'discovered_tools': [{'name': 'n', 'description': None}], **maybe(message=text)},
            timestamp=moment(),
        ),
        lambda: m.LoadCapabilityReturnPart(content=maybe(instructions=text), timestamp=moment()),
    ]
    return one(parts)()


def response_part() -> Any:
    parts: list[Callable[[], Any]] = [
        lambda: m.TextPart(text(), **maybe(citations=lambda: some(citation)), **from_provider()),
        lambda: m.ThinkingPart(text(), **maybe(signature=text), **from_provider()),
        lambda: m.CompactionPart(one([None, 'c']), **maybe(metadata=mapping), **from_provider()),
        lambda: m.FilePart(binary(), **from_provider()),
        lambda: m.ToolCallPart('t', arguments(), call_id(), **maybe(tool_kind=tool_kind), **from_provider()),
        lambda: m.NativeToolCallPart('web', arguments(), call_id(), **maybe(tool_kind=tool_kind), **from_provider()),
        lambda: result_of(m.NativeToolReturnPart, **maybe(provider_name=text, provider_details=mapping)),
        lambda: m.ToolSearchCallPart(args=one([None, '{"que', {'queries': ['q']}]), tool_call_id=call_id()),
        lambda: m.LoadCapabilityCallPart(args=one([None, '{"id": "c"}', {'id': 'c'}]), tool_call_id=call_id()),
        lambda: m.NativeToolSearchCallPart(args={'queries': ['q']}, tool_call_id=call_id(), **from_provider()),
        lambda: m.NativeToolSearchReturnPart(content={'discovered_tools': []}, timestamp=moment()),
        lambda: speech('assistant'),
    ]
    return one(parts)()


def usage() -> RequestUsage:
    counts = 'input_tokens', 'cache_write_tokens', 'cache_read_tokens', 'output_tokens', 'input_audio_tokens'
    new = 'cache_write_1h_tokens', 'output_reasoning_tokens', 'unmeasured_requests', 'output_audio_tokens'
    numbers = maybe(**dict.fromkeys([*counts, *new], lambda: draw.randint(0, 9)))
    prices = maybe(audio_seconds=lambda: 1.5, cost=lambda: Decimal('0.50'), details=lambda: {'d': 1})
    return RequestUsage(**numbers, **prices)


def attempt() -> m.ModelRequestAttempt:
    return m.ModelRequestAttempt(
        model_name='m',
        outcome=one(['error', 'rejected']),
        timestamp=moment(),
        duration=timedelta(milliseconds=draw.randint(0, 99999)),
        **{'error': None, **maybe(error=text, provider_name=text, usage=usage)},
    )


def of_run() -> dict[str, Any]:
    return maybe(run_id=lambda: 'r', conversation_id=lambda: 'c', metadata=mapping)


def request() -> m.ModelRequest:
    more = maybe(timestamp=moment, instructions=text, state=lambda: one(['complete', 'interrupted']))
    return m.ModelRequest(parts=some(request_part, 4), **more, **of_run())


def response() -> m.ModelResponse:
    more = maybe(
        model_name=text,
        model_id=text,
        provider_name=text,
        provider_url=text,
        canonical_system=text,
        provider_details=mapping,
        provider_response_id=text,
        finish_reason=lambda: one(['stop', 'length', 'content_filter', 'tool_call', 'error']),
        workspace_ref=lambda: m.WorkspaceRef(provider='p', id='i'),
        history_digest=text,
        failed_attempts=lambda: some(attempt),
        state=lambda: one(['complete', 'suspended', 'interrupted']),
    )
    return m.ModelResponse(parts=some(response_part, 4), usage=usage(), timestamp=moment(), **more, **of_run())


def messages() -> list[Any]:
    return some(lambda: one([request, response])(), 4, least=1)


class Script:
    """A model that draws what it answers, and at last text."""

    def __init__(self) -> None:
        self._left = draw.randint(1, 3)

    def __call__(self, history: Any, info: Any) -> m.ModelResponse:
        self._left -= 1
        if self._left < 0:
            last = [m.TextPart('{"x": 1}' if info.model_request_parameters.output_object else 'done')]
            if info.output_tools and not info.allow_text_output:
                last = [m.ToolCallPart(info.output_tools[0].name, {'x': 1}, call_id())]
            return m.ModelResponse(parts=last, timestamp=moment())
        names = ['t', 'look', 'nope', 'later', 'careful', *(tool.name for tool in info.output_tools)]
        values = [{'x': 1}, {'x': 2}, {'x': 3}, {'x': 'no'}, '{"x"']
        parts: list[Any] = [m.ToolCallPart(one(names), one(values), f'{call_id()}{i}{self._left}') for i in range(2)]
        more = [m.TextPart('{"x": "no"}')], [], [m.ThinkingPart('hm')], [m.TextPart('see'), parts[0]], parts, parts
        return m.ModelResponse(parts=one(more), timestamp=moment())


def run() -> list[Any]:
    """Return the messages of a run whose agent, tools and answers are drawn."""
    output: Any = one([str, ToolOutput(Answer), PromptedOutput(Answer), NativeOutput(Answer), Answer])
    tools: FunctionToolset[Any] = FunctionToolset()

    @tools.tool_plain(retries=9)
    def t(x: int) -> int:
        if x == 2:
            raise ModelRetry('not 2')
        if x == 3:
            raise ToolFailed('broken')
        return x

    @tools.tool_plain
    def look(x: int) -> Any:
        return one([ToolReturn(returned(), content=some(content), metadata=data()), returned()])

    @tools.tool_plain(requires_approval=True)
    def careful(x: int) -> int:
        return x

    @tools.tool_plain
    def later(x: int) -> int:
        raise CallDeferred({'x': x})

    agent: Agent[Any, Any] = Agent(
        FunctionModel(Script(), profile={'supports_json_schema_output': True}),
        output_type=[output, DeferredToolRequests],
        toolsets=[tools],
        retries=9,
        end_strategy=one(['early', 'graceful', 'exhaustive']),
        **maybe(instructions=lambda: ['Be good.', 'Be short.'], system_prompt=lambda: 'You are.', metadata=mapping),
    )
    result = agent.run_sync(one(['q', [content() for _ in range(3)] or 'q']), conversation_id='c')
    for _ in range(4):
        if not isinstance(result.output, DeferredToolRequests):
            break
        decided = DeferredToolResults(
            approvals={
                part.tool_call_id: one([True, ToolDenied('no'), ToolApproved(override_args={'x': 5})])
                for part in result.output.approvals
            },
            calls={part.tool_call_id: one([data(), ModelRetry('again')]) for part in result.output.calls},
        )
        result = agent.run_sync(
            message_history=result.all_messages(), deferred_tool_results=decided, conversation_id='c'
        )
    return result.all_messages()


for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 90):
    print(m.ModelMessagesTypeAdapter.dump_json(one([messages, messages, run])()).decode())
