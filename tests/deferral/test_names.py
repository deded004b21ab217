"""The tools of the framework have one name each, which is spelled in one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import stead

SRC = Path(stead.__file__).parent


@pytest.mark.parametrize('name', ['search_tools', 'load_capability'])
def test_names_of_tools_are_spelled_once(name: str) -> None:
    spelled = {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob('*.py')
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
        if isinstance(node, ast.Constant) and node.value == name
    }
    assert spelled == {'messages/_typed_parts.py'}
