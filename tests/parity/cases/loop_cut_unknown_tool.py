"""Tool calls that were cut off because the response reached its maximum length, of tools that exist and of others."""

from _common import call, error_text, fact
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


class Row(BaseModel):
    a: int


def run(name, parts, finish_reason='length'):
    for retries in (0, 1):
        for output_type in (str, Row):
            requests = []

            def answer(messages, info, requests=requests):
                requests.append(info)
                return ModelResponse(parts=parts, finish_reason=finish_reason)

            agent = Agent(FunctionModel(answer), retries=retries, output_type=output_type)

            @agent.tool_plain
            def q(a: int):
                return a

            try:
                agent.run_sync('hi')
            except Exception as error:
                fact(f'{name} {retries} {output_type.__name__}', [len(requests), error_text(error)])


run('known', [call('q', '{"a":')])
run('unknown', [call('zz', '{"a":')])
run('unknown and whole', [call('zz', '{"a": 1}')])
run('unknown, not for its length', [call('zz', '{"a":')], 'stop')
run('known and unknown', [call('q', '{"a": 1}'), call('zz', '{"a":')])
run('unknown and known', [call('zz', '{"a":'), call('q', '{"a": 1}')])
run('unknown and whole, then cut', [call('zz', '{}'), call('q', '{"a":')])
run('output', [call('final_result', '{"a":')])
run('output and whole', [call('final_result', '{"a": "x"}')])
run('no object', [call('q', '[1]')])
run('no object, unknown', [call('zz', '[1]')])
run('nothing', [call('zz', '')])
run('text after', [call('zz', '{"a'), TextPart('x')])
run('text before', [TextPart('x'), call('zz', '{"a')])
