"""The two levels of the mirrored interface: where a name has one meaning in 1.x and another one in 2.x.

Programs of both levels find the same names. This table has what differs, and nothing else in stead knows of levels: the code
reads values, and the alias sets them when it is installed. Since values are those of the process, so is the level; what a program
writes out, such as `Agent(end_strategy='early')`, is the same at both.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from .._kit.lazy import import_module
from ..exceptions import UserError


class Meaning(NamedTuple):
    """One name that means two things."""

    name: str
    """What programs call it."""
    level_1: Any
    """Its value in 1.x, which the code has, too, unless it has another one without the alias."""
    level_2: Any
    """Its value in 2.x."""
    read_in: str
    """The module that reads it, and after a colon the object there; the last is an attribute or, after `[`, a key or index."""
    no_alias: Any = None
    """Its value without the alias, if programs that import stead get another one than those of 1.x."""

    def at(self, level: int) -> Any:
        """Return its value at a level; 0 is without the alias."""
        if level == 0 and self.no_alias is not None:
            return self.no_alias
        return self.level_2 if level == 2 else self.level_1


class Home(NamedTuple):
    """A value that is imported when it is set: where it is defined, and its name there."""

    module: str
    name: str


_BARE_NAMES = {'gpt': 'openai', 'o1': 'openai', 'o3': 'openai', 'claude': 'anthropic', 'gemini': 'google'}
_CHAT, _RESPONSES = ('openai', 'OpenAIChatModel'), ('openai', 'OpenAIResponsesModel')
_INSTRUMENTATION = 'stead.models.instrumented:InstrumentationSettings.__init__.__kwdefaults__[version'
_AGENT = 'stead.agent._agent:Agent.__init__.__kwdefaults__'
_GRAPH = 'stead.graph.graph'
_BESIDE = 'stead._calls.beside'
_OLD_MODULES = frozenset(
    {
        'pydantic_ai.ag_ui',
        'pydantic_ai.builtin_tools',
        'pydantic_ai.models.gemini',
        'pydantic_ai.models.outlines',
        'pydantic_ai.providers.google_gla',
        'pydantic_ai.providers.google_vertex',
        'pydantic_ai.providers.grok',
        'pydantic_ai.providers.outlines',
        'pydantic_ai.toolsets.fastmcp',
        'pydantic_ai.ui.ag_ui.app',
        'pydantic_graph.beta',
        'pydantic_graph.graph',
        'pydantic_graph.mermaid',
        'pydantic_graph.nodes',
        'pydantic_graph.persistence',
    }
)
_RETURN_PART = 'stead.messages._tool_parts:BaseToolReturnPart'

MEANINGS = (
    Meaning('pydantic_ai.__version__', '1.107.5', '2.68.0', 'stead._aliased.versions:VERSION'),
    Meaning('Agent(end_strategy=)', 'early', 'graceful', f'{_AGENT}[end_strategy'),
    Meaning('Agent(deps_type=)', type(None), object, f'{_AGENT}[deps_type'),
    Meaning("the model 'openai:...'", _CHAT, _RESPONSES, 'stead.models:MODEL_CLASSES[openai'),
    Meaning("the model 'zai:...'", _CHAT, ('zai', 'ZaiModel'), 'stead.models:MODEL_CLASSES[zai'),
    Meaning("the model 'gpt-5', without a provider", _BARE_NAMES, {}, 'stead.models:BARE_NAMES'),
    Meaning("the model 'grok:...'", (), ('google-gla', 'google-vertex', 'grok'), 'stead.models:DROPPED_PREFIXES'),
    Meaning('a model of an unknown provider', ValueError, UserError, 'stead.models:UnknownProvider'),
    Meaning('the name of the class of an HTTP error', False, True, 'stead.exceptions._models:NAMED_BY_CATEGORY'),
    *(
        Meaning(
            f'new fields of messages and usage that are {value}',
            value,
            object(),
            f'stead._kit.left_out:{name}[0',
        )
        for name, value in (
            ('NO_VALUE', None),
            ('NO_COUNT', 0),
            ('NO_ENTRIES', dict[str, str]()),
            ('COMPLETE', 'complete'),
            ('CONVERSATION', 'conversation'),
            ('REWRITE', 'rewrite'),
        )
    ),
    *(
        Meaning(
            f'ToolReturnPart.{name}(wrap_if_error=)', False, True, f'{_RETURN_PART}.{name}.__kwdefaults__[wrap_if_error'
        )
        for name in (
            'content_items',
            'model_response_object',
            'model_response_str',
            'model_response_str_and_user_content',
        )
    ),
    Meaning(
        'WebSearchTool(allowed_domains=) of a model that cannot be told them',
        False,
        True,
        'stead.models._request_tools:REFUSE_UNSENT_RESTRICTIONS',
    ),
    Meaning('how OpenRouter is sent a WebSearchTool', False, True, 'stead.models.openrouter._request:SEARCH_IS_A_TOOL'),
    Meaning(
        'fields of ModelRequestParameters that 1.x does not have, without a value or in spans',
        False,
        True,
        'stead._contracts.model:WRITE_NEW',
    ),
    Meaning(
        'descriptions of parameters in `FunctionSignature.render`',
        False,
        True,
        'stead.function_signature:DESCRIBES_PARAMETERS',
        True,
    ),
    Meaning('a structured output that reached the token limit', False, True, 'stead._loop.respond:CUT_OUTPUT_ENDS'),
    Meaning('the price of each response', False, True, 'stead.usage:PRICED'),
    Meaning('Hooks(event=) that returns None', False, True, 'stead.capabilities.hooks:NONE_KEEPS_EVENTS'),
    Meaning(
        'events of enqueued messages and waiting calls', False, True, 'stead.capabilities._chain:CHANGES_ARE_EVENTS'
    ),
    Meaning('events of nodes that a program steps over', False, True, 'stead.run:STEPPING_IS_SHOWN'),
    Meaning('hooks around all others of a point', False, True, 'stead.capabilities._chain:WRAPS_ARE_OUTERMOST'),
    Meaning('a failed call that a tool makes', False, True, 'stead._calls.manager:FAILURES_ARE_RAISED'),
    Meaning('hooks around nodes in `async for`', False, True, 'stead.run:STEPPING_CALLS_HOOKS'),
    Meaning(
        'descriptions of tools that a search has found', True, False, 'stead._deferral.search:MATCHES_ARE_DESCRIBED'
    ),
    Meaning('the id of MCP(url=)', True, False, 'stead.capabilities.mcp:PATHS_ARE_IN_IDS'),
    Meaning('ids of ready-made capabilities', False, True, 'stead.capabilities._ids:HAVE_IDS'),
    Meaning('InstrumentationSettings(version=)', 2, 5, _INSTRUMENTATION),
    Meaning('text for the bytes of plain data', False, True, 'stead.messages._tool_parts:TEXT_IS_BASE64', True),
    Meaning('`None` of a function that prepares tools', True, False, 'stead.toolsets.prepared:NONE_HIDES'),
    Meaning('`ctx.retry` after steps without the tool', False, True, 'stead._calls.manager:RETRIES_LAST'),
    Meaning('arguments that are nearly JSON', False, False, 'stead._kit.nearly_json:READS', True),
    Meaning('the inputs of validation errors', False, False, 'stead.messages._feedback:INPUTS_ARE_SHOWN_ONCE', True),
    Meaning('a call that was separated from its result', 'sent', 'repaired', 'stead._loop.repair:SEPARATED', 'refused'),
    Meaning('the parts of a retry', False, True, 'stead.messages._feedback:RETRIES_ARE_RETURNS'),
    Meaning('an output beside a tool that is to be called again', False, True, f'{_BESIDE}:RETRIES_GO_FIRST'),
    Meaning('a call of an unknown tool beside an output', 'unknown', 'function', f'{_BESIDE}:UNKNOWN'),
    Meaning(
        'another output of a response',
        'Final result processed.',
        'Output tool processed, but its value will not be the final result of the agent run.',
        f'{_BESIDE}:OTHER_OUTPUT',
    ),
    Meaning('the texts of `instructions=[...]`', False, True, 'stead.agent._sources:TEXTS_ARE_BLOCKS'),
    Meaning('a result in a history without its call', False, True, 'stead._loop.repair:ORPHANS_ARE_LEFT_OUT'),
    Meaning(
        'what a call of a history that was not answered is answered with',
        ('Tool not executed - the run was interrupted.', 'failed'),
        ('The tool call was interrupted before a result was produced.', 'interrupted'),
        'stead._loop.history:NOT_EXECUTED',
    ),
    Meaning('a response without parts', False, True, 'stead._loop.respond:EMPTY_IS_ASKED_ABOUT'),
    Meaning('old names of arguments, and `result.timestamp()`', True, False, 'stead._kit.deprecated:OLD_NAMES_WORK'),
    Meaning('an argument that does not exist', UserError, TypeError, 'stead.agent._checks:UnknownArgument'),
    Meaning('modules that 2.x does not have', frozenset[str](), _OLD_MODULES, 'stead.dropin:HIDDEN_MODULES'),
    *(
        Meaning(f'pydantic_graph.{name}', Home(_GRAPH, name), Home('stead.graph._built', name), f'stead.graph:{name}')
        for name in ('Graph', 'GraphRun')
    ),
)
DROPPED = (
    *(f'stead.usage:UsageBase.{name}' for name in ('request_tokens', 'response_tokens')),
    *(f'stead.usage:UsageLimits.{name}' for name in ('request_tokens_limit', 'response_tokens_limit')),
    *(
        f'stead.messages._message:ModelResponse.{name}'
        for name in ('builtin_tool_calls', 'price', 'vendor_details', 'vendor_id', 'provider_request_id')
    ),
    'stead.messages._events:FunctionToolResultEvent.result',
    *(f'stead.agent.abstract:AbstractAgent.{name}' for name in ('to_ag_ui', 'to_a2a', 'sequential_tool_calls')),
    'stead.agent._agent:Agent.run_mcp_servers',
    *(f'stead.result:StreamedRunResult.{name}' for name in ('stream', 'stream_responses', 'stream_structured')),
    'stead.result:StreamedRunResultSync.stream_responses',
)
"""Attributes that 2.x does not have: they are taken away at level 2."""
_dropped: dict[str, object] = {}


def use_level(level: int, before: int) -> None:
    """Let all names have the meanings of a level.

    Args:
        level: 1 or 2, or 0 for programs without the alias.
        before: The level whose meanings they have.
    """
    for meaning in MEANINGS:
        if (value := meaning.at(level)) is not meaning.at(before):
            _set(meaning.read_in, resolved(value))
    if level != 2:
        for place, value in _dropped.items():
            _set(place, value)
        _dropped.clear()
        return
    for place in DROPPED:
        owner, name = _owner_of(place)
        _dropped[place] = vars(owner)[name]
        delattr(owner, name)


def resolved(value: object) -> object:
    """Return the value of a level, imported if the table has its home."""
    return getattr(import_module(value.module), value.name) if isinstance(value, Home) else value


def _owner_of(place: str) -> tuple[Any, str]:
    module, _, path = place.partition(':')
    above, _, last = path.partition('[')[0].rpartition('.')
    owner: Any = import_module(module)
    return attrgetter(above)(owner) if above else owner, last


def _set(place: str, value: object) -> None:
    owner, name = _owner_of(place)
    _, _, key = place.partition('[')
    if key:
        getattr(owner, name)[int(key) if key.isdigit() else key] = value
    else:
        setattr(owner, name, value)
