"""`WorkspaceBackendSuite`: the tests that a backend of a workspace has to pass, for those who write one.

    class TestMine(WorkspaceBackendSuite):
        @pytest.fixture
        def backend(self) -> MyBackend:
            return MyBackend()

It needs pytest, with the plugin of anyio. Fixtures that are not overridden leave out what needs them.
"""

from __future__ import annotations

import posixpath
import shlex
import time
from collections.abc import Awaitable, Callable
from typing import Union

import anyio
import pytest

from ..exceptions import UserError
from ..messages import WorkspaceRef
from .protocol import (
    SupportsCommands,
    SupportsFilesystem,
    SupportsRealpath,
    WorkspaceBackend,
    WorkspaceTimeoutError,
    WorkspaceUnavailableError,
)
from .workspace import Workspace

Make = Callable[[], WorkspaceBackend]
Attach = Callable[[Union[WorkspaceRef, None]], WorkspaceBackend]
Destroy = Callable[[WorkspaceBackend], Awaitable[None]]


def _commands(backend: WorkspaceBackend) -> Workspace:
    if not isinstance(backend, SupportsCommands):
        pytest.skip('the backend runs no commands')
    return Workspace(backend)


def _files(backend: WorkspaceBackend) -> Workspace:
    if not isinstance(backend, (SupportsFilesystem, SupportsCommands)):
        pytest.skip('the backend has no files')
    return Workspace(backend)


def _both(backend: WorkspaceBackend) -> Workspace:
    _files(backend)
    return _commands(backend)


