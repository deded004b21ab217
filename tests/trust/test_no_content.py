"""`include_content=False` means none: secrets stand wherever content can be, and telemetry holds none of them.

The same runs with content show that each secret is where telemetry would find it, or that it is never recorded at all.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from stead import (
    Agent,
    RunContext,
)
from stead.capabilities import Instrumentation
from stead.direct import model_request, model_request_stream
from stead.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    UserPromptPart,
)
from stead.models import Model, ModelRequestParameters
from stead.models.instrumented import InstrumentedModel
from stead.native_tools import WebSearchTool

pytest.importorskip('opentelemetry.sdk')


from .secrets import (
    HISTORY,
    PLACES,
    PLANTED,
    PROMPT,
    SCENES,
    SETTINGS,
    SHOWN,
    Scene,
    Telemetry,
    conversation,
    failing_model,
    failing_tool,
    secret,
)

# How they are run


async def run(agent: Agent[Any, Any], **arguments: Any) -> None:
    await agent.run(**arguments)


async def step_by_step(agent: Agent[Any, Any], **arguments: Any) -> None:
    async with agent.iter(**arguments) as steps:
        async for _ in steps:
            pass


async def streamed(agent: Agent[Any, Any], **arguments: Any) -> None:
    async with agent.run_stream(**arguments) as result:
        await result.get_output()


async def streamed_to_the_end(agent: Agent[Any, Any], **arguments: Any) -> None:
    async with agent.run_stream(until='end', **arguments) as result:
        await result.get_output()


async def as_events(agent: Agent[Any, Any], **arguments: Any) -> None:
    async with agent.run_stream_events(**arguments) as events:
        async for _ in events:
            pass


async def left_early(agent: Agent[Any, Any], **arguments: Any) -> None:
    async with agent.run_stream_events(**arguments) as events:
        async for _ in events:
            break


async def handled(agent: Agent[Any, Any], **arguments: Any) -> None:
    async def handle(ctx: RunContext[Any], events: Any) -> None:
        async for _ in events:
            pass

    await agent.run(event_stream_handler=handle, **arguments)


WAYS: list[Callable[..., Awaitable[None]]] = [
    run,
    step_by_step,
    streamed,
    streamed_to_the_end,
    as_events,
    left_early,
    handled,
]
FORMATS: dict[str, dict[str, Any]] = {
    **{f'version {version}': {'version': version} for version in (1, 2, 3, 4, 5)},
    'logs': {'version': 1, 'event_mode': 'logs'},
}


@pytest.fixture(autouse=True)
def python_logs(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing of it is in the logs of Python either."""
    caplog.set_level(logging.DEBUG, logger='stead')
    yield
    text = '\n'.join(
        f'{record.getMessage()} {record.exc_text}' for record in caplog.records if record.name.startswith('stead')
    )
    assert not [place for place in PLACES if secret(place) in text]


def telemetry_of(way: Callable[..., Awaitable[None]], scene: Scene, options: dict[str, Any]) -> Telemetry:
    """Run a scene in some way; runs may fail, which is what some are for."""
    telemetry = Telemetry(**options)
    agent, arguments = scene()
    arguments = {'user_prompt': PROMPT, **arguments, 'capabilities': [Instrumentation(telemetry.settings)]}
    try:
        asyncio.run(way(agent, **arguments))  # type: ignore[arg-type]
    except Exception:
        pass
    assert len(telemetry.exporter.get_finished_spans()) >= 1
    return telemetry


@pytest.mark.parametrize('format', FORMATS)
@pytest.mark.parametrize('way', WAYS)
def test_without_content_there_is_none(way: Callable[..., Awaitable[None]], format: str) -> None:
    for scene in SCENES:
        options = {**FORMATS[format], 'include_content': False}
        assert telemetry_of(way, scene, options).found() == set(), scene.__name__


def test_with_content_each_place_is_shown_or_never() -> None:
    """Else the test above would find nothing in places where nothing is."""
    found: set[str] = set()
    for way in (run, streamed_to_the_end):
        for scene in SCENES:
            found |= telemetry_of(way, scene, {'version': 5}).found()
            found |= telemetry_of(way, scene, {'version': 4}).found()
    assert found == SHOWN
    assert PLANTED == PLACES


def test_there_are_many_places() -> None:
    assert len(SHOWN) >= 40


# Other ways to be traced


