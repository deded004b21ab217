"""A builder of messages puts notes about changes into requests, between the parts around them."""

from __future__ import annotations

from pydantic_ai import messages as m
from pydantic_ai.ui import MessagesBuilder

CHANGES: list[m.ModelRequestPart] = [
    m.ToolAvailabilityDeltaPart(tools_added=['t']),
    m.CapabilityLoadDeltaPart(loaded=['c']),
    m.ModelSettingsDeltaPart(settings={'temperature': 0.5}),
    m.InstructionBaselinePart(instructions=[]),
    m.InstructionDeltaPart(id=None, content='new'),
]
for part in CHANGES:
    builder = MessagesBuilder()
    for one in (m.UserPromptPart('a'), part, m.TextPart('b'), part, m.UserPromptPart('c')):
        builder.add(one)
    print([(message.kind, [one.part_kind for one in message.parts]) for message in builder.messages])
