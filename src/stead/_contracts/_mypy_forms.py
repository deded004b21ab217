"""What mypy, which has no `TypeForm` by default, is shown for output types that are not classes.

Each protocol has a member whose declared type holds `Any`, so that mypy infers `Any` for the output instead of an error
(or, worse, the default `str`). An annotation of the agent, `agent: Agent[None, int | str] = Agent(...)`, says what it is.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

T_co = TypeVar('T_co', covariant=True)

MYPY = False  # mypy, and no other checker, takes a variable of this name as true


class AnyUnion(Protocol[T_co]):
    """A union that is written with `|`."""

    if not MYPY:

        def only_for_mypy(self) -> T_co: ...

    @property
    def __args__(self) -> tuple[T_co, ...]: ...


class AnyForm(Protocol[T_co]):
    """A special form, such as `Literal['a', 'b']` or `Union[int, str]`, or a list or tuple of output types."""

    if not MYPY:

        def only_for_mypy(self) -> T_co: ...

    def __getitem__(self, parameters: Any, /) -> object: ...

    def __reduce__(self) -> str | tuple[T_co, ...]: ...
