"""`system_prompt_parts`: what the agent would send, for dependencies and a prompt."""

import asyncio

from _common import fact
from pydantic_ai import Agent

agent = Agent('test', system_prompt='S', instructions='I')


@agent.system_prompt(dynamic=True)
def made(ctx):
    return f'd{ctx.deps}{ctx.prompt}'


fact('parts', [(part.content, part.dynamic_ref) for part in asyncio.run(agent.system_prompt_parts(deps=3, prompt='p'))])
