"""Prompts in the terminal, with the package prompt_toolkit: editing, history, search in it, completion of commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


class EditedReader:
    """Reads prompts that can be edited. Alt+Enter, or a backslash before Enter, begins a new line."""

    def __init__(self, commands: Sequence[str], history: Path | None) -> None:
        keys = KeyBindings()

        @keys.add('escape', 'enter')
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text('\n')

        @keys.add('enter')
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.document.text_before_cursor.endswith('\\'):
                buffer.delete_before_cursor()
                buffer.insert_text('\n')
            else:
                buffer.validate_and_handle()

        self.session: PromptSession[str] = PromptSession(
            history=InMemoryHistory() if history is None else FileHistory(str(history)),
            completer=WordCompleter(list(commands), sentence=True),
            auto_suggest=AutoSuggestFromHistory(),
            key_bindings=keys,
            multiline=False,
            prompt_continuation='... ',
        )

    async def read(self, name: str) -> str | None:
        try:
            return await self.session.prompt_async(f'{name} > ')
        except (EOFError, KeyboardInterrupt):
            return None
