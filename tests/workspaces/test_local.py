"""A local directory: files stay in it, and commands end with what they have started."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from stead import UserError
from stead.workspaces import (
    AuthorityWorkspace,
    LocalWorkspaceBackend,
    ReadOnlyWorkspace,
    UnavailableWorkspace,
    Workspace,
    WorkspaceOutputLimitError,
    WorkspaceReadOnlyError,
    WorkspaceUnavailableError,
)

OPERATIONS = ('read_bytes', 'exists', 'stat', 'list_dir', 'make_dir', 'realpath')


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """The directory of the workspace, beside a secret."""
    (tmp_path / 'secret').mkdir()
    (tmp_path / 'secret' / 'key').write_text('hunter2')
    there = tmp_path / 'inside'
    there.mkdir()
    return there


def attempts(workspace: Workspace, path: str) -> list[Any]:
    async def all_of_them() -> list[Any]:
        calls = [getattr(workspace, name)(path) for name in OPERATIONS]
        calls.append(workspace.write_bytes(path, b'changed'))
        return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(all_of_them())


@pytest.mark.parametrize(
    'path',
    ['../secret/key', '{outside}/key', 'x/../../secret/key', 'link/key', 'file', 'chain/key', 'inner/../../secret/key'],
)
def test_no_path_leads_out(inside: Path, path: str) -> None:
    outside = inside.parent / 'secret'
    (inside / 'x').mkdir()
    (inside / 'link').symlink_to(outside)
    (inside / 'file').symlink_to('../secret/key')
    (inside / 'chain').symlink_to('link')
    (inside / 'inner').symlink_to('x')
    found = attempts(Workspace(LocalWorkspaceBackend(inside)), path.format(outside=outside))
    assert [type(one) for one in found] == [PermissionError] * 7
    assert str(inside) in str(found[0]) and 'leads out of the workspace' in str(found[0])
    assert (outside / 'key').read_text() == 'hunter2'
    assert os.listdir(outside) == ['key']


def test_a_list_says_nothing_of_what_a_link_outside_leads_to(inside: Path) -> None:
    (inside / 'link').symlink_to('../secret')
    (inside / 'key').symlink_to('../secret/key')
    entries = asyncio.run(Workspace(LocalWorkspaceBackend(inside)).list_dir('.'))
    assert [(entry.name, entry.is_dir, entry.size) for entry in entries] == [
        ('key', False, None),
        ('link', False, None),
    ]


def test_links_inside_are_followed_and_removed_as_links(inside: Path) -> None:
    (inside / 'real').mkdir()
    (inside / 'real' / 'file').write_text('here')
    (inside / 'link').symlink_to(inside / 'real')
    (inside / 'up').symlink_to('../inside/real')
    (inside / 'real' / 'back').symlink_to('../../inside/real/file')

    async def use() -> None:
        workspace = Workspace(LocalWorkspaceBackend(inside, root=inside.parent))
        assert await workspace.read_text('link/file') == 'here' == await workspace.read_text('up/back')
        await workspace.remove('link')
        assert (inside / 'real' / 'file').exists() and not (inside / 'link').is_symlink()
        (inside / 'tree').mkdir()
        (inside / 'tree' / 'out').symlink_to(inside.parent / 'secret')
        await workspace.remove('tree')
        assert (inside.parent / 'secret' / 'key').exists()

    asyncio.run(use())


def test_a_directory_that_becomes_a_link_at_the_same_time(inside: Path) -> None:
    (inside / 'd').mkdir()
    (inside / 'd' / 'key').write_text('fine')
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(inside / 'd', inside / 'kept')
            os.symlink('../secret', inside / 'd')
            os.unlink(inside / 'd')
            os.rename(inside / 'kept', inside / 'd')

    swapping = threading.Thread(target=swap)
    swapping.start()

    async def read() -> set[str]:
        workspace, found = Workspace(LocalWorkspaceBackend(inside)), set[str]()
        for _ in range(400):
            try:
                found.add(await workspace.read_text('d/key'))
            except OSError:
                pass
        return found

    try:
        assert asyncio.run(read()) <= {'fine'}
    finally:
        stop.set()
        swapping.join()


def test_the_root_may_be_larger_than_the_working_directory(inside: Path) -> None:
    workspace = Workspace(LocalWorkspaceBackend(inside, root=inside.parent))
    assert asyncio.run(workspace.read_text('../secret/key')) == 'hunter2'
    with pytest.raises(UserError, match='is not below its root'):
        LocalWorkspaceBackend(inside.parent, root=inside)


def test_commands_get_no_keys_of_this_process(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-1')
    backend = LocalWorkspaceBackend(inside, env={'MINE': '1'})
    names = {line.partition('=')[0] for line in asyncio.run(backend.run(['env'])).stdout.splitlines()}
    assert {'MINE', 'PATH'} <= names <= {'MINE', 'PATH', 'HOME', 'LANG', 'LC_ALL', 'PWD', 'SHLVL', '_'}


def test_a_command_that_prints_too_much_is_ended(inside: Path) -> None:
    with pytest.raises(WorkspaceOutputLimitError) as caught:
        asyncio.run(LocalWorkspaceBackend(inside).run('yes stead', shell=True, timeout=60))
    assert caught.value.limit == 10 * 1024 * 1024
    assert caught.value.stdout.startswith('stead\nstead') and len(caught.value.stdout) == 65536


def test_what_a_command_leaves_in_the_background_ends_with_it(inside: Path) -> None:
    async def use() -> None:
        backend = LocalWorkspaceBackend(inside)
        await backend.run('(sleep 0.3; echo late > late) &', shell=True)
        ticking = 'sh -c "while true; do echo x >> ticks; sleep 0.02; done" & wait'
        task = asyncio.ensure_future(backend.run(ticking, shell=True))
        while not (inside / 'ticks').exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        ticks = (inside / 'ticks').read_text()
        await asyncio.sleep(0.4)
        assert (inside / 'ticks').read_text() == ticks

    asyncio.run(use())
    assert not (inside / 'late').exists()


def test_signals_and_programs_that_cannot_be_run(inside: Path) -> None:
    (inside / 'text').write_text('echo')

    async def use() -> list[int]:
        backend = LocalWorkspaceBackend(inside)
        calls = [backend.run('kill -9 $$', shell=True), backend.run(['./text']), backend.run(['none'])]
        return [result.exit_code for result in await asyncio.gather(*calls)]

    assert asyncio.run(use()) == [137, 126, 127]


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    backend = LocalWorkspaceBackend(tmp_path / 'gone')
    for call in (backend.working_dir(), backend.run(['pwd']), backend.read_bytes(f'{tmp_path}/gone/x')):
        with pytest.raises(WorkspaceUnavailableError, match='gone'):
            asyncio.run(call)


def test_a_read_only_workspace_changes_nothing(inside: Path) -> None:
    (inside / 'file').write_text('as it was')

    async def use() -> None:
        for workspace in (
            ReadOnlyWorkspace(LocalWorkspaceBackend(inside)),
            AuthorityWorkspace(ReadOnlyWorkspace(LocalWorkspaceBackend(inside)), authority='user'),
            Workspace(ReadOnlyWorkspace(LocalWorkspaceBackend(inside))),
        ):
            assert await workspace.read_text('file') == 'as it was'
            calls: list[Any] = [
                workspace.write_text('file', 'x'),
                workspace.make_dir('d'),
                workspace.remove('file'),
                workspace.run('echo x > file', shell=True),
                workspace.run(['rm', 'file'], cwd='.'),
            ]
            for call in calls:
                with pytest.raises(WorkspaceReadOnlyError):
                    await call

    asyncio.run(use())
    assert (inside / 'file').read_text() == 'as it was' and os.listdir(inside) == ['file']


def test_whose_word_a_file_is(inside: Path) -> None:
    (inside / 'docs').mkdir()
    (inside / 'docs' / 'users').mkdir()
    (inside / 'uploads').mkdir()
    (inside / 'docs' / 'link').symlink_to('../uploads')
    workspace = AuthorityWorkspace(
        LocalWorkspaceBackend(inside),
        authority='user',
        path_authority={'docs': 'operator', 'docs/users': 'user', '/elsewhere': 'operator'},
    )

    async def use() -> list[str]:
        paths = ('x', 'docs', 'docs/a', 'docsx', 'docs/users/a', 'docs/link/a', str(inside / 'docs' / 'b'))
        return [await workspace.authority_of(path) for path in paths]

    assert asyncio.run(use()) == ['user', 'operator', 'operator', 'user', 'user', 'user', 'operator']
    more = AuthorityWorkspace(workspace, authority='operator')
    assert (more.authority, asyncio.run(more.authority_of('x'))) == ('user', 'user'), (
        'no wrapper gives more than it has'
    )
    with pytest.raises(UserError, match='boss'):
        AuthorityWorkspace(workspace, authority='boss')  # type: ignore[arg-type]


def test_a_workspace_of_a_wrapper_says_what_the_wrapper_says(inside: Path) -> None:
    of_users = AuthorityWorkspace(LocalWorkspaceBackend(inside), authority='user')
    again = Workspace(ReadOnlyWorkspace(of_users))
    assert (again.authority, asyncio.run(again.authority_of('x')), again.read_only) == ('user', 'user', True)
    assert again.durable_policy() == of_users.durable_policy() != ()
    assert not Workspace(ReadOnlyWorkspace(UnavailableWorkspace('gone'))).attached


def test_a_write_that_cannot_be_changes_nothing(inside: Path) -> None:
    (inside / 'file').write_text('as it was')
    workspace = Workspace(LocalWorkspaceBackend(inside))
    for path in ('file', 'new/file'):
        with pytest.raises(TypeError):
            asyncio.run(workspace.write_bytes(path, 'text'))  # type: ignore[arg-type]
    assert (inside / 'file').read_text() == 'as it was' and os.listdir(inside) == ['file']


def test_paths_and_trees_have_a_depth(inside: Path) -> None:
    workspace = Workspace(LocalWorkspaceBackend(inside))
    asyncio.run(workspace.write_text('/'.join('a' * 200), 'deep'))
    with pytest.raises(OSError, match='more than 256 levels'):
        asyncio.run(workspace.write_text('/'.join('b' * 300), 'deeper'))
    asyncio.run(workspace.run('mkdir -p deep; cd deep; for i in $(seq 300); do mkdir d; cd d; done', shell=True))
    with pytest.raises(OSError, match='remove it with a command'):
        asyncio.run(workspace.remove('deep'))


def test_no_backend_and_an_unavailable_one() -> None:
    with pytest.raises(UserError, match='LocalWorkspaceBackend'):
        Workspace('/tmp')  # type: ignore[arg-type]
    workspace = Workspace(UnavailableWorkspace('It is closed.'))
    assert not workspace.attached and workspace.ref is None
    with pytest.raises(WorkspaceUnavailableError, match='It is closed'):
        asyncio.run(workspace.read_text('a'))
