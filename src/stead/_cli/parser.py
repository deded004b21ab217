"""A parser of command lines that says which word may have been meant.

The command line is declared with `argparse`, and what a person looks at is made by the packages rich and prompt_toolkit, the
extra `cli`. `stead` is there after a bare `pip install`, so its command line may need nothing else: with typer or click, which
are dependencies, it would only work with an extra, or every program that runs agents would install them. What these do better
is little here: suggestions for mistyped words (which are here), and shell completion, which typer writes into files of
the user's shell.
"""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from .._kit.meant import did_you_mean

_WRONG_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")
_UNKNOWN_OPTION = re.compile(r'unrecognized arguments: (--[^\s=]+)')
_OPTION = re.compile(r'--[a-z][a-z-]*')


class Parser(argparse.ArgumentParser):
    """A parser whose errors about commands, options and choices name the closest one there is."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.commands: dict[str, argparse.ArgumentParser] = {}
        """The parsers of the commands, whose options are known, too."""

    def error(self, message: str) -> NoReturn:
        if (wrong := _WRONG_CHOICE.search(message)) is not None:
            message += did_you_mean(wrong[1], re.findall(r'[\w:./-]+', wrong[2]))
        elif (unknown := _UNKNOWN_OPTION.search(message)) is not None:
            parsers = [self, *self.commands.values()]
            known = {option for parser in parsers for option in _OPTION.findall(parser.format_help())}
            message += did_you_mean(unknown[1], known)
        super().error(message)
