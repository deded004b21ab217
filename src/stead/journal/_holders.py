"""Holders of leases: another process may take a lease over before its end, if the holder is dead.

Three things identify a process: its pid; the time at which it started, since pids are used again; and the place where pids mean
the same, which is a boot of the machine and the namespace of a container. If one is not known, the lease lasts to its end.

A database is used from several machines, and one that was copied while it ran has the boot, the pids and the times of the
other. So there the network cards and the name of the machine count, too, and the sessions of the database: see `is_dead_here`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from .._kit.ids import digest, uuid7_str

_HOLDER = re.compile(r'([0-9]+)\.([0-9]+)@([0-9a-f]+)(?:\.([0-9a-f]+))?-')


def new_holder() -> str:
    """Return the name of the holder of leases in this process. Other processes of the machine see from it whether it lives."""
    pid = os.getpid()
    place, started = _place(), _stat_of(pid)[1]
    if not place:
        return f'{pid}-{uuid7_str()}'
    host = _host()
    return f'{pid}.{started}@{place}{"." if host else ""}{host}-{uuid7_str()}'


@lru_cache(maxsize=4)
def _holder_of(pid: int) -> str:
    return new_holder()


def holder_here() -> str:
    """Return the name under which this process holds what belongs to no run, such as reservations in budgets."""
    return _holder_of(os.getpid())


def session_name() -> str:
    """Return what sessions of this process are called in a database, so that others find whether it has one."""
    pid, place = os.getpid(), _place()
    return f'stead journal {pid}.{_stat_of(pid)[1]}@{place}' if place else 'stead journal'


def is_dead_here(holder: object, sessions: Collection[str]) -> bool:
    """Return whether it is sure that the process of a holder has ended, in a store that several machines use.

    Args:
        holder: The holder.
        sessions: The names of the sessions that the store has; see `session_name`.
    """
    known = _HOLDER.match(holder) if isinstance(holder, str) else None
    if known is None or not known[4] or known[4] != _host():
        return False
    return f'stead journal {known[1]}.{known[2]}@{known[3]}' not in sessions and is_dead(holder)


def is_dead(holder: object) -> bool:
    """Return whether it is sure that the process of a holder has ended."""
    known = _HOLDER.match(holder) if isinstance(holder, str) else None
    if known is None or known[3] != _place():
        return False
    pid = int(known[1])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass  # it is that of another user
    state, started = _stat_of(pid)
    return state in ('X', 'Z') or (started != '0' and started != known[2])


@lru_cache(maxsize=1)
def _place() -> str:
    """Return where pids mean the same as here; empty if that is not known."""
    if sys.platform == 'darwin':
        return digest(os.uname().nodename)[:16]
    try:
        boot = Path('/proc/sys/kernel/random/boot_id').read_text()
        # Of a container with the files of its host, the pids there are others.
        is_own = Path('/proc/self/stat').read_text().startswith(f'{os.getpid()} ')
        return digest(f'{boot}{os.stat("/proc/self/ns/pid").st_ino}')[:16] if is_own else ''
    except OSError:
        return ''


@lru_cache(maxsize=1)
def _host() -> str:
    """Return what tells this machine from others, also from one that it was copied from; empty if that is not known."""
    cards: list[str] = []
    for card in sorted(Path('/sys/class/net').glob('*/device')):  # without those of containers, which come and go
        with suppress(OSError):
            cards.append((card.parent / 'address').read_text().strip())
    return digest('\n'.join([os.uname().nodename, *cards]))[:16] if cards else ''


def _stat_of(pid: int) -> tuple[str, str]:
    """Return the state of a process and when it started, in ticks since the boot; empty and `'0'` if that is not known."""
    try:
        words = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
        has_threads = words[0] == 'Z' and len(os.listdir(f'/proc/{pid}/task')) > 1
    except (OSError, IndexError):
        return '', '0'
    return ('' if has_threads else words[0]), (words[19] if len(words) > 19 else '0')
