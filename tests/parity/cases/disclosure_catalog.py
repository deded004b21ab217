"""Entries of the catalog: text, functions, several lines, nothing."""

from _disclosure import LOCAL, load, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import Capability


async def later(ctx):
    return f'step {ctx.run_step}'


entries = ['text', 'two lines', '', None, lambda ctx: f'for {ctx.deps}', lambda ctx: None, later]
capabilities = [
    Capability(id=f'c{place}', description=entry, defer_loading=True) for place, entry in enumerate(entries)
]
run(Agent(model(load('c0'), wire='instructions', **LOCAL), deps_type=str, capabilities=capabilities), deps='Ada')
