"""The lists of options in docstrings, written from the `TypedDict`s that define the options."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

WIDTH = 120
_ENTRY = re.compile(r'(?m)^( +)options: [^\n]*`(\w+)`[^\n]*\n(?:\1 +[^\n]*\n)*')


def options_of(*sources: Path) -> dict[str, dict[str, str]]:
    """Return what the keys of each `TypedDict` mean, those of its bases first; `deps` is the first of all.

    Args:
        sources: The files with the classes; bases of a class come before it.
    """
    found: dict[str, dict[str, str]] = {}
    for source in sources:
        for node in ast.parse(source.read_text(encoding='utf-8')).body:
            if not isinstance(node, ast.ClassDef):
                continue
            bases = [ast.unparse(base).partition('[')[0] for base in node.bases]
            if not any(base == 'TypedDict' or base in found for base in bases):
                continue
            keys: dict[str, str] = {}
            for base in bases:
                keys.update(found.get(base, {}))
            for entry, doc in zip(node.body, node.body[1:]):
                if isinstance(entry, ast.AnnAssign) and isinstance(doc, ast.Expr):
                    keys[ast.unparse(entry.target)] = ' '.join(str(ast.literal_eval(doc.value)).split())
            found[node.name] = {**{key: keys[key] for key in ('deps',) if key in keys}, **keys}
    return found


def with_options(text: str, options: dict[str, dict[str, str]]) -> str:
    """Return a module in which each entry `options` of a docstring lists the options.

    Args:
        text: The module.
        options: The options of each `TypedDict`.
    """

    def entry(match: re.Match[str]) -> str:
        indent, name = match[1], match[2]
        if name not in options:
            return match[0]
        lines = [f'{indent}options: Those of `{name}`:']
        for key, doc in options[name].items():
            lines += textwrap.wrap(
                f'{key}: {doc}', WIDTH, initial_indent=f'{indent}    ', subsequent_indent=f'{indent}        '
            )
        return '\n'.join(lines) + '\n'

    return _ENTRY.sub(entry, text)
