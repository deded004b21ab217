"""Arguments of a call as a dictionary and as JSON, from each form they may have."""

from _common import attempt, fact
from pydantic_ai.messages import ToolCallPart

for args in (None, '', {}, {'a': 1}, '{"a":1}', '[1]', '{bad', '"s"', 'null'):
    part = ToolCallPart('t', args)
    fact(
        repr(args),
        [
            attempt(part.args_as_dict),
            attempt(lambda: part.args_as_dict(raise_if_invalid=True)),
            attempt(part.args_as_json_str),
            part.has_content(),
        ],
    )
