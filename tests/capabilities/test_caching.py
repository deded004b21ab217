"""`Caching` and `Citations` in agents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, UserError
from stead.capabilities import AbstractCapability, Caching, Citations
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel


def settings_of(*capabilities: AbstractCapability[Any], **options: Any) -> Any:
    seen: list[Any] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_settings)
        return ModelResponse(parts=[TextPart('x')])

    agent = Agent(FunctionModel(respond), capabilities=capabilities)
    asyncio.run(agent.run('q', **options))
    return seen[0]


def test_both_are_settings_of_each_request() -> None:
    assert settings_of(Caching('1h'), Citations()) == {'cache': '1h', 'citations': True}


def test_a_run_has_the_last_word() -> None:
    assert settings_of(Caching(), model_settings={'cache': False}) == {'cache': False}


def test_an_unknown_time_is_refused() -> None:
    with pytest.raises(UserError, match='`cache`'):
        settings_of(Caching('2h'))  # type: ignore[arg-type]


def test_specs_have_them() -> None:
    agent = Agent.from_spec({'model': 'test', 'capabilities': [{'Caching': '1h'}, 'Citations']})
    assert agent.run_sync('q').output
