"""Hooks of output validation: every way to act, under `run`, `next` and event streams."""

from _hooks import table

table('output_validate', changed_input=lambda raw: {'n': '5'}, changed_result=lambda value: {'n': 50}, failing='output')
table(
    'output_validate',
    changed_input=lambda raw: f'<{raw}>',
    changed_result=lambda value: f'({value})',
    failing='process',
    output='text',
)
