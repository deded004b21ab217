"""Requests of the Vercel AI SDK, the runs that answer them, and the chunks."""

import asyncio
import re
import warnings

from _ui import Names, short
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolReturn
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from pydantic_ai.ui.vercel_ai.request_types import RegenerateMessage, SubmitMessage, UIMessage
from pydantic_ai.ui.vercel_ai.response_types import DataChunk


def message(role, *parts):
    return UIMessage.model_validate({'id': 'm', 'role': role, 'parts': list(parts)})


def text(content):
    return {'type': 'text', 'text': content}


def tool(state, **fields):
    return {'type': 'tool-f', 'toolCallId': 'q1', 'state': state, 'input': {'a': 'b'}, **fields}


USER = message('user', text('hi'))


async def echo(messages, info):
    print('   model', short(messages), info.instructions)
    yield 'ok'


async def calling(messages, info):
    last = messages[-1].parts[0]
    if last.part_kind in ('tool-return', 'retry-prompt'):
        yield f'done {[part.content for part in messages[-1].parts if part.part_kind == "tool-return"]}'
    else:
        yield {0: DeltaToolCall(name='f', json_args='{"a":"b"}', tool_call_id='q1')}


async def think(messages, info):
    yield {0: DeltaThinkingPart(content='hm'), 1: DeltaThinkingPart(content='so')}
    yield 'text'


ECHO, CALLING = FunctionModel(stream_function=echo), FunctionModel(stream_function=calling)


async def go(title, agent, *messages, request=None, version=6, fields=None, **options):
    print('==', title, version)
    named = Names()
    request = request or SubmitMessage(id='chat', messages=[USER, *messages])
    adapter = VercelAIAdapter(agent, request, sdk_version=version, **(fields or {}))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        try:
            async for line in adapter.encode_stream(adapter.run_stream(**options)):
                line = re.sub(r'\d{4}-\d\d-\d\dT[\d:.]+Z', 'T', named(line.strip()))
                line = re.sub(r'("type":"error","errorText":)".*"', r'\1"..."', line)
                print('  ', re.sub(r'"approvalId":"[\w.-]+"', '"approvalId":"..."', line))
        except Exception as error:
            print('   raised', type(error).__name__)
    for warning in seen:
        print('   warning', warning.category.__name__)


async def main():
    await go('plain', Agent(ECHO, system_prompt='own', instructions='inst'), message('system', text('theirs')))
    own = {'manage_system_prompt': 'client'}
    await go('client', Agent(ECHO, system_prompt='own'), message('system', text('theirs')), fields=own)
    history = [ModelRequest(parts=[UserPromptPart('before')]), ModelResponse(parts=[TextPart('then')])]
    await go('history', Agent(ECHO, system_prompt='own'), message_history=history, conversation_id='mine')
    await go('turns', Agent(ECHO), message('assistant', text('y')), message('user', text('z')))
    again = RegenerateMessage(trigger='regenerate-message', id='chat', messages=[USER], message_id='m')
    await go('again', Agent(ECHO), request=again)
    bad = {'type': 'file', 'mediaType': 'image/png', 'url': 's3://x'}
    await go('link', Agent(ECHO), message('user', text('see'), bad))
    await go('thinking', Agent(FunctionModel(stream_function=think)))
    await go('nothing', Agent(ECHO), request=SubmitMessage(id='chat', messages=[]))
    for version in (5, 6):
        agent = Agent(CALLING, output_type=[str, DeferredToolRequests])

        @agent.tool_plain(requires_approval=True)
        def f(a: str) -> str:
            return f'ran {a}'

        await go('asks', agent, version=version)
        decided = [{'approved': False, 'reason': 'no!'}, {'approved': False}]
        for answer in decided:
            part = tool('approval-responded', approval={'id': 'x', **answer})
            await go(f'denied {answer}', agent, message('assistant', part), version=version)
        states = [tool('input-streaming'), tool('input-available'), tool('approval-requested', approval={'id': 'x'})]
        states += [tool('output-available', output='out'), tool('output-error', errorText='e'), tool('output-denied')]
        for part in states:
            await go(part['state'], agent, message('assistant', part), version=version)
        results = DeferredToolResults(approvals={'q1': True})
        await go('approved', agent, message('assistant', states[1]), version=version, deferred_tool_results=results)
        toolset = ExternalToolset([ToolDefinition(name='f', parameters_json_schema={'type': 'object'})])
        await go(
            'external', Agent(CALLING, output_type=[str, DeferredToolRequests], toolsets=[toolset]), version=version
        )
        picky = Agent(CALLING)

        @picky.tool_plain(name='f')
        def pick(a: int) -> int:
            return a

        await go('invalid', picky, version=version)
        await go('unknown', Agent(CALLING), version=version)
        rich = Agent(CALLING)

        @rich.tool_plain(name='f')
        def send(a: str) -> ToolReturn:
            return ToolReturn('rv', content='more', metadata=DataChunk(type='data-z', data=1))

        await go('chunk', rich, version=version)
    adapter = VercelAIAdapter(Agent(ECHO), SubmitMessage(id='chat', messages=[USER], theme='dark'))
    print(
        adapter.state, adapter.toolset, adapter.conversation_id, adapter.deferred_tool_results, adapter.run_input.theme
    )


asyncio.run(main())
