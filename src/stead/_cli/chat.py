"""`stead chat`: talk with a model, or with an agent of yours."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from ..agent import AbstractAgent, Agent
from ..exceptions import UserError
from .find import find_agent
from .terminal import Chat

HELP = 'Talk with a model, or with an agent of yours, in the terminal.'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('agent', nargs='?', help='the agent, as module:variable; by default the model alone')
    parser.add_argument('--model', help='the model, for example "test"; instead of that of the agent')
    parser.add_argument('--instructions', help='additional instructions')
    parser.add_argument(
        '--resume',
        type=Path,
        metavar='FILE',
        help='continue the conversation in a file, if there is one, and keep it there',
    )
    parser.add_argument('--prompt', help='answer this one prompt, and exit')


def run(options: argparse.Namespace) -> int:
    """Run the conversation and return the exit code."""
    try:
        chat = _chat(options)
    except (
        UserError,
        ValueError,
        ImportError,
        OSError,
    ) as error:  # also an unknown model, a package that is not installed, a file that is not a conversation
        print(f'stead chat: {error}', file=sys.stderr)
        return 2
    try:
        return asyncio.run(chat.talk(options.prompt))
    except KeyboardInterrupt:
        return 130


def _chat(options: argparse.Namespace) -> Chat:
    if options.agent is None and options.model is None:
        raise UserError('Specify an agent as `module:variable`, or a model with `--model NAME`.')
    agent: AbstractAgent[Any, Any] = find_agent(options.agent) if options.agent else Agent(options.model)
    overrides = {name: value for name in ('model', 'instructions') if (value := getattr(options, name)) is not None}
    chat = Chat(agent, name=agent.name or 'stead', **overrides)
    if options.resume is not None:
        chat.resume(options.resume)
    return chat
