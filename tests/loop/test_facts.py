"""Facts have the messages that are new: they compare what may have changed, and not the whole history each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from typing import Any

import pytest

from stead._kit.tracked import TrackedList
from stead._loop.facts import response_taken
from stead._loop.state import GraphAgentState, add_message
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart


class Counting(TrackedList[Any]):
    """A history that counts how many of its messages are read."""

    read = 0

    def __iter__(self) -> Iterator[Any]:
        self.read += len(self)
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        self.read += len(found) if isinstance(key, slice) else 1
        return found


def response(text: str = 'yes') -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])


def test_each_message_is_read_a_few_times_however_long_the_history() -> None:
    history = Counting()
    state = GraphAgentState(message_history=history)
    for _ in range(500):
        add_message(state, ModelRequest(parts=[]))
        add_message(state, response())
        assert len(response_taken(state).messages) == 2
    assert history.read < 5 * len(history)


def test_a_request_that_is_taken_off_and_sent_again_is_not_a_change() -> None:
    state = GraphAgentState(message_history=TrackedList([response(), ModelRequest(parts=[])]))
    response_taken(state)
    request = state.message_history.pop()
    state.message_history += [request, response()]
    fact = response_taken(state)
    assert (fact.history, fact.messages) == (None, state.message_history[2:])


CHANGES: dict[str, Callable[[list[ModelMessage]], object]] = {
    'item': lambda history: history.__setitem__(1, response('no')),
    'item from the end': lambda history: history.__setitem__(-3, response('no')),
    'slice': lambda history: history.__setitem__(slice(1, 2), [response('no')]),
    'slice backwards': lambda history: history.__setitem__(slice(None, None, -1), history[:]),
    'all': lambda history: history.__setitem__(slice(None), [response('no')] * 4),
    'del': lambda history: history.__delitem__(0),
    'del slice': lambda history: history.__delitem__(slice(2, 3)),
    'insert': lambda history: history.insert(0, response('no')),
    'insert from the end': lambda history: history.insert(-2, response('no')),
    'pop': lambda history: history.pop(),
    'pop first': lambda history: history.pop(0),
    'remove': lambda history: history.remove(history[0]),
    'clear': lambda history: history.clear(),
    'reverse': lambda history: history.reverse(),
    'sort': lambda history: history.sort(key=lambda message: -int(message.parts[0].content)),  # type: ignore[union-attr]
    'twice': lambda history: history.__imul__(0),
}


@pytest.mark.parametrize('name', CHANGES)
def test_a_history_that_was_changed_anywhere_is_told_as_a_whole(name: str) -> None:
    state = GraphAgentState(message_history=TrackedList(response(str(number)) for number in range(4)))
    response_taken(state)
    state.message_history.append(response('9'))
    CHANGES[name](state.message_history)
    fact = response_taken(state)
    if name == 'pop':  # it was added meanwhile
        assert (fact.history, fact.messages) == (None, [])
    else:
        assert (fact.history, list(fact.messages)) == (state.message_history, [])
    state.message_history.append(last := response())
    assert response_taken(state).messages == [last]


@pytest.mark.parametrize('other', [list, copy, deepcopy, TrackedList], ids=lambda kind: kind.__name__)
def test_a_list_that_takes_the_place_of_the_history_is_compared(other: Callable[[Any], Any]) -> None:
    state = GraphAgentState(message_history=TrackedList([response('a'), response('b')]))
    response_taken(state)
    state.message_history = other([response('c'), *state.message_history[1:]])
    assert response_taken(state).history == state.message_history
    again = other(state.message_history)
    again[0] = deepcopy(again[0])
    state.message_history = again
    assert response_taken(state).history == again
