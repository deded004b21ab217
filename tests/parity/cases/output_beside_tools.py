"""JSON and text beside calls of function tools, in modes without output tools, under each strategy."""

from _common import error_text, fact
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, TextOutput
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart


def upper(text: str) -> str:
    return text.upper()


class Row(BaseModel):
    n: int


def call(name, args=None):
    return ToolCallPart(name, args or {}, tool_call_id=f'id_{name}')


JSON, BAD = TextPart('{"n": 1}'), TextPart('{"n": "x"}')
ANSWERS = {
    'JSON, tool': [JSON, call('look')],
    'tool, JSON': [call('look'), JSON],
    'bad JSON, tool': [BAD, call('look')],
    'JSON, failing tool': [JSON, call('again')],
    'JSON, unknown tool': [JSON, call('nope')],
    'JSON, bad arguments': [JSON, call('look', {'x': 'no'})],
    'JSON, two tools': [JSON, call('look'), call('again')],
    'thinking, tool': [ThinkingPart('{"n": 1}'), call('look')],
    'JSON around a tool': [TextPart('{"n"'), call('look'), TextPart(': 1}')],
    'empty, tool': [TextPart(''), call('look')],
    'output tool nobody has': [JSON, call('final_result', {'n': 1})],
}
FORMS = {
    'prompted': (PromptedOutput(Row), PROMPTED),
    'native': (NativeOutput(Row), NATIVE),
    'text function': (TextOutput(upper), None),
    'text': (str, None),
    'prompted union': (PromptedOutput([Row, int]), PROMPTED),
}
for strategy in ('early', 'graceful', 'exhaustive'):
    for name, (form, profile) in FORMS.items():
        for label, parts in ANSWERS.items():
            last = '{"result": {"kind": "Row", "data": {"n": 7}}}' if name == 'prompted union' else '{"n": 7}'
            ran = []
            agent = Agent(
                scripted([ModelResponse(parts=parts), last], profile), output_type=form, end_strategy=strategy
            )

            @agent.tool_plain
            def look(x: int = 0) -> str:
                ran.append('look')
                return 'looked'

            @agent.tool_plain
            def again() -> str:
                ran.append('again')
                raise ModelRetry('again')

            try:
                result = agent.run_sync('hi')
                fact(
                    f'{strategy}, {name}: {label}',
                    [
                        repr(result.output),
                        sorted(ran),
                        [
                            [[part.part_kind, str(getattr(part, 'content', ''))] for part in message.parts]
                            for message in result.all_messages()[2:]
                        ],
                    ],
                )
            except Exception as error:
                fact(f'{strategy}, {name}: {label}', [error_text(error), sorted(ran)])
