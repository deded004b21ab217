"""Images, links and documents that tools return, alone, in structures, and as content of a `ToolReturn`."""

from _common import call, fact, run, script
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import BinaryContent, DocumentUrl, ImageUrl, TextPart

PNG = BinaryContent(b'png', media_type='image/png', identifier='pic')
URL = ImageUrl('https://example.com/a.png', identifier='url')
DOC = DocumentUrl('https://example.com/a.pdf', identifier='doc')
VALUES = {
    'image': PNG,
    'url': URL,
    'list': [PNG, URL],
    'mixed': ['look', PNG, {'a': 1}, URL],
    'one and text': ['look', PNG],
    'in a dict': {'image': PNG},
    'nested': [[PNG]],
    'tuple': ('look', PNG),
    'return': ToolReturn(PNG),
    'value and content': ToolReturn('seen', content=['look', PNG]),
    'content text': ToolReturn({'a': 1}, content='read this', metadata={'k': 1}),
    'content only': ToolReturn(None, content=[URL, DOC]),
    'empty content': ToolReturn('v', content=[]),
    'both': ToolReturn([PNG, 'x'], content=[DOC]),
}
for name, value in VALUES.items():
    agent = Agent(script([call('t', {})], [TextPart('x')]))
    agent.tool_plain(name='t')(lambda: value)
    result = run(name, agent, 'q')
    part = result.all_messages()[2].parts[0]
    fact('text', part.model_response_str())
    fact('files', [file.identifier for file in part.files])
print('== several at once')
agent = Agent(script([call('a', {}), call('b', {}), call('c', {})], [TextPart('x')]))
agent.tool_plain(name='a')(lambda: VALUES['value and content'])
agent.tool_plain(name='b')(lambda: VALUES['image'])
agent.tool_plain(name='c')(lambda: VALUES['content text'])
run('several', agent, 'q')