@pytest.mark.parametrize('format', FORMATS)
@pytest.mark.parametrize('scene', SCENES)
def test_a_traced_model_and_a_traced_agent_record_none(scene: Scene, format: str) -> None:
    for settle in ('model', 'agent'):
        telemetry = Telemetry(**FORMATS[format], include_content=False)
        agent, arguments = scene()
        if settle == 'agent':
            agent.instrument = telemetry.settings
        else:
            model = agent.model
            assert isinstance(model, Model)
            arguments['model'] = InstrumentedModel(model, telemetry.settings)
        try:
            agent.run_sync(**{'user_prompt': PROMPT, **arguments})  # type: ignore[arg-type]
        except Exception:
            pass
        assert len(telemetry.exporter.get_finished_spans()) >= 1
        assert telemetry.found() == set(), settle


@pytest.mark.parametrize('format', FORMATS)
def test_a_request_without_an_agent_records_none(format: str) -> None:
    telemetry = Telemetry(**FORMATS[format], include_content=False)
    agent, _ = conversation()
    assert isinstance(agent.model, Model)
    model = InstrumentedModel(agent.model, telemetry.settings)
    messages: list[ModelMessage] = [
        *HISTORY,
        ModelRequest(parts=[UserPromptPart(PROMPT)], instructions=secret('instructions')),
    ]
    parameters = ModelRequestParameters(
        native_tools=[WebSearchTool(user_location={'city': secret('native-options')})],
        instruction_parts=[InstructionPart(secret('dynamic-instructions'), dynamic=True)],
        prompted_output_template=secret('prompted-output'),
    )

    async def main() -> None:
        await model_request(model, messages, model_settings=SETTINGS, model_request_parameters=parameters)
        async with model_request_stream(
            model, messages, model_settings=SETTINGS, model_request_parameters=parameters
        ) as events:
            async for _ in events:
                pass

    asyncio.run(main())
    assert len(telemetry.exporter.get_finished_spans()) == 2
    assert telemetry.found() == set()


# What is recorded without content


def test_errors_have_their_type() -> None:
    (chat,) = [
        span
        for span in telemetry_of(run, failing_model, {'include_content': False}).exporter.get_finished_spans()
        if span.name.startswith('chat')
    ]
    assert (chat.status.status_code.name, chat.status.description) == ('ERROR', 'ModelHTTPError')
    (event,) = chat.events
    assert dict(event.attributes or {}) == {
        'exception.type': 'stead.exceptions.ModelHTTPError',
        'exception.escaped': 'False',
    }
    tools = telemetry_of(run, failing_tool, {'include_content': False}).exporter.get_finished_spans()
    assert [dict(event.attributes or {})['exception.type'] for span in tools for event in span.events] == [
        'ValueError',
        'ValueError',
    ]


def test_what_the_program_defines_stays() -> None:
    """Names, descriptions and schemas of tools, numbers among the settings, and metadata, which is for telemetry."""
    telemetry = Telemetry(include_content=False)
    agent, arguments = conversation()
    agent.run_sync(PROMPT, **arguments, metadata={'team': 'blue'}, capabilities=[Instrumentation(telemetry.settings)])
    spans = {span.name: dict(span.attributes or {}) for span in telemetry.exporter.get_finished_spans()}
    chat, run_span = spans['chat scripted'], spans['agent run']
    parameters = json.loads(str(chat['model_request_parameters']))
    assert [tool['name'] for tool in parameters['function_tools']] == ['good', 'strict', 'again']
    assert parameters['output_tools'][0]['description'].endswith('Finish.')
    assert parameters['native_tools'] == [
        {'kind': 'web_search', 'optional': False},
        {'kind': 'mcp_server', 'optional': False},
    ]
    assert {part['part_kind'] for part in parameters['instruction_parts']} == {'instruction'}
    assert chat['gen_ai.request.temperature'] == 0.5
    assert (run_span['metadata'], run_span['gen_ai.agent.description']) == ('{"team":"blue"}', 'For {{customer}}')


def test_credentials_of_native_tools_are_hidden() -> None:
    telemetry = telemetry_of(run, conversation, {})
    chat = next(span for span in telemetry.exporter.get_finished_spans() if span.name.startswith('chat'))
    tools = json.loads(str((chat.attributes or {})['model_request_parameters']))['native_tools']
    assert (tools[1]['authorization_token'], tools[1]['headers']) == ('(hidden)', {'x': '(hidden)'})
