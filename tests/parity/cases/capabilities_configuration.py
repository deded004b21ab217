"""What combined and wrapping capabilities make of instructions, settings, toolsets and native tools."""

import asyncio

from pydantic_ai import RunContext
from pydantic_ai.capabilities import (
    AbstractCapability,
    Capability,
    CapabilityOrdering,
    CombinedCapability,
    Hooks,
    PrefixTools,
    Thinking,
    Toolset,
    WrapperCapability,
)
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import CodeExecutionTool, WebSearchTool
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.toolsets.wrapper import WrapperToolset
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())


class M(AbstractCapability):
    def __init__(self, **kw):
        self.kw = kw

    def get_instructions(self):
        return self.kw.get('ins')

    def get_model_settings(self):
        return self.kw.get('ms')

    def get_toolset(self):
        return self.kw.get('ts')

    def get_native_tools(self):
        return self.kw.get('nt', [])

    def get_wrapper_toolset(self, t):
        return self.kw['wt'](t) if 'wt' in self.kw else None

    async def for_run(self, ctx):
        return self.kw['fr']() if 'fr' in self.kw else self


class W(WrapperToolset):
    def __init__(self, wrapped, name):
        self.wrapped, self.name = wrapped, name

    def __repr__(self):
        return f'{self.name}({self.wrapped!r})'


class Outer(AbstractCapability):
    def get_ordering(self):
        return CapabilityOrdering(position='outermost')


class OwnInit(WrapperCapability):
    def __init__(self, wrapped, extra):
        self.wrapped, self.extra = wrapped, extra


class Described(AbstractCapability):
    def __init__(self):
        self.id, self.description, self.defer_loading = 'd', 'desc', True


def fn(ctx):
    return 'dyn'


def words(items):
    return [item if isinstance(item, str) else 'fn' for item in items]


async def main():
    none = CombinedCapability([M(), M()])
    print(none.get_instructions(), none.get_model_settings(), none.get_toolset(), none.get_native_tools())
    print(none.get_wrapper_toolset('T'), none.get_ordering(), none.get_description(), none.id)
    settings = [{'temperature': 1, 'max_tokens': 3}, None, {'temperature': 2, 'extra_body': {'a': 1}}]
    some = CombinedCapability([M(ins=i, ms=s) for i, s in zip(('a', ['b', fn], fn), settings)])
    print(words(some.get_instructions()), some.get_model_settings())
    dynamic = CombinedCapability([M(ms={'temperature': 1}), M(ms=lambda ctx: {'top_p': len(ctx.model_settings or {})})])
    print(dynamic.get_model_settings()(ctx))
    print(
        dynamic.get_model_settings()(
            RunContext(deps=None, model=TestModel(), usage=RunUsage(), model_settings={'seed': 1})
        )
    )
    one, two = FunctionToolset(id='1'), FunctionToolset(id='2')
    print(type(CombinedCapability([M(ts=one), M(ts=lambda ctx: two)]).get_toolset()).__name__)
    natives = CombinedCapability([M(nt=[WebSearchTool()]), M(nt=[CodeExecutionTool()])])
    print([t.kind for t in natives.get_native_tools()], [t.kind for t in natives.get_builtin_tools()])
    wrappers = CombinedCapability([M(wt=lambda t: W(t, 'A')), M(), M(wt=lambda t: W(t, 'B'))])
    print(wrappers.get_wrapper_toolset('T'))

    a, b, x, outer = M(), M(), M(), Outer()
    same = CombinedCapability([a, b])
    print((await same.for_run(ctx)) is same)
    combined = await CombinedCapability([a, M(fr=lambda: x)]).for_run(ctx)
    print(combined.capabilities[0] is a, combined.capabilities[1] is x)
    combined = await CombinedCapability([a, M(fr=lambda: outer)]).for_run(ctx)
    print([type(c).__name__ for c in combined.capabilities])
    combined = await CombinedCapability([a, M(fr=lambda: CombinedCapability([outer, b]))]).for_run(ctx)
    print([type(c).__name__ for c in combined.capabilities])

    wrapper = WrapperCapability(M(fr=lambda: x))
    combined = await wrapper.for_run(ctx)
    print(type(combined).__name__, combined.wrapped is x)
    wrapper = WrapperCapability(a)
    print((await wrapper.for_run(ctx)) is wrapper)
    wrapper = WrapperCapability(M(ins='i', ms={'seed': 1}, ts=one, nt=[WebSearchTool()], wt=lambda t: W(t, 'A')))
    print(wrapper.get_instructions(), wrapper.get_model_settings(), wrapper.get_toolset() is one)
    print([t.kind for t in wrapper.get_native_tools()], wrapper.get_wrapper_toolset('T'), wrapper.get_ordering())
    print(WrapperCapability(outer).get_ordering())
    for wrapper in (
        WrapperCapability(Described()),
        WrapperCapability(Described(), id='own'),
        OwnInit(Described(), 'e'),
    ):
        print(wrapper.id, wrapper.description, wrapper.defer_loading, wrapper.get_description())
    for cls in (AbstractCapability, WrapperCapability, PrefixTools, Capability, Hooks, Toolset, Thinking, M, OwnInit):
        print(cls.__name__, cls.get_serialization_name())


asyncio.run(main())
