"""The mistakes of a first hour, and what stead says: what happened, to what, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stead import Agent, RunContext
from stead.exceptions import UserError
from stead.toolsets import FunctionToolset
from stead.usage import UsageLimits

agent = Agent('test')


@dataclass
class Deps:
    user: str


MISTAKES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    'a misspelt argument': (lambda: Agent('test', instruction='x'), UserError, "Did you mean 'instructions'?"),  # type: ignore[call-arg]
    'an old name': (lambda: Agent('test', result_type=int), UserError, "Did you mean 'output_type'?"),  # type: ignore[call-arg]
    'dependencies by another name': (
        lambda: agent.run_sync('x', dependencies=3),  # type: ignore[call-overload]
        UserError,
        "Did you mean 'deps'?",
    ),
    'an old attribute': (lambda: agent.run_sync('x').data, AttributeError, 'Here it is `result.output`'),  # type: ignore[attr-defined]
    'messages of a result': (lambda: agent.run_sync('x').messages, AttributeError, r'`result.all_messages\(\)`'),  # type: ignore[attr-defined]
    'an attribute of nobody': (lambda: agent.run_sync('x').foo, AttributeError, "has no attribute 'foo'"),  # type: ignore[attr-defined]
    'a misspelt limit': (lambda: UsageLimits(requests_limit=3), TypeError, "Did you mean 'request_limit'?"),  # type: ignore[call-arg]
    'a toolset as a tool': (lambda: Agent('test', tools=[FunctionToolset()]), UserError, r'`toolsets=\[...\]`'),  # type: ignore[list-item]
    'an agent as a tool': (lambda: Agent('test', tools=[agent]), UserError, r'write a tool that returns'),  # type: ignore[list-item]
    'bytes in a prompt': (lambda: agent.run_sync(['x', b'1']), UserError, r'not bytes.*\(item 1\).*`BinaryContent\('),  # type: ignore[list-item]
    'a path as a prompt': (lambda: agent.run_sync(Path('x')), UserError, '`BinaryContent.from_path'),  # type: ignore[call-overload]
}


@pytest.mark.parametrize('mistake', MISTAKES)
def test_what_is_wrong_and_the_remedy_are_named(mistake: str) -> None:
    attempt, error, text = MISTAKES[mistake]
    with pytest.raises(error, match=text):
        attempt()


@pytest.mark.parametrize('where', ['agent', 'run'])
def test_a_misspelt_setting_is_warned_of(where: str) -> None:
    with pytest.warns(UserWarning, match="'temprature', which no model knows. Did you mean 'temperature'?") as caught:
        if where == 'agent':
            Agent('test', model_settings={'temprature': 0})  # type: ignore[typeddict-unknown-key]
        else:
            agent.run_sync('x', model_settings={'temprature': 0})  # type: ignore[typeddict-unknown-key]
    assert caught[0].filename == __file__


def test_settings_of_providers_and_of_own_models_are_not_warned_of() -> None:
    agent.run_sync('x', model_settings={'openai_user': 'me', 'house_style': 'calm', 3: 'x'})  # type: ignore[typeddict-unknown-key]


def test_forgotten_dependencies_are_named() -> None:
    agent = Agent('test', deps_type=Deps)

    @agent.tool
    def user(ctx: RunContext[Deps]) -> str:
        return ctx.deps.user

    with pytest.raises(AttributeError) as error:
        agent.run_sync('x')  # type: ignore[arg-type]
    assert 'The run has no `deps`, but the agent has `deps_type=Deps`' in ''.join(error.value.__notes__)
    with pytest.raises(AttributeError) as error:
        agent.run_sync('x', deps=3)  # type: ignore[call-overload]
    assert 'The run has no `deps`' not in ''.join(error.value.__notes__)
