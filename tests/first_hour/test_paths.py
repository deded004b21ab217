"""What a person sees names things where they are imported from, and not the private modules in which they are defined."""

from __future__ import annotations

import re
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, RunContext
from stead.exceptions import UserError
from stead.journal import Journal, MemoryStore
from stead.models.test import TestModel

PRIVATE = re.compile(r'\bstead(?:\.\w+)*\._\w+')


def test_objects_are_shown_by_their_names() -> None:
    journal: Journal[Any] = Journal(MemoryStore())
    agent = Agent(TestModel(), name='shop', output_type=[int, DeferredToolRequests], capabilities=[journal])
    assert repr(agent).endswith('output_type=[int, DeferredToolRequests])')
    shown = [agent, agent.explain('x'), journal, MemoryStore(), journal.conversation('talk'), journal.worker(agent)]
    assert [text for text in map(repr, shown) if PRIVATE.search(text)] == []


@pytest.mark.parametrize('output', [RunContext, RunContext[int]])
def test_a_type_that_cannot_be_an_output_is_named(output: Any) -> None:
    with pytest.raises(UserError, match=r'cannot be of type RunContext(\[int\])?: ') as caught:
        Agent('test', output_type=output).run_sync('x')
    assert not PRIVATE.search(str(caught.value))
