"""Messages of a result: with other content for the output tool's return, and as JSON."""

import json as _json

from _common import M, attempt, call, dump, fact, script
from pydantic_ai import Agent

result = Agent(script([call('final_result', {'n': 1})]), output_type=M).run_sync('q')
dump(result.all_messages(output_tool_return_content='custom'))
dump(result.all_messages())
fact('json', [part['part_kind'] for message in _json.loads(result.all_messages_json()) for part in message['parts']])
fact('new', [len(result.new_messages()), type(result.new_messages_json()).__name__, repr(result)])
fact('no tool', attempt(lambda: Agent('test').run_sync('q').all_messages(output_tool_return_content='z')))
