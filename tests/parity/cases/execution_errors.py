"""Errors that tools raise: which one leaves the run, with what cause, and what happens to tools beside it."""

import asyncio

from _common import call, fact, script
from _execution import LOG, caller, sleeper
from pydantic_ai import Agent


class Custom(Exception):
    def __init__(self, code, reason):
        super().__init__(code, reason)


async def fails(kind: str):
    raise {
        'value': ValueError('v'),
        'custom': Custom(1, 'w'),
        'key': KeyError('k'),
        'runtime': RuntimeError('r'),
        'stop': StopAsyncIteration('s'),
        'assertion': AssertionError('a'),
        'base': ZeroDivisionError('z'),
        'timeout': TimeoutError('t'),
        'group': OSError(5, 'io'),
    }[kind]


def fails_sync(kind: str):
    asyncio.run(fails(kind))


for kind in ('value', 'custom', 'key', 'runtime', 'assertion', 'base', 'timeout', 'group'):
    for name in ('fails', 'fails_sync'):
        for beside in ([], [call('slow', {})]):
            agent = Agent(
                script([call(name, {'kind': kind}), *beside]), tools=[fails, fails_sync, sleeper('slow', 0.3)]
            )
            LOG.clear()
            try:
                agent.run_sync('q')
            except Exception as error:
                fact(
                    f'{kind} {name} {len(beside)}',
                    [
                        type(error).__name__,
                        [str(item) for item in error.args],
                        type(error.__cause__).__name__,
                        LOG[-1:],
                    ],
                )


async def exit_now():
    raise asyncio.CancelledError('by itself')


for calls in (['exit_now'], ['exit_now', 'slow']):

    async def main():
        try:
            await caller(*calls, tools=[exit_now, sleeper('slow', 0.1)]).run('q')
        except BaseException as error:
            return type(error).__name__

    fact(f'cancels itself {calls}', asyncio.run(main()))
