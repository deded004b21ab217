from _common import *

from pydantic_ai import ToolReturn

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
