"""Events of calls of function tools: valid, invalid, unknown and retried ones, with content, in each mode."""

from _common import call
from _execution import events_of, streamed
from pydantic_ai import Agent, ModelRetry, RunContext, ToolReturn
from pydantic_ai.messages import TextPart


def n(n: int):
    return n


async def content():
    return ToolReturn('value', content=['look', 'there'], metadata={'m': 1})


async def nothing():
    return None


async def retry(ctx: RunContext):
    if ctx.retry == 0:
        raise ModelRetry('again')
    return 'now'


TOOLS = [n, content, nothing, retry]
events_of(Agent(streamed([call('n', {'n': 1})], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('n', {'n': 'x'})], [call('n', {'n': 2}, 'second')], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('content', {})], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('nothing', {})], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('retry', {}, '1')], [call('retry', {}, '2')], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('n', '{"n": ', '1')], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('nobody', {}, '1')], [call('nobody', {}, '2')], [TextPart('x')]), tools=TOOLS))
events_of(Agent(streamed([call('n', {'n': 'x'}, '1')], [call('n', {'n': 'x'}, '2')]), tools=TOOLS))
with Agent.parallel_tool_call_execution_mode('sequential'):
    events_of(
        Agent(
            streamed(
                [call('n', {'n': 1}), call('content', {}), call('retry', {}), call('nothing', {})], [TextPart('x')]
            ),
            tools=TOOLS,
        )
    )
with Agent.parallel_tool_call_execution_mode('parallel_ordered_events'):
    events_of(
        Agent(streamed([call('content', {}), call('retry', {}), call('nothing', {})], [TextPart('x')]), tools=TOOLS)
    )
