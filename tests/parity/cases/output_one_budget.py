"""One budget for output: failures of different kinds in one run, in every mode, and which of them is one too many."""

from _common import error_text, fact
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    RunContext,
    TextOutput,
    ToolOutput,
    capture_run_messages,
)
from pydantic_ai.messages import ModelResponse, ThinkingPart


class Row(BaseModel):
    n: int


def small(n: int) -> int:
    if n > 5:
        raise ModelRetry('smaller')
    return n


def polite(text: str) -> str:
    if 'please' not in text:
        raise ModelRetry('say please')
    return text


NOTHING, THOUGHT = ModelResponse(parts=[]), ModelResponse(parts=[ThinkingPart('hm')])
WRONG, LARGE, ODD, GOOD = (('final_result', {'n': n}) for n in ('x', 9, 3, 2))
CASES = {
    'tool': (Row, None, [NOTHING, WRONG, 'text', ODD, GOOD]),
    'tool, text last': (Row, None, [WRONG, ODD, 'text', GOOD]),
    'function': (small, None, [WRONG, LARGE, ODD, GOOD]),
    'function, then nothing': (small, None, [LARGE, NOTHING, ODD, THOUGHT, GOOD]),
    'prompted': (PromptedOutput(Row), PROMPTED, ['{', NOTHING, '{"n": "x"}', '{"n": 3}', '{"n": 2}']),
    'native': (NativeOutput(Row), NATIVE, ['{', '{"n": 3}', NOTHING, '{"n": 2}']),
    'prompted function': (PromptedOutput(small), PROMPTED, ['{}', '{"n": 9}', '{"n": 3}', '{"n": 2}']),
    'text function': (TextOutput(polite), None, ['now', NOTHING, 'now', 'odd please', 'please']),
    'unknown tool between': (Row, None, [WRONG, ('nope', {}), ODD, GOOD]),
    'tool of its own budget': (ToolOutput(Row, max_retries=1), None, [WRONG, 'text', ODD, GOOD]),
    'tool between': (Row, None, [WRONG, ('look', {}), ODD, ('look', {}), 'text', GOOD]),
    'failing tool between': (Row, None, [WRONG, ('look', {'x': 'no'}), ODD, GOOD]),
}
for name, (form, profile, answers) in CASES.items():
    for budget in (0, 1, 2, 3, 4):
        seen = []
        agent = Agent(scripted(answers, profile), output_type=form, retries={'tools': 2, 'output': budget})

        @agent.tool
        def look(ctx: RunContext, x: int = 0) -> str:
            seen.append(['tool', ctx.retry, ctx.max_retries])
            return 'looked'

        @agent.output_validator
        def even(ctx: RunContext, value):
            seen.append([ctx.retry, ctx.max_retries, ctx.last_attempt])
            if 'n=3' in repr(value) or value == 3 or value == 'odd please':
                raise ModelRetry('even, please')
            return value

        with capture_run_messages() as messages:
            try:
                out = repr(agent.run_sync('hi').output)
            except Exception as error:
                out = error_text(error)
        fact(
            f'{name} {budget}',
            [
                out,
                sum(isinstance(message, ModelResponse) for message in messages),
                [] if name == 'tool of its own budget' else seen,
            ],
        )
        if budget == 4:
            fact(
                '  told',
                [
                    [[part.part_kind, part.content] for part in message.parts]
                    for message in messages[2:]
                    if message.kind == 'request'
                ],
            )
