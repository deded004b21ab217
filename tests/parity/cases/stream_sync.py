"""`run_stream_sync`: the ways to read it."""

import json
import warnings

from _common import fact
from _stream import call, parts, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart


def agent(**options):
    return Agent(script(['one ', 'two ', 'three']), **options)


result = agent().run_stream_sync('q')
fact('before', [result.is_complete, result.response.state, parts(result.all_messages())])
fact('text', list(result.stream_text(debounce_by=None)))
fact('after', [result.is_complete, result.response.state, parts(result.all_messages()), parts(result.new_messages())])
fact('usage', [result.usage.requests, result.usage.output_tokens])
fact('output', result.get_output())
fact('delta', list(agent().run_stream_sync('q').stream_text(delta=True, debounce_by=None)))
fact('outputs', list(agent().run_stream_sync('q').stream_output(debounce_by=None)))
fact('responses', [parts([response]) for response in agent().run_stream_sync('q').stream_response(debounce_by=None)])
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    fact(
        'old responses',
        [
            [parts([response]), last]
            for response, last in agent().run_stream_sync('q').stream_responses(debounce_by=None)
        ],
    )
fact('get_output', agent().run_stream_sync('q').get_output())
result = agent().run_stream_sync('q', metadata={'k': 1}, conversation_id='c')
fact(
    'known',
    [result.metadata, result.conversation_id, isinstance(result.run_id, str), isinstance(result.timestamp.year, int)],
)
fact('json', [len(json.loads(result.all_messages_json())), len(json.loads(result.new_messages_json()))])
result.get_output()
fact('json', [len(json.loads(result.all_messages_json())), len(json.loads(result.new_messages_json()))])
fact('validated', result.validate_response_output(ModelResponse(parts=[TextPart('other')])))
tooled = Agent(script(call('look'), ['end']))


@tooled.tool_plain
def look() -> int:
    return 1


result = tooled.run_stream_sync('q')
fact('tools', [result.get_output(), result.usage.requests, parts(result.all_messages())])
result = Agent(script(call('final_result', '{"response": 3}')), output_type=int).run_stream_sync('q')
fact('int', [result.get_output(), parts(result.all_messages())])
for name, model in {'at once': script([ValueError('boom')]), 'later': script(['one ', ValueError('boom')])}.items():
    try:
        result = Agent(model).run_stream_sync('q')
        fact(name, 'began')
        result.get_output()
    except Exception as error:
        fact(name, [type(error).__name__, str(error)])
