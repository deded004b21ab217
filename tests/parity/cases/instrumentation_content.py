"""What spans say when content, or the content of files, is not to be shown."""

from _common import call, script
from _instrumentation import IDS, trace
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import BinaryContent, DocumentUrl, ImageUrl, TextPart, ThinkingPart


def make(capabilities):
    agent = Agent(
        script([call('t', {'n': 1}), TextPart('zé')], [TextPart('done'), ThinkingPart('hmé')]),
        name='u',
        instructions='secret',
        metadata={'m': 1},
        capabilities=capabilities,
    )

    @agent.tool_plain
    def t(n: int):
        return ToolReturn('result', content=['more', BinaryContent(b'zz', media_type='image/png')])

    return agent


prompt = [
    'look',
    BinaryContent(b'abc', media_type='image/png'),
    ImageUrl('http://a/b.png'),
    DocumentUrl('http://a/b.pdf'),
]
# Parameters have fewer details in stead without content.
without = (*IDS, 'model_request_parameters')
for version in (1, 2, 3, 4, 5):
    trace(
        f'no content {version}', make, prompt, settings={'version': version, 'include_content': False}, without=without
    )
    trace(f'no files {version}', make, prompt, settings={'version': version, 'include_binary_content': False})
    trace(f'everything {version}', make, prompt, settings={'version': version})
