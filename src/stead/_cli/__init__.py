"""The command `stead`: one file a subcommand."""

from __future__ import annotations

import os
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


_UNREAD = 141
"""The exit code if the reader of the standard output, such as `head`, has seen enough: that of a shell for SIGPIPE."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        arguments: The arguments after the name of the command; by default those of the process.

    Raises:
        SystemExit: The arguments are wrong, or no one reads the standard output any longer.
    """
    try:
        return _run(arguments)
    except BrokenPipeError:
        _end_output('\n')  # this fails as well if it was the standard output, also where that has no buffer
        raise
    finally:
        _end_output()


def _end_output(text: str = '') -> None:
    try:
        print(end=text, flush=True)
    except BrokenPipeError:
        # What is left would be written, and fail, again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(_UNREAD) from None


def _run(arguments: Sequence[str] | None) -> int:
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
