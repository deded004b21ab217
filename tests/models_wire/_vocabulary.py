"""The words of the cases: conversations, tools, outputs and parameters by short names, and what a case is; see `record.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stead.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models import ModelRequestParameters as Parameters
from stead.output import OutputObjectDefinition
from stead.tools import ToolDefinition


def request_of(*parts: Any) -> ModelRequest:
    """A request with these parts; what is not a part is a prompt."""
    return ModelRequest(parts=[part if hasattr(part, 'part_kind') else UserPromptPart(content=part) for part in parts])


def response_of(*parts: Any, **fields: Any) -> ModelResponse:
    """A response with these parts; a string is a text."""
    return ModelResponse(parts=[TextPart(part) if isinstance(part, str) else part for part in parts], **fields)


def called(*returned: Any) -> list[Any]:
    """A conversation in which a tool was called, and what came back."""
    return [request_of('a'), response_of(ToolCallPart('t1', '{}', 'id1')), request_of(*returned)]


class Case(NamedTuple):
    """A request to a model, and what it is answered with."""

    messages: Any
    params: Any
    settings: Any
    model: Any
    reply: Any
    profile: Any
    more: dict[str, Any]


class Cases(dict[str, Any]):
    """Cases by their names."""

    def __init__(self, model: str | None = None, reply: Callable[[], Any] = lambda: None) -> None:
        """Have no cases yet; `model` and `reply` are what those have that say nothing else."""
        self.model = model
        self.reply = reply

    def add(
        self,
        name: str,
        messages: Any = None,
        params: Any = None,
        settings: Any = None,
        model: str | None = None,
        reply: Any = None,
        profile: Any = None,
        **more: Any,
    ) -> None:
        assert name not in self, name
        self[name] = Case(
            messages or [request_of('hello')],
            params or Parameters(),
            settings,
            model or self.model,
            reply or self.reply(),
            profile,
            more,
        )

    def join(self, *others: Cases) -> None:
        """Take in the cases of other modules."""
        for other in others:
            assert not self.keys() & other.keys()
            self.update(other)

    def drop(self, names: Iterable[str]) -> None:
        """Leave out cases, which are those in which stead is better."""
        for name in names:
            del self[name]


PNG = b'\x89PNG\r\n'
SCHEMA = {
    'type': 'object',
    'properties': {'x': {'type': 'integer'}},
    'required': ['x'],
    'additionalProperties': False,
}
LOOSE_SCHEMA = {'type': 'object', 'properties': {'y': {'type': 'string', 'default': 'a'}}}
NESTED_SCHEMA = {
    'type': 'object',
    '$defs': {'Pet': {'type': 'object', 'properties': {'name': {'type': 'string'}}, 'required': ['name']}},
    'properties': {'pets': {'type': 'array', 'items': {'$ref': '#/$defs/Pet'}}, 'best': {'$ref': '#/$defs/Pet'}},
}
TOOL = ToolDefinition(name='t1', description='does t1', parameters_json_schema=SCHEMA)
TOOL_LOOSE = ToolDefinition(name='t2', parameters_json_schema=LOOSE_SCHEMA)
TOOL_STRICT = ToolDefinition(name='t3', description='d3', parameters_json_schema=LOOSE_SCHEMA, strict=True)
TOOL_NOT_STRICT = ToolDefinition(name='t4', description='d4', parameters_json_schema=SCHEMA, strict=False)
TOOL_NESTED = ToolDefinition(name='t5', description='d5', parameters_json_schema=NESTED_SCHEMA)
OUTPUT_TOOL = ToolDefinition(name='final_result', description='The final', parameters_json_schema=SCHEMA, kind='output')
OTHER_OUTPUT_TOOL = ToolDefinition(name='other_result', parameters_json_schema=NESTED_SCHEMA, kind='output')
OUTPUT_OBJECT = OutputObjectDefinition(json_schema=SCHEMA, name='Out', description='an out')
WITH_TOOLS = Parameters(function_tools=[TOOL, TOOL_LOOSE])
WITH_TOOLS_AND_OUTPUT = Parameters(
    function_tools=[TOOL, TOOL_LOOSE], output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False
)
WITH_OUTPUT = Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False)
