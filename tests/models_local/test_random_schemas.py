"""Whatever the schema of a tool, and whatever the weights, a call is valid: random schemas, and the real decoder.

By default there are about a hundred of them, and five hundred with `STEAD_TRUST_FULL=1`.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from stead.messages import ToolCallPart
from stead.models.llamacpp import LlamaCppModel

from ..kit.random_types import Types
from .kit import asking, needs_engine, needs_weights, respond, tool
from .tiny import tiny_model

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
BOUNDS = {'llamacpp_max_string': 12, 'llamacpp_max_items': 3, 'max_tokens': 4000}


async def called(model: Any, kind: type[BaseModel], **settings: Any) -> str:
    """Make a model call a tool with a schema, and return its arguments."""
    params = asking(tool('record', kind.model_json_schema()))
    response = await respond(model, 'Go.', params, tool_choice='required', **BOUNDS, **settings)
    [part] = response.parts
    assert isinstance(part, ToolCallPart)
    assert (part.tool_name, response.finish_reason) == ('record', 'tool_call')
    assert isinstance(part.args, str)
    return part.args


async def all_valid(model: Any, kinds: list[type[BaseModel]], **settings: Any) -> None:
    calls = [called(model, kind, seed=seed, **settings) for seed, kind in enumerate(kinds)]
    broken: list[str] = []
    for kind, arguments in zip(kinds, await asyncio.gather(*calls), strict=True):
        try:
            kind.model_validate_json(arguments)
        except ValidationError as error:
            broken.append(f'{arguments}: {error}')
    assert broken == []


@needs_engine
@pytest.mark.parametrize(
    ('space_prefix', 'temperature', 'count'),
    [(False, 3.0, 500 if FULL else 60), (False, 0.0, 150 if FULL else 25), (True, 3.0, 100 if FULL else 20)],
    ids=['llguidance', 'always the same', 'gbnf'],
)
def test_whatever_the_schema_and_the_weights(
    tmp_path: Path, space_prefix: bool, temperature: float, count: int
) -> None:
    file = tiny_model(tmp_path / 'noise.gguf', space_prefix=space_prefix)
    model = LlamaCppModel(str(file), threads=1, most_waiting=count)
    asyncio.run(all_valid(model, [Types(seed).model() for seed in range(count)], temperature=temperature))
    assert model.engine.language == ('gbnf' if space_prefix else 'lark')


@needs_weights
def test_whatever_the_schema_with_the_default_weights() -> None:
    """As many as there is time for; `STEAD_LOCAL_SCHEMAS=500` takes minutes."""
    model = LlamaCppModel(threads=1, context_size=2048, most_waiting=1000)
    count = int(os.environ.get('STEAD_LOCAL_SCHEMAS', '5' if FULL else '1'))
    asyncio.run(all_valid(model, [Types(seed).model() for seed in range(count)], temperature=1.0))
    assert model.engine.language == 'lark'
