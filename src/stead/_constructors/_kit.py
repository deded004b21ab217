"""Constructors of the records in `stead._kit`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def input_bounds_InputBounds(put):
    def __init__(self, yaml_length=..., yaml_values=..., yaml_expanded_values=..., yaml_depth=..., yaml_merged=...,
            yaml_digits=..., template_length=..., template_steps=..., skill_size=..., frontmatter_length=...,
            html_length=..., html_depth=..., json_length=..., json_depth=..., inflated_size=..., inflated_ratio=...,
            answer_errors=...):
        put(self, 'yaml_length', yaml_length)
        put(self, 'yaml_values', yaml_values)
        put(self, 'yaml_expanded_values', yaml_expanded_values)
        put(self, 'yaml_depth', yaml_depth)
        put(self, 'yaml_merged', yaml_merged)
        put(self, 'yaml_digits', yaml_digits)
        put(self, 'template_length', template_length)
        put(self, 'template_steps', template_steps)
        put(self, 'skill_size', skill_size)
        put(self, 'frontmatter_length', frontmatter_length)
        put(self, 'html_length', html_length)
        put(self, 'html_depth', html_depth)
        put(self, 'json_length', json_length)
        put(self, 'json_depth', json_depth)
        put(self, 'inflated_size', inflated_size)
        put(self, 'inflated_ratio', inflated_ratio)
        put(self, 'answer_errors', answer_errors)
        self.__post_init__()

    return __init__
