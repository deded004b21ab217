"""Outputs that may be nothing: `None` in the union, and responses without anything, with text, and after tools."""

from typing import Optional, Union

from _common import error_text, fact
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart


class Row(BaseModel):
    n: int


FORMS = {
    'text or none': ([str, None], None),
    'optional text': (Optional[str], None),
    'union': (Union[str, None], None),
    'tool or none': ([Row, None], None),
    'optional tool': (Optional[Row], None),
    'marker or none': ([ToolOutput(Row), None], None),
    'none first': ([None, str], None),
    'type of none': ([str, type(None)], None),
    'tool, text or none': ([Row, str, None], None),
    'prompted or none': ([PromptedOutput(Row), None], PROMPTED),
    'native or none': ([NativeOutput(Row), None], NATIVE),
    'number or none': (Optional[int], None),
}
ANSWERS = {
    'nothing': [],
    'empty': [TextPart('')],
    'space': [TextPart(' ')],
    'text': [TextPart('x')],
    'null': [TextPart('null')],
    'thinking': [ThinkingPart('hm')],
    'JSON': [TextPart('{"n": 1}')],
    'tool': [ToolCallPart('look', {}, tool_call_id='l')],
    'output': [ToolCallPart('final_result', {'n': 1}, tool_call_id='o')],
    'null output': [ToolCallPart('final_result', None, tool_call_id='o')],
}
for name, (form, profile) in FORMS.items():
    for label, parts in ANSWERS.items():
        seen = []
        try:
            agent = Agent(scripted([ModelResponse(parts=parts), ModelResponse(parts=[])], profile), output_type=form)
        except Exception as error:
            fact(name, type(error).__name__)
            break

        @agent.tool_plain
        def look() -> str:
            return 'looked'

        @agent.output_validator
        def check(value):
            seen.append(repr(value))
            return value

        try:
            result = agent.run_sync('hi')
            fact(
                f'{name}: {label}',
                [
                    repr(result.output),
                    seen,
                    [[part.part_kind for part in message.parts] for message in result.all_messages()[1:]],
                ],
            )
        except Exception as error:
            fact(f'{name}: {label}', [error_text(error), seen])
