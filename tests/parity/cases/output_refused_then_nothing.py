"""Nothing after text that was refused, or that came along with calls: what happens to the text, and what the model is sent."""

from _common import fact
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, TextOutput
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart


class Row(BaseModel):
    n: int


def upper(text: str) -> str:
    return text.upper()


LOOK = ToolCallPart('look', {}, tool_call_id='l')
NOTHING, THOUGHT, CALL = ModelResponse(parts=[]), ModelResponse(parts=[ThinkingPart('hm')]), ModelResponse(parts=[LOOK])


def beside(text):
    return ModelResponse(parts=[TextPart(text), LOOK])


SCRIPTS = {
    'refused': ['A', NOTHING, 'B'],
    'refused, thinking': ['A', THOUGHT, 'B'],
    'refused, tool': ['A', CALL, NOTHING, 'B'],
    'beside a tool': [beside('A'), NOTHING, 'B'],
    'beside a tool, thinking': [beside('A'), THOUGHT, 'B'],
    'beside two tools': [beside('A'), beside('B'), NOTHING, 'A'],
    'refused, beside a tool': ['A', beside('B'), NOTHING, 'B'],
    'nothing for long': ['A', NOTHING, NOTHING, NOTHING, 'B'],
}
FORMS = {
    'text': (str, None),
    'text function': (TextOutput(upper), None),
    'prompted': (PromptedOutput(Row), PROMPTED),
    'native': (NativeOutput(Row), NATIVE),
}
for name, (form, profile) in FORMS.items():
    words = {'A': '{"n": 1}', 'B': '{"n": 2}'} if name in ('prompted', 'native') else {'A': 'one', 'B': 'two'}
    for title, answers in SCRIPTS.items():
        for most in (0, 1, 2):
            seen, validated = [], []
            for answer in answers:
                if isinstance(answer, str):
                    answer = words[answer]
                elif answer.text:
                    answer = beside(words[answer.text])
                validated.append(answer)
            agent = Agent(scripted(validated, profile), output_type=form, retries=4)

            @agent.tool_plain
            def look() -> int:
                return 1

            @agent.output_validator
            def check(ctx: RunContext, value):
                seen.append([repr(value), ctx.retry])
                if len(seen) <= most:
                    raise ModelRetry('another, please')
                return value

            try:
                result = agent.run_sync('hi')
                contents = [
                    [str(getattr(part, 'content', '')) for part in message.parts] for message in result.all_messages()
                ]
                fact(f'{name}: {title} {most}', [repr(result.output), seen, contents])
            except Exception as error:
                fact(f'{name}: {title} {most}', [type(error).__name__, str(error), seen])
