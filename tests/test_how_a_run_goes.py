"""The page "How a run goes" names the files that a run enters, in the order in which it enters them."""

from __future__ import annotations

import re
from pathlib import Path

from stead import Agent
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

from .following import functions_entered

PAGE = Path(__file__).parent.parent / 'docs' / 'how-a-run-goes.md'


def calculator(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart('add', {'a': 1, 'b': 2})])
    return ModelResponse(parts=[TextPart('The sum is 3.')])


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def test_the_page_names_the_files_in_order() -> None:
    entered = functions_entered(Agent(FunctionModel(calculator), tools=[add]))
    on_the_page = re.findall(r'^\| `([\w/]+\.py)` \|', PAGE.read_text(encoding='utf-8'), re.MULTILINE)
    assert on_the_page == list(dict.fromkeys(file for file, _ in entered))
