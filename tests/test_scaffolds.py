"""`scripts/new.py` writes nothing if the name is taken, in whichever module it stands."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / 'scripts'


@pytest.mark.parametrize(
    ('kind', 'name', 'taken'),
    [
        ('capability', 'CombinedCapability', 'CombinedCapability'),
        ('capability', 'ApprovalRule', 'ApprovalRule'),
        ('toolset', 'Dynamic', 'DynamicToolset'),
        ('toolset', 'DeferredToolset', 'DeferredToolset'),
    ],
)
def test_names_that_are_taken(kind: str, name: str, taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    monkeypatch.setattr(Path, 'write_text', lambda path, *_, **__: written.append(path))  # type: ignore[reportUnknownLambdaType]
    monkeypatch.syspath_prepend(SCRIPTS)
    with pytest.raises(SystemExit, match=f'^`{taken}` already exists$'):
        importlib.import_module('new').main([kind, name])
    assert not written
