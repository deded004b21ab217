"""What models write in place of the JSON of a call, as people report it: what runs without another request, and what never does."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent
from stead.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel


class Place(BaseModel):
    city: str
    street: str = ''


WHOLE: dict[str, Any] = {'text': 'a', 'count': 2}
TAGS, PLACE, ALL = (
    {'tags': ['x', 'y']},
    {'place': Place(city='Ulm')},
    {'to': 'ida', 'place': Place(city='Ulm', street='B 1')},
)

HEALED: dict[str, tuple[str, dict[str, Any]]] = {
    # commas
    'a comma before the end': ('{"text": "a", "count": 2,}', WHOLE),
    'a comma and a line break before the end': ('{\n  "text": "a",\n  "count": 2,\n}', WHOLE),
    'a comma at the end of a list': ('{"tags": ["x", "y",]}', TAGS),
    'commas at both ends': ('{"tags": ["x", "y", ], }', TAGS),
    'a comma in an inner object': ('{"place": {"city": "Ulm",},}', PLACE),
    # quotes
    'single quotes': ("{'text': 'a', 'count': 2}", WHOLE),
    'single quotes for keys': ("""{'text': "a", 'count': 2}""", WHOLE),
    'single quotes for values': ("""{"text": 'a', "count": 2}""", WHOLE),
    'single quotes in a list': ("{'tags': ['x', 'y']}", TAGS),
    'an apostrophe in double quotes': ("""{'text': "it's"}""", {'text': "it's"}),
    'an apostrophe in single quotes': ("{'text': 'it\\'s'}", {'text': "it's"}),
    'double quotes in single quotes': ("""{'text': 'say "x"'}""", {'text': 'say "x"'}),
    'an apostrophe that is escaped': (r"""{"text": "it\'s", "count": 2}""", {'text': "it's", 'count': 2}),
    'backquotes for a text': ('{"text": `a`, "count": 2}', WHOLE),
    'backquotes for all': ('{`text`: `a`, `count`: 2}', WHOLE),
    'backquotes around all': ('`{"text": "a", "count": 2}`', WHOLE),
    'keys without quotes': ('{text: "a", count: 2}', WHOLE),
    'keys without quotes, and single ones': ("{text: 'a', count: 2}", WHOLE),
    'an inner key without quotes': ('{"place": {city: "Ulm"}}', PLACE),
    # fences and words
    'a fence': ('```json\n{"text": "a", "count": 2}\n```', WHOLE),
    'a fence without a word': ('```\n{"text": "a", "count": 2}\n```', WHOLE),
    'a fence in capital letters': ('```JSON\n{"text": "a", "count": 2}\n```', WHOLE),
    'a fence of another language': ('```python\n{"text": "a", "count": 2}\n```', WHOLE),
    'a fence of json5': ('```json5\n{text: "a", count: 2,}\n```', WHOLE),
    'a fence for a tool': ('```tool_call\n{"text": "a", "count": 2}\n```', WHOLE),
    'a fence on one line': ('```json {"text": "a", "count": 2} ```', WHOLE),
    'a fence on one line without a word': ('```{"text": "a", "count": 2}```', WHOLE),
    'a fence of tildes': ('~~~json\n{"text": "a", "count": 2}\n~~~', WHOLE),
    'a fence and space around it': ('\n\n```json\n{"text": "a", "count": 2}\n```\n\n', WHOLE),
    'a fence in a text with a fence': ('```json\n{"text": "```a```"}\n```', {'text': '```a```'}),
    'words before it': ('Here are the arguments: {"text": "a", "count": 2}', WHOLE),
    'words after it': ('{"text": "a", "count": 2}\n\nI will call the tool now.', WHOLE),
    'words around it': ("Sure, I'll do that.\n{\"text\": \"a\", \"count\": 2}\nDone.", WHOLE),
    'words around a fence': ('Here it is:\n```json\n{"text": "a", "count": 2}\n```\nAnything else?', WHOLE),
    'a tag around it': ('<tool_call>{"text": "a", "count": 2}</tool_call>', WHOLE),
    'a tag after it': ('{"text": "a", "count": 2}</tool_call>', WHOLE),
    'a token of the template after it': ('{"text": "a", "count": 2}<|im_end|>', WHOLE),
    # spaces, comments, control characters
    'a byte order mark': ('\ufeff{"text": "a", "count": 2}', WHOLE),
    'a no-break space': ('{\u00a0"text": "a",\u00a0"count": 2}', WHOLE),
    'a comment after a value': ('{"text": "a", // what to note\n"count": 2}', WHOLE),
    'a comment between values': ('{"text": "a", /* how many */ "count": 2}', WHOLE),
    'a comment of Python': ('{"text": "a",  # what to note\n"count": 2}', WHOLE),
    'a comment after the end': ('{"text": "a", "count": 2} // {done}', WHOLE),
    'a line break in a text': ('{"text": "two\nlines"}', {'text': 'two\nlines'}),
    'a tab in a text': ('{"text": "a\tb"}', {'text': 'a\tb'}),
    'a line break of Windows in a text': ('{"text": "two\r\nlines"}', {'text': 'two\r\nlines'}),
    # constants and numbers
    'True': ('{"is_open": True}', {'is_open': True}),
    'False': ("{'is_open': False, 'text': 'a'}", {'is_open': False, 'text': 'a'}),
    'None': ('{"place": None}', {'place': None}),
    'TRUE': ('{"is_open": TRUE}', {'is_open': True}),
    'NULL': ('{"place": NULL}', {'place': None}),
    'no digit before the point': ('{"price": .5}', {'price': 0.5}),
    'no digit after the point': ('{"price": 5.}', {'price': 5.0}),
    'a plus': ('{"count": +5}', {'count': 5}),
    'minus, and no digit before the point': ('{"price": -.5}', {'price': -0.5}),
    'a number as a text': ('{"count": "2", "text": "a"}', WHOLE),
    'a decimal number as a text': ('{"price": "0.5"}', {'price': 0.5}),
    'a constant as a text': ('{"is_open": "true"}', {'is_open': True}),
    # JSON in a text
    'the object in a text': (r'"{\"text\": \"a\", \"count\": 2}"', WHOLE),
    'a list in a text': (r'{"tags": "[\"x\", \"y\"]"}', TAGS),
    'an object of Python in a text': ('{"place": "{\'city\': \'Ulm\'}"}', PLACE),
    'an object in a text': (r'{"place": "{\"city\": \"Ulm\"}"}', PLACE),
    'objects in texts of a list': (r'{"places": ["{\"city\": \"Ulm\"}", {"city": "Bonn"}]}', {'places': [Place(city='Ulm'), Place(city='Bonn')]}),
    'a list in a text, whose objects are texts': (
        r'{"places": "[\"{\\\"city\\\": \\\"Ulm\\\"}\"]"}',
        {'places': [Place(city='Ulm')]},
    ),
    'a list in a text, and a comma too many': (r'{"tags": "[\"x\", \"y\"]",}', TAGS),
    # the end
    'no end, and all is there': ('{"to": "ida", "place": {"city": "Ulm", "street": "B 1"}', ALL),
    'no two ends, and all is there': ('{"to": "ida", "place": {"city": "Ulm", "street": "B 1"', ALL),
    'no end in single quotes': ("{'to': 'ida', 'place': {'city': 'Ulm', 'street': 'B 1'}", ALL),
}  # fmt: skip

REFUSED = {
    'cut in a text': '{"to": "ida", "place": {"city": "Ulm", "street": "B',
    'cut in a number': '{"text": "a", "tags": [], "price": 1, "is_open": true, "place": null, "places": [], "count": 2',
    'cut, and a property may be missing': '{"to": "ida", "place": {"city": "Ulm"',
    'cut after a property that may not be the last': '{"text": "a"',
    'cut in a list': '{"tags": ["x", "y"',
    'cut after a comma': '{"to": "ida", "place": {"city": "Ulm", "street": "B 1"},',
    'cut after a colon': '{"to": "ida", "place":',
    'cut in a fence': '```json\n{"text": "a"',
    'an end too many': '{"text": "a"}}',
    'ends that are swapped': '{"tags": ["x"}]',
    'an apostrophe that ends the text': "{'text': 'it's'}",
    'quotes in quotes': '{"text": "say "x""}',
    'a value without quotes': '{"text": a}',
    'values without a comma': '{"text": "a" "count": 2}',
    'items without a comma': '{"tags": ["x" "y"]}',
    'two commas': '{"text": "a",, "count": 2}',
    'a comma first': '{, "text": "a"}',
    'no value': '{"text": , "count": 2}',
    'an equals sign': '{"text"="a"}',
    'two objects': '{"text": "a"} {"text": "b"}',
    'two objects with words': 'Either {"text": "a"} or {"text": "b"}',
    'letters after the end': '{"text": "a"}x',
    'a name before it': 'note{"text": "a"}',
    'two fences': '```json\n{"text": "a"}\n```\nor\n```json\n{"text": "b"}\n```',
    'a list of calls': '[{"text": "a"}]',
    'properties after the end': '{"text": "a"}, "count": 2',
    'a path with backslashes': r'{"text": "C:\dir"}',
    'a pattern with backslashes': r'{"text": "\d+"}',
    'an escape of Python': r"{'text': '\x41'}",
    'an octal number': '{"count": 010}',
    'a hexadecimal number': '{"count": 0x10}',
    'a number with an underscore': '{"count": 1_000}',
    'a number with a comma': '{"price": 1,5}',
    'undefined': '{"place": undefined}',
    'a template': '{"text": `a ${b}`}',
    'a tuple': "{'tags': ('x', 'y')}",
    'a call of Python': 'note(text="a")',
    'lines of YAML': 'text: a\ncount: 2',
    'a constant as a key': '{true: 1}',
    'dots for the rest': '{"tags": ["x", ...]}',
    'words alone': 'I will note this.',
    'a list in a text that has other items': r'{"tags": "[{\"x\": 1}]"}',
    'a text for a list': '{"tags": "x, y"}',
    'an object in a text without what is needed': r'{"place": "{\"street\": \"B 1\"}"}',
    'words around an object in a text': r'{"place": "in {\"city\": \"Ulm\"}"}',
    'a text where an object should be': '{"place": "Ulm"}',
}


def outcome(text: str) -> tuple[list[dict[str, Any]], list[ModelMessage]]:
    """Return what tools were called with if a model writes a text as arguments, and the messages of the run."""
    name, called = 'mail' if '"to"' in text or "'to'" in text else 'note', list[dict[str, Any]]()

    def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart(name, text, 'c') if len(messages) == 1 else TextPart('done')])

    agent = Agent(FunctionModel(function))

    @agent.tool_plain
    def note(
        text: str | None = None,
        count: int | None = None,
        price: float | None = None,
        is_open: bool | None = None,
        tags: list[str] | None = None,
        place: Place | None = None,
        places: list[Place] | None = None,
    ) -> None:
        values = {'text': text, 'count': count, 'price': price, 'is_open': is_open, 'tags': tags}
        called.append({**values, 'place': place, 'places': places})

    @agent.tool_plain
    def mail(to: str, place: Place) -> None:
        called.append({'to': to, 'place': place})

    return called, agent.run_sync('go').all_messages()


def calls_and_retries(messages: list[ModelMessage]) -> tuple[list[ToolCallPart], list[RetryPromptPart]]:
    parts = [part for message in messages for part in message.parts]
    return (
        [part for part in parts if isinstance(part, ToolCallPart)],
        [part for part in parts if isinstance(part, RetryPromptPart)],
    )


@pytest.mark.parametrize('what', HEALED)
def test_what_can_be_read_in_one_way_runs(what: str) -> None:
    text, expected = HEALED[what]
    [arguments], messages = outcome(text)
    assert {name: value for name, value in arguments.items() if value is not None or name in expected} == expected
    [call], retries = calls_and_retries(messages)
    assert (call.args, retries) == (text, [])
    assert call.args_repairs or what.endswith('as a text')  # what pydantic reads by itself is not a repair


@pytest.mark.parametrize('what', REFUSED)
def test_what_would_be_a_guess_is_sent_back(what: str) -> None:
    called, messages = outcome(REFUSED[what])
    [call], retries = calls_and_retries(messages)
    assert (called, len(retries), call.args) == ([], 1, REFUSED[what])
