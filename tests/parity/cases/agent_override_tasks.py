"""Overrides hold for the task or the block they were made in: concurrent tasks, threads, and tools that run agents."""

import asyncio
import threading

from _common import call, fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart

agent = Agent('test', instructions='own')


def instructions(result):
    return result.all_messages()[0].instructions


async def one(name):
    seen = []
    for _ in range(3):
        with agent.override(instructions=name):
            await asyncio.sleep(0)
            seen.append(instructions(await agent.run('q')))
        seen.append(instructions(await agent.run('q')))
    return seen


async def main():
    return await asyncio.gather(one('a'), one('b'))


fact('tasks', asyncio.run(main()))
seen = []
with agent.override(instructions='outer'):
    thread = threading.Thread(target=lambda: seen.append(instructions(agent.run_sync('q'))))
    thread.start()
    thread.join()
    seen.append(instructions(agent.run_sync('q')))
fact('threads', seen)
outer = Agent(script([call('ask', {})], [call('ask_async', {})], [TextPart('ok')]))


@outer.tool_plain
def ask():
    return instructions(agent.run_sync('q'))


@outer.tool_plain
async def ask_async():
    return instructions(await agent.run('q'))


with agent.override(instructions='from outside'):
    fact(
        'in tools',
        [
            part.content
            for message in outer.run_sync('q').all_messages()
            for part in message.parts
            if part.part_kind == 'tool-return'
        ],
    )
