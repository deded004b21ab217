"""`validation_context`: what validators of a type see of it, in every mode."""

from _common import error_text, fact
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel, ValidationInfo, field_validator
from pydantic_ai import Agent, NativeOutput, PromptedOutput, RunContext


class Row(BaseModel):
    n: int

    @field_validator('n')
    @classmethod
    def add(cls, value: int, info: ValidationInfo) -> int:
        if info.context is not None and value > info.context:
            raise ValueError(f'more than {info.context}')
        return value + (info.context or 0)


def take(row: Row) -> int:
    return row.n


GOOD, BAD = {'n': 1}, {'n': 50}
FORMS = {
    'tool': (Row, None, lambda arguments: ('final_result', arguments)),
    'list': (list[Row], None, lambda arguments: ('final_result', {'response': [arguments]})),
    'function': (take, None, lambda arguments: ('final_result', arguments)),
    'union': ([Row, int], None, lambda arguments: ('final_result_Row', arguments)),
    'native': (NativeOutput(Row), NATIVE, lambda arguments: f'{{"n": {arguments["n"]}}}'),
    'native union': (
        NativeOutput([Row, int]),
        NATIVE,
        lambda arguments: f'{{"result": {{"kind": "Row", "data": {{"n": {arguments["n"]}}}}}}}',
    ),
    'prompted': (PromptedOutput(Row), PROMPTED, lambda arguments: f'{{"n": {arguments["n"]}}}'),
    'prompted function': (PromptedOutput(take), PROMPTED, lambda arguments: f'{{"n": {arguments["n"]}}}'),
}
for name, (form, profile, make) in FORMS.items():
    for title, context in {
        'none': None,
        'number': 10,
        'of the run': lambda ctx: ctx.deps,
        'by step': lambda ctx: ctx.run_step * 10,
    }.items():
        agent = Agent(
            scripted([make(BAD), make(GOOD)], profile), output_type=form, deps_type=int, validation_context=context
        )
        try:
            result = agent.run_sync('hi', deps=7)
            fact(
                f'{name}, {title}',
                [
                    repr(result.output),
                    [part.content for message in result.all_messages()[2:3] for part in message.parts],
                ],
            )
        except Exception as error:
            fact(f'{name}, {title}', error_text(error))
seen = []
agent = Agent(scripted([('look', {'row': {'n': 2}}), 'end']), validation_context=lambda ctx: 5)


@agent.tool
def look(ctx: RunContext, row: Row) -> int:
    seen.append([row.n, ctx.validation_context])
    return row.n


fact('tool', [agent.run_sync('hi').output, seen])
