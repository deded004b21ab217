"""The command `stead`: one file a subcommand."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .._kit.version import __version__
from . import cassettes, chat, diff, explain, inspect, new, runs, serve
from .clai import cli, cli_exit
from .parser import Parser

_COMMANDS = {
    'new': new,
    'chat': chat,
    'serve': serve,
    'explain': explain,
    'runs': runs,
    'inspect': inspect,
    'cassette': cassettes,
    'diff': diff,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        arguments: The arguments after the name of the command; by default those of the process.
    """
    parser = Parser(prog='stead', description='Build and look into LLM agents.')
    parser.add_argument('--version', action='version', version=f'stead {__version__}')
    commands = parser.add_subparsers(title='commands', metavar='COMMAND')
    for name, module in _COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        parser.commands[name] = command
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    if 'run' not in options:
        parser.print_help()
        return 0
    return options.run(options)


__all__ = ('cli', 'cli_exit', 'main')

if __name__ == '__main__':
    sys.exit(main())
