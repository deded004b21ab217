"""The questions of the demo, and whether an answer to one of them is right: the database has to agree with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .desk import Answer
from .orders import Orders

REFUND = 'I want my money back for B-02, the chair squeaks.'


@dataclass(frozen=True)
class Question:
    """A question, and what has to be so when it was answered."""

    text: str
    outcome: str
    """The outcome that the answer states."""
    holds: Callable[[Orders, Answer], bool]
    """Whether the answer agrees with the database."""

    def is_right(self, orders: Orders, answer: Answer | None) -> bool:
        """Return whether an answer is right; none at all is not."""
        return answer is not None and answer.outcome == self.outcome and self.holds(orders, answer)


def has(order: str, **values: str) -> Callable[[Orders, Answer], bool]:
    """Return a check that an order has these values in the database."""
    return lambda orders, answer: orders.find(order).items() >= values.items()


def says_status(orders: Orders, answer: Answer) -> bool:
    return str(orders.find('A-17')['status']) in answer.text


def names_each(orders: Orders, answer: Answer) -> bool:
    return all(order['id'] in answer.text for order in orders.of_customer('Mina Okafor'))


QUESTIONS = (
    Question('Where is order A-17?', 'informed', says_status),
    Question('Please cancel B-09, I do not need the mat.', 'changed', has('B-09', status='cancelled')),
    Question('Can you send D-30 to Ankara?', 'changed', has('D-30', city='Ankara')),
    Question('Cancel order B-02.', 'refused', has('B-02', status='delivered')),
    Question(REFUND, 'changed', has('B-02', status='refunded')),
    Question('What are the orders of Mina Okafor?', 'informed', names_each),
)
