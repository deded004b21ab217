"""The public names of `stead.workspaces`, for type checkers. Written by `make stubs`."""

from .authority import AuthorityWorkspace as AuthorityWorkspace
from .local import LocalWorkspaceBackend as LocalWorkspaceBackend
from .protocol import (
    CommandResult as CommandResult,
    FileEntry as FileEntry,
    SupportsCommands as SupportsCommands,
    SupportsFilesystem as SupportsFilesystem,
    SupportsRealpath as SupportsRealpath,
    WorkspaceBackend as WorkspaceBackend,
    WorkspaceCommand as WorkspaceCommand,
    WorkspaceError as WorkspaceError,
    WorkspaceOutputLimitError as WorkspaceOutputLimitError,
    WorkspaceReadOnlyError as WorkspaceReadOnlyError,
    WorkspaceRef as WorkspaceRef,
    WorkspaceTimeoutError as WorkspaceTimeoutError,
    WorkspaceUnavailableError as WorkspaceUnavailableError,
)
from .readonly import ReadOnlyWorkspace as ReadOnlyWorkspace
from .unavailable import UnavailableWorkspace as UnavailableWorkspace
from .workspace import Workspace as Workspace, WrapperWorkspace as WrapperWorkspace
