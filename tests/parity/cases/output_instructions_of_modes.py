"""Instructions beside the prompts of modes, static and dynamic: as requests keep them and as models get them."""

from _common import fact
from _output import NATIVE, PROMPTED
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, RunContext
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile


class Row(BaseModel):
    n: int


REPEATED = ModelProfile(supports_json_schema_output=True, native_output_requires_schema_in_instructions=True)
FORMS = {
    'bare': (Row, PROMPTED),
    'prompted': (PromptedOutput(Row), PROMPTED),
    'template': (PromptedOutput(Row, template='As {schema}'), PROMPTED),
    'no place for the schema': (PromptedOutput(Row, template='As you like'), PROMPTED),
    'braces': (PromptedOutput(Row, template='{{not}} {schema}'), PROMPTED),
    'twice': (PromptedOutput(Row, template='{schema}\n{schema}'), PROMPTED),
    'no template': (PromptedOutput(Row, template=False), PROMPTED),
    'native': (NativeOutput(Row), NATIVE),
    'native told': (NativeOutput(Row), REPEATED),
    'several': (PromptedOutput([Row, int]), PROMPTED),
    'of the profile': (PromptedOutput(Row), ModelProfile(prompted_output_template='P {schema}')),
}
for name, (form, profile) in FORMS.items():
    for title, static, dynamic, system in (
        ('none', None, None, ()),
        ('static', 'Be brief.', None, ()),
        ('both', 'Be brief.', 'Step', ()),
        ('dynamic', None, 'Step', ()),
        ('system', None, None, 'System.'),
    ):
        seen = []

        def answer(messages, info):
            seen.append([info.instructions, [part.part_kind for message in messages for part in message.parts][:2]])
            if len(messages) == 1:
                return ModelResponse(parts=[ToolCallPart('look', {}, tool_call_id='l')])
            data = '{"n": 1}' if name != 'several' else '{"result": {"kind": "Row", "data": {"n": 1}}}'
            return ModelResponse(parts=[TextPart('{' if len(messages) == 3 else data)])

        agent = Agent(
            FunctionModel(answer, profile=profile), output_type=form, instructions=static, system_prompt=system
        )
        if dynamic:

            @agent.instructions
            def more(ctx: RunContext) -> str:
                return f'{dynamic} {ctx.run_step}'

        @agent.tool_plain
        def look() -> str:
            return 'looked'

        try:
            result = agent.run_sync('hi', instructions='Of the run.' if title == 'both' else None)
            fact(
                f'{name}, {title}',
                [
                    repr(result.output),
                    seen,
                    [message.instructions for message in result.all_messages() if message.kind == 'request'],
                ],
            )
        except Exception as error:
            fact(f'{name}, {title}', [type(error).__name__, seen])
