"""How the tokens of models that have none are counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from stead.messages import BinaryContent, ModelRequest, ModelResponse, TextContent, TextPart, UserPromptPart
from stead.models._estimate import Estimator, content_tokens, estimate_usage, text_tokens


@pytest.mark.parametrize(
    ('text', 'tokens'), [('', 0), (' ', 1), ('one', 1), ('one two', 2), ('a,b:c.d"e', 5), ('end.', 2), ('one. two', 2)]
)
def test_words_and_what_is_between_them(text: str, tokens: int):
    assert text_tokens(text) == tokens


@given(text=st.text(st.one_of(st.characters(), st.characters(max_codepoint=127), st.sampled_from(' ",.:\t\x1c\xa0'))))
def test_separators_are_what_a_pattern_finds(text: str):
    assert text_tokens(text) == (len(re.split(r'[\s",.:]+', text.strip())) if text else 0)


def test_prompts_with_media():
    items = ['one two', TextContent('three'), BinaryContent(b'12345', media_type='image/png')]
    assert content_tokens(items) == 8


WORDS = st.text('ab .', max_size=6)
MESSAGES = st.one_of(
    WORDS.map(lambda text: ModelRequest(parts=[UserPromptPart(text)])),
    WORDS.map(lambda text: ModelResponse(parts=[TextPart(text)])),
)


@given(messages=st.lists(MESSAGES, min_size=1, max_size=6), other=st.lists(MESSAGES, min_size=1, max_size=3))
def test_conversations_that_grow_are_counted_the_same(messages: list, other: list):
    estimator = Estimator()
    for length in range(1, len(messages) + 1):
        assert estimator.usage(messages[:length]) == estimate_usage(messages[:length])
    messages[-1].parts.extend(other[0].parts)  # the last message may still grow
    assert estimator.usage(messages) == estimate_usage(messages)
    assert estimator.usage(other) == estimate_usage(other)
    assert estimator.usage([*other, *messages]) == estimate_usage([*other, *messages])
