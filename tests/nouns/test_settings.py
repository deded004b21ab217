"""Settings and how they are laid over each other."""

from __future__ import annotations

import copy
import typing
from typing import Any

import pytest

from stead.settings import ModelSettings, merge_model_settings


@pytest.mark.parametrize(
    ('base', 'overrides', 'merged'),
    [
        (None, None, None),
        ({}, None, None),
        (None, {}, {}),
        ({'seed': 1}, None, {'seed': 1}),
        (None, {'seed': 1}, {'seed': 1}),
        ({'seed': 1, 'top_p': 0.5}, {'seed': 2}, {'seed': 2, 'top_p': 0.5}),
        ({'extra_body': {'a': 1}}, {'extra_body': {'b': 1}}, {'extra_body': {'b': 1}}),
        ({'seed': 1}, {'seed': None}, {'seed': None}),
    ],
)
def test_the_stronger_settings_replace_key_by_key(base: Any, overrides: Any, merged: Any):
    before = copy.deepcopy((base, overrides))
    assert merge_model_settings(base, overrides) == merged
    assert (base, overrides) == before


def test_every_annotation_can_be_resolved_without_httpx():
    hints = typing.get_type_hints(ModelSettings)
    assert set(hints) == ModelSettings.__optional_keys__
    assert not ModelSettings.__required_keys__
