"""A history that a run has started with is looked at once; what has changed of it is noticed all the same."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from stead import Agent
from stead._loop.seen import SHORTEST, HistoryFacts, SeenHistories
from stead.exceptions import UserError
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, FunctionModel


def turns(count: int) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    for number in range(count):
        call = ToolCallPart('look', {}, f'c{number}')
        messages += [
            ModelRequest(parts=[UserPromptPart(f'hello {number}')]),
            ModelResponse(parts=[call]),
            ModelRequest(parts=[ToolReturnPart('look', 'seen', call.tool_call_id)]),
            ModelResponse(parts=[TextPart('hi')], conversation_id=f'talk {number}'),
        ]
    return messages


def afresh(messages: Sequence[ModelMessage]) -> HistoryFacts:
    facts = HistoryFacts()
    facts.update(messages)
    return facts


LONG = SHORTEST // 4 + 1


@pytest.mark.parametrize('more', range(9))
def test_a_history_that_goes_on_is_known_as_if_it_were_new(more: int) -> None:
    seen, messages = SeenHistories(), turns(LONG + 3)
    length = len(messages) - more
    assert seen.facts_of(messages[: length - 4]) == afresh(messages[: length - 4])
    for _ in range(2):
        assert seen.facts_of(messages[:length]) == afresh(messages[:length])


def test_a_history_that_ends_in_a_special_message_is_known_with_it() -> None:
    seen, messages = SeenHistories(), turns(LONG)[:-1]
    first = seen.facts_of(messages)
    assert seen.facts_of(messages).soundness.special[-1] is first.soundness.special[-1] is messages[-1]
    first.soundness.special.clear()  # the caller's own
    assert seen.facts_of(messages) == afresh(messages)


class Watched(list[Any]):
    """Parts that note whether they are looked at."""

    looked_at = False

    def __iter__(self) -> Iterator[Any]:
        self.looked_at = True
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        self.looked_at = True
        return super().__getitem__(key)


@pytest.mark.parametrize('more', [0, 1, 4])
def test_plain_messages_that_are_known_are_not_looked_at_again(more: int) -> None:
    seen, messages = SeenHistories(), turns(LONG + 1)
    watched = messages[0].parts = Watched(messages[0].parts)
    length = len(messages) - more
    seen.facts_of(messages[: length - more])
    assert watched.looked_at
    watched.looked_at = False
    seen.facts_of(messages[:length])
    assert not watched.looked_at


def test_what_is_done_with_calls_and_results_is_noticed() -> None:
    seen, messages = SeenHistories(), turns(LONG)
    assert seen.facts_of(messages).soundness.sound
    messages[2].parts = []
    assert not seen.facts_of(messages).soundness.sound


def test_other_messages_are_noticed() -> None:
    seen, messages = SeenHistories(), turns(LONG)
    seen.facts_of(messages)
    changed = [messages[1], *messages[1:]]
    assert seen.facts_of(changed).has_neighbours
    prompts = list(messages)
    prompts[8] = ModelRequest(parts=[SystemPromptPart('be kind')])
    assert seen.facts_of(prompts).late_prompts.found
    assert not seen.facts_of(messages).late_prompts.found
    with pytest.raises(UserError, match='Message 3 of `message_history`'):
        seen.facts_of([*messages[:3], 'hello', *messages[4:]])  # type: ignore[list-item]


def test_the_last_message_may_be_changed() -> None:
    seen, messages = SeenHistories(), turns(LONG)
    messages[-1] = ModelResponse(parts=[TextPart('wait'), ToolCallPart('look', {}, 'open')])
    assert seen.facts_of(messages).soundness.open_calls
    messages[-1].parts = [TextPart('wait'), TextPart('no')]
    assert not seen.facts_of(messages).soundness.open_calls


def test_what_is_remembered_does_not_keep_a_history_alive() -> None:
    seen, messages = SeenHistories(), turns(LONG)
    seen.facts_of(messages)
    first, last = weakref.ref(messages[0]), weakref.ref(messages[-1])
    del messages
    gc.collect()
    assert first() is last() is None
    assert seen.facts_of([]) == HistoryFacts()


def test_few_histories_are_remembered() -> None:
    seen = SeenHistories()
    histories = [turns(LONG) for _ in range(100)]
    for messages in histories:
        seen.facts_of(messages)
    assert len(seen._memories) <= 32


def test_runs_that_continue_a_history_see_what_was_changed_in_it() -> None:
    sent: list[list[ModelMessage]] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append(messages)
        return ModelResponse(parts=[TextPart('hi')])

    agent = Agent(FunctionModel(reply))
    history = turns(LONG)
    for _ in range(2):
        result = agent.run_sync('and now?', message_history=history)
        assert sent[-1][:-1] == history
        assert result.conversation_id == f'talk {LONG - 1}'
    history[1] = ModelResponse(parts=[TextPart('I do not look')])
    agent.run_sync('and now?', message_history=history)
    assert isinstance(sent[-1][2].parts[0], UserPromptPart)  # the result that has lost its call, as text


def test_a_conversation_that_a_message_no_longer_belongs_to_is_not_gone_on_with() -> None:
    seen, messages = SeenHistories(), turns(LONG)
    assert seen.facts_of(messages).conversation_id == f'talk {LONG - 1}'
    for message in messages:
        message.conversation_id = None
    assert seen.facts_of(messages).conversation_id is None
