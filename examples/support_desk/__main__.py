"""Run the desk on a question: `python -m examples.support_desk "where is order A-17?"`."""

from __future__ import annotations

import csv
import re
import sqlite3
import sys
from pathlib import Path

from pydantic import BaseModel

from stead import Agent, ModelRetry, RunContext
from stead.capabilities import PrefixTools, Toolset
from stead.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel
from stead.toolsets import FunctionToolset


class Answer(BaseModel):
    """What the customer is told."""

    order: str
    status: str
    text: str


def open_orders() -> sqlite3.Connection:
    database = sqlite3.connect(':memory:', check_same_thread=False)
    database.execute('create table orders (id text primary key, customer text, item text, status text, city text)')
    with Path(__file__).with_name('orders.csv').open(newline='', encoding='utf-8') as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    database.executemany('insert into orders values (?, ?, ?, ?, ?)', rows)
    return database


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stand in for a model: read the question and what the tools said, and choose the next call."""
    question = next(part.content for part in messages[0].parts if part.part_kind == 'user-prompt')
    wanted = re.search(r'\b[a-z]-?\d+\b', str(question), re.IGNORECASE)
    order = wanted.group() if wanted else 'A-17'
    last = messages[-1].parts[-1]
    if isinstance(last, RetryPromptPart):
        known = re.findall(r'[A-Z]-\d+', str(last.content))
        close = [name for name in known if name.replace('-', '') == order.upper().replace('-', '')]
        return ModelResponse([ToolCallPart('orders_find', {'order': (close or known)[0]})])
    if isinstance(last, ToolReturnPart):
        found = dict(last.content) if isinstance(last.content, dict) else {}
        if last.tool_name == 'orders_find' and 'cancel' in str(question).lower() and found['status'] == 'packed':
            return ModelResponse([ToolCallPart('orders_set_status', {'order': found['id'], 'status': 'cancelled'})])
        text = f'Order {found["id"]} ({found["item"]}) to {found["city"]} is {found["status"]}.'
        answer = {'order': found['id'], 'status': found['status'], 'text': text}
        return ModelResponse([ToolCallPart(info.output_tools[0].name, answer)])
    return ModelResponse([TextPart('Let me look.'), ToolCallPart('orders_find', {'order': order})])


orders = FunctionToolset[sqlite3.Connection]()


@orders.tool
def find(ctx: RunContext[sqlite3.Connection], order: str) -> dict[str, str]:
    """Find an order by its id."""
    cursor = ctx.deps.execute('select * from orders where id = ?', (order,))
    row = cursor.fetchone()
    if row is None:
        ids = [name for (name,) in ctx.deps.execute('select id from orders order by id')]
        raise ModelRetry(f'There is no order {order!r}. There are: {", ".join(ids)}.')
    return {column[0]: value for column, value in zip(cursor.description, row)}


@orders.tool
def set_status(ctx: RunContext[sqlite3.Connection], order: str, status: str) -> dict[str, str]:
    """Change the status of an order."""
    ctx.deps.execute('update orders set status = ? where id = ?', (status, order))
    return find(ctx, order)


desk = Agent(
    FunctionModel(play),
    deps_type=sqlite3.Connection,
    output_type=Answer,
    instructions='You work at the support desk of a furniture shop. Look orders up before you answer.',
    capabilities=[PrefixTools(Toolset(orders), prefix='orders')],
)


def main() -> None:
    questions = sys.argv[1:] or ['where is order A-17?', 'please cancel b09']
    database = open_orders()
    for question in questions:
        result = desk.run_sync(question, deps=database)
        for message in result.all_messages():
            for part in message.parts:
                said = getattr(part, 'args', None) or getattr(part, 'content', '')
                print(f'{part.part_kind:>13}  {getattr(part, "tool_name", None) or ""} {said}')
        print(f'       answer  {result.output.text}\n')
    database.close()


if __name__ == '__main__':
    main()
