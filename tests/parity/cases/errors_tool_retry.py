"""ToolRetryError: its text, made from a message or from validation errors, with and without a tool's name."""

import copy
import json
import pickle

from pydantic_ai.exceptions import ToolRetryError
from pydantic_ai.messages import RetryPromptPart

WRONG = {'type': 'int_parsing', 'loc': ('a', 'b', 0), 'msg': 'Not a number', 'input': 'zz'}
MISSING = {'type': 'missing', 'loc': ('c',), 'msg': 'Field required', 'input': {'d': None}}
WHOLE = {'type': 'value_error', 'loc': (), 'msg': 'Value error, no', 'input': [1]}
for content in ('just words', '', [WRONG], [WHOLE], [WRONG, MISSING, WHOLE]):
    for tool_name in ('my_tool', None):
        error = ToolRetryError(RetryPromptPart(content=content, tool_name=tool_name, tool_call_id='id'))
        print(json.dumps([str(error), error.args == (str(error),), error.tool_retry.tool_name]))
        twin = pickle.loads(pickle.dumps(error))
        print(json.dumps([str(twin) == str(error), twin.tool_retry == error.tool_retry]))
        print(json.dumps(str(copy.copy(error)) == str(error)))
