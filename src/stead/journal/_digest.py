"""Digests of agents: they show a later process what has changed in the code of an agent."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, cast

from pydantic_core import from_json, to_json

from .._contracts.facts import RunBegan
from .._kit.ids import canonical_json, digest
from .._kit.json_types import JsonObject
from ..settings import NOT_KEPT
from ..usage import UsageLimits
from ._encode import as_json

_ADDRESS = re.compile(r' at 0x[0-9a-fA-F]+')
"""Where an object lies in memory, which is elsewhere in each process."""


_USUAL_LIMITS = UsageLimits()
_LIMITS = (
    *(field.name for field in fields(UsageLimits)),
    'tool_calls_per_response_limit',
    'per_request_input_tokens_limit',
)
"""The names of limits; the last ones are not fields."""


def agent_digest(agent: Any, model: Any = None, *, whole: bool = False) -> JsonObject:
    """Return what a run is made of: its model, and the instructions, settings, tools, capabilities and output of its agent.

    Args:
        agent: The agent; what functions of it return is not looked at.
        model: The model of the run, if it has one of its own.
        whole: Whether to leave long texts as they are, for what redacts them: they are to be `shortened` after that.

    Returns:
        Data that two processes can compare.

    """
    # The name of the agent is not part of it: it may have been taken from the variable of the caller. Instructions and schemas
    # are shortened to a hash where they are long, so that a journal does not hold them once a run.
    if agent is None:
        return {}
    tools: JsonObject = {}
    for toolset in getattr(agent, 'toolsets', ()):
        known = getattr(toolset, 'tools', None)
        if isinstance(known, dict):
            for name, tool in cast('dict[object, object]', known).items():
                definition = getattr(tool, 'tool_def', None)
                tools[str(name)] = getattr(definition, 'parameters_json_schema', None)
    root = getattr(agent, 'root_capability', None)
    # What is not known here, such as a model that is passed to the run or overridden, is not compared.
    known = {
        'model': _model_name(model if model is not None else getattr(agent, 'model', None)),
        'settings': kept_settings(getattr(agent, 'model_settings', None)),
    }
    found: JsonObject = {
        **{name: value for name, value in known.items() if value is not None},
        'output': _ADDRESS.sub('', repr(getattr(agent, 'output_type', None))),
        'instructions': [text for text in getattr(agent, '_instructions', ()) if isinstance(text, str)],
        'tools': tools,
        'capabilities': [type(item).__name__ for item in getattr(root, 'capabilities', ())],
    }
    return found if whole else shortened(found)


def shortened(found: JsonObject) -> JsonObject:
    """Return a digest without long texts."""
    return {name: _SHORT[name](value) if name in _SHORT else value for name, value in found.items()}


def _model_name(model: Any) -> object:
    # The same model may have been named by a string, with its provider.
    return model.partition(':')[2] or model if isinstance(model, str) else getattr(model, 'model_name', None)


def kept_settings(settings: object) -> JsonObject | None:
    """Return what can be recorded of settings of a model: those with a JSON form, without headers; `None` for a function."""
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        return None
    kept: JsonObject = {}
    for name, value in cast('Mapping[str, object]', settings).items():
        if name in NOT_KEPT:
            continue
        try:
            kept[name] = from_json(to_json(value))
        except ValueError:  # there is no JSON for it, such as for a client
            continue
    return kept


def options_of(fact: RunBegan) -> JsonObject:
    """Return the options of a run that hold when it continues: settings and limits that were passed to it."""
    options: JsonObject = {}
    if settings := kept_settings(fact.model_settings):
        options['model_settings'] = settings
    if (limits := fact.usage_limits) is not None:
        options['usage_limits'] = _changed_limits(limits)
    passed: Any = fact.passed_metadata
    if isinstance(passed, Mapping) and passed != fact.metadata:  # the agent has added something
        options['metadata'] = passed
    return options


def _changed_limits(limits: UsageLimits) -> JsonObject:
    """Return the limits that are others than by default."""
    values: JsonObject = {
        name: value for name in _LIMITS if (value := getattr(limits, name)) != getattr(_USUAL_LIMITS, name)
    }
    return {name: value if value is None or math.isfinite(value) else None for name, value in values.items()}


def limits_of(data: JsonObject) -> UsageLimits:
    """Return limits from what was recorded of them; a newer version may know others."""
    return UsageLimits(**{name: value for name, value in data.items() if name in _LIMITS})


def _short(value: object) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= 100 else f'{text[:60]}… #{digest(text)[:12]}'


_SHORT: dict[str, Callable[[Any], object]] = {
    'instructions': lambda texts: [_short(text) for text in texts],
    'tools': lambda tools: {name: _short(schema) for name, schema in tools.items()},
}


def changes(before: JsonObject, now: JsonObject) -> str:
    """Return what is different in two digests, as a diff; empty if nothing is."""
    # Another version may have recorded more, or less.
    first, second = (
        {name: json.loads(as_json(item[name])) for name in before.keys() & now.keys()} for item in (before, now)
    )
    if not before or first == second:
        return ''
    lines = [json.dumps(item, indent=1, sort_keys=True, ensure_ascii=False).splitlines() for item in (first, second)]
    return '\n'.join(difflib.unified_diff(lines[0], lines[1], 'the recorded run', 'this agent', lineterm='', n=0))
