"""`ToolReturn` inside of a list, two with content at once, and calls that share an id or have none."""

from _common import call, run, script
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import TextPart, ToolCallPart


def nested():
    return [ToolReturn('a')]


run('nested', Agent(script([call('nested', {})], [TextPart('k')]), tools=[nested]), 'q')


def one():
    return ToolReturn('a', content='ca')


def two():
    return ToolReturn('b', content=['cb'])


run('two', Agent(script([call('one', {}), call('two', {})], [TextPart('k')]), tools=[one, two]), 'q')


def ids():
    return 1


run('empty id', Agent(script([ToolCallPart('ids', {}, tool_call_id='')], [TextPart('k')]), tools=[ids]), 'q')
