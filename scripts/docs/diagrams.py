"""Diagrams below the examples that print one: what is drawn is what the tests saw printed."""

from __future__ import annotations

import re

BLOCK = re.compile(r'^```python\b[^\n]*\n(?P<code>.*?)^```$\n?', re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r'^\s*# ?>( ?)(?P<text>.*)$', re.MULTILINE)
FIRST = re.compile(r'(?:stateDiagram-v2|flowchart \w+|graph \w+|sequenceDiagram)\b')


def with_diagrams(markdown: str) -> str:
    """Return a page with a Mermaid block after each Python block that prints a diagram and nothing else."""

    def draw(match: re.Match[str]) -> str:
        lines = [line['text'] for line in PRINTED.finditer(match['code'])]
        first = lines.index('---', 1) + 1 if lines.count('---') >= 2 and lines[0] == '---' else 0  # after the title
        if len(lines) <= first or not FIRST.match(lines[first]):
            return match[0]
        return match[0].rstrip('\n') + '\n\n```mermaid\n' + '\n'.join(lines) + '\n```\n'

    return BLOCK.sub(draw, markdown)
