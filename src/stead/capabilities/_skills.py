"""Skills: capabilities that are written in Markdown, alone or in folders with files beside them (agentskills.io)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..exceptions import UserError
from ._skill_files import SKILL_FILE
from .capability import Capability


def skills(directory: str | os.PathLike[str]) -> list[Capability[Any]]:
    """Return the skills of a directory as deferred capabilities, in the order of their names.

    Args:
        directory: Its folders with a `SKILL.md`, and its other Markdown files, are skills; other files are not, nor is
            a `README.md`.

    Raises:
        UserError: There is no such directory, a skill is wrong, is a link to the outside, or has the id of another.
    """
    root = Path(directory)
    if not root.is_dir():
        raise UserError(f'There is no directory {str(directory)!r} with skills.')
    found: dict[str, tuple[Path, Capability[Any]]] = {}
    for entry in sorted(root.iterdir()):
        in_folder = entry.is_dir() and (entry / SKILL_FILE).is_file()
        alone = entry.is_file() and entry.suffix.lower() == '.md' and entry.name.lower() != 'readme.md'
        if entry.name.startswith('.') or not (in_folder or alone):
            continue
        file = entry / SKILL_FILE if in_folder else entry
        if not file.resolve().is_relative_to(root.resolve()):
            raise UserError(
                f'The skill {str(entry)!r} is a link to {str(file.resolve())!r}, outside of the directory. Put a copy of it '
                'there, or add it with `Capability.from_markdown`.'
            )
        capability = Capability[Any].from_markdown(entry)
        assert capability.id is not None, 'skills have ids'
        if capability.id in found:
            raise UserError(
                f'Two skills have the id {capability.id!r}: {str(found[capability.id][0])!r} and {str(entry)!r}. Rename one.'
            )
        found[capability.id] = (entry, capability)
    return [capability for _, capability in found.values()]
