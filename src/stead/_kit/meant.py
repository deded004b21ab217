"""Names that do not exist: errors that say which may have been meant."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .short import short_repr

_LONGEST_NAME = 200  # characters; longer ones are cut, and not compared with others
_OLD_NAMES = {
    'result_type': 'output_type',
    'response_type': 'output_type',
    'result_retries': 'retries',
    'result_tool_name': 'output_type',
    'result_tool_description': 'output_type',
    'response_format': 'output_type',
    'result_validators': 'capabilities',
    'guardrails': 'capabilities',
    'output_guardrails': 'capabilities',
    'input_guardrails': 'capabilities',
    'middleware': 'capabilities',
    'handoffs': 'tools',
    'context': 'deps',
    'session': 'message_history',
    'llm': 'model',
    'mcp_servers': 'toolsets',
    'functions': 'tools',
    'dependencies': 'deps',
    'messages': 'message_history',
    'history': 'message_history',
    'prompt': 'user_prompt',
    'max_turns': 'usage_limits',
}
"""What older tutorials, and other libraries, call arguments; far from the names that they have here."""


def unknown_name(name: str, known: Collection[str], what: str) -> str:
    """Return a message about a name that does not exist, with one that may have been meant."""
    return f'there is no {what} {short_repr(name, _LONGEST_NAME)}.{names_meant(name, known)}'


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return what follows a message without its full stop: a known name that may have been meant, or nothing."""
    close = close_names(name, known)
    return f'. Did you mean {close[0]!r}?' if close else ''


def names_meant(name: str, known: Collection[str], most: int = 1, written: str = '') -> str:
    """Return what follows a message about a name that does not exist: those that may have been meant, and all there are.

    Args:
        name: The name.
        known: The names that exist.
        most: How many of them may have been meant.
        written: How the same is written here, if that is known.
    """
    close = [_OLD_NAMES[name]] if _OLD_NAMES.get(name) in known else close_names(name, known, most)
    meant = f'`{written}`' if written else ' or '.join(map(repr, close))
    hint = f' Did you mean {meant}?' if meant else ''
    return f'{hint} There are: {", ".join(sorted(known))}.' if known else ''


def close_names(name: str, known: Collection[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the known names that are most like one, the closest first; none for a name of over 200 characters."""
    import difflib

    return difflib.get_close_matches(name, sorted(known), n=most, cutoff=cutoff) if len(name) <= _LONGEST_NAME else []


def unknown_keyword(owner: str, unknown: Collection[str], known: Collection[str]) -> TypeError:
    """Return the error for keyword arguments that a class does not take; it names one, and those that may have been meant."""
    name = min(unknown)
    return TypeError(f'`{owner}` has no argument {name!r}.{names_meant(name, known)}')


def missing_attribute(owner: object, name: str, renamed: Mapping[str, str]) -> AttributeError:
    """Return the error for an attribute that does not exist; it says what those are called here that others have.

    Args:
        owner: The object.
        name: The name of the attribute.
        renamed: Names elsewhere, and how the same is written here.
    """
    hint = f' Here it is `{renamed[name]}`.' if name in renamed else ''
    return AttributeError(f'{type(owner).__name__!r} object has no attribute {name!r}.{hint}', name=name, obj=owner)
