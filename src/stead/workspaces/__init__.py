"""Workspaces: places with files and commands that the tools of a run work in, each behind one interface."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        'authority': ('AuthorityWorkspace',),
        'local': ('LocalWorkspaceBackend',),
        'protocol': (
            'CommandResult',
            'FileEntry',
            'SupportsCommands',
            'SupportsFilesystem',
            'SupportsRealpath',
            'WorkspaceBackend',
            'WorkspaceCommand',
            'WorkspaceError',
            'WorkspaceOutputLimitError',
            'WorkspaceReadOnlyError',
            'WorkspaceRef',
            'WorkspaceTimeoutError',
            'WorkspaceUnavailableError',
        ),
        'readonly': ('ReadOnlyWorkspace',),
        'unavailable': ('UnavailableWorkspace',),
        'workspace': ('Workspace', 'WrapperWorkspace'),
    },
)

__all__ = (
    'AuthorityWorkspace',
    'CommandResult',
    'FileEntry',
    'LocalWorkspaceBackend',
    'ReadOnlyWorkspace',
    'SupportsCommands',
    'SupportsFilesystem',
    'SupportsRealpath',
    'UnavailableWorkspace',
    'Workspace',
    'WorkspaceBackend',
    'WorkspaceCommand',
    'WorkspaceError',
    'WorkspaceOutputLimitError',
    'WorkspaceReadOnlyError',
    'WorkspaceRef',
    'WorkspaceTimeoutError',
    'WorkspaceUnavailableError',
    'WrapperWorkspace',
)
