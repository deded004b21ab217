"""What the cases on executing tools share: tools that write down when they begin and end, and agents that call them."""

import asyncio
import json

from _common import call, error_text, fact, script
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

LOG = []


def note(what):
    """Write down that something happened."""
    LOG.append(what)


def sleeper(name, delay, result=None, *, clean=False, **options):
    """A tool that takes a while, and writes down when it begins, ends, fails, is cancelled and cleans up."""

    async def tool():
        note(f'+{name}')
        try:
            await asyncio.sleep(delay)
            if isinstance(result, Exception):
                note(f'!{name}')
                raise result
            note(f'-{name}')
            return result if result is not None else name
        except asyncio.CancelledError:
            note(f'x{name}')
            if clean:
                await asyncio.sleep(0.01)
                note(f'xx{name}')
            raise
        finally:
            note(f'.{name}')

    return Tool(tool, name=name, **options)


def caller(*names, then='done', **options):
    """An agent whose model calls these tools in one response."""
    return Agent(streamed([call(name, {}) for name in names], [TextPart(then)]), **options)


def streamed(*responses):
    """A script that can be streamed, too."""

    async def stream(messages, info):
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        for index, part in enumerate(responses[min(turn, len(responses) - 1)]):
            if isinstance(part, TextPart):
                yield part.content
            else:
                yield {
                    index: DeltaToolCall(
                        name=part.tool_name, json_args=part.args_as_json_str(), tool_call_id=part.tool_call_id
                    )
                }

    return FunctionModel(script(*responses).function, stream_function=stream)


def events_of(agent, **options):
    """Run an agent, and print the events of tool calls as they come."""
    seen = []

    async def handler(ctx, events):
        async for event in events:
            kind = event.event_kind
            if kind in ('function_tool_call', 'output_tool_call'):
                seen.append([kind, event.part.tool_call_id, event.args_valid])
            elif kind in ('function_tool_result', 'output_tool_result'):
                part = event.part
                content = part.content if isinstance(part.content, (str, int)) else type(part.content).__name__
                seen.append([kind, part.tool_call_id, part.part_kind, content, repr(getattr(event, 'content', None))])

    try:
        outcome = repr(agent.run_sync('q', event_stream_handler=handler, **options).output)
    except Exception as error:
        outcome = error_text(error)
    print('==', outcome)
    for line in seen:
        print('  ', json.dumps(line, default=repr))


def logged(title, agent, **options):
    """Run an agent, and print what its tools wrote down, and what they answered."""
    LOG.clear()
    try:
        result = agent.run_sync('q', **options)
        outcome = [
            [part.part_kind, part.content]
            for message in result.all_messages()
            if message.kind == 'request'
            for part in message.parts[0:]
            if part.part_kind != 'user-prompt' or not isinstance(part.content, str)
        ]
    except Exception as error:
        outcome = error_text(error)
    fact(title, {'log': list(LOG), 'outcome': outcome})
