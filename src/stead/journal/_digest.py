"""What a run depends on in the code of its agent, so that a later process can say what has changed."""

from __future__ import annotations

import difflib
import json
import re
from typing import Any, cast

from .._kit.digests import canonical_json, digest
from .._kit.json_types import JsonObject
from ._encode import as_json

_ADDRESS = re.compile(r' at 0x[0-9a-fA-F]+')
"""Where an object lies in memory, which is elsewhere in each process."""


def agent_digest(agent: Any) -> JsonObject:
    """Return what an agent is made of: its model, instructions, tools, capabilities and output, as far as they are fixed.

    Its name is not part of that: it may have been taken from the variable of the caller.
    Instructions and schemas are shortened to a hash where they are long, so that a journal does not hold them once a run.
    """
    if agent is None:
        return {}
    tools: JsonObject = {}
    for toolset in getattr(agent, 'toolsets', ()):
        known = getattr(toolset, 'tools', None)
        if isinstance(known, dict):
            for name, tool in cast('dict[object, object]', known).items():
                definition = getattr(tool, 'tool_def', None)
                tools[str(name)] = _short(getattr(definition, 'parameters_json_schema', None))
    root = getattr(agent, 'root_capability', None)
    model = getattr(agent, 'model', None)
    return {
        'model': getattr(model, 'model_name', model),
        'output': _ADDRESS.sub('', repr(getattr(agent, 'output_type', None))),
        'instructions': [_short(text) for text in getattr(agent, '_instructions', ()) if isinstance(text, str)],
        'tools': tools,
        'capabilities': [type(item).__name__ for item in getattr(root, 'capabilities', ())],
    }


def _short(value: object) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= 100 else f'{text[:60]}… #{digest(text)[:12]}'


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
