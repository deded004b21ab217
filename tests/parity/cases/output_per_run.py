"""`output_type` of a run: other modes, other names, validators, functions, and all forms of running."""

import asyncio

from _common import attempt, error_text, fact
from _output import NATIVE, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, TextOutput, ToolOutput


def upper(text: str) -> str:
    return text.upper()


class Row(BaseModel):
    n: int


class Other(BaseModel):
    k: str


def double(n: int) -> int:
    return n * 2


RUNS = {
    'text': (str, 'words'),
    'tool': (Other, ('final_result', {'k': 'x'})),
    'tool, as the agent has it': (Row, ('final_result', {'n': 1})),
    'named': (ToolOutput(Other, name='other'), ('other', {'k': 'x'})),
    'the name of the agent': (ToolOutput(Other, name='other'), ('final_result', {'n': 1})),
    'union': ([Row, Other], ('final_result_Other', {'k': 'x'})),
    'union, name of the agent': ([Row, Other], ('final_result', {'n': 1})),
    'function': (double, ('final_result', {'n': 4})),
    'text function': (TextOutput(upper), 'words'),
    'prompted': (PromptedOutput(Other), '{"k": "x"}'),
    'native': (NativeOutput(Other), '{"k": "x"}'),
    'none given': (None, ('final_result', {'n': 1})),
    'list': (list[Row], ('final_result', {'response': [{'n': 1}]})),
}


def tried(work):
    try:
        result = work()
        return [repr(result.output), [[part.part_kind for part in message.parts] for message in result.all_messages()]]
    except Exception as error:
        return error_text(error)


for name, (form, answer) in RUNS.items():
    agent = Agent(scripted([answer], NATIVE), output_type=Row, instructions='Be brief.')
    fact(name, tried(lambda: agent.run_sync('hi', output_type=form)))
    fact('  the agent as before', [agent.output_type is Row, agent.output_json_schema()['title']])
    with agent.override(instructions='Overridden.'):
        fact('  overridden', tried(lambda: agent.run_sync('hi', output_type=form)))

    async def by_iter():
        async with agent.iter('hi', output_type=form) as run:
            async for node in run:
                pass
        return run.result

    fact('  iter', tried(lambda: asyncio.run(by_iter())))
    history = list(agent.run_sync('hi', output_type=form).all_messages()) if 'name of' not in name else None
    if history is not None:
        with agent.override(model=scripted(['', '', '', ('final_result', {'n': 9})], NATIVE)):
            fact('  agent goes on', tried(lambda: agent.run_sync('more', message_history=history)))
checked = Agent(scripted(['words']), output_type=Row)


@checked.output_validator
def check(value: Row) -> Row:
    return value


fact('with a validator of the agent', attempt(lambda: repr(checked.run_sync('hi', output_type=str).output)))
fact('with a validator, same type', attempt(lambda: type(checked.run_sync('hi', output_type=Row).output).__name__))
