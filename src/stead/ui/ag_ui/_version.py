"""Versions of the protocol, and their changes.

The package `ag-ui-protocol` has the classes of its own version. The interface chooses the version of the protocol, which may be
older.
"""

from __future__ import annotations

import re
from typing import Literal

from ag_ui.core import BaseEvent, RunAgentInput

from ...exceptions import UserError

DEFAULT_AG_UI_VERSION = '0.1.15'
"""The version that is spoken if no other is asked for. Later ones understand it."""
REASONING = (0, 1, 13)
"""Since then thinking is streamed as reasoning, with an id, and comes back as messages."""
MEDIA_PARTS = (0, 1, 15)
"""Since then files are parts for images, audio, video and documents; before, all of them were binary."""
INTERRUPTS = (0, 1, 19)
"""Since then a run that waits for an approval says so, with interrupts that the next request answers."""
DECLARED = (1, 0)
"""Since then both sides declare the version that they speak."""
NATIVE_CALL = 'pyd_ai_builtin'
"""Marks ids of calls that the provider executes: this word, the name of the provider, and the id of the call."""
FILE_ACTIVITY = 'pydantic_ai_file'
"""The type of activity messages that hold a file of the model."""
UPLOAD_ACTIVITY = 'pydantic_ai_uploaded_file'
"""The type of activity messages that refer to an uploaded file."""


def version_of(text: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with.

    Raises:
        UserError: It is not a version.
    """
    match = re.match(r'\d{1,9}(\.\d{1,9})*', text)
    if match is None:
        raise UserError(f"`ag_ui_version` {text!r} is not a version of AG-UI: write numbers and dots, as in '0.1.15'.")
    return tuple(map(int, match[0].split('.')))


def declared_version(run_input: RunAgentInput) -> str | None:
    """Return the version that a request says its interface speaks; `None` for interfaces older than 1.0, which do not say it.

    A version that cannot be read is taken for a newer one, as the protocol wants it.
    """
    declared: object = getattr(run_input, 'protocol_version', None) or getattr(run_input, 'protocolVersion', None)
    return '.'.join(map(str, DECLARED)) if declared else None


class ThinkingEvent(BaseEvent):
    """An event of thinking before version 0.1.13; the package has not had them since 1.0."""

    type: Literal[  # type: ignore[assignment]
        'THINKING_START',
        'THINKING_TEXT_MESSAGE_START',
        'THINKING_TEXT_MESSAGE_CONTENT',
        'THINKING_TEXT_MESSAGE_END',
        'THINKING_END',
    ]
    delta: str | None = None
