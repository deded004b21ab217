"""The suite for backends passes for a local directory, and for a backend that only runs commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from stead.messages import WorkspaceRef
from stead.workspaces import CommandResult, LocalWorkspaceBackend, WorkspaceCommand
from stead.workspaces.conformance import WorkspaceBackendSuite


class OnlyCommands:
    """A backend that only runs commands."""

    def __init__(self, path: str | Path) -> None:
        self.local = LocalWorkspaceBackend(path)

    @property
    def ref(self) -> WorkspaceRef:
        return self.local.ref

    async def working_dir(self) -> str:
        return await self.local.working_dir()

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        return await self.local.run(command, shell=shell, env=env, timeout=timeout)


class Suite(WorkspaceBackendSuite):
    make: Callable[..., Any]

    @pytest.fixture
    def backend(self, tmp_path: Path) -> Any:
        return type(self).make(tmp_path)

    @pytest.fixture
    def fresh_backend(self, tmp_path: Path) -> Any:
        return lambda: type(self).make(tmp_path)

    @pytest.fixture
    def attach_backend(self) -> Any:
        return lambda ref: type(self).make(ref.id)


class TestLocal(Suite):
    make = LocalWorkspaceBackend


class TestOnlyCommands(Suite):
    make = OnlyCommands
