"""`AuthorityWorkspace`: whose word the files of a workspace are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from typing_extensions import TypeAlias

from ..exceptions import UserError
from .protocol import WorkspaceBackend
from .workspace import WrapperWorkspace

Authority: TypeAlias = Literal['operator', 'user']
"""Whose word a text is: of those who run the agent, or of those who use it."""
_RANKS = {'user': 0, 'operator': 1}


class AuthorityWorkspace(WrapperWorkspace):
    """Says whose word the files of a workspace are; never more than the workspace that it wraps allows."""

    def __init__(
        self,
        wrapped: WorkspaceBackend,
        *,
        authority: Authority,
        path_authority: Mapping[str, Authority] | None = None,
    ) -> None:
        """Wrap a workspace.

        Args:
            wrapped: The workspace, or a backend.
            authority: Whose word its files are.
            path_authority: The same for files and directories by path, relative to the working directory or absolute; the
                deepest that applies counts.

        Raises:
            UserError: An authority is neither `'operator'` nor `'user'`.
        """
        super().__init__(wrapped)
        self._own = authority
        self._paths = dict(path_authority or {})
        for value in (authority, *self._paths.values()):
            if value not in _RANKS:
                raise UserError(f"The authority of a workspace is 'operator' or 'user', not {value!r}.")

    @property
    def authority(self) -> str:
        """Whose word the files are where no path says otherwise."""
        return _least(self._own, self.wrapped.authority)

    async def authority_of(self, path: str) -> str:
        """Return whose word a file is. Symbolic links are followed: a file is not more trusted by another name."""
        real, found, depth = await self.realpath(path), self._own, -1
        for place, authority in self._paths.items():
            try:
                above = (await self.realpath(place)).rstrip('/')
            except PermissionError:  # outside of the workspace, where no file of it is
                continue
            if (real == above or real.startswith(f'{above}/')) and len(above) > depth:
                found, depth = authority, len(above)
        return _least(found, await self.wrapped.authority_of(path))

    def durable_policy(self) -> tuple[object, ...]:
        """Return what has to be the same wherever the run continues."""
        return (*self.wrapped.durable_policy(), self._own, dict(self._paths))


def _least(*authorities: str) -> str:
    return min(authorities, key=_RANKS.__getitem__)


__all__ = ('AuthorityWorkspace',)
