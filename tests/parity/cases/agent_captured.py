"""`capture_run_messages`: nested runs, nested blocks, several runs in one block, failed runs and runs with a history."""

from _common import attempt, call, dump, fact, script
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.messages import TextPart


def t():
    raise ValueError('boom')


inner = Agent(script([TextPart('inner')]))
agent = Agent(script([call('ask', {})], [TextPart('outer')]))


@agent.tool_plain
def ask():
    return inner.run_sync('nested').output


with capture_run_messages() as messages:
    agent.run_sync('q')
fact('nested', [part.part_kind for message in messages for part in message.parts])
with capture_run_messages() as messages:
    inner.run_sync('1')
    inner.run_sync('2')
fact('two runs', [part.content for message in messages for part in message.parts])
with capture_run_messages() as messages:
    with capture_run_messages() as more:
        inner.run_sync('1')
fact('nested blocks', [len(messages), messages is more])
with capture_run_messages() as messages:
    fact('error', attempt(lambda: Agent(script([call('t', {})]), tools=[t]).run_sync('q')))
dump(messages)
with capture_run_messages() as messages:
    fact('no model', attempt(lambda: Agent().run_sync('q')))
    inner.run_sync('after')
fact('after a failure to begin', len(messages))
history = inner.run_sync('old').all_messages()
with capture_run_messages() as messages:
    inner.run_sync('new', message_history=history)
fact('history', [len(messages), len(history)])
