"""`Shell`: the first paint of a page, before its script runs. The build draws it, and the server fills in its own data."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, cast

from ..._kit.shown_json import shown_json
from ..._kit.well_formed import well_formed

_PLACE = re.compile(r'\{\{#(\w+)\}\}(.*?)\{\{/\1\}\}|\{\{(\w+)\}\}', re.DOTALL)
_INLINE = re.compile(r'<(script|style)>(.*?)</\1>', re.DOTALL)
_DATA = '<!--setup-->'


class Shell:
    """A page of the build, with places to fill in.

    `{{name}}` is a text, and what is between `{{#names}}` and `{{/names}}` is there once for each item of a list. At
    `<!--setup-->` the script finds its data.
    """

    def __init__(self, page: str) -> None:
        """Create it from what the build has made."""
        self._page = page

    def policy(self) -> str:
        """Return what the browser lets the page do.

        Nothing is fetched from elsewhere, no text becomes markup, and of what stands in the page itself only the style and the
        script of the build are in force, which the browser knows by their hashes.
        """
        hashes: dict[str, list[str]] = {'script': [], 'style': []}
        for kind, text in _INLINE.findall(self._page):
            hashes[kind].append(f" 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")
        return (
            f"default-src 'none'; script-src 'self'{''.join(hashes['script'])}; style-src 'self'{''.join(hashes['style'])}; "
            "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        )

    def filled(self, values: Mapping[str, Any], data: Any = None) -> bytes:
        """Return the page.

        Args:
            values: A text for each name, or a list of mappings that have the names between its braces.
            data: What the script reads.
        """
        before, place, after = self._page.partition(_DATA)
        # In a script element only `<` could end the data; as an escape it means the same in JSON.
        shown = shown_json(data).decode().replace('<', '\\u003c') if place else ''
        page = _filled(before, values) + shown + _filled(after, values)
        return well_formed(page).encode()


def _filled(template: str, values: Mapping[str, Any]) -> str:
    def value_of(found: re.Match[str]) -> str:
        if name := found[3]:
            return escape(str(values[name]))
        items = cast('Sequence[Mapping[str, Any]]', values[found[1]])
        return ''.join(_filled(found[2], {**values, **item}) for item in items)

    return _PLACE.sub(value_of, template)
