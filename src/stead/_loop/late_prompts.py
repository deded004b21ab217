"""System prompts in the middle of a conversation, which most models do not accept there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..messages import ModelMessage
from ..models import Model
from ..models.wrapper import WrapperModel


@dataclass(slots=True)
class LatePrompts:
    """Whether system prompts stand in a request after the first one; each message of a history is looked at once."""

    seen: int = 0
    """How many messages were looked at."""
    after_first: bool = False
    """Whether there was a request among them."""
    found: bool = False
    """Whether there was a system prompt in a later one."""

    def look(self, messages: Sequence[ModelMessage]) -> bool:
        """Look at the messages that are new, and return whether there is a late system prompt."""
        for index in range(self.seen, len(messages)):
            message = messages[index]
            if message.kind != 'request':
                continue
            if self.after_first and not self.found:
                for part in message.parts:
                    if part.part_kind == 'system-prompt':
                        self.found = True
                        break
            self.after_first = True
        self.seen = len(messages)
        return self.found


def prepares_in_its_own_way(model: Model) -> bool:
    """Return whether a model overrides `prepare_messages`, which otherwise only moves late system prompts."""
    while type(model).prepare_messages is WrapperModel.prepare_messages and isinstance(model, WrapperModel):
        model = model.wrapped
    return type(model).prepare_messages is not Model.prepare_messages
