"""`stead explain module:agent`: what the agent would send to its model, and why."""

from __future__ import annotations

import argparse
import sys

from ..exceptions import UserError
from .find import find_agent

HELP = 'Show what an agent would send to its model with the first request, and what determined each part of it.'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('agent', help='the agent, as module:variable')
    parser.add_argument('--prompt', help='the user prompt of the request')
    parser.add_argument('--model', help='a model to use instead of that of the agent, for example "test"')


def run(options: argparse.Namespace) -> int:
    """Print the report and return the exit code."""
    try:
        print(find_agent(options.agent).explain(options.prompt, model=options.model))
    except UserError as error:
        print(f'stead explain: {error}', file=sys.stderr)
        return 2
    return 0
