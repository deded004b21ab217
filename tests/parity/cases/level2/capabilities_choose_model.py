"""`SelectModel` and `ResolveModelId`: which model answers; ids of `Caching` and `Citations`, and what two of them become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, Caching, Citations, ResolveModelId, SelectModel
from pydantic_ai.models.test import TestModel


def named(text: str) -> TestModel:
    return TestModel(custom_output_text=text)


def mine(ctx: Any, model_id: str) -> TestModel | None:
    return named(f'mine {model_id} {ctx.deps}') if model_id.startswith('my:') else None


async def later(ctx: Any, model_id: str) -> TestModel:
    return named(f'later {model_id}')


def select(ctx: Any) -> str:
    print(type(ctx).__name__, ctx.run_step, ctx.prompt, ctx.model)
    return 'my:selected'


async def select_later(ctx: Any) -> TestModel:
    return named('selected later')


def facts(first: Any, *capabilities: AbstractCapability[Any], **options: Any) -> None:
    try:
        print(Agent(first, capabilities=capabilities).run_sync('q', **options).output)
    except Exception as error:
        print(type(error).__name__)


facts('my:x', ResolveModelId(mine))
facts(named('a'), ResolveModelId(later), model='foo:y')
facts('other:x', ResolveModelId(mine))
facts('my:x', ResolveModelId(lambda ctx, model_id: None), ResolveModelId(mine), ResolveModelId(later))
facts(named('a'), SelectModel(named('selected')))
facts(None, SelectModel('test'))
facts(None, SelectModel(select), ResolveModelId(mine))
facts(None, SelectModel(select_later), SelectModel(named('last')))
facts(None, SelectModel(named('first')), SelectModel(select_later))
facts(None, SelectModel(named('selected')), model=named('of the run'))
makers: list[Callable[[], Any]] = [Caching, Citations, lambda: SelectModel('test'), lambda: ResolveModelId(mine)]
for make in makers:
    print(make().id, type(make()).get_serialization_name())
print(Caching.combine([Caching('1h'), Caching()]), Citations.combine([Citations(), Citations()]))
