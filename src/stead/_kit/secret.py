"""Texts that must not be shown, such as API keys."""

from __future__ import annotations

from typing import Any


class Secret(str):
    """A text whose `repr` does not show it, so that neither do logs of objects that hold it.

    In every other way it is the text: it can be sent, compared, formatted and pickled.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def without_secret(value: Any, secret: str | None) -> Any:
    """Return a value with a secret, such as an API key, replaced by `***` in all of its text."""
    if not secret or len(secret) < 8:  # a placeholder, which may occur in other text
        return value
    if isinstance(value, str):
        return value.replace(secret, '***') if secret in value else value
    if isinstance(value, dict):
        return {key: without_secret(item, secret) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [without_secret(item, secret) for item in value]  # type: ignore[reportUnknownVariableType]
    if type(value) is tuple:
        return tuple(without_secret(item, secret) for item in value)  # type: ignore[reportUnknownVariableType]
    return value


def hide_secret(error: Exception, secret: str | None) -> None:
    """Remove the API key from an error of an SDK and its causes.

    The error becomes the cause of stead's error, so that tracebacks, logs and spans show it.
    """
    for cause in causes(error):
        cause.args = without_secret(cause.args, secret)
        for name, value in {**getattr(cause, '__dict__', {})}.items():
            if type(value) in (str, dict, list):
                object.__setattr__(cause, name, without_secret(value, secret))  # some errors forbid assignments


def causes(error: BaseException) -> list[Exception]:
    """Return an error and its chain of causes, up to the first that is not an `Exception` or that repeats."""
    chain: list[Exception] = []
    current: BaseException | None = error
    while isinstance(current, Exception) and not any(current is cause for cause in chain):
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return chain
