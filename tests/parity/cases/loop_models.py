"""Which models an agent takes: by name, none, unknown and deferred ones; unknown options."""

from _common import attempt, fact
from pydantic_ai import Agent

fact('test', Agent('test').run_sync('q').output)
fact('none', attempt(lambda: Agent().run_sync('q')))
fact('unknown provider', attempt(lambda: Agent('nope:x')))
fact('unknown name', attempt(lambda: Agent('nope')))
agent = Agent('nope:x', defer_model_check=True)
fact('deferred', [agent.model, attempt(lambda: agent.run_sync('q')), agent.run_sync('q', model='test').output])
fact('unknown argument', attempt(lambda: Agent('test', bogus=1)))
fact('unknown option', attempt(lambda: Agent('test').run_sync('q', bogus=1)))
