"""The files of a skill: its Markdown, and the files beside it in its folder (agentskills.io)."""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from typing_extensions import TypedDict

from .._kit.input_bounds import input_bounds
from .._kit.plain_yaml import YamlError, read_yaml
from .._kit.short import one_line
from ..exceptions import ModelRetry, UserError
from ..messages import BinaryContent
from ..tools import Tool

SKILL_FILE = 'SKILL.md'
_NAME = re.compile(r'[a-z0-9]+(-[a-z0-9]+)*')
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024
_SHOWN_FILES = 100


@dataclass
class Skill:
    """A skill as read from its Markdown file."""

    id: str
    """`name` or `id` of the frontmatter, otherwise the name of the file or folder."""
    description: str | None
    """What the model reads before it loads the skill."""
    body: str
    """The instructions, which the model reads when it loads the skill."""
    files: dict[str, Path] = field(default_factory=lambda: {})
    """The files beside a `SKILL.md`, by their paths in its folder."""


def read_skill(path: str | os.PathLike[str]) -> Skill:
    """Read a skill.

    Args:
        path: A Markdown file, or a folder with a `SKILL.md`.

    Raises:
        UserError: There is no such file, its frontmatter is invalid, or a file beside it is a link out of the folder.
    """
    file = Path(path)
    if file.is_dir():
        file = file / SKILL_FILE
    if not file.is_file():
        raise UserError(
            f'There is no skill at {str(path)!r}. Give the path of a Markdown file, or of a folder with a {SKILL_FILE}.'
        )
    if (size := file.stat().st_size) > (most := input_bounds().skill_size):
        raise UserError(
            f'The skill {str(file)!r} is too large: {size} bytes, where the limit is {most}. Move what the model does '
            'not always need to other files of the skill.'
        )
    try:
        text = file.read_text(encoding='utf-8-sig')
    except UnicodeDecodeError as error:
        raise UserError(f'The skill {str(file)!r} is not UTF-8 text: {error}. Save it as UTF-8.') from None
    meta, body = _split(text, file)
    in_folder = file.name == SKILL_FILE
    default = file.resolve().parent.name if in_folder else file.stem
    name, description = meta.get('name', meta.get('id', default)), meta.get('description')
    name, description = _checked(name, description, file, folder=default if in_folder else None)
    return Skill(name, description, body.strip(), _files_of(file) if in_folder else {})


def _split(text: str, file: Path) -> tuple[Mapping[str, object], str]:
    """Return the frontmatter and the body of a Markdown file."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != '---':
        return {}, text
    end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() == '---'), None)
    if end is None:
        raise UserError(f'The frontmatter of the skill {str(file)!r} does not end. Close it with a line of `---`.')
    try:
        meta = read_yaml(''.join(lines[1:end]), 'frontmatter_length')
    except ImportError:
        raise UserError(
            f'The frontmatter of the skill {str(file)!r} is YAML, and PyYAML is not installed: `pip install "stead[spec]"`.'
        ) from None
    except YamlError as error:
        raise UserError(f'The frontmatter of the skill {str(file)!r} {error}.') from None
    if meta is not None and not isinstance(meta, dict):
        raise UserError(
            f'The frontmatter of the skill {str(file)!r} is {type(meta).__name__}. '
            'Write lines like `description: What it is for`.'
        )
    return cast('dict[str, object]', meta or {}), ''.join(lines[end + 1 :])


def _checked(name: object, description: object, file: Path, folder: str | None) -> tuple[str, str | None]:
    """Return the name and description of a skill after checking them; skills in folders must follow the format's rules."""

    def error(problem: str) -> UserError:
        return UserError(f'The skill {str(file)!r} {problem}')

    if not isinstance(name, str) or not name.strip():
        raise error(f'has the name {_shown(name)}. Give it a name that is text.')
    if name != one_line(name):
        raise error(f'has the name {_shown(name)}. Write the name on one line, without space around it.')
    if description is not None and not isinstance(description, str):
        raise error(f'has the description {_shown(description)}. Write text, in quotes if it contains a colon.')
    if folder is None:
        return name, description
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise error(
            f'has the name {_shown(name)}. Use up to {_LONGEST_NAME} lower-case letters, digits and single hyphens.'
        )
    if name != folder:
        raise error(f'has the name {_shown(name)} in a folder named {folder!r}. Give both the same name.')
    if not description or not description.strip():
        raise error(
            'has no `description`. Say in its frontmatter what it is for, so that the model knows when to load it.'
        )
    if len(description) > _LONGEST_DESCRIPTION:
        raise error(f'has a description of {len(description)} characters. Shorten it to {_LONGEST_DESCRIPTION}.')
    return name, description


