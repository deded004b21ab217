"""The tools of the framework have one name each, which is spelled in one place."""

from __future__ import annotations

import ast

import pytest

from ..source import nodes


@pytest.mark.parametrize('name', ['search_tools', 'load_capability'])
def test_names_of_tools_are_spelled_once(name: str) -> None:
    spelled = {file for file, node in nodes() if isinstance(node, ast.Constant) and node.value == name}
    assert spelled == {'messages/_typed_parts.py'}
