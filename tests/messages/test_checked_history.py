"""What is checked of a history that grows: what is new, and what needed a change before."""

from __future__ import annotations

from stead.messages import CheckedHistory, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart


class Counted(UserPromptPart):
    """A prompt that counts how often it is read."""

    reads = 0

    def __getattribute__(self, name: str) -> object:
        if name == 'content':
            Counted.reads += 1
        return super().__getattribute__(name)


def text_of(message: ModelMessage) -> object:
    part = message.parts[0]
    assert isinstance(part, (TextPart, UserPromptPart))
    return part.content


def test_a_message_that_needs_a_change_does_not_let_all_others_be_checked_again() -> None:
    history: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('half \ud800')])]
    history += [ModelRequest(parts=[Counted(f'{index}')]) for index in range(20)]
    checked, reads = CheckedHistory(), list[int]()
    for _ in range(4):
        history.append(ModelResponse(parts=[TextPart('answer')]))
        Counted.reads = 0
        sent = checked.sendable(history)
        reads.append(Counted.reads)
        assert [message is old for message, old in zip(sent, history)] == [False] + [True] * (len(history) - 1)
        assert text_of(sent[0]) == 'half \ufffd'
    assert reads[0] >= 20
    assert reads[1:] == [0, 0, 0]


def test_what_is_changed_in_place_is_sent_as_it_is_now() -> None:
    prompt = UserPromptPart('half \ud800')
    history: list[ModelMessage] = [ModelRequest(parts=[prompt]), ModelResponse(parts=[TextPart('a')])]
    history += [ModelRequest(parts=[UserPromptPart('b')])]
    checked = CheckedHistory()
    checked.sendable(history)
    prompt.content = 'whole'
    assert checked.sendable(history) is history
