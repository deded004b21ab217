"""Secrets in all places where content can be, scenes that say them, and telemetry that is searched for them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from stead import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    InstrumentationSettings,
    ModelHTTPError,
    ModelRetry,
    RunContext,
    TemplateStr,
    ToolDenied,
)
from stead.capabilities import Hooks, NativeTool
from stead.messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from stead.models.fallback import FallbackModel
from stead.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.native_tools import MCPServerTool, WebSearchTool
from stead.output import PromptedOutput

pytest.importorskip('opentelemetry.sdk')

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ..instrumentation.kit import KeepLogs

SHOWN = frozenset(
    """
    prompt prompt-text image-url audio-url video-url document-url file-bytes file-id
    system-prompt dynamic-system-prompt instructions dynamic-instructions run-instructions prompted-output description-deps
    history-system history-prompt history-thinking history-text history-file history-args history-return history-retry
    history-native-args history-native-return invalid-history
    thinking text call-args unknown-args invalid-args native-args native-return output output-args
    result return-metadata more-content retry denied external output-retry validator-retry
    deferral-metadata approval-metadata
    tool-error error-cause model-error model-body fallback-error hook-error output-error stream-error prompt-error
    native-options tool-metadata
    """.split()
)
"""The places of secrets that are recorded with content."""
HIDDEN = frozenset(
    """
    deps extra-body extra-headers stop-sequences authorization native-headers signature provider-details
    request-metadata validation-context
    """.split()
)
"""The places of secrets that are never recorded."""
PLACES = SHOWN | HIDDEN
PLANTED: set[str] = set()
"""The places where a secret was put."""


def secret(place: str) -> str:
    """The secret of a place, which is a part of no other text."""
    assert place in PLACES
    PLANTED.add(place)
    return f'<<{place}>>'


class Telemetry:
    """The providers of the SDK, and all text that they were given."""

    def __init__(self, **options: Any) -> None:
        self.exporter, self.reader, self.logs = InMemorySpanExporter(), InMemoryMetricReader(), KeepLogs()
        tracers, loggers = TracerProvider(), LoggerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        loggers.add_log_record_processor(SimpleLogRecordProcessor(self.logs))  # type: ignore[arg-type]
        self.settings = InstrumentationSettings(
            tracer_provider=tracers,
            meter_provider=MeterProvider([self.reader]),
            logger_provider=loggers,
            **options,
        )

    def text(self) -> str:
        spans = [
            (span.name, dict(span.attributes or {}), str(span.status.description), span.status.status_code.name)
            + tuple((event.name, dict(event.attributes or {})) for event in span.events)
            for span in self.exporter.get_finished_spans()
        ]
        metrics = self.reader.get_metrics_data()
        records = [(item.log_record.body, dict(item.log_record.attributes or {})) for item in self.logs.records]
        text = f'{spans!r} {metrics.to_json() if metrics else ""} {records!r}'
        # The bytes of files are recorded as base64.
        return text.replace(
            BinaryContent(secret('file-bytes').encode(), media_type='image/png').base64, secret('file-bytes')
        ).replace(BinaryContent(secret('history-file').encode(), media_type='image/png').base64, secret('history-file'))

    def found(self) -> set[str]:
        text = self.text()
        return {place for place in PLACES if secret(place) in text}


# Models


def scripted(*responses: list[Any]) -> FunctionModel:
    """A model that gives the responses one after the other, whole or as streams; errors among their parts are raised."""

    def parts_for(messages: list[ModelMessage]) -> list[Any]:
        answered = sum(isinstance(message, ModelResponse) for message in messages) - len(HISTORY) // 2
        return responses[min(max(answered, 0), len(responses) - 1)]

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = parts_for(messages)
        for part in parts:
            if isinstance(part, Exception):
                raise part
        return ModelResponse(parts=parts, provider_details={'x': secret('provider-details')})

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for index, part in enumerate(parts_for(messages)):
            if isinstance(part, Exception):
                raise part
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ThinkingPart):
                yield {index: DeltaThinkingPart(content=part.content, signature=part.signature)}
            elif isinstance(part, ToolCallPart):
                args = part.args if isinstance(part.args, str) else json.dumps(part.args)
                yield {index: DeltaToolCall(part.tool_name, args, tool_call_id=part.tool_call_id)}
            else:
                yield {index: part}

    return FunctionModel(answer, stream_function=stream, model_name='scripted')


HISTORY: list[ModelMessage] = [
    ModelRequest(
        parts=[SystemPromptPart(secret('history-system')), UserPromptPart(secret('history-prompt'))],
        metadata={'x': secret('request-metadata')},
    ),
    ModelResponse(
        parts=[
            ThinkingPart(secret('history-thinking'), signature=secret('signature')),
            TextPart(secret('history-text')),
            FilePart(BinaryContent(secret('history-file').encode(), media_type='image/png')),
            NativeToolCallPart('web_search', {'q': secret('history-native-args')}, 'n0'),
            NativeToolReturnPart('web_search', secret('history-native-return'), 'n0'),
            ToolCallPart('gone', {'q': secret('history-args')}, 'h1'),
            ToolCallPart('gone', {}, 'h2'),
            ToolCallPart('gone', {}, 'h3'),
        ],
        provider_details={'x': secret('provider-details')},
    ),
    ModelRequest(
        parts=[
            ToolReturnPart('gone', secret('history-return'), 'h1', metadata=secret('return-metadata')),
            RetryPromptPart(secret('history-retry'), tool_name='gone', tool_call_id='h2'),
            RetryPromptPart(
                [{'type': 'x', 'loc': ('q', 1), 'msg': 'wrong', 'input': secret('invalid-history')}],
                tool_name='gone',
                tool_call_id='h3',
            ),
        ]
    ),
    ModelResponse(parts=[TextPart('as you see')]),
]
PROMPT = [
    secret('prompt'),
    TextContent(secret('prompt-text')),
    ImageUrl(f'http://x/{secret("image-url")}.png'),
    AudioUrl(f'http://x/{secret("audio-url")}.mp3'),
    VideoUrl(f'http://x/{secret("video-url")}.mp4'),
    DocumentUrl(f'http://x/{secret("document-url")}.pdf'),
    BinaryContent(secret('file-bytes').encode(), media_type='image/png'),
    UploadedFile(secret('file-id'), provider_name='openai', media_type='image/png'),
]
SETTINGS: Any = {
    'extra_body': {'x': secret('extra-body')},
    'extra_headers': {'x': secret('extra-headers')},
    'stop_sequences': [secret('stop-sequences')],
    'temperature': 0.5,
}


@dataclass
class Deps:
    key: str = secret('deps')
    customer: str = secret('description-deps')


# What runs do: each returns an agent, and the arguments of its runs.

Scene = Callable[[], 'tuple[Agent[Any, Any], dict[str, Any]]']


def conversation() -> tuple[Agent[Any, Any], dict[str, Any]]:
    """Tools of all kinds and a structured output, after a history of all kinds."""
    call = ToolCallPart

    def finish(text: str) -> str:
        """Finish."""
        if text == secret('output-args'):
            raise ModelRetry(secret('output-retry'))
        return text

    agent: Agent[Any, Any] = Agent(
        scripted(
            [
                ThinkingPart(secret('thinking'), signature=secret('signature')),
                TextPart(secret('text')),
                NativeToolCallPart('web_search', {'q': secret('native-args')}, 'n1'),
                NativeToolReturnPart('web_search', secret('native-return'), 'n1'),
                call('good', {'q': secret('call-args')}, 'c1'),
                call('strict', {'n': secret('invalid-args')}, 'c2'),
                call('again', {}, 'c3'),
                call('nothing_like_it', {'q': secret('unknown-args')}, 'c4'),
            ],
            [call('final_result', {'text': secret('output-args')}, 'c5')],
            [call('final_result', {'text': 'once more'}, 'c6')],
            [call('final_result', {'text': secret('output')}, 'c7')],
        ),
        name='agent',
        description=TemplateStr('For {{customer}}'),
        deps_type=Deps,
        output_type=finish,
        system_prompt=secret('system-prompt'),
        instructions=secret('instructions'),
        model_settings=SETTINGS,
        retries=5,
        validation_context={'x': secret('validation-context')},
        capabilities=[
            NativeTool(WebSearchTool(user_location={'city': secret('native-options')})),
            NativeTool(
                MCPServerTool(
                    id='m',
                    url='https://x',
                    authorization_token=secret('authorization'),
                    headers={'x': secret('native-headers')},
                )
            ),
        ],
    )

    @agent.system_prompt
    def more_system(ctx: RunContext[Deps]) -> str:
        return secret('dynamic-system-prompt')

    @agent.instructions
    def more_instructions(ctx: RunContext[Deps]) -> str:
        return secret('dynamic-instructions')

    @agent.tool_plain(metadata={'x': secret('tool-metadata')})
    def good(q: str) -> ToolReturn:
        return ToolReturn(secret('result'), content=secret('more-content'), metadata=secret('return-metadata'))

    @agent.tool_plain
    def strict(n: int) -> int:
        return n

    @agent.tool_plain
    def again() -> str:
        raise ModelRetry(secret('retry'))

    @agent.output_validator
    def check(ctx: RunContext[Deps], text: str) -> str:
        if text == 'once more':
            raise ModelRetry(secret('validator-retry'))
        return text

    return agent, {'deps': Deps(), 'message_history': HISTORY, 'instructions': secret('run-instructions')}


def beginning() -> tuple[Agent[Any, Any], dict[str, Any]]:
    """A new conversation, whose output is asked for by a prompt."""
    agent: Agent[Any, Any] = Agent(
        scripted([TextPart(json.dumps({'response': [secret('output')]}))]),
        output_type=PromptedOutput(list[str], template=secret('prompted-output') + ' {schema}'),
        system_prompt=secret('system-prompt'),
    )
    agent.system_prompt(lambda: secret('dynamic-system-prompt'))
    return agent, {}


def deferral() -> tuple[Agent[Any, Any], dict[str, Any]]:
    """Calls that wait for people and other programs."""
    agent: Agent[Any, Any] = Agent(
        scripted([ToolCallPart('later', {}, 'd1'), ToolCallPart('ask', {}, 'd2')]),
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred(metadata={'x': secret('deferral-metadata')})

    @agent.tool_plain
    def ask() -> str:
        raise ApprovalRequired(metadata={'x': secret('approval-metadata')})

    return agent, {}


def resumption() -> tuple[Agent[Any, Any], dict[str, Any]]:
    """A run that goes on with decisions about calls."""
    agent, _ = deferral()
    history: list[ModelMessage] = [
        ModelRequest.user_text_prompt('go'),
        ModelResponse(parts=[ToolCallPart('later', {}, 'd1'), ToolCallPart('ask', {}, 'd2')]),
    ]
    results = DeferredToolResults(calls={'d1': secret('external')}, approvals={'d2': ToolDenied(secret('denied'))})
    return Agent(scripted([TextPart('done')]), toolsets=agent.toolsets, output_type=agent.output_type), {
        'user_prompt': None,
        'message_history': history,
        'deferred_tool_results': results,
    }


def failing_tool() -> tuple[Agent[Any, Any], dict[str, Any]]:
    agent: Agent[Any, Any] = Agent(scripted([ToolCallPart('fail', {}, 'c1')]))

    @agent.tool_plain
    def fail() -> str:
        try:
            raise KeyError(secret('error-cause'))
        except KeyError as cause:
            raise ValueError(secret('tool-error')) from cause

    return agent, {}


def failing_model() -> tuple[Agent[Any, Any], dict[str, Any]]:
    error = ModelHTTPError(500, secret('model-error'), body={'x': secret('model-body')})
    return Agent(scripted([error])), {}


def failing_stream() -> tuple[Agent[Any, Any], dict[str, Any]]:
    return Agent(scripted([TextPart(secret('text')), RuntimeError(secret('stream-error'))])), {}


def failing_fallback() -> tuple[Agent[Any, Any], dict[str, Any]]:
    error = ModelHTTPError(500, secret('fallback-error'))
    return Agent(FallbackModel(scripted([error]), scripted([error]))), {}


def failing_hook() -> tuple[Agent[Any, Any], dict[str, Any]]:
    hooks = Hooks[Any]()

    @hooks.on.before_model_request
    def fail(ctx: RunContext[Any], request_context: Any) -> Any:
        raise ValueError(secret('hook-error'))

    return Agent(scripted([TextPart('x')]), capabilities=[hooks]), {}


def failing_prompt() -> tuple[Agent[Any, Any], dict[str, Any]]:
    agent: Agent[Any, Any] = Agent(scripted([TextPart('x')]))

    @agent.instructions
    def fail() -> str:
        raise ValueError(secret('prompt-error'))

    return agent, {}


def failing_output() -> tuple[Agent[Any, Any], dict[str, Any]]:
    def finish(text: str) -> str:
        raise ValueError(secret('output-error'))

    return Agent(scripted([ToolCallPart('final_result', {'text': 'x'}, 'c1')]), output_type=finish), {}


SCENES: list[Scene] = [
    conversation,
    beginning,
    deferral,
    resumption,
    failing_tool,
    failing_model,
    failing_stream,
    failing_fallback,
    failing_hook,
    failing_prompt,
    failing_output,
]
