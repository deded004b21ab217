"""The text of retry prompts, with words and with validation errors, of a tool and without one."""

from pydantic_ai.messages import RetryPromptPart

ERRORS = [
    {'type': 'x', 'loc': ('a', 0), 'msg': 'm', 'input': 1},
    {'type': 'y', 'loc': (), 'msg': 'm', 'input': {'a': 1}},
    {'type': 'z', 'loc': ('b',), 'msg': 'm', 'input': 'v'},
]
for content in ('text', ERRORS, ERRORS[:1]):
    for tool_name in (None, 't'):
        print(repr(RetryPromptPart(content, tool_name=tool_name).model_response()))
