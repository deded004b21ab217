"""How many questions, in the words of people, find a tool that answers them among the first five."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stead.tools import ToolDefinition
from stead.toolsets._ranking import ToolIndex

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


@pytest.mark.parametrize(('strategy', 'floor'), [('keywords', 0.5), ('bm25', 0.55), ('regex', 0.5)])
def test_recall_at_5(strategy: str, floor: float) -> None:
    index = ToolIndex(TOOLS)
    answered = sum(
        not answers.isdisjoint(index.search(strategy, [question], lambda name: True)[:5])
        for question, answers in QUESTIONS
    )
    assert answered / len(QUESTIONS) >= floor
