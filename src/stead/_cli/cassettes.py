"""`stead cassette`: what is in recordings of models, and what can be made of them."""

from __future__ import annotations

import argparse
import sys

from .._show.nodes import counted
from .._show.results import messages_tree
from .._show.trees import plain_lines
from ..exceptions import UserError
from ..testing import Cassette
from .run_views import harmless

HELP = 'Look into cassettes, which tests record what models answer in; see `stead.testing.cassette`.'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    commands = parser.add_subparsers(title='what to do', required=True, metavar='COMMAND')
    for name, function, text in (
        ('show', _show, 'Show the conversations of a cassette.'),
        ('prune', _prune, 'Remove requests, with all that continue them; by default those that are there twice.'),
        ('to-script', _script, 'Print Python code of a ScriptedModel that answers the same.'),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument('file', help='the cassette')
        if name == 'prune':
            command.add_argument('numbers', nargs='*', type=int, metavar='NUMBER', help='the requests to remove')
        command.set_defaults(command=function)


def run(options: argparse.Namespace) -> int:
    """Do what was asked for, and return the exit code."""
    try:
        opened = Cassette(options.file, mode='replay')
        if not opened.path.exists():
            raise UserError(f'there is no cassette {options.file!r}.')
        print(options.command(opened, options))
    except (UserError, OSError) as error:
        print(f'stead cassette: {harmless(error)}', file=sys.stderr)
        return 2
    return 0


def _show(opened: Cassette, options: argparse.Namespace) -> str:
    conversations = opened.conversations
    lines = [counted(len(conversations), 'conversation')]
    for messages in conversations:
        lines += ['', *plain_lines(messages_tree(messages))]
    return '\n'.join(map(str, lines))


def _prune(opened: Cassette, options: argparse.Namespace) -> str:
    return f'{counted(opened.prune(*options.numbers), "request")} removed.'


def _script(opened: Cassette, options: argparse.Namespace) -> str:
    return opened.script().rstrip()
