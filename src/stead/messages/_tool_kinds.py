"""Kinds of tools, whose calls and results have a known form, and why a call is to be made again."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Generic, Literal

from typing_extensions import TypeAlias, TypeVar

from .._kit.records import ShortRepr
from ..exceptions import UserError
from ._open import OpenWord

ArgsT_co = TypeVar('ArgsT_co', covariant=True, default=Any)
"""Type variable for the arguments of a kind of tool."""
ContentT_co = TypeVar('ContentT_co', covariant=True, default=Any)
"""Type variable for the results of a kind of tool."""
RetryCauseT_co = TypeVar('RetryCauseT_co', covariant=True, default=str)
"""Type variable for the causes of a retry."""
RetryCause: TypeAlias = Literal['validation_error', 'no_output', 'model_retry', 'unknown_tool', 'unavailable_tool']
"""Why something is to be made again."""
OWN_KINDS = frozenset({'tool-search', 'capability-load'})
"""The kinds of the tools of the framework."""
_kinds: dict[str, ToolKind[Any, Any]] = {}
"""The kinds that programs and packages define, by id."""


@dataclass(frozen=True, repr=False)
class RetryInfo(ShortRepr, Generic[RetryCauseT_co]):
    """Why something is to be made again, and how often it was."""

    cause: Annotated[RetryCause, OpenWord('cause')]
    """The cause."""
    _: KW_ONLY
    attempt: int | None = None
    """The number of this retry, from 1."""
    max_retries: int | None = None
    """How many there may be."""


class ToolKind(Generic[ArgsT_co, ContentT_co]):
    """A kind of tool that a package defines: whatever the tool is named, its calls and results have one form.

    Tools declare it as `tool_kind=kind.id`, and front ends recognize it by `part.tool_kind`.

    Args:
        namespace: Whose it is, such as the name of a package or of a capability.
        name: Its name there.
        args: The type of the arguments.
        content: The type of the results.

    Raises:
        UserError: There is no namespace, or a kind of that id has other types.
    """

    def __init__(
        self, namespace: str, name: str, *, args: type[ArgsT_co] | None = None, content: type[ContentT_co] | None = None
    ) -> None:
        if not namespace:
            raise UserError(
                f"The kind of tool {name!r:.100} has no namespace: `ToolKind('my_package', {name!r:.100})`."
            )
        self._namespace, self._name, self._args, self._content = namespace, name, args, content
        other = _kinds.get(self.id)
        if other is not None and (other.args, other.content) != (args, content):
            raise UserError(f'The kind of tool {self.id!r} is defined already, as {other!r}. Take another name.')
        _kinds[self.id] = self

    @property
    def id(self) -> str:
        """What parts and tools name it by."""
        return f'{self._namespace}.{self._name}'

    @property
    def namespace(self) -> str:
        """Whose it is."""
        return self._namespace

    @property
    def name(self) -> str:
        """Its name there."""
        return self._name

    @property
    def args(self) -> type[ArgsT_co] | None:
        """The type of the arguments."""
        return self._args

    @property
    def content(self) -> type[ContentT_co] | None:
        """The type of the results."""
        return self._content

    def __repr__(self) -> str:
        types = [
            f'{word}={kind.__name__}'
            for word, kind in (('args', self._args), ('content', self._content))
            if kind is not None
        ]
        return f'ToolKind({", ".join([repr(self._namespace), repr(self._name), *types])})'


def args_of_kind(kind: str) -> type | None:
    """Return the type of the arguments of a kind that a program or package defines, if it has one."""
    return _kinds[kind].args if kind in _kinds else None


def parse_tool_kind(value: object) -> str | None:
    """Return the id of a kind of tool that this program knows, or `None` for any other value."""
    return value if isinstance(value, str) and (value in OWN_KINDS or value in _kinds) else None
