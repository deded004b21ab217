"""The questions of the demo, and the check of an answer: it has to agree with the database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .desk import Answer
from .orders import Orders

REFUND = 'I want my money back for B-02, the chair squeaks.'


@dataclass(frozen=True)
class Question:
    """A question, and the conditions that a right answer meets."""

    text: str
    outcome: str
    """The outcome that the answer states."""
    fault: Callable[[Orders, Answer], str]
    """Where the answer and the database disagree; empty if they do not."""
    is_easy: bool = False
    """Whether a model of 270M parameters answers it rightly, with worked examples."""

    def fault_of(self, orders: Orders, answer: Answer) -> str:
        """Return what is wrong with an answer, or an empty text if it is right."""
        fault = self.fault(orders, answer)
        if not fault and answer.outcome != self.outcome:
            return f'it says [{answer.outcome}], and [{self.outcome}] is right'
        return fault


def has(order: str, **values: str) -> Callable[[Orders, Answer], str]:
    """Return a check that an order has these values in the database."""

    def fault(orders: Orders, answer: Answer) -> str:
        found = orders.find(order)
        other = [f'the {name} of {order} is {found[name]}' for name in values if found[name] != values[name]]
        return ' and '.join(other)

    return fault


def says_status(orders: Orders, answer: Answer) -> str:
    status = str(orders.find('A-17')['status'])
    return '' if status in answer.text else f'A-17 is {status}, and it does not say so'


def names_each(orders: Orders, answer: Answer) -> str:
    left_out = [order['id'] for order in orders.of_customer('Mina Okafor') if order['id'] not in answer.text]
    return f'it leaves out {" and ".join(left_out)}' if left_out else ''


QUESTIONS = (
    Question('Where is order A-17?', 'informed', says_status, is_easy=True),
    Question('Please cancel B-09, I do not need the mat.', 'changed', has('B-09', status='cancelled'), is_easy=True),
    Question('Can you send D-30 to Ankara?', 'changed', has('D-30', city='Ankara')),
    Question('Cancel order B-02.', 'refused', has('B-02', status='delivered'), is_easy=True),
    Question(REFUND, 'changed', has('B-02', status='refunded')),
    Question('What are the orders of Mina Okafor?', 'informed', names_each),
)
