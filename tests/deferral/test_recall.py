"""How many questions, in the words of people, find a tool that answers them among the first five."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from stead._deferral.ranking import ToolIndex
from stead._deferral.stems import related
from stead.tools import ToolDefinition

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text(encoding='utf-8').splitlines()
    return [[cell.strip() for cell in line.split('|')] for line in lines if line and not line.startswith('#')]


def listed(text: str) -> list[str]:
    return [item.strip() for item in text.split(',') if item.strip()]


def definition(name: str, description: str, arguments: str) -> ToolDefinition:
    schema: dict[str, Any] = {'type': 'object', 'properties': {item: {'type': 'string'} for item in listed(arguments)}}
    return ToolDefinition(name=name, description=description, parameters_json_schema=schema)


TOOLS = [definition(*row) for row in rows('corpus.txt')]
QUESTIONS = [(question, set(listed(answers))) for question, answers in rows('questions.txt')]


def test_the_corpus_is_what_it_says() -> None:
    names = {tool.name for tool in TOOLS}
    assert (len(TOOLS), len(names), len(QUESTIONS)) == (300, 300, 100)
    assert all(answers and answers <= names for _, answers in QUESTIONS)


def recall(strategy: str, related: Callable[[str], Collection[str]] = related) -> float:
    """Return the part of the questions that a search answers among its first five tools."""
    index = ToolIndex(TOOLS, related)
    answered = sum(
        not answers.isdisjoint(index.search(strategy, [question], lambda name: True)[:5])
        for question, answers in QUESTIONS
    )
    return answered / len(QUESTIONS)


@pytest.mark.parametrize(('strategy', 'floor'), [('keywords', 0.5), ('bm25', 0.55), ('regex', 0.5)])
def test_recall_at_5(strategy: str, floor: float) -> None:
    assert recall(strategy) >= floor


@pytest.mark.parametrize(('strategy', 'floor'), [('keywords', 0.42), ('bm25', 0.45), ('regex', 0.42)])
def test_recall_at_5_without_word_groups(strategy: str, floor: float) -> None:
    """What a search finds in other languages and fields, whose words stand in no group: the groups are English."""
    with_groups = recall(strategy)
    without = recall(strategy, lambda word: ())
    print(f'{strategy}: {with_groups:.0%} with the word groups, {without:.0%} without')
    assert floor <= without <= with_groups
