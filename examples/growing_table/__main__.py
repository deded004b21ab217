"""Ask for a table and watch it grow.

    python -m examples.growing_table              # a scripted model; needs no key and no network
    python -m examples.growing_table --model NAME 'The largest lakes of Africa'

The output is validated while it comes in, so every line is a `Lake`, even if its last country is still being written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from pydantic import BaseModel, Field

from stead import Agent
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

COLUMNS = f'{"lake":<12}{"area km²":>10}{"depth m":>9}  countries'


class Lake(BaseModel):
    name: str
    area: int = Field(description='In square kilometres', gt=0)
    depth: int = Field(description='The greatest depth, in metres', gt=0)
    countries: list[str]


LAKES = [
    Lake(name='Victoria', area=68_870, depth=84, countries=['Uganda', 'Kenya', 'Tanzania']),
    Lake(name='Tanganyika', area=32_900, depth=1_470, countries=['Burundi', 'DR Congo', 'Tanzania', 'Zambia']),
    Lake(name='Malawi', area=29_600, depth=706, countries=['Malawi', 'Mozambique', 'Tanzania']),
    Lake(name='Turkana', area=6_405, depth=109, countries=['Kenya', 'Ethiopia']),
    Lake(name='Albert', area=5_299, depth=58, countries=['Uganda', 'DR Congo']),
]


async def scripted(messages: list[Any], info: AgentInfo) -> AsyncIterator[dict[int, DeltaToolCall]]:
    """Call the output tool with the lakes above, a few characters at a time, as a model would."""
    text = json.dumps({'response': [lake.model_dump() for lake in LAKES]})
    yield {0: DeltaToolCall(name=info.output_tools[0].name, json_args='')}
    for at in range(0, len(text), 6):
        await asyncio.sleep(0.01)
        yield {0: DeltaToolCall(json_args=text[at : at + 6])}


agent = Agent(
    FunctionModel(stream_function=scripted), output_type=list[Lake], instructions='Answer with a table of lakes.'
)


def line(lake: Lake) -> str:
    return f'{lake.name:<12}{lake.area:>10,}{lake.depth:>9,}  {", ".join(lake.countries)}'


class Screen:
    """The lines of a table. A terminal is redrawn from the first change on; elsewhere, lines are written once they are final."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.is_terminal = sys.stdout.isatty()

    def show(self, lines: list[str], *, final: bool = False) -> None:
        if not (self.is_terminal or final):
            lines = lines[:-1]  # the last one may still grow
        same = 0
        while same < min(len(lines), len(self.lines)) and lines[same] == self.lines[same]:
            same += 1
        if same < len(self.lines) and self.is_terminal:
            print(f'\x1b[{len(self.lines) - same}A\x1b[J', end='')
        for text in lines[same:]:
            print(text, flush=True)
        self.lines = lines


async def show(question: str, model: str | None = None) -> list[Lake]:
    """Print the table as it grows, and return it."""
    screen = Screen()
    async with agent.run_stream(question, model=model, until='end') as result:
        async for lakes in result.stream_output(debounce_by=0.02):
            screen.show([COLUMNS, *map(line, lakes)])
        lakes = await result.get_output()
        screen.show([COLUMNS, *map(line, lakes)], final=True)
    print(f'{len(lakes)} lakes, {result.usage.requests} request(s)')
    return lakes


def main() -> None:
    parser = argparse.ArgumentParser(prog='growing_table', description='Watch a typed table grow.')
    parser.add_argument('question', nargs='?', default='The largest lakes of Africa')
    parser.add_argument('--model', help='the name of a model to ask; by default a scripted one')
    options = parser.parse_args()
    asyncio.run(show(options.question, options.model))


if __name__ == '__main__':
    main()
