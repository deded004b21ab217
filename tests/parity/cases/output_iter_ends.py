"""How runs end node by node in each mode: the nodes, the final result and its tool, and the messages at each node."""

import asyncio

from _common import error_text, fact
from _output import IMAGES, NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.messages import BinaryImage, FilePart, ModelResponse


class Row(BaseModel):
    n: int


def upper(text: str) -> str:
    return text.upper()


def double(n: int) -> int:
    return n * 2


BAD, GOOD = ('final_result', {'n': 'x'}), ('final_result', {'n': 1})
FORMS = {
    'text': (str, None, ['a']),
    'tool': (Row, None, [GOOD]),
    'tool, twice': (Row, None, [BAD, GOOD]),
    'text instead': (Row, None, ['a', GOOD]),
    'named': (ToolOutput(Row, name='row'), None, [('row', {'n': 1})]),
    'function': (double, None, [GOOD]),
    'text function': (TextOutput(upper), None, ['a']),
    'native': (NativeOutput(Row), NATIVE, ['{}', '{"n": 1}']),
    'prompted': (PromptedOutput(Row), PROMPTED, ['no', '{"n": 1}']),
    'image': (BinaryImage, IMAGES, ['no', ModelResponse(parts=[FilePart(BinaryImage(b'1', media_type='image/png'))])]),
    'or none': ([str, None], None, [ModelResponse(parts=[])]),
    'never': (Row, None, [BAD]),
    'after a tool': (Row, None, [('look', {}), GOOD]),
}


async def main():
    for name, (form, profile, answers) in FORMS.items():
        agent = Agent(scripted(answers, profile), output_type=form)

        @agent.tool_plain
        def look() -> str:
            return 'looked'

        print('==', name)
        try:
            async with agent.iter('hi') as run:
                async for node in run:
                    kinds = [[part.part_kind for part in message.parts] for message in run.all_messages()]
                    fact('  node', [type(node).__name__, run.result is not None, kinds, run.usage.requests])
                    if Agent.is_end_node(node):
                        final = node.data
                        fact('  final', [repr(final.output), final.tool_name, final.tool_call_id])
            fact(
                '  result',
                [
                    repr(run.result.output),
                    len(run.result.new_messages()),
                    repr(run.result.response.parts[0].part_kind if run.result.response.parts else None),
                ],
            )
            result = run.result
            for tool_return in (None, 'given'):
                try:
                    fact(
                        f'  {tool_return}',
                        [
                            str(part.content)
                            for part in result.all_messages(output_tool_return_content=tool_return)[-1].parts
                            if hasattr(part, 'content')
                        ],
                    )
                except Exception as error:
                    fact(f'  {tool_return}', type(error).__name__)
        except Exception as error:
            fact('  error', error_text(error))


asyncio.run(main())
