"""Runs without a prompt, or with an empty one."""

from _common import attempt, dump, fact
from pydantic_ai import Agent

fact('nothing', attempt(lambda: Agent('test').run_sync()))
for prompt in ('', [], ['']):
    dump(Agent('test', instructions='i').run_sync(prompt).all_messages()[:1])
