"""Capabilities that write down which of their hooks ran, and act as a test tells them to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stead._contracts.hooks import POINTS, HookPoint
from stead._contracts.run_context import RunContext
from stead.capabilities import AbstractCapability
from stead.capabilities._chain import HookChain
from stead.models.test import TestModel
from stead.usage import RunUsage

POINT_NAMES = [point.name for point in POINTS]
POINT = {point.name: point for point in POINTS}
# What every hook of a point is told apart from the value; chains pass it through untouched.
SUBJECTS: dict[str, dict[str, Any]] = {point.name: {name: f'<{name}>' for name in point.subject} for point in POINTS}


class Boom(Exception):
    """An error that means nothing to anybody."""


def context(**fields: Any) -> RunContext[None]:
    return RunContext(deps=None, model=TestModel(), usage=RunUsage(), **fields)


def throw(error: BaseException) -> Callable[..., Any]:
    def act(*_: Any) -> Any:
        raise error

    return act


def recorder(
    point: HookPoint, name: str, log: list[str], acts: Mapping[str, Callable[..., Any]] | None = None, **fields: Any
) -> AbstractCapability[None]:
    """Return a capability with all hooks of a point.

    Args:
        point: The point.
        name: What it calls itself in the log.
        log: Gets `'<name>.<hook> <value>'` for each hook that runs.
        acts: What to do in `before`, `wrap`, `after` and `error`, given the value (or the error); the result is
            returned. Without, values pass through and errors are raised again.
        fields: Attributes, such as `id` and `defer_loading`.
    """
    acts = acts or {}

    def note(hook: str, value: Any) -> None:
        log.append(f'{name}.{hook} {value!r}' if isinstance(value, BaseException) else f'{name}.{hook} {value}')

    async def before(self: Any, ctx: Any, *args: Any, **kwargs: Any) -> Any:
        value = args[0] if args else kwargs.get(point.value or '')
        assert {key: kwargs[key] for key in point.subject} == SUBJECTS[point.name]
        note('before', value)
        return acts['before'](value) if 'before' in acts else value

    async def wrap(self: Any, ctx: Any, *, handler: Any, **kwargs: Any) -> Any:
        value = kwargs.get(point.value or '')
        note('wrap', value)
        if 'wrap' in acts:
            return acts['wrap'](value)
        return await (handler() if point.value is None else handler(value))

    async def after(self: Any, ctx: Any, **kwargs: Any) -> Any:
        note('after', kwargs[point.result])
        return acts['after'](kwargs[point.result]) if 'after' in acts else kwargs[point.result]

    async def on_error(self: Any, ctx: Any, *, error: Any, **kwargs: Any) -> Any:
        note('error', error)
        if 'error' in acts:
            return acts['error'](error)
        raise error

    hooks = {point.before: before, point.wrap: wrap, point.after: after, point.on_error: on_error}
    return type('Recorder', (AbstractCapability,), hooks)(**fields)


async def drive(
    chain: HookChain, point: HookPoint, log: list[str], *, error: BaseException | None = None, **fields: Any
) -> Any:
    """Send the value `'in'` through a point; the action notes it and returns `'out'`, or raises an error."""

    async def action(value: Any) -> Any:
        log.append(f'action {value}')
        if error is not None:
            raise error
        return 'out'

    value = None if point.value is None else 'in'
    return await chain.call(point, context(**fields), value, action, **SUBJECTS[point.name])
