"""The command of the package `clai`, which calls `cli_exit`: a prompt or a conversation in the terminal, or in the browser."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from .._kit.extras import load_extra
from .._kit.version import __version__
from ..agent import Agent
from ..exceptions import UserError
from ..models import KnownModelName
from ..native_tools import NATIVE_TOOL_TYPES
from .find import find_agent
from .parser import Parser
from .terminal import Chat

DEFAULT_MODEL = 'openai-chat:gpt-5'
_TOOLS = ('code_execution', 'image_generation', 'web_fetch', 'web_search', 'x_search')


def cli_exit(prog_name: str = 'clai') -> NoReturn:
    """Run the command with the arguments of the process, and exit.

    Raises:
        SystemExit: Always, with the exit code.
    """
    sys.exit(cli(prog_name=prog_name))


def cli(args_list: Sequence[str] | None = None, *, prog_name: str = 'clai', default_model: str = DEFAULT_MODEL) -> int:
    """Run the command and return its exit code.

    Args:
        args_list: The arguments after the name of the command; by default those of the process.
        prog_name: The name of the command.
        default_model: The model without `--model` and `--agent`.

    Returns:
        0 after an answer or a conversation; 1 if there is no such agent, model or package, or no answer; 130 after Ctrl+C.
    """
    arguments = list(sys.argv[1:] if args_list is None else args_list)
    run = _chat
    if arguments[:1] == ['web']:
        run, options = _web, _web_parser(prog_name).parse_args(arguments[1:])
    else:
        options = _chat_parser(prog_name, default_model).parse_args(arguments)
    try:
        return run(options, prog_name, default_model)
    except (UserError, ValueError, ImportError, OSError) as error:
        print(f'Error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _chat_parser(prog_name: str, default_model: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=prog_name,
        description=f'stead v{__version__}: talk with a model or an agent. `{prog_name} web --help` shows how in the browser.',
    )
    parser.add_argument('prompt', nargs='?', help='answer this one prompt, and exit; without it, hold a conversation')
    parser.add_argument('-l', '--list-models', action='store_true', help='list the models that are known, and exit')
    parser.add_argument('--version', action='version', version=f'{prog_name} - stead v{__version__}')
    parser.add_argument('-m', '--model', help=f'the model, as provider:name; without an agent {default_model}')
    _add_agent(parser)
    parser.add_argument(
        '-t', '--code-theme', default='dark', help='the colours of code: dark, light, or a style of Pygments'
    )
    parser.add_argument('--no-stream', action='store_true', help='write answers when they are complete')
    return parser


def _web_parser(prog_name: str) -> argparse.ArgumentParser:
    parser = Parser(prog=f'{prog_name} web', description='Talk with a model or an agent in the browser.')
    _add_agent(parser)
    parser.add_argument('-m', '--model', action='append', default=[], help='a model to offer; may be repeated')
    parser.add_argument('-t', '--tool', action='append', default=[], choices=_TOOLS, help='a native tool to offer')
    parser.add_argument('-i', '--instructions', help='additional instructions')
    parser.add_argument('--html-source', help='a file or URL with another page')
    parser.add_argument('--host', default='127.0.0.1', help='the address to listen at')
    parser.add_argument('--port', type=int, default=7932, help='the port to listen at')
    parser.add_argument('--allowed-host', action='append', help='another name of this machine; may be repeated')
    return parser


def _add_agent(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('-a', '--agent', help='the agent, as module:variable, or the file of a spec')


def _agent(place: str | None, model: str | None) -> Agent[Any, Any]:
    if place is None:
        return Agent(model)
    if Path(place).suffix in ('.yml', '.yaml', '.json'):
        return Agent.from_file(place)
    return find_agent(place)


def _chat(options: argparse.Namespace, prog_name: str, default_model: str) -> int:
    if options.list_models:
        print('\n'.join(KnownModelName.__value__.__args__))
        return 0
    agent = _agent(options.agent, options.model or default_model)
    overrides = {'model': options.model} if options.model else {}
    chat = Chat(agent, name=prog_name, streamed=not options.no_stream, code_theme=options.code_theme, **overrides)
    return asyncio.run(chat.talk(options.prompt))


def _web(options: argparse.Namespace, prog_name: str, default_model: str) -> int:
    uvicorn = load_extra('uvicorn', extra='web', what=f'`{prog_name} web`')
    agent = _agent(options.agent, (options.model or [default_model])[0])
    app = load_extra('stead.ui.web', extra='web', what=f'`{prog_name} web`').create_web_app(
        agent,
        models=options.model or None,
        instructions=options.instructions,
        html_source=options.html_source,
        allowed_hosts=options.allowed_host,
        native_tools=[NATIVE_TOOL_TYPES[kind]() for kind in options.tool],
    )
    uvicorn.run(app, host=options.host, port=options.port)
    return 0


__all__ = ('cli', 'cli_exit')
