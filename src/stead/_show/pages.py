"""A run as a page of its own, which needs no server; and as a few lines of markup for notebooks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, cast

from pydantic_core import from_json

from .._kit.json_types import JsonObject
from .._kit.shown_json import shown_json
from .._kit.well_formed import well_formed
from ..messages import ModelMessage, ModelResponse, ToolCallPart
from ..usage import RunUsage
from .changes import acts_of
from .nodes import call_text
from .timelines import bounded, brief, first_prompt, price, shown_messages, steps_of_messages

_BUILT = Path(__file__).parent.parent / 'ui' / 'built'
_LONGEST = 2_000
_STYLE = (
    'font: 13px/1.5 system-ui, sans-serif; border: 1px solid rgba(127, 127, 127, .35); border-radius: 10px; padding: 10px 14px; '
    'max-width: 60rem'
)
_PRE = 'white-space: pre-wrap; overflow-wrap: anywhere; margin: 4px 0 4px 18px; font-size: 12px'


def trace_of_messages(
    messages: Sequence[ModelMessage],
    usage: RunUsage,
    output: object,
    *,
    run_id: str,
    new: Sequence[ModelMessage],
    changes: Sequence[object] = (),
) -> JsonObject:
    """Return what messages tell of a run, in the form that the page reads.

    Args:
        messages: All messages.
        usage: What the run has used.
        output: Its output.
        run_id: Its id.
        new: The messages of the run itself.
        changes: What capabilities changed in it, if that was watched.
    """
    first = len(messages) - len(new)
    steps = [step for step in steps_of_messages(messages) if step['response'] >= first]
    for number, step in enumerate(steps, start=1):
        step['step'] = number
    times = [step['at'] for step in steps] + [step['responded'] for step in steps]
    times += [call['ended'] for step in steps for call in step['calls'] if call['ended'] is not None]
    run: JsonObject = {
        'id': run_id,
        'agent': None,
        'status': 'done',
        'parent': None,
        'base': None,
        'conversation': None,
        'begun': min(times, default=0.0),
        'updated': max(times, default=0.0),
        'steps': len(steps),
        'seq': 0,
        'prompt': first_prompt(new),
        'error': None,
        'output': bounded(output) if isinstance(output, str) else _as_data(output),
        'tokens': usage.input_tokens + usage.output_tokens,
        'calls': usage.tool_calls,
        'cost': price([message for message in new if isinstance(message, ModelResponse)]),
        'models': [],
    }
    lists = [[*range(len(messages))]]
    shown: JsonObject = {'run': run, 'messages': shown_messages(messages), 'lists': lists, 'steps': steps}
    acts_of(changes).give_to(shown)
    return {**shown, 'waiting': [], 'children': [], 'forks': []}


def _as_data(value: object) -> object:
    return bounded(from_json(shown_json(value)))


def page_of(trace: JsonObject) -> str:
    """Return a page that shows a run. All that it needs is in it, and it can load nothing."""
    script, style = _parts()
    # In a script element only `<` could end the data; as an escape it means the same in JSON.
    data = shown_json(trace).decode().replace('<', '\\u003c')
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return well_formed(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="content-security-policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f'<title>{escape(brief(trace["run"]["prompt"], 80) or "Run")}</title>\n<link rel="icon" href="data:,">\n'
        f'<style>{style}</style>\n</head>\n<body>\n<div id="app"><noscript>This page needs JavaScript.</noscript></div>\n'
        f'<script type="application/json" id="trace">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


@cache
def _parts() -> tuple[str, str]:
    """Return the script and the style of the inspector, as they can stand in a page."""
    script = (_BUILT / 'run.js').read_text(encoding='utf-8').replace('</script', '<\\/script').replace('<!--', '<\\!--')
    return script, (_BUILT / 'style.css').read_text(encoding='utf-8')


def _hash(text: str) -> str:
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def summary_of(messages: Sequence[ModelMessage], usage: RunUsage, output: object) -> str:
    """Return markup that shows a run in a few lines that can be unfolded, without scripts."""
    steps = steps_of_messages(messages)
    counts = f'{len(steps)} steps, {usage.tool_calls} calls, {usage.input_tokens + usage.output_tokens:,} tokens'
    title = escape(brief(first_prompt(messages), 120)) or 'Run'
    lines = [f'<div style="{_STYLE}"><div><b>{title}</b></div>', f'<div style="opacity: .7">{counts}</div>']
    for step in steps:
        response = cast(ModelResponse, messages[step['response']])
        lines.append(f'<details><summary>Step {step["step"]}: {escape(_gist(response))}</summary>')
        if text := response.text:
            lines.append(f'<pre style="{_PRE}">{_shown(text)}</pre>')
        for call in step['calls']:
            args, result = _shown(_text(call['args'])), _shown(_text(call['result']))
            lines.append(f'<pre style="{_PRE}">{_shown(call["tool"])} {args}\n→ {result}</pre>')
        lines.append('</details>')
    lines.append(
        f'<div style="margin-top: 6px"><b>Output</b><pre style="{_PRE}">{_shown(_text(output))}</pre></div></div>'
    )
    return well_formed(''.join(lines))


def _gist(response: ModelResponse) -> str:
    calls = [call_text(part) for part in response.parts if isinstance(part, ToolCallPart)]
    return brief(', '.join(calls) or response.text or 'no text', 120)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else shown_json(value, indent=2).decode()


def _shown(text: str) -> str:
    return escape(
        text if len(text) <= _LONGEST else f'{text[:_LONGEST]} ... and {len(text) - _LONGEST:,} more characters'
    )
