"""`DeferredToolRequests` beside every other form of output, and what happens to calls that wait."""

from _common import error_text, fact
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults


def upper(text: str) -> str:
    return text.upper()


class Row(BaseModel):
    n: int


def double(n: int) -> int:
    return n * 2


def call(name, args=None, call_id=None):
    return ToolCallPart(name, args or {}, tool_call_id=call_id or f'id_{name}')


FORMS = {
    'text': ([str, DeferredToolRequests], None, 'end'),
    'first': ([DeferredToolRequests, str], None, 'end'),
    'tool': ([Row, DeferredToolRequests], None, ('final_result', {'n': 1})),
    'marker': ([ToolOutput(Row, name='row'), DeferredToolRequests], None, ('row', {'n': 1})),
    'function': ([double, DeferredToolRequests], None, ('final_result', {'n': 1})),
    'text function': ([TextOutput(upper), DeferredToolRequests], None, 'end'),
    'native': ([NativeOutput(Row), DeferredToolRequests], NATIVE, '{"n": 1}'),
    'prompted': ([PromptedOutput(Row), DeferredToolRequests], PROMPTED, '{"n": 1}'),
    'several': ([Row, int, str, DeferredToolRequests], None, ('final_result_int', {'response': 1})),
}
ANSWERS = {
    'waits': [call('ask')],
    'waits, with text': [TextPart('so'), call('ask')],
    'waits, with another': [call('look'), call('ask')],
    'waits twice': [call('ask', {}, 'a'), call('ask', {}, 'b')],
    'waits, wrong arguments': [call('ask', {'x': 'no'})],
    'waits, with unknown': [call('ask'), call('nope')],
    'waits, with output': [call('ask'), call('final_result', {'n': 3})],
    'output, waits': [call('final_result', {'n': 3}), call('ask')],
}


def described(messages):
    return [[[part.part_kind, str(getattr(part, 'content', ''))] for part in message.parts] for message in messages]


for name, (form, profile, end) in FORMS.items():
    for label, parts in ANSWERS.items():
        seen = []
        agent = Agent(scripted([ModelResponse(parts=parts), end], profile), output_type=form)

        @agent.tool_plain(requires_approval=True)
        def ask(x: int = 0) -> str:
            return 'asked'

        @agent.tool_plain
        def look() -> str:
            return 'looked'

        @agent.output_validator
        def check(value):
            seen.append(type(value).__name__)
            return value

        try:
            result = agent.run_sync('hi')
        except Exception as error:
            fact(f'{name}: {label}', error_text(error))
            continue
        out = result.output
        if not isinstance(out, DeferredToolRequests):
            fact(f'{name}: {label}', [repr(out), seen, described(result.all_messages())])
            continue
        fact(
            f'{name}: {label}',
            [
                [call.tool_call_id for call in out.approvals],
                [call.tool_call_id for call in out.calls],
                seen,
                described(result.all_messages()),
            ],
        )
        answers = DeferredToolResults(approvals={call.tool_call_id: True for call in out.approvals})
        with agent.override(model=scripted([end, end, end], profile)):
            result = agent.run_sync(message_history=result.all_messages(), deferred_tool_results=answers)
        fact('   then', [repr(result.output), seen, described(result.new_messages())])
