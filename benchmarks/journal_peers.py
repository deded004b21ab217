"""The loop of `benchmarks/journal.py` in other libraries. That program starts this one, in an environment of its own.

    python journal_peers.py NAME STEPS DIRECTORY

The model is a function that answers at once, and the tool adds two numbers, as there. The loop runs twice; of the second time
the CPU and elapsed seconds are printed as JSON. The files are closed when the program ends.
"""

from __future__ import annotations

import json
import operator
import sqlite3
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any


def new_id() -> str:
    return f'call_{uuid.uuid4().hex}'


def add(a: int, b: int) -> int:
    return a + b


def langgraph(steps: int, directory: Path, durability: str | None) -> tuple[Callable[[str], None], Callable[[], None]]:
    """Return a function that runs the loop as a graph of a model and a tool, and one that closes what is open."""
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph
    from typing_extensions import TypedDict

    State = TypedDict('State', {'messages': Annotated[list[AnyMessage], operator.add]})  # noqa: UP013

    def model(state: dict[str, Any]) -> dict[str, Any]:
        step = len(state['messages']) // 2
        if step < steps:
            call = {'name': 'add', 'args': {'a': step, 'b': 1}, 'id': new_id()}
            return {'messages': [AIMessage('', tool_calls=[call])]}
        return {'messages': [AIMessage('done')]}

    def tools(state: dict[str, Any]) -> dict[str, Any]:
        calls = state['messages'][-1].tool_calls
        return {'messages': [ToolMessage(str(add(**call['args'])), tool_call_id=call['id']) for call in calls]}

    def after_model(state: dict[str, Any]) -> str:
        return 'tools' if state['messages'][-1].tool_calls else END

    graph = StateGraph(State)
    graph.add_node('model', model)
    graph.add_node('tools', tools)
    graph.add_edge(START, 'model')
    graph.add_conditional_edges('model', after_model, ['tools', END])
    graph.add_edge('tools', 'model')
    connection = sqlite3.connect(directory / 'langgraph.db', check_same_thread=False)
    saver = SqliteSaver(connection)
    if durability is not None:
        saver.setup()
    app = graph.compile(checkpointer=saver if durability is not None else None)

    def run(name: str) -> None:
        config = {'configurable': {'thread_id': name}, 'recursion_limit': 10 * steps + 10}
        options = {'durability': durability} if durability is not None else {}
        state = app.invoke({'messages': [HumanMessage('go')]}, config, **options)
        assert state['messages'][-1].content == 'done'
        assert len(state['messages']) == 2 * steps + 2

    return run, connection.close


def dbos(steps: int, directory: Path, durability: str | None) -> tuple[Callable[[str], None], Callable[[], None]]:
    """Return a function that runs the loop as a workflow whose steps are model requests and tool calls.

    A step returns the response of the model, as an agent on DBOS does; the rest of the history is made again from them.
    """
    from dbos import DBOS, SetWorkflowID

    from stead.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
    )
    from stead.usage import RequestUsage

    DBOS(
        config={
            'name': 'bench',
            'system_database_url': f'sqlite:///{directory / "dbos.db"}',
            'log_level': 'ERROR',
            'enable_otlp': False,
        }
    )
    step = DBOS.step() if durability is not None else lambda function: function
    workflow = DBOS.workflow() if durability is not None else lambda function: function
    history: list[ModelMessage] = []

    @step
    def request() -> ModelResponse:
        step = len(history) // 2
        usage = RequestUsage(input_tokens=50 + step, output_tokens=6)
        if step < steps:
            call = ToolCallPart('add', f'{{"a": {step}, "b": 1}}', new_id())
            return ModelResponse([call], usage=usage, model_name='model')
        return ModelResponse([TextPart('done')], usage=usage, model_name='model')

    @step
    def call_tool(call: ToolCallPart) -> int:
        return add(**call.args_as_dict())

    @workflow
    def loop(prompt: str) -> str:
        history[:] = [ModelRequest.user_text_prompt(prompt)]
        while True:
            response = request()
            history.append(response)
            if not response.tool_calls:
                return str(response.text)
            answers = [ToolReturnPart('add', call_tool(call), call.tool_call_id) for call in response.tool_calls]
            history.append(ModelRequest(answers))

    DBOS.launch()

    def run(name: str) -> None:
        with SetWorkflowID(name):
            assert loop('go') == 'done'
        assert len(history) == 2 * steps + 2

    return run, DBOS.destroy


PEERS: dict[str, Callable[[int, Path], Any]] = {
    'langgraph': lambda steps, directory: langgraph(steps, directory, None),
    'langgraph sync': lambda steps, directory: langgraph(steps, directory, 'sync'),
    'langgraph async': lambda steps, directory: langgraph(steps, directory, 'async'),
    'langgraph exit': lambda steps, directory: langgraph(steps, directory, 'exit'),
    'dbos': lambda steps, directory: dbos(steps, directory, None),
    'dbos sync': lambda steps, directory: dbos(steps, directory, 'sync'),
}


def main(name: str, steps: int, directory: Path) -> None:
    run, close = PEERS[name](steps, directory)
    run('first')  # what is done once is not what is measured
    cpu, elapsed = time.process_time(), time.perf_counter()
    run('second')
    cpu, elapsed = time.process_time() - cpu, time.perf_counter() - elapsed
    close()
    print(json.dumps({'cpu': cpu, 'elapsed': elapsed}))


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
