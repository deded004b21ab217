"""Conversation ids: of the caller, new ones, and those of the history."""

from _common import fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart

agent = Agent(script([TextPart('x')]))
first = agent.run_sync('q')
fact('given', agent.run_sync('q', conversation_id='abc').conversation_id)
fact('new', len(agent.run_sync('q', conversation_id='new').conversation_id))
fact('of history', agent.run_sync('q', message_history=first.all_messages()).conversation_id == first.conversation_id)
fact(
    'new with history',
    agent.run_sync('q', message_history=first.all_messages(), conversation_id='new').conversation_id
    == first.conversation_id,
)
fact('runs', agent.run_sync('q').run_id == first.run_id)
