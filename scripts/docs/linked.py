"""Links from names in code, such as `FunctionToolset` or `Agent.run`, to where the API reference describes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping

TOKEN = re.compile(
    r'(?P<code><code>(?P<name>(?:stead\.)?[A-Za-z_][\w.]*)(?:\(\))?</code>)|<(?P<end>/?)(?P<tag>a|pre|h[1-6]|button|script|label)\b[^>]*>'
)
ID = re.compile(r'\bid="([^"]+)"')


def anchors(html: str) -> set[str]:
    """Return the ids in a page."""
    return set(ID.findall(html))


def link_names(
    html: str, targets: Mapping[str, str], url: Callable[[str], str], *, known: Container[str], once: bool
) -> str:
    """Return a page in which names in code are links to the reference.

    Names in headings, in blocks of code and in links stay as they are.

    Args:
        html: The content of the page.
        targets: The page and the anchor of each name, as `reference.targets` has them.
        url: Makes a link of one of these, relative to the page.
        known: The targets that exist: what has no docstring is not described.
        once: Whether only the first of several same names becomes a link.
    """
    inside = 0
    seen: set[str] = set()

    def replace(match: re.Match[str]) -> str:
        nonlocal inside
        if match['tag']:
            inside += -1 if match['end'] else 1
            return match[0]
        target = targets.get(match['name'])
        if inside or target is None or target not in known or (once and target in seen):
            return match[0]
        seen.add(target)
        return f'<a class="api" href="{url(target)}">{match["code"]}</a>'

    return TOKEN.sub(replace, html)
