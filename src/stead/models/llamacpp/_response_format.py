"""The format of responses: calls of tools, or an answer, as one schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_bounds.grammar import Language, alternatives, grammar_of
from ..._kit.json_bounds.schema import Bounds, Node, UnsatisfiableSchema, bounded
from ...exceptions import UserError
from .._tool_choice import resolve_tool_choice
from ._settings import LlamaCppModelSettings

MOST_CALLS = 4
FORMAT_SETTINGS = (
    'tool_choice',
    'parallel_tool_calls',
    'llamacpp_max_string',
    'llamacpp_max_items',
    'llamacpp_max_calls',
)
"""The settings that the format of a response depends on."""


@dataclass
class ResponseFormat:
    """The format of a response."""

    tools: list[ToolDefinition]
    """The tools that may be called."""
    text: bool
    """Whether the answer is text rather than JSON."""
    schema: Node | None
    """The schema of the whole response; `None` for plain text."""
    answers: bool
    """Whether there may be an answer at all."""
    _grammar: tuple[str, Language, str] | None = None

    def grammar(self, before: str, language: Language) -> str:
        """Return the grammar of the schema; it is compiled once."""
        assert self.schema is not None, 'plain text has no grammar'
        if self._grammar is None or self._grammar[:2] != (before, language):
            self._grammar = (before, language, grammar_of(self.schema, before=before, language=language))
        return self._grammar[2]


def response_format_of(
    params: ModelRequestParameters, settings: LlamaCppModelSettings, model_name: str
) -> ResponseFormat:
    """Return the format of the response to a request.

    Raises:
        UserError: The request allows no kind of response, or no arguments are valid for a tool.
    """
    choice = resolve_tool_choice(settings, params)
    bounds = Bounds(settings.get('llamacpp_max_string', 512), settings.get('llamacpp_max_items', 8))
    tools = [] if choice.mode == 'none' else choice.among([*params.function_tools, *params.output_tools])
    answers = choice.mode != 'required' and (params.allow_text_output or not tools)
    output = params.output_object
    if not tools and not output:
        if not params.allow_text_output:
            raise UserError(
                f'{model_name!r} can answer with text, JSON and tool calls, and this request allows none of these.'
            )
        return ResponseFormat([], text=True, schema=None, answers=True)
    definitions: dict[str, Node] = {}
    calls = [_record('tool', tool.name, 'arguments', _part(tool, bounds, definitions)) for tool in tools]
    options: list[Node] = list(calls)
    if settings.get('parallel_tool_calls') and calls and (most := settings.get('llamacpp_max_calls', MOST_CALLS)) > 1:
        options.append({'type': 'array', 'items': alternatives(calls), 'minItems': 2, 'maxItems': most})
    if answers:
        options.append(_answer(output.json_schema if output else None, bounds, definitions))
    return ResponseFormat(tools, not output, {**alternatives(options), '$defs': definitions}, answers)


def _answer(schema: Any, bounds: Bounds, definitions: dict[str, Node]) -> Node:
    if schema is None:
        value: Node = {'type': 'string', 'minLength': 0, 'maxLength': 4 * bounds.string}
    else:
        value = _moved(_bounded(schema, bounds, 'The output'), 'output', definitions)
    return {'type': 'object', 'properties': {'answer': value}, 'required': ['answer'], 'additionalProperties': False}


def _part(tool: ToolDefinition, bounds: Bounds, definitions: dict[str, Node]) -> Node:
    return _moved(_bounded(tool.parameters_json_schema, bounds, f'The tool {tool.name!r}'), tool.name, definitions)


def _bounded(schema: Any, bounds: Bounds, whose: str) -> Node:
    try:
        return bounded(schema if 'type' in schema or len(schema) > 1 else {'type': 'object', **schema}, bounds)
    except UnsatisfiableSchema as error:
        raise UserError(f'{whose} cannot be used by a local model: {error} Change its schema.') from None


def _moved(node: Node, owner: str, definitions: dict[str, Node]) -> Node:
    """Return a schema without its definitions, which go to those of the union, under the name of their owner."""
    own = node.get('$defs')
    if not own:
        return node

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            if '$ref' in value:
                return {'$ref': f'#/$defs/{owner}/{value["$ref"].removeprefix("#/$defs/")}'}  # type: ignore[reportUnknownMemberType]
            return {key: item if key == 'enum' else renamed(item) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
        return [renamed(item) for item in value] if isinstance(value, list) else value  # type: ignore[reportUnknownVariableType]

    definitions.update({f'{owner}/{name}': renamed(inner) for name, inner in own.items()})
    return renamed({key: value for key, value in node.items() if key != '$defs'})


def _record(key: str, name: str, second: str, value: Node) -> Node:
    return {
        'type': 'object',
        'properties': {key: {'enum': [name]}, second: value},
        'required': [key, second],
        'additionalProperties': False,
    }
