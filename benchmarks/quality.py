"""Ask a model 60 questions, with 0, 3 and 6 worked examples before each, and count the correct answers.

    python benchmarks/quality.py [--model local:] [--examples 0 3 6] [--only N] [--at-once 1] [--show]

Half of the questions are answered by one of three tools; the other half are texts from which an order is read as data. The
examples are conversations in `message_history`, as an application would pass them. Decoding is greedy (`temperature=0`) and
questions are asked one by one, so that a local model gives about the same figures each time; batches round differently.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from quality_questions import CHOICE_EXAMPLES, CHOICES, READING_EXAMPLES, READINGS, Choice, Reading

from stead import Agent, CallToolsNode, NativeOutput
from stead.exceptions import AgentRunError
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)


class Order(BaseModel):
    """An order."""

    item: str
    quantity: int
    city: str


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return f'It is mild in {city}.'


def set_alarm(time: str) -> str:
    """Set an alarm at a time of the day, such as 07:30."""
    return f'The alarm is set for {time}.'


def send_message(to: str, text: str) -> str:
    """Send a short message to a person."""
    return f'{to} has the message.'


chooser = Agent(tools=[weather, set_alarm, send_message], instructions='Use a tool for each question.')
reader = Agent(output_type=NativeOutput(Order), instructions='Read the order from the text.')


def choice_history(examples: Sequence[Choice]) -> list[ModelMessage]:
    """Return conversations in which the right tool is called, and its result is the answer."""
    functions = {function.__name__: function for function in (weather, set_alarm, send_message)}
    history: list[ModelMessage] = []
    for number, (question, tool, args) in enumerate(examples):
        result, ident = functions[tool](**args), f'example-{number}'
        history += [
            ModelRequest([UserPromptPart(question)]),
            ModelResponse([ToolCallPart(tool, args, tool_call_id=ident)]),
            ModelRequest([ToolReturnPart(tool, result, tool_call_id=ident)]),
            ModelResponse([TextPart(result)]),
        ]
    return history


def reading_history(examples: Sequence[Reading]) -> list[ModelMessage]:
    """Return conversations in which the order is read."""
    history: list[ModelMessage] = []
    for text, order in examples:
        history += [
            ModelRequest([UserPromptPart(text)]),
            ModelResponse([TextPart(Order(**order).model_dump_json())]),
        ]
    return history


def same(actual: object, expected: object) -> bool:
    """Return whether values are equal, apart from case and a full stop."""
    return str(actual).strip(' .').casefold() == str(expected).casefold()


async def choose(model: Any, choice: Choice, history: list[ModelMessage]) -> tuple[str, bool, bool]:
    """Return the response of the model, whether it calls the right tool, and whether the arguments are right too."""
    run_options: dict[str, Any] = {'model': model, 'message_history': history, 'model_settings': {'temperature': 0}}
    async with chooser.iter(choice.question, **run_options) as run:
        async for node in run:
            if isinstance(node, CallToolsNode):
                break  # before the tools run
    response = run.all_messages()[-1]
    call = next((part for part in response.parts if isinstance(part, ToolCallPart)), None)
    if call is None:
        return str(getattr(response, 'text', None)), False, False
    args = call.args_as_dict()
    right = call.tool_name == choice.tool
    return f'{call.tool_name}({args})', right, right and all(same(args.get(n), v) for n, v in choice.args.items())


async def read(model: Any, reading: Reading, history: list[ModelMessage]) -> tuple[str, bool, bool]:
    """Return the output of the model, whether most of it is right, and whether all of it is."""
    result = await reader.run(reading.text, model=model, message_history=history, model_settings={'temperature': 0})
    order = result.output.model_dump()
    agreed = [same(order[name], value) for name, value in reading.order.items()]
    return str(order), sum(agreed) >= 2, all(agreed)


async def share(
    ask: Any, model: Any, questions: Sequence[Any], history: list[ModelMessage], *, at_once: int, show: bool
) -> list[float]:
    """Ask questions, and return the shares of roughly and fully correct answers."""
    limit = asyncio.Semaphore(at_once)

    async def one(question: Any) -> tuple[str, bool, bool]:
        async with limit:
            try:
                return await ask(model, question, history)
            except AgentRunError as error:  # counts as wrong
                return f'{type(error).__name__}: {error}', False, False

    answers = await asyncio.gather(*(one(question) for question in questions))
    for question, (answer, _, right) in zip(questions, answers):
        if show:
            print(f'  {"right" if right else "WRONG"}  {question[0]}  ->  {answer}')
    return [sum(outcome[index] for outcome in answers) / len(answers) for index in (1, 2)]


def spread(questions: Sequence[Any], number: int | None) -> Sequence[Any]:
    """Return a number of questions, spread over all kinds."""
    return questions if number is None else questions[:: max(1, len(questions) // number)][:number]


async def measure(
    model: Any, numbers: Sequence[int], *, only: int | None = None, at_once: int = 1, show: bool = False
) -> list[list[Any]]:
    """Return a row for each number of examples: the number, the shares of correct answers, and seconds per question."""
    how: dict[str, Any] = {'at_once': at_once, 'show': show}
    rows: list[list[Any]] = []
    for number in numbers:
        before = time.perf_counter()
        choices, readings = spread(CHOICES, only), spread(READINGS, only)
        chosen = await share(choose, model, choices, choice_history(CHOICE_EXAMPLES[:number]), **how)
        orders = await share(read, model, readings, reading_history(READING_EXAMPLES[:number]), **how)
        seconds = time.perf_counter() - before
        rows.append([number, *chosen, *orders, seconds / (len(choices) + len(readings))])
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n')[0])
    parser.add_argument('--model', default='local:', help='the name of a model')
    parser.add_argument('--examples', type=int, nargs='+', default=[0, 3, 6], help='how many worked examples')
    parser.add_argument('--only', type=int, help='ask the first N of each kind')
    parser.add_argument('--at-once', type=int, default=1, help='how many questions are asked at once')
    parser.add_argument('--show', action='store_true', help='print each answer')
    options = parser.parse_args(arguments)
    how: dict[str, Any] = {'only': options.only, 'at_once': options.at_once, 'show': options.show}
    rows = asyncio.run(measure(options.model, options.examples, **how))
    print(f'{"examples":>8} {"right tool":>11} {"and args":>9} {"2 of 3 fields":>14} {"all fields":>11} {"s each":>7}')
    for number, tool, args, most, whole, seconds in rows:
        print(f'{number:>8} {tool:>11.0%} {args:>9.0%} {most:>14.0%} {whole:>11.0%} {seconds:>7.2f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
