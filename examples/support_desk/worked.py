"""Worked examples for small models: conversations that the scripted model holds, with invented orders.

A language model of this size does what it sees done. Without examples it calls tools at random; with some of each kind in
the history it mostly picks the right ones.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from stead.messages import ModelMessage, ModelResponse, TextPart

from .desk import Shop, desk
from .orders import Orders
from .scripted import model as scripted

QUESTIONS = (
    'Where is order A-21?',
    'Please cancel A-18.',
    'What are the orders of Rosa Lindqvist?',
    'Can you send A-21 to Bergen?',
    'Where is C-03?',
    'Cancel order B-11, I do not like it.',
    'List the orders of Emre Kaya.',
    'Send D-31 to Split instead, please.',
    'Is order B-11 here already?',
    'Please cancel order D-31.',
)


async def examples() -> list[ModelMessage]:
    """Return conversations in which the desk answers correctly, to be passed as `message_history`."""
    history: list[ModelMessage] = []
    for question in QUESTIONS:
        with closing(Orders()) as orders:
            result = await desk.run(question, deps=Shop(orders), model=scripted)
        history += [calls_only(message) for message in result.new_messages()]
    return history


def calls_only(message: ModelMessage) -> ModelMessage:
    """Return a message without text beside a call: a small model would write the text, and call nothing."""
    if not isinstance(message, ModelResponse):
        return message
    return replace(message, parts=[part for part in message.parts if not isinstance(part, TextPart)])
