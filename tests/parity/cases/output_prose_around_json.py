"""JSON in the text of a model: fenced, among words, twice, broken."""

from _common import fact
from _output import NATIVE, PROMPTED, understood
from pydantic import BaseModel
from pydantic_ai import NativeOutput, PromptedOutput


class Row(BaseModel):
    n: int


class Other(BaseModel):
    k: str


TEXTS = {
    'plain': '{"n": 1}',
    'space around': '  \n{"n": 1}\n ',
    'fenced': '```json\n{"n": 1}\n```',
    'fenced without language': '```\n{"n": 1}\n```',
    'fenced in one line': '```json {"n": 1}```',
    'fenced with other language': '```python\n{"n": 1}\n```',
    'fence in capitals': '```JSON\n{"n": 1}\n```',
    'fence with tildes': '~~~json\n{"n": 1}\n~~~',
    'fence not closed': '```json\n{"n": 1}',
    'fence not opened': '{"n": 1}\n```',
    'words before': 'Here you are: {"n": 1}',
    'words after': '{"n": 1} I hope that helps.',
    'words around a fence': 'Here:\n```json\n{"n": 1}\n```\nBye.',
    'two objects': '{"n": 1} {"n": 2}',
    'two fences': '```json\n{"n": 1}\n```\n```json\n{"n": 2}\n```',
    'fence in text of JSON': '{"n": 1, "why": "```json\\n{}\\n```"}',
    'braces in words': 'The set {1, 2} is {"n": 1}',
    'a list': '[{"n": 1}]',
    'a fenced list': '```json\n[{"n": 1}]\n```',
    'broken': '{"n": 1',
    'single quotes': "{'n': 1}",
    'trailing comma': '{"n": 1,}',
    'a comment': '{"n": 1} // one',
    'text': 'no JSON at all',
    'a number': '1',
    'null': 'null',
    'wrong type': '{"n": "x"}',
    'missing': '{}',
    'too much': '{"n": 1, "m": 2}',
    'wrapped': '{"response": {"n": 1}}',
    'number as text': '{"n": "1"}',
    'fenced by tabs': '```json\t\n{"n": 1}\n```',
    'indented fence': '  ```json\n  {"n": 1}\n  ```',
    'nested braces': '```json\n{"n": 1, "x": {"y": {}}}\n```',
    'Windows lines': '```json\r\n{"n": 1}\r\n```',
    'thinking before': '<think>hm</think>{"n": 1}',
}
for name, text in TEXTS.items():
    fact(f'prompted {name}', understood(PromptedOutput(Row), text, PROMPTED))
    fact(f'native {name}', understood(NativeOutput(Row), text, NATIVE))
    fact(f'by profile {name}', understood(Row, text, PROMPTED))
NUMBERS = (
    '1',
    '{"response": 1}',
    '```json\n{"response": 1}\n```',
    '{"response": "x"}',
    '{}',
    '"1"',
    '{"response": "1"}',
)
for text in NUMBERS:
    fact(f'number {text!r}', understood(PromptedOutput(int), text, PROMPTED))
    fact(f'list {text!r}', understood(PromptedOutput(list[int]), text.replace('1', '[1]'), PROMPTED))
UNIONS = (
    '{"result": {"kind": "Row", "data": {"n": 1}}}',
    '{"result": {"kind": "Other", "data": {"k": "x"}}}',
    '{"result": {"kind": "Row", "data": {"k": "x"}}}',
    '{"result": {"kind": "Row"}}',
    '{"result": {"data": {"n": 1}}}',
    '{"result": 1}',
    '{"kind": "Row", "data": {"n": 1}}',
    '{"n": 1}',
    '```json\n{"result": {"kind": "Row", "data": {"n": 1}}}\n```',
    'Sure: {"result": {"kind": "Row", "data": {"n": 1}}}',
    '{}',
    'text',
)
for text in UNIONS:
    fact(f'union {text}', understood(PromptedOutput([Row, Other]), text, PROMPTED))
    fact(f'native union {text}', understood(NativeOutput([Row, Other]), text, NATIVE))
