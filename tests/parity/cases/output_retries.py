"""How often outputs may be tried again, and what the model is sent, in each mode."""

from _output import NATIVE, PROMPTED, answered
from pydantic import BaseModel
from pydantic_ai import NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart


class Row(BaseModel):
    n: int


def call(name, args, call_id='id'):
    return ToolCallPart(name, args, tool_call_id=call_id)


GOOD, BAD = ('final_result', {'n': 1}), ('final_result', {'n': 'x'})
for retries in (0, 1, 2):
    answered(f'tool, once wrong, {retries}', Row, BAD, GOOD, retries=retries)
    answered(f'tool, twice wrong, {retries}', Row, BAD, BAD, GOOD, retries=retries)
    answered(f'text instead of the tool, {retries}', Row, 'text', GOOD, retries=retries)
    answered(
        f'prompted, wrong, {retries}', PromptedOutput(Row), '{"n": "x"}', '{"n": 1}', profile=PROMPTED, retries=retries
    )
    answered(f'native, wrong, {retries}', NativeOutput(Row), '{"n": "x"}', '{"n": 1}', profile=NATIVE, retries=retries)
    answered(f'of the marker, {retries}', ToolOutput(Row, max_retries=1), BAD, GOOD, retries=retries)
    answered(f'none of the marker, {retries}', ToolOutput(Row, max_retries=0), BAD, GOOD, retries=retries)
answered('broken JSON', Row, ('final_result', '{"n": '), GOOD)
answered('no arguments', Row, ('final_result', None), GOOD)
answered('empty arguments', Row, ('final_result', ''), GOOD)
answered('a list of arguments', Row, ('final_result', '[1]'), GOOD)
answered('unknown tool', Row, ('nope', {}), GOOD)
answered(
    'two wrong in turn',
    [Row, int],
    ('final_result_Row', {'n': 'x'}),
    ('final_result_int', {'response': 'y'}),
    ('final_result_Row', {'n': 1}),
)
answered(
    'two wrong in turn, more',
    [Row, int],
    ('final_result_Row', {'n': 'x'}),
    ('final_result_int', {'response': 'y'}),
    ('final_result_Row', {'n': 1}),
    retries=2,
)
answered('text, then wrong', Row, 'text', BAD, GOOD)
answered('text, then wrong, more', Row, 'text', BAD, GOOD, retries=2)
answered(
    'wrong, then text', [Row, int], ('final_result_Row', {'n': 'x'}), 'text', ('final_result_Row', {'n': 1}), retries=2
)
for parts in ([], [TextPart('')], [ThinkingPart('hm')], [TextPart(' ')]):
    for name, output, good, profile in (
        ('text', str, 'x', None),
        ('tool', Row, GOOD, None),
        ('prompted', PromptedOutput(Row), '{"n": 1}', PROMPTED),
        ('native', NativeOutput(Row), '{"n": 1}', NATIVE),
    ):
        answered(
            f'{name}, nothing {[part.part_kind for part in parts]}',
            output,
            ModelResponse(parts=parts),
            good,
            profile=profile,
        )
answered(
    'two calls, both right',
    Row,
    ModelResponse(parts=[call('final_result', {'n': 1}, 'a'), call('final_result', {'n': 2}, 'b')]),
)
answered(
    'two calls, first wrong',
    Row,
    ModelResponse(parts=[call('final_result', {'n': 'x'}, 'a'), call('final_result', {'n': 2}, 'b')]),
)
answered(
    'two calls, both wrong',
    Row,
    ModelResponse(parts=[call('final_result', {}, 'a'), call('final_result', {'n': 'y'}, 'b')]),
    GOOD,
)
answered('text beside the call', Row, ModelResponse(parts=[TextPart('so'), call('final_result', {'n': 1})]))
answered('text beside a wrong call', Row, ModelResponse(parts=[TextPart('so'), call('final_result', {})]), GOOD)
answered(
    'text beside a wrong call, text allowed',
    [str, Row],
    ModelResponse(parts=[TextPart('so'), call('final_result', {})]),
    GOOD,
)
