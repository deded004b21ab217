"""Skills: capabilities in Markdown, alone or in folders with files beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.capabilities import Capability, skills
from stead.exceptions import UserError
from stead.messages import BinaryContent, LoadCapabilityReturnPart, RetryPromptPart, ToolCallPart, ToolReturnPart
from stead.models.test import TestModel

from .kit import function, load, parts, scripted

PLAIN = '---\nid: refunds\ndescription: "Refunds: who gets one."\n---\nAlways confirm the order.\n\n---\nBe kind.\n'


def folder(root: Path, name: str = 'pdf-forms', **meta: Any) -> Path:
    directory = root / name
    (directory / 'references').mkdir(parents=True)
    lines = {'name': name, 'description': 'Fill in forms.', **meta}
    front = ''.join(f'{key}: {value}\n' for key, value in lines.items() if value is not None)
    (directory / 'SKILL.md').write_text(f'---\n{front}---\nSee references/fields.md.\n')
    (directory / 'references' / 'fields.md').write_text('Every field: ümlaut.', encoding='utf-8')
    (directory / 'logo.png').write_bytes(b'\x89PNG\xff\xfe')
    (directory / '.hidden').write_text('secret')
    return directory


def read(path: str, tool: str = 'read_pdf_forms_file') -> list[ToolCallPart]:
    return [ToolCallPart(tool, {'path': path}, 'read')]


def test_a_file_is_a_capability(tmp_path: Path) -> None:
    file = tmp_path / 'anything.md'
    file.write_text(PLAIN)
    capability = Capability[Any].from_markdown(file)
    assert (capability.id, capability.description, capability.defer_loading) == (
        'refunds',
        'Refunds: who gets one.',
        True,
    )
    agent, script = scripted(load('refunds'), capabilities=[capability])
    [loaded] = parts(agent.run_sync('go').all_messages(), LoadCapabilityReturnPart)
    assert loaded.instructions == 'Always confirm the order.\n\n---\nBe kind.'
    assert (script.sent[0].instructions or '').endswith('- refunds: Refunds: who gets one.')


def test_a_file_without_frontmatter_is_named_after_itself(tmp_path: Path) -> None:
    file = tmp_path / 'house-rules.md'
    file.write_text('\ufeffBe kind.', encoding='utf-8')
    capability = Capability[Any].from_markdown(file, defer_loading=False)
    assert (capability.id, capability.description, capability.defer_loading) == ('house-rules', None, False)
    assert capability.get_instructions() == ['Be kind.']


def test_lines_may_end_as_they_like(tmp_path: Path) -> None:
    file = tmp_path / 'refunds.md'
    file.write_bytes(PLAIN.replace('\n', '\r\n').encode())
    assert Capability[Any].from_markdown(file).id == 'refunds'


def test_files_beside_a_skill_are_read_on_request(tmp_path: Path) -> None:
    capability = Capability[Any].from_markdown(folder(tmp_path), tools=[function('extra')])
    agent, script = scripted(
        load('pdf-forms'), read('references/fields.md'), read('logo.png'), capabilities=[capability]
    )
    messages = agent.run_sync('go').all_messages()
    [loaded] = parts(messages, LoadCapabilityReturnPart)
    assert loaded.instructions == (
        'See references/fields.md.\n\n'
        'Files of this skill, which the tool `read_pdf_forms_file` reads:\n- logo.png\n- references/fields.md'
    )
    text, image = [part.content for part in parts(messages, ToolReturnPart) if part.tool_name == 'read_pdf_forms_file']
    assert text == 'Every field: ümlaut.'
    assert isinstance(image, BinaryContent)
    assert (image.data, image.media_type) == (b'\x89PNG\xff\xfe', 'image/png')
    assert script.names[0] == ['load_capability', 'search_tools']
    assert script.names[1] == ['load_capability', 'read_pdf_forms_file', 'extra', 'search_tools']


@pytest.mark.parametrize(
    'path',
    [
        '../secret.txt',
        'references/../../secret.txt',
        '/etc/passwd',
        '.hidden',
        'references',
        'SKILL.md',
        '',
        'nothing.md',
    ],
)
def test_no_other_file_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / 'secret.txt').write_text('secret')
    agent, _ = scripted(load('pdf-forms'), read(path), capabilities=[Capability.from_markdown(folder(tmp_path))])
    messages = agent.run_sync('go').all_messages()
    [retry] = parts(messages, RetryPromptPart)
    assert (
        retry.content
        == f"The skill 'pdf-forms' has no file {path!r}. Its files are: 'logo.png', 'references/fields.md'."
    )
    assert 'secret' not in str(parts(messages, ToolReturnPart))


def test_a_link_to_the_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'secret.txt').write_text('secret')
    (tmp_path / 'secrets').mkdir()
    directory = folder(tmp_path)
    (directory / 'innocent.txt').symlink_to(tmp_path / 'secret.txt')
    with pytest.raises(UserError, match='innocent.txt.* outside its folder'):
        Capability[Any].from_markdown(directory)
    (directory / 'innocent.txt').unlink()
    (directory / 'more').symlink_to(tmp_path / 'secrets', target_is_directory=True)
    with pytest.raises(UserError, match='more.* outside its folder'):
        Capability[Any].from_markdown(directory)


def test_a_file_that_becomes_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / 'secret.txt').write_text('secret')
    directory = folder(tmp_path)
    agent, _ = scripted(load('pdf-forms'), read('logo.png'), capabilities=[Capability.from_markdown(directory)])
    (directory / 'logo.png').unlink()
    (directory / 'logo.png').symlink_to(tmp_path / 'secret.txt')
    messages = agent.run_sync('go').all_messages()
    assert len(parts(messages, RetryPromptPart)) == 1


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    (directory / 'huge.txt').write_text('x' * 1_000_001)
    agent, _ = scripted(load('pdf-forms'), read('huge.txt'), capabilities=[Capability.from_markdown(directory)])
    [retry] = parts(agent.run_sync('go').all_messages(), RetryPromptPart)
    assert 'too large' in retry.content


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        ('---\nid: a\n', 'does not end'),
        ('---\n- a\n---\n', 'is list'),
        ('---\nid: [\n---\n', 'not plain YAML'),
        ('---\nid: 3\n---\n', 'has the name 3'),
        ('---\nid: a\ndescription: [x]\n---\n', 'has the description of the type `list`'),
    ],
)
def test_wrong_frontmatter_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / 'a.md'
    file.write_text(text)
    with pytest.raises(UserError, match=problem):
        Capability[Any].from_markdown(file)


@pytest.mark.parametrize(
    ('meta', 'problem'),
    [
        ({'name': 'other'}, "in a folder named 'pdf-forms'"),
        ({'name': 'PDF'}, 'lower-case'),
        ({'name': 'a--b'}, 'single hyphens'),
        ({'description': None}, 'no `description`'),
        ({'description': 'x' * 1025}, '1025 characters'),
    ],
)
def test_folders_have_what_the_format_demands(tmp_path: Path, meta: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        Capability[Any].from_markdown(
            folder(tmp_path, **meta) if 'name' not in meta else _named(tmp_path, meta['name'])
        )


def _named(root: Path, name: str) -> Path:
    directory = folder(root)
    skill = directory / 'SKILL.md'
    skill.write_text(skill.read_text().replace('name: pdf-forms', f'name: {name}'))
    return directory


def test_what_is_not_there_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match='no skill at'):
        Capability[Any].from_markdown(tmp_path)
    with pytest.raises(UserError, match='no directory'):
        skills(tmp_path / 'nowhere')
    (tmp_path / 'latin.md').write_bytes(b'\xff')
    with pytest.raises(UserError, match='not UTF-8'):
        Capability[Any].from_markdown(tmp_path / 'latin.md')


def test_a_directory_of_skills(tmp_path: Path) -> None:
    folder(tmp_path)
    folder(tmp_path, 'b-skill')
    (tmp_path / 'refunds.md').write_text(PLAIN)
    (tmp_path / 'README.md').write_text('Not a skill.')
    (tmp_path / 'notes').mkdir()
    (tmp_path / 'data.json').write_text('{}')
    capabilities = skills(tmp_path)
    assert [capability.id for capability in capabilities] == ['b-skill', 'pdf-forms', 'refunds']
    agent, script = scripted(load('b-skill', 'pdf-forms'), capabilities=capabilities)
    agent.run_sync('go')
    assert script.names[1] == ['load_capability', 'read_b_skill_file', 'read_pdf_forms_file', 'search_tools']


def test_two_skills_may_not_have_one_id(tmp_path: Path) -> None:
    (tmp_path / 'one.md').write_text(PLAIN)
    (tmp_path / 'two.md').write_text(PLAIN)
    with pytest.raises(UserError, match="Two skills have the id 'refunds'"):
        skills(tmp_path)


def test_a_link_out_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'here').mkdir()
    (tmp_path / 'here' / 'pdf-forms').symlink_to(folder(tmp_path), target_is_directory=True)
    with pytest.raises(UserError, match='outside the directory'):
        skills(tmp_path / 'here')


def test_explain_shows_them(tmp_path: Path) -> None:
    report = str(Agent(TestModel(), capabilities=[Capability.from_markdown(folder(tmp_path))]).explain('go'))
    assert 'pdf-forms' in report
    assert 'deferred' in report
