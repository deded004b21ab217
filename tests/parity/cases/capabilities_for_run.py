"""State per run: when `for_run` is called, on what, and which instance the hooks run on."""

import asyncio
from dataclasses import dataclass

from _hooks import MODES, Boom, run_as, scripted
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, PrefixTools, WrapperCapability
from pydantic_ai.models.test import TestModel

log = []


@dataclass
class Counts(AbstractCapability):
    name: str = 'n'
    of_run: int = 0
    requests: int = 0

    async def for_run(self, ctx):
        log.append(
            f'{self.name}.for_run {self.of_run} step={ctx.run_step} prompt={ctx.prompt} messages={len(ctx.messages)}'
        )
        return Counts(self.name, self.of_run + 1)

    async def before_model_request(self, ctx, request_context):
        self.requests += 1
        log.append(f'{self.name} {self.of_run} {self.requests}')
        return request_context

    async def after_run(self, ctx, *, result):
        log.append(f'{self.name} after {self.requests}')
        return result


class Fails(AbstractCapability):
    async def for_run(self, ctx):
        raise Boom('for_run')

    async def on_run_error(self, ctx, *, error):
        log.append('on_run_error')
        raise error


class Becomes(AbstractCapability):
    async def for_run(self, ctx):
        return CombinedCapability([Counts('x'), Counts('y')])


def show(label, *capabilities, run=None):
    for mode in MODES:
        log.clear()
        agent = Agent(scripted(None, 'text')[0], capabilities=list(capabilities))

        @agent.tool_plain
        def double(x: int) -> int:
            return x * 2

        try:
            print(label, mode, asyncio.run(run_as(mode, agent)), log)
        except Exception as error:
            print(label, mode, type(error).__name__, log)


show('one', Counts())
show('two', Counts('a'), Counts('b'))
show('combined', CombinedCapability([Counts('a'), Counts('b')]))
show('wrapped', WrapperCapability(Counts('a')))
show('prefixed', PrefixTools(Counts('a'), prefix='p'))
show('fails', Fails())
show('becomes two', Becomes())
print(
    type(
        asyncio.run(
            CombinedCapability([Counts('a')]).for_run(
                __import__('types').SimpleNamespace(run_step=0, prompt=None, messages=[])
            )
        )
    ).__name__
)


async def together():
    """Runs at once have a state each."""
    shared = Counts('shared')
    agent = Agent(TestModel(), capabilities=[shared])
    log.clear()
    await asyncio.gather(*(agent.run(f'{n}') for n in range(3)))
    print(sorted(line for line in log if 'for_run' not in line), shared.requests)


asyncio.run(together())


async def same():
    """Combined ones whose members stay the same stay the same, too."""
    from pydantic_ai import RunContext
    from pydantic_ai.usage import RunUsage

    class Still(AbstractCapability):
        pass

    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    still, moving = CombinedCapability([Still(), Still()]), CombinedCapability([Still(), Counts()])
    print((await still.for_run(ctx)) is still, (await moving.for_run(ctx)) is moving)
    per_run = await moving.for_run(ctx)
    print(
        [type(capability).__name__ for capability in per_run.capabilities],
        per_run.capabilities[0] is moving.capabilities[0],
    )
    wrapped, wraps = WrapperCapability(Still()), WrapperCapability(Counts())
    print((await wrapped.for_run(ctx)) is wrapped, (await wraps.for_run(ctx)) is wraps)


asyncio.run(same())
