"""Skills: capabilities written in Markdown, as single files or as folders with more files (agentskills.io)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..exceptions import UserError
from ._skill_files import SKILL_FILE
from .capability import Capability


def skills(directory: str | os.PathLike[str]) -> list[Capability[Any]]:
    """Return the skills in a directory as deferred capabilities, sorted by file name.

    Args:
        directory: A directory. Its folders that have a `SKILL.md` are skills, and so are its Markdown files other than
            `README.md`; everything else is ignored.

    Raises:
        UserError: There is no such directory, or a skill is invalid, is a link to a file outside the directory, or has
            the same id as another.
    """
    root = Path(directory)
    if not root.is_dir():
        raise UserError(f'There is no directory {str(directory)!r} to read skills from.')
    by_id: dict[str, tuple[Path, Capability[Any]]] = {}
    for entry in sorted(root.iterdir()):
        in_folder = entry.is_dir() and (entry / SKILL_FILE).is_file()
        alone = entry.is_file() and entry.suffix.lower() == '.md' and entry.name.lower() != 'readme.md'
        if entry.name.startswith('.') or not (in_folder or alone):
            continue
        file = entry / SKILL_FILE if in_folder else entry
        if not file.resolve().is_relative_to(root.resolve()):
            raise UserError(
                f'The skill {str(entry)!r} is a link to {str(file.resolve())!r}, outside the directory. Put a copy of it '
                'there, or add it with `Capability.from_markdown`.'
            )
        capability = Capability[Any].from_markdown(entry)
        assert capability.id is not None, 'skills have ids'
        if capability.id in by_id:
            raise UserError(
                f'Two skills have the id {capability.id!r}: {str(by_id[capability.id][0])!r} and {str(entry)!r}. Rename one.'
            )
        by_id[capability.id] = (entry, capability)
    return [capability for _, capability in by_id.values()]
