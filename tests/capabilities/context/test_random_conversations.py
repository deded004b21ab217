"""What holds for every request of every conversation, whatever is left out of it."""

from __future__ import annotations

import os

import pytest

from stead import ModelMessage, ModelRequest
from stead.capabilities import KeepLast, OffloadToolResults, Summarise, TruncateToolResults
from stead.capabilities._context.recall import search
from stead.messages import ToolReturnPart

from .conversations import Conversation, check, folds, liar, noted

SEEDS = range(int(os.environ.get('STEAD_SCRIPTS', '6')))
MANY = range(1_000 if os.environ.get('STEAD_TRUST_FULL') == '1' else 3)


@pytest.mark.parametrize('seed', SEEDS)
def test_keep_last_messages(seed: int) -> None:
    conversation = Conversation(seed, [KeepLast(messages=6)])
    conversation.run()
    check(conversation)
    assert folds(conversation) == noted(conversation)


@pytest.mark.parametrize('seed', SEEDS)
def test_keep_last_tokens(seed: int) -> None:
    conversation = Conversation(seed, [KeepLast(tokens=1_500)], runs=5)
    conversation.run()
    check(conversation, 1_500)
    assert folds(conversation) == noted(conversation)


@pytest.mark.parametrize('seed', SEEDS)
def test_a_summariser_that_lies(seed: int) -> None:
    conversation = Conversation(seed, [Summarise(at=1_500, into=300, model=liar(seed))], runs=5)
    conversation.run()
    check(conversation)
    assert folds(conversation) == noted(conversation)


@pytest.mark.parametrize('seed', SEEDS)
def test_all_together(seed: int) -> None:
    conversation = Conversation(
        seed,
        [
            KeepLast(tokens=2_000),
            Summarise(at=1_200, into=300, model=liar(seed), ahead=0.7),
            OffloadToolResults(over=60, preview=10),
            TruncateToolResults(over=80),
        ],
        runs=5,
    )
    conversation.run()
    check(conversation, 2_000)
    for fact in conversation.facts[:-1]:
        assert fact in search(conversation.messages, fact.split()[0])


@pytest.mark.parametrize('seed', MANY)
def test_ten_folds(seed: int) -> None:
    is_long = seed % 20 == 0  # in each of the others only some facts are looked up
    conversation = Conversation(
        seed,
        [
            KeepLast(tokens=2_500),
            Summarise(at=1_200, into=300, model=liar(seed)),
            OffloadToolResults(over=60, preview=10),
        ],
        steps=8,
        folds=10,
        planted=100 if is_long else 0,
    )
    conversation.run()
    check(conversation, 2_500)
    facts = conversation.facts[:100] if is_long else conversation.facts[:40:10]
    for fact, answer in zip(facts, conversation.ask(*(fact.split()[0] for fact in facts))):
        assert fact in answer


def test_an_id_is_found_among_a_hundred_like_it() -> None:
    facts = [f'token2x{number} belongs to drawer {number * 7 % 100}' for number in range(100)]
    # Most stand alone, and some in long texts.
    texts = [f'shelf {"ledger stamp " * (number % 10 // 9 * 30)}{fact}' for number, fact in enumerate(facts)]
    texts += ['nothing'] * 300
    messages: list[ModelMessage] = [ModelRequest([ToolReturnPart('look', text, f'c{text[-9:]}')]) for text in texts]
    for fact in facts:
        assert fact in search(messages, f'Where is {fact.split()[0]}?')


def test_truncated_results_never_change_what_was_sent() -> None:
    for seed in SEEDS:
        conversation = Conversation(seed, [TruncateToolResults(over=30)])
        conversation.run()
        check(conversation)
        assert folds(conversation) == 0
