"""Run programs of packages that need 2.x, in their newest releases, at level 2. `make newest` makes an environment for them.

The packages are installed without what they ask for under the mirrored name: `stead.dropin` stands for that.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stead import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, dropin
from stead.capabilities import LocalWorkspace
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel


def agent(*calls: tuple[str, dict[str, Any]], **options: Any) -> Agent[Any, str]:
    """Return an agent whose model makes some calls, one a step, and then says `done`."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        number = sum(message.kind == 'response' for message in messages)
        if number < len(calls):
            name, args = calls[number]
            return ModelResponse(parts=[ToolCallPart(name, args)])
        return ModelResponse(parts=[TextPart('done')])

    return Agent(FunctionModel(respond), **options)


def answers(one: Agent[Any, str], **options: Any) -> list[str]:
    """Run an agent, and return what its tools answered."""
    result = one.run_sync('go', **options)
    assert result.output == 'done', result.output
    return [str(p.content) for message in result.all_messages() for p in message.parts if p.part_kind == 'tool-return']


def backend(module: Any) -> None:
    """Files of a local directory are listed, read and written with the console tools."""
    calls = (
        ('ls', {'path': '.'}),
        ('read_file', {'path': 'a.txt'}),
        ('write_file', {'path': 'b.txt', 'content': 'new'}),
        ('edit_file', {'path': 'b.txt', 'old_string': 'new', 'new_string': 'newer'}),
    )
    texts = answers(agent(*calls, capabilities=[LocalWorkspace('.'), module.ConsoleCapability()]))
    assert 'a.txt' in texts[0], texts
    assert 'hello' in texts[1], texts
    assert Path('b.txt').read_text() == 'newer', texts


@dataclass
class Deps:
    """Dependencies that may be passed on to sub-agents."""

    def clone_for_subagent(self, max_depth: int = 0) -> Deps:
        """Return dependencies for a sub-agent."""
        return Deps()


def subagents(module: Any) -> None:
    """A sub-agent is asked, and its answer comes back."""
    helper = {'name': 'helper', 'description': 'Helps.', 'instructions': 'Help.'}
    capability = module.SubAgentCapability(subagents=[helper], default_model=TestModel(custom_output_text='helped'))
    call = ('task', {'description': 'help me', 'subagent_type': 'helper'})
    texts = answers(agent(call, capabilities=[capability], deps_type=Deps), deps=Deps())
    assert 'helped' in texts[0], texts


def skills(module: Any) -> None:
    """A skill of a directory is loaded, and its text is read."""
    called = ('load_capability', {'id': 'greet'})
    texts = answers(agent(called, capabilities=[LocalWorkspace('.'), module.SkillsCapability('skills')]))
    assert 'Say hello twice.' in texts[0], texts


def harness(module: Any) -> None:
    """Commands run in the shell of the harness, and its own skills are loaded."""
    assert (
        'hi'
        in answers(agent(('run_command', {'command': 'echo hi'}), capabilities=[LocalWorkspace('.'), module.Shell()]))[
            0
        ]
    )
    called = ('load_capability', {'id': 'greet'})
    texts = answers(agent(called, capabilities=[LocalWorkspace('.'), module.Skills('skills')]))
    assert 'Say hello twice.' in texts[0], texts


PROGRAMS: dict[str, Callable[[Any], None]] = {
    'pydantic_ai_backends': backend,
    'subagents_pydantic_ai': subagents,
    'pydantic_ai_skills': skills,
    'pydantic_ai_harness': harness,
}
"""By module, a program that uses it."""


def main() -> int:
    """Run all programs; return how many failed."""
    dropin.install(level=2)
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        Path('a.txt').write_text('hello\n')
        skill = Path('skills', 'greet')
        skill.mkdir(parents=True)
        (skill / 'SKILL.md').write_text('---\nname: greet\ndescription: How to greet\n---\nSay hello twice.\n')
        for name, program in PROGRAMS.items():
            try:
                program(importlib.import_module(name))
                print(f'{name}: works')
            except Exception as error:
                failed += 1
                print(f'{name}: {type(error).__name__}: {error}')
    print(f'{len(PROGRAMS) - failed} passed, {failed} failed')
    return failed


if __name__ == '__main__':
    sys.exit(main())
