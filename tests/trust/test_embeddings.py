"""Promises about texts to embed: what is not text is refused by name, and what no encoding knows is repaired."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stead import Embedder
from stead.embeddings.instrumented import InstrumentedEmbeddingModel
from stead.embeddings.test import TestEmbeddingModel
from stead.exceptions import UserError

NO_TEXTS = [None, 3, b'x', {'a': 1}, [None], [b'x'], ['a', 3], object()]
WAYS: dict[str, Callable[[], Embedder]] = {
    'plain': lambda: Embedder(TestEmbeddingModel()),
    'instrumented': lambda: Embedder(InstrumentedEmbeddingModel(TestEmbeddingModel())),
}


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('inputs', NO_TEXTS, ids=lambda inputs: type(inputs).__name__)
def test_what_is_not_text_is_refused_by_name(inputs: Any, way: str) -> None:
    embedder = WAYS[way]()
    for embed in (embedder.embed_documents, embedder.embed_query):
        with pytest.raises(UserError, match='Cannot embed') as caught:
            asyncio.run(embed(inputs))
        assert len(str(caught.value)) < 300
    with pytest.raises(UserError, match='Cannot embed'):
        embedder.count_tokens_sync(inputs)


@pytest.mark.parametrize('way', WAYS)
def test_texts_that_can_be_read_once_are_all_embedded(way: str) -> None:
    texts: Any = (text for text in ('a', 'b', 'c'))
    result = asyncio.run(WAYS[way]().embed_documents(texts))
    assert list(result.inputs) == ['a', 'b', 'c'] and len(result.embeddings) == 3


@pytest.mark.parametrize('way', WAYS)
def test_half_an_emoji_is_made_well_formed_and_found_by_what_was_passed(way: str) -> None:
    result = asyncio.run(WAYS[way]().embed_documents(['fine', 'broken \ud83d']))
    assert list(result.inputs) == ['fine', 'broken \ufffd']
    assert result['broken \ud83d'] == result[1]
    assert WAYS[way]().count_tokens_sync('broken \ud83d') == 2