@pytest.mark.anyio
class WorkspaceBackendSuite:
    """What holds for every backend."""

    # Fixtures

    @pytest.fixture
    def anyio_backend(self) -> str:
        """The event loop."""
        return 'asyncio'

    @pytest.fixture
    def backend(self) -> WorkspaceBackend:
        """Return the backend. Override it."""
        raise NotImplementedError('Override the fixture `backend`, which returns the backend to test.')

    @pytest.fixture
    def fresh_backend(self) -> Make:
        """Return a function that returns a backend whose environment does not exist yet."""
        return pytest.skip('the fixture `fresh_backend` is not overridden')

    @pytest.fixture
    def attach_backend(self) -> Attach:
        """Return a function that returns a backend for a `WorkspaceRef`."""
        return pytest.skip('the fixture `attach_backend` is not overridden')

    @pytest.fixture
    def destructive_backend(self, fresh_backend: Make) -> Make:
        """Return a function that returns a backend whose environment may be destroyed."""
        return fresh_backend

    @pytest.fixture
    def destroy_environment(self) -> Destroy:
        """Return an async function that destroys the environment of a backend."""
        return pytest.skip('the fixture `destroy_environment` is not overridden')

    @pytest.fixture
    def has_real_posix_shell(self) -> bool:
        """Return whether commands are run by a POSIX shell."""
        return True

    @pytest.fixture
    def can_detect_exit_with_inherited_output_pipes(self) -> bool:
        """Return whether the end of a command is noticed while what it started holds its output."""
        return True

    @pytest.fixture
    def enforces_parent_file_errors(self) -> bool:
        """Return whether a path below a file is an error."""
        return True

    @pytest.fixture
    def filesystem_honors_shell_permissions(self) -> bool:
        """Return whether operations on files may do no more than the user of commands."""
        return True

    # The backend

    async def test_has_the_required_members(self, backend: WorkspaceBackend) -> None:
        """A backend has what each backend has, and files or commands."""
        assert isinstance(backend, WorkspaceBackend)
        assert isinstance(backend, (SupportsFilesystem, SupportsCommands))

    async def test_working_dir_is_canonical(self, backend: WorkspaceBackend) -> None:
        """The working directory is absolute, normal, the same each time, and no symbolic link."""
        there = await backend.working_dir()
        assert posixpath.isabs(there) and posixpath.normpath(there) == there == await backend.working_dir()
        assert await Workspace(backend).realpath(there) == there

    async def test_ref_exists_after_the_first_operation_and_is_stable(self, backend: WorkspaceBackend) -> None:
        """What was used can be found again under one name."""
        workspace = _files(backend)
        await workspace.exists('nothing')
        first = backend.ref
        assert first is None or isinstance(first, WorkspaceRef)
        await workspace.write_text('a', 'a')
        assert backend.ref == first

    async def test_concurrent_first_use_shares_one_environment(self, fresh_backend: Make) -> None:
        """Two operations that are the first ones make one environment."""
        workspace = _files(fresh_backend())
        async with anyio.create_task_group() as group:
            for name in 'abc':
                group.start_soon(workspace.write_text, name, name)
        assert {entry.name for entry in await workspace.list_dir('.')} >= {'a', 'b', 'c'}

    async def test_a_backend_attached_by_ref_reaches_the_same_environment(
        self, backend: WorkspaceBackend, attach_backend: Attach
    ) -> None:
        """The reference leads to the same files."""
        await _files(backend).write_text('left', 'here')
        assert await Workspace(attach_backend(backend.ref)).read_text('left') == 'here'

    async def test_a_backend_attached_by_ref_reaches_a_detached_process(
        self, backend: WorkspaceBackend, attach_backend: Attach, has_real_posix_shell: bool
    ) -> None:
        """What a command leaves behind in files is seen by another backend."""
        if not has_real_posix_shell:
            pytest.skip('commands are not run by a POSIX shell')
        await _commands(backend).run('echo done > result', shell=True)
        assert (await Workspace(attach_backend(backend.ref)).run(['cat', 'result'])).stdout == 'done\n'

    async def test_attaching_to_a_destroyed_environment_raises_unavailable(
        self, destructive_backend: Make, attach_backend: Attach, destroy_environment: Destroy
    ) -> None:
        """What has gone is said to have gone."""
        backend = destructive_backend()
        await _files(backend).write_text('a', 'a')
        await destroy_environment(backend)
        with pytest.raises(WorkspaceUnavailableError):
            await Workspace(attach_backend(backend.ref)).read_text('a')

    async def test_destroying_environment_during_command_raises_unavailable(
        self, destructive_backend: Make, destroy_environment: Destroy, has_real_posix_shell: bool
    ) -> None:
        """A command does not end well in an environment that has gone."""
        if not has_real_posix_shell:
            pytest.skip('commands are not run by a POSIX shell')
        backend = destructive_backend()
        workspace = _both(backend)
        await workspace.write_text('a', 'a')

        async def destroy() -> None:
            await anyio.sleep(0.2)
            await destroy_environment(backend)

        async with anyio.create_task_group() as group:
            group.start_soon(destroy)
            with pytest.raises(WorkspaceUnavailableError):
                await workspace.run('sleep 5', shell=True)

    # Commands

    async def test_result_reports_exit_code_stdout_and_stderr(self, backend: WorkspaceBackend) -> None:
        """Both outputs and the status come back."""
        result = await _commands(backend).run('echo out; echo err >&2; exit 3', shell=True)
        assert (result.exit_code, result.stdout, result.stderr) == (3, 'out\n', 'err\n')

    async def test_command_form_must_match_shell(self, backend: WorkspaceBackend) -> None:
        """A text is for the shell, and a list is not."""
        backend = _commands(backend).backend
        assert isinstance(backend, SupportsCommands)
        with pytest.raises(TypeError):
            await backend.run('echo a')
        with pytest.raises(TypeError):
            await backend.run(['echo', 'a'], shell=True)

    async def test_argv_items_are_literal(self, backend: WorkspaceBackend) -> None:
        """No shell reads what is in a list."""
        items = ['$HOME', '*', 'a b', '; echo no', '`id`', "it's", '', '\\n']
        result = await _commands(backend).run(['printf', '[%s]', *items])
        assert result.stdout == ''.join(f'[{item}]' for item in items)

    async def test_a_missing_program_exits_127(self, backend: WorkspaceBackend) -> None:
        """A program that is not there is no exception."""
        assert (await _commands(backend).run(['no-such-program-here'])).exit_code == 127

    async def test_stdin_is_at_eof(self, backend: WorkspaceBackend) -> None:
        """A command that reads does not wait."""
        with anyio.fail_after(20):
            assert (await _commands(backend).run(['cat'])).stdout == ''

    async def test_env_is_added(self, backend: WorkspaceBackend) -> None:
        """Variables are added to those that are there."""
        result = await _commands(backend).run('echo "$MINE ${PATH:+path}"', shell=True, env={'MINE': 'a b'})
        assert result.stdout == 'a b path\n'

    async def test_run_starts_in_cwd(self, backend: WorkspaceBackend) -> None:
        """A command starts in the working directory, or in the one that was asked for."""
        workspace = _both(backend)
        there = await backend.working_dir()
        assert (await workspace.run(['pwd'])).stdout == f'{there}\n'
        await workspace.make_dir('in side')
        for command, shell in ((['pwd'], False), ('pwd', True)):
            found = await workspace.run(command, shell=shell, cwd='in side')
            assert found.stdout == posixpath.join(there, 'in side') + '\n'
        with pytest.raises(FileNotFoundError):
            await workspace.run(['pwd'], cwd='nowhere')

    async def test_command_output_is_complete(self, backend: WorkspaceBackend) -> None:
        """Nothing of a long output is lost."""
        result = await _commands(backend).run('i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done', shell=True)
        assert result.stdout.split() == [str(number) for number in range(20000)]

    async def test_undecodable_command_bytes_are_replaced(
        self, backend: WorkspaceBackend, has_real_posix_shell: bool
    ) -> None:
        """Bytes that are not UTF-8 do no harm."""
        if not has_real_posix_shell:
            pytest.skip('commands are not run by a POSIX shell')
        assert (await _commands(backend).run(r"printf 'a\377b'", shell=True)).stdout == 'a\N{REPLACEMENT CHARACTER}b'

    async def test_timeout_raises_workspace_timeout_error(self, backend: WorkspaceBackend) -> None:
        """A command that takes too long is ended."""
        begin = time.monotonic()
        with pytest.raises(WorkspaceTimeoutError):
            await _commands(backend).run('sleep 30', shell=True, timeout=0.3)
        assert time.monotonic() - begin < 20

    async def test_cancellation_stops_foreground_work(
        self, backend: WorkspaceBackend, has_real_posix_shell: bool
    ) -> None:
        """A command whose caller has gone does nothing more."""
        if not has_real_posix_shell:
            pytest.skip('commands are not run by a POSIX shell')
        workspace = _both(backend)
        with anyio.move_on_after(0.5):
            await workspace.run('while true; do echo x >> ticks; sleep 0.05; done', shell=True)
        before = await workspace.read_bytes('ticks')
        await anyio.sleep(0.3)
        assert len(await workspace.read_bytes('ticks')) <= len(before) + 2

    async def test_background_child_does_not_hold_up_completed_command(
        self, backend: WorkspaceBackend, has_real_posix_shell: bool, can_detect_exit_with_inherited_output_pipes: bool
    ) -> None:
        """A command has ended when its own process has, whatever it has started."""
        if not (has_real_posix_shell and can_detect_exit_with_inherited_output_pipes):
            pytest.skip('the backend does not notice it')
        begin = time.monotonic()
        assert (await _commands(backend).run('sleep 20 & echo now', shell=True)).stdout == 'now\n'
        assert time.monotonic() - begin < 15

    # Files

    async def test_bytes_round_trip_and_write_creates_parents(self, backend: WorkspaceBackend) -> None:
        """Any bytes come back."""
        workspace, data = _files(backend), bytes(range(256)) * 3
        await workspace.write_bytes("a/b c/it's", data)
        assert await workspace.read_bytes("a/b c/it's") == data
        await workspace.write_bytes("a/b c/it's", b'')
        assert await workspace.read_bytes("a/b c/it's") == b''

    async def test_large_file_round_trip(self, backend: WorkspaceBackend) -> None:
        """A file may be larger than a command."""
        workspace, data = _files(backend), bytes(range(251)) * 2000
        await workspace.write_bytes('large', data)
        assert await workspace.read_bytes('large') == data

    async def test_exists(self, backend: WorkspaceBackend) -> None:
        """Files and directories exist, others do not."""
        workspace = _files(backend)
        await workspace.write_text('a/file', '')
        assert [await workspace.exists(path) for path in ('a', 'a/file', 'a/other', '.')] == [True, True, False, True]

    async def test_stat_and_list_dir(self, backend: WorkspaceBackend) -> None:
        """Entries have names, paths and kinds, in the order of their names."""
        workspace, there = _files(backend), await backend.working_dir()
        await workspace.write_text('a/two', 'ab')
        await workspace.make_dir('a/one')
        entries = await workspace.list_dir('a')
        assert [(e.name, e.path, e.is_dir) for e in entries] == [
            ('one', posixpath.join(there, 'a/one'), True),
            ('two', posixpath.join(there, 'a/two'), False),
        ]
        found = await workspace.stat('a/two')
        assert (found.name, found.path, found.is_dir, found.size) == ('two', entries[1].path, False, 2)
        assert (await workspace.stat('a/one')).is_dir

    async def test_make_dir_creates_parents_and_is_idempotent(self, backend: WorkspaceBackend) -> None:
        """A directory may be there."""
        workspace = _files(backend)
        await workspace.make_dir('x/y/z')
        await workspace.make_dir('x/y/z')
        assert (await workspace.stat('x/y/z')).is_dir

    async def test_remove_deletes_a_file_or_a_tree(self, backend: WorkspaceBackend) -> None:
        """What is removed has gone, with all that is in it."""
        workspace = _files(backend)
        await workspace.write_text('tree/a/b', '')
        await workspace.write_text('file', '')
        await workspace.remove('file')
        await workspace.remove('tree')
        assert not await workspace.exists('file') and not await workspace.exists('tree')

    async def test_remove_refuses_the_working_dir_and_its_ancestors(self, backend: WorkspaceBackend) -> None:
        """The working directory stays."""
        workspace, there = _files(backend), await backend.working_dir()
        for path in ('.', there, posixpath.dirname(there), '/'):
            with pytest.raises(ValueError):
                await workspace.remove(path)
        assert await workspace.exists('.')

    async def test_missing_paths_raise_file_not_found(self, backend: WorkspaceBackend) -> None:
        """What is not there is `FileNotFoundError`."""
        workspace = _files(backend)
        for operation in (workspace.read_bytes, workspace.stat, workspace.list_dir, workspace.remove):
            with pytest.raises(FileNotFoundError):
                await operation('missing')

    async def test_reading_a_directory_raises_is_a_directory(self, backend: WorkspaceBackend) -> None:
        """A directory has no content."""
        await _files(backend).make_dir('d')
        with pytest.raises(IsADirectoryError):
            await Workspace(backend).read_bytes('d')

    async def test_writing_to_a_directory_raises_is_a_directory(self, backend: WorkspaceBackend) -> None:
        """A directory is not overwritten."""
        await _files(backend).make_dir('d')
        with pytest.raises(IsADirectoryError):
            await Workspace(backend).write_bytes('d', b'')

    async def test_listing_a_file_raises_not_a_directory(self, backend: WorkspaceBackend) -> None:
        """A file has no entries."""
        await _files(backend).write_text('f', '')
        with pytest.raises(NotADirectoryError):
            await Workspace(backend).list_dir('f')

    async def test_making_a_directory_over_a_file_raises_file_exists(self, backend: WorkspaceBackend) -> None:
        """A file is not replaced by a directory."""
        await _files(backend).write_text('f', '')
        with pytest.raises(FileExistsError):
            await Workspace(backend).make_dir('f')

    async def test_file_as_parent_raises_not_a_directory(
        self, backend: WorkspaceBackend, enforces_parent_file_errors: bool
    ) -> None:
        """Nothing is below a file."""
        if not enforces_parent_file_errors:
            pytest.skip('the backend allows it')
        workspace = _files(backend)
        await workspace.write_text('f', '')
        with pytest.raises(NotADirectoryError):
            await workspace.write_text('f/below', '')
        with pytest.raises(NotADirectoryError):
            await workspace.make_dir('f/below')

    async def test_permission_denied_uses_builtin_error(
        self, backend: WorkspaceBackend, has_real_posix_shell: bool, filesystem_honors_shell_permissions: bool
    ) -> None:
        """A file that may not be read is `PermissionError`."""
        if not (has_real_posix_shell and filesystem_honors_shell_permissions):
            pytest.skip('files know no permissions')
        workspace = _both(backend)
        await workspace.write_text('locked', 'x')
        if (await workspace.run('chmod 000 locked; cat locked', shell=True)).exit_code == 0:
            pytest.skip('the user may read everything')
        with pytest.raises(PermissionError):
            await workspace.read_text('locked')

    # Links

    async def test_realpath_and_entries_follow_symlinks(self, backend: WorkspaceBackend) -> None:
        """A link to a directory is one, and has another real path."""
        workspace, there = _both(backend), await backend.working_dir()
        await workspace.write_text('real/file', 'abc')
        await workspace.run(['ln', '-s', 'real', 'link'])
        assert await workspace.realpath('link/file') == posixpath.join(there, 'real/file')
        assert [(entry.name, entry.is_dir) for entry in await workspace.list_dir('.')] == [
            ('link', True),
            ('real', True),
        ]
        assert (await workspace.stat('link/file')).path == posixpath.join(there, 'link/file')

    async def test_native_realpath_keeps_the_working_dir_and_missing_names(self, backend: WorkspaceBackend) -> None:
        """Names that do not exist stay."""
        there: str = await backend.working_dir()
        if not isinstance(backend, SupportsRealpath):
            pytest.skip('the backend does not resolve links itself')
        assert await backend.realpath(there) == there
        assert await backend.realpath(f'{there}/no/such') == posixpath.join(there, 'no/such')

    async def test_writes_go_through_a_symlink(self, backend: WorkspaceBackend) -> None:
        """A link stays a link when it is written to."""
        workspace = _both(backend)
        await workspace.write_text('real', 'old')
        await workspace.run(['ln', '-s', 'real', 'link'])
        await workspace.write_text('link', 'new')
        assert await workspace.read_text('real') == 'new'
        assert (await workspace.run(['test', '-L', 'link'])).exit_code == 0

    async def test_symlink_loop_does_not_break_listing(
        self, backend: WorkspaceBackend, has_real_posix_shell: bool
    ) -> None:
        """One bad link hides no other entry."""
        if not has_real_posix_shell:
            pytest.skip('commands are not run by a POSIX shell')
        workspace = _both(backend)
        await workspace.write_text('file', '')
        await workspace.run('ln -s loop loop; ln -s nowhere dangling', shell=True)
        assert [entry.name for entry in await workspace.list_dir('.')] == ['dangling', 'file', 'loop']

    async def test_fifo_read_does_not_wait_for_writer(
        self, backend: WorkspaceBackend, has_real_posix_shell: bool
    ) -> None:
        """A pipe without a writer is an error, not a wait."""
        if not has_real_posix_shell:
            pytest.skip('commands are not run by a POSIX shell')
        workspace = _both(backend)
        await workspace.run(['mkfifo', 'pipe'])
        with anyio.fail_after(20), pytest.raises((OSError, UserError)):
            await workspace.read_bytes('pipe')

    async def test_commands_and_files_share_one_environment(self, backend: WorkspaceBackend) -> None:
        """Commands see files, and files are seen that commands make."""
        workspace = _both(backend)
        await workspace.write_text("it's", 'from a file')
        assert (await workspace.run(['cat', "it's"])).stdout == 'from a file'
        await workspace.run(f'printf %s back > {shlex.quote("of command")}', shell=True)
        assert await workspace.read_text('of command') == 'back'


__all__ = ('WorkspaceBackendSuite',)
