"""Each usage limit: when it is checked, and the error it raises."""

from _common import call, fails, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart
from pydantic_ai.usage import UsageLimits


def y():
    return 'x'


for limits in (
    UsageLimits(request_limit=2),
    UsageLimits(tool_calls_limit=1),
    UsageLimits(tool_calls_limit=0),
    UsageLimits(output_tokens_limit=3),
    UsageLimits(input_tokens_limit=10),
    UsageLimits(total_tokens_limit=10),
    UsageLimits(request_limit=0),
):
    fails(str(limits), Agent(script([call('y', {})]), tools=[y]), 'hi', usage_limits=limits)
run(
    'three of two',
    Agent(script([call('y', {}, '1'), call('y', {}, '2'), call('y', {}, '3')], [TextPart('ok')]), tools=[y]),
    'hi',
    usage_limits=UsageLimits(tool_calls_limit=2),
)