def _shown(value: object) -> str:
    """Return a value as an error shows it. Aliases make a short file stand for data of any length."""
    return f'{value!r:.100}' if isinstance(value, (str, int, float)) else f'of the type `{type(value).__name__}`'


def _files_of(skill: Path) -> dict[str, Path]:
    """Return the files in the folder of a skill and its subfolders, except hidden ones, by path."""
    root = skill.parent.resolve()
    files: dict[str, Path] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith('.') and name != '__pycache__')
        # Links to folders are not followed by `walk`; listed here, they are checked like files and then skipped.
        for name in sorted([*names, *(name for name in folders if (Path(folder) / name).is_symlink())]):
            file = Path(folder) / name
            if name.startswith('.') or file == root / SKILL_FILE:
                continue
            if not file.resolve().is_relative_to(root):
                raise UserError(
                    f'The file {str(file)!r} of the skill {str(skill)!r} is a link to {str(file.resolve())!r}, outside its '
                    'folder. Put a copy of the file there.'
                )
            if file.is_file():
                files[file.relative_to(root).as_posix()] = file
    return files


def skill_tool(skill: Skill) -> Tool[Any]:
    """Return the tool that reads the files of a skill."""

    def read(path: str) -> str | BinaryContent:
        file = skill.files.get(path)
        # Checked again, because folders can change while the program runs.
        if file is None or not file.is_file() or not file.resolve().is_relative_to(_root(skill, path)):
            raise ModelRetry(f'The skill {skill.id!r} has no file {path!r}. Its files are: {_listing(skill)}.')
        if (size := file.stat().st_size) > (most := input_bounds().skill_size):
            raise ModelRetry(f'The file {path!r} is too large to read: {size} bytes, where the limit is {most}.')
        content = file.read_bytes()
        try:
            return content.decode('utf-8')
        except UnicodeDecodeError:
            return BinaryContent(content, media_type=mimetypes.guess_type(file.name)[0] or 'application/octet-stream')

    return Tool(
        read,
        name=f'read_{re.sub(r"[^a-zA-Z0-9_]", "_", skill.id)}_file',
        description=f'Read a file of the skill {skill.id!r}, by its path as the instructions of the skill give it.',
        effect='read',
    )


def _root(skill: Skill, path: str) -> Path:
    file = skill.files[path]
    return file.parents[path.count('/')].resolve()


def _listing(skill: Skill) -> str:
    names = [repr(name) for name in skill.files]
    more = f' and {len(names) - _SHOWN_FILES} more' if len(names) > _SHOWN_FILES else ''
    return ', '.join(names[:_SHOWN_FILES]) + more


class SkillArguments(TypedDict):
    """Arguments of `Capability` for a skill."""

    id: str
    description: str | None
    instructions: list[str]
    tools: list[Tool[Any]]


def skill_arguments(path: str | os.PathLike[str]) -> SkillArguments:
    """Return the arguments of `Capability` for a skill; errors as for `read_skill`."""
    skill = read_skill(path)
    instructions = [skill.body] if skill.body else []
    tools: list[Tool[Any]] = []
    if skill.files:
        tool = skill_tool(skill)
        tools.append(tool)
        names = ''.join(f'\n- {name if name.isprintable() else repr(name)}' for name in skill.files)
        instructions.append(f'Files of this skill, which the tool `{tool.name}` reads:{names}')
    return {'id': skill.id, 'description': skill.description, 'instructions': instructions, 'tools': tools}
