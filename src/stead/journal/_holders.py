"""Which process holds a lease, and whether it lives: what a dead one holds may be taken over before the lease ends.

A process is known by its pid, by when it started, since pids are used again, and by where pids mean the same: the boot of the
machine, and the namespace of a container. Where one of these is not known, leases just last.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from pathlib import Path

from .._kit.ids import digest, uuid7_str

_HOLDER = re.compile(r'([0-9]+)\.([0-9]+)@([0-9a-f]+)-')


def new_holder() -> str:
    """Return a name for what holds leases in this process, by which other processes of the machine find whether it lives."""
    pid = os.getpid()
    place, started = _place(), _stat_of(pid)[1]
    return f'{pid}.{started}@{place}-{uuid7_str()}' if place else f'{pid}-{uuid7_str()}'


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


def _stat_of(pid: int) -> tuple[str, str]:
    """Return the state of a process and when it started, in ticks since the boot; empty and `'0'` if that is not known."""
    try:
        words = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
        has_threads = words[0] == 'Z' and len(os.listdir(f'/proc/{pid}/task')) > 1
    except (OSError, IndexError):
        return '', '0'
    return ('' if has_threads else words[0]), (words[19] if len(words) > 19 else '0')
