"""Docstrings: the descriptions of functions, their parameters and return values."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from typing_extensions import TypeAlias

DocstringFormat: TypeAlias = Literal['google', 'numpy', 'sphinx', 'auto']
"""The style of docstrings; `'auto'` infers it from their structure."""

_SPHINX = r'(?m)^[ \t]*:(param|parameter|arg|argument|key|keyword|type|returns?|rtype|raises?|except)\b.*:'
_NUMPY = r'(?m)^[ \t]*(Parameters|Other Parameters|Returns|Yields|Raises|Attributes|Examples|Notes|Methods)[ \t]*\n[ \t]*-{3,}'

_logger_lock = threading.Lock()  # held while the logger of the parser is disabled


def doc_descriptions(
    func: Callable[..., Any], sig: inspect.Signature | None = None, *, docstring_format: DocstringFormat = 'auto'
) -> tuple[str | None, dict[str, str]]:
    """Return the description of a function and of its parameters.

    Args:
        func: The function.
        sig: Its signature; not needed.
        docstring_format: The style of its docstring.

    Returns:
        The description, including that of the return value if there is one, or `None` without a docstring; and the
        descriptions of parameters by name.
    """
    text = func.__doc__
    if text is None:
        return None, {}
    description, parameters = parse_docstring(text, docstring_format)
    return description, dict(parameters)


@lru_cache(maxsize=4096)
def parse_docstring(text: str, style: DocstringFormat = 'auto') -> tuple[str, dict[str, str]]:
    """Return the description in a docstring, and the descriptions of parameters in it.

    The result is cached and shared between callers, and must not be changed.
    """
    clean = inspect.cleandoc(text)
    if style == 'auto':
        # Every section of a docstring, in any style, needs a colon or an underline; most docstrings have neither, and
        # the parser costs more to import than everything else here.
        if ':' not in clean and '---' not in clean:
            return clean.strip(), {}
        style = _infer(clean)
    return _parse(text, style)


def _infer(text: str) -> Literal['google', 'numpy', 'sphinx']:
    if re.search(_SPHINX, text):
        return 'sphinx'
    if re.search(_NUMPY, text):
        return 'numpy'
    return 'google'


def _parse(text: str, style: Literal['google', 'numpy', 'sphinx']) -> tuple[str, dict[str, str]]:
    import logging

    from griffe import Docstring, DocstringSectionKind

    logger = logging.getLogger('griffe')
    with _logger_lock:
        was_disabled, logger.disabled = logger.disabled, True  # it logs what docstrings leave out
        try:
            options: dict[str, Any] = (
                {'returns_named_value': False, 'returns_multiple_items': False} if style == 'google' else {}
            )
            sections = Docstring(text, lineno=1).parse(style, **options)
        finally:
            logger.disabled = was_disabled
    parameters: dict[str, str] = {}
    summary = ''
    returns: Any = None
    for section in sections:
        if section.kind is DocstringSectionKind.parameters:  # type: ignore[reportUnknownMemberType]
            parameters = {item.name.lstrip('*'): item.description for item in section.value}
        elif section.kind is DocstringSectionKind.text and not summary:  # type: ignore[reportUnknownMemberType]
            summary = section.value
        elif section.kind is DocstringSectionKind.returns and section.value:  # type: ignore[reportUnknownMemberType]
            returns = section.value[0]
    if returns is None:
        return summary, parameters
    lines = [f'<summary>{summary}</summary>'] if summary else []
    lines.append('<returns>')
    if returns.annotation:
        lines.append(f'<type>{returns.annotation}</type>')
    if returns.description:
        lines.append(f'<description>{returns.description}</description>')
    lines.append('</returns>')
    return '\n'.join(lines), parameters
