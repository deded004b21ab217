"""Ask the desk: `python -m examples.support_desk "where is order A-17?"`.

Without a question it goes through a few. `--model` takes the name of any model stead knows; by default a script stands in
for one, so that no key is needed. `--database FILE` keeps what was changed. In a terminal you are asked about refunds;
elsewhere the desk approves those up to 250.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from stead import Agent
from stead.exceptions import AgentRunError, UserError
from stead.messages import ModelMessage, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

from .desk import Shop, desk
from .orders import Orders
from .scripted import model as scripted

QUESTIONS = (
    'Where is order A-17?',
    'Please cancel b09, I do not need the mat.',
    'Can you send D-30 to Ankara?',
    'Cancel order B-02.',
    'I want my money back for B-02, the chair squeaks.',
    'What are the orders of Mina Okafor?',
)


def shown(part: Any) -> tuple[str, str] | None:
    """Return who speaks in a part of the conversation, and what is said; `None` if there is nothing to show."""
    if isinstance(part, UserPromptPart):
        return 'customer', str(part.content)
    if isinstance(part, TextPart):
        return 'model', part.content
    if isinstance(part, ToolCallPart):
        arguments = ', '.join(f'{name}={value!r}' for name, value in part.args_as_dict().items())
        return 'model calls', f'{part.tool_name}({arguments})'
    if isinstance(part, RetryPromptPart):
        return f'{part.tool_name or "desk"} objects', str(part.content)
    if isinstance(part, ToolReturnPart) and part.tool_name != 'final_result':
        return f'{part.tool_name} says', str(part.content)
    return None


def ask_about_refund(order: dict[str, Any]) -> bool:
    """Ask the person at the terminal whether an order is paid back."""
    amount = order['price'] * order['quantity']
    print(f'{"decide":>22}  Refund {amount:.2f} for order {order["id"]} ({order["item"]})? [y/n] ', end='', flush=True)
    return sys.stdin.readline().strip().lower().startswith('y')


def show(messages: list[ModelMessage]) -> None:
    """Print messages, a line for each part."""
    for message in messages:
        for part in message.parts:
            if (line := shown(part)) is not None:
                print(f'{line[0]:>22}  {line[1]}')


async def ask(question: str, shop: Shop, model: Any) -> bool:
    """Ask a question and print each step as it is done; returns whether there was an answer."""
    print(f'\n{"-" * 100}')
    printed = 0
    try:
        async with desk.iter(question, deps=shop, model=model) as run:
            node = run.next_node
            while not Agent.is_end_node(node):
                node = await run.next(node)
                show(run.all_messages()[printed:])
                printed = len(run.all_messages())
    except AgentRunError as error:
        print(f'{"no answer":>22}  {error}')
        return False
    result = run.result
    assert result is not None, 'a run that ended has a result'
    print(f'{"answer":>22}  {result.output.text} [{result.output.outcome}]')
    return True


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code."""
    import asyncio

    parser = argparse.ArgumentParser(prog='python -m examples.support_desk', description=(__doc__ or '').split('\n')[0])
    parser.add_argument('questions', nargs='*', metavar='QUESTION', help='what to ask; several go one after the other')
    parser.add_argument('--model', default='scripted', help='the name of a model, or "scripted"')
    parser.add_argument('--database', default=':memory:', help='a file to keep the orders in')
    options = parser.parse_args(arguments)
    shop = Shop(Orders(options.database))
    if sys.stdin.isatty():
        shop.approve = ask_about_refund
    model = scripted if options.model == 'scripted' else options.model
    try:
        answered = [asyncio.run(ask(question, shop, model)) for question in options.questions or QUESTIONS]
        if log := shop.orders.logged():
            print(f'\n{"log of the desk":>22}  ' + f'\n{"":>24}'.join(log))
    except (UserError, ValueError) as error:  # no such model, or no key for it
        print(f'support_desk: {error}', file=sys.stderr)
        return 2
    finally:
        shop.orders.close()
    return 0 if all(answered) else 1


if __name__ == '__main__':
    sys.exit(main())
