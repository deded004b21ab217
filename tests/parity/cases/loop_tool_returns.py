"""What the model is sent for values of each kind that a tool returns."""

from _common import M, call, run, script
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import BinaryContent, ImageUrl, TextPart

VALUES = (
    's',
    1,
    None,
    [1, 'a'],
    {'a': 1},
    M(n=1),
    ToolReturn('v', content='c', metadata={'m': 1}),
    ToolReturn('v', content=['c', ImageUrl('http://x/a.png')]),
    BinaryContent(b'abc', media_type='image/png'),
    ['t', ImageUrl('http://x/a.png')],
    {1},
    b'raw',
)
for value in VALUES:
    agent = Agent(script([call('y', {})], [TextPart('ok')]))

    @agent.tool_plain
    def y():
        return value

    run(repr(value)[:40], agent, 'hi')
