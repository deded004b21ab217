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
    def __init__(self, **options):
        self.options = options

    def get_instructions(self):
        return self.options.get('instructions')

    def get_model_settings(self):
        return self.options.get('model_settings')

    def get_toolset(self):
        return self.options.get('toolset')

    def get_native_tools(self):
        return self.options.get('native_tools', [])

    def get_wrapper_toolset(self, toolset):
        return self.options['wrap_toolset'](toolset) if 'wrap_toolset' in self.options else None

    async def for_run(self, ctx):
        return self.options['for_run']() if 'for_run' in self.options else self


class Named(WrapperToolset):
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


def dynamic_instructions(ctx):
    return 'dyn'


def words(items):
    return [item if isinstance(item, str) else 'fn' for item in items]


async def main():
    none = CombinedCapability([M(), M()])
    print(none.get_instructions(), none.get_model_settings(), none.get_toolset(), none.get_native_tools())
    print(none.get_wrapper_toolset('T'), none.get_ordering(), none.get_description(), none.id)
    settings = [{'temperature': 1, 'max_tokens': 3}, None, {'temperature': 2, 'extra_body': {'a': 1}}]
    some = CombinedCapability(
        [
            M(instructions=instructions, model_settings=model_settings)
            for instructions, model_settings in zip(('a', ['b', dynamic_instructions], dynamic_instructions), settings)
        ]
    )
    print(words(some.get_instructions()), some.get_model_settings())
    dynamic = CombinedCapability(
        [
            M(model_settings={'temperature': 1}),
            M(model_settings=lambda ctx: {'top_p': len(ctx.model_settings or {})}),
        ]
    )
    print(dynamic.get_model_settings()(ctx))
    print(
        dynamic.get_model_settings()(
            RunContext(deps=None, model=TestModel(), usage=RunUsage(), model_settings={'seed': 1})
        )
    )
    one, two = FunctionToolset(id='1'), FunctionToolset(id='2')
    print(type(CombinedCapability([M(toolset=one), M(toolset=lambda ctx: two)]).get_toolset()).__name__)
    natives = CombinedCapability([M(native_tools=[WebSearchTool()]), M(native_tools=[CodeExecutionTool()])])
    print([tool.kind for tool in natives.get_native_tools()], [tool.kind for tool in natives.get_builtin_tools()])
    wrappers = CombinedCapability(
        [
            M(wrap_toolset=lambda toolset: Named(toolset, 'A')),
            M(),
            M(wrap_toolset=lambda toolset: Named(toolset, 'B')),
        ]
    )
    print(wrappers.get_wrapper_toolset('T'))

    first, second, replacement, outer = M(), M(), M(), Outer()
    same = CombinedCapability([first, second])
    print((await same.for_run(ctx)) is same)
    combined = await CombinedCapability([first, M(for_run=lambda: replacement)]).for_run(ctx)
    print(combined.capabilities[0] is first, combined.capabilities[1] is replacement)
    combined = await CombinedCapability([first, M(for_run=lambda: outer)]).for_run(ctx)
    print([type(capability).__name__ for capability in combined.capabilities])
    combined = await CombinedCapability([first, M(for_run=lambda: CombinedCapability([outer, second]))]).for_run(ctx)
    print([type(capability).__name__ for capability in combined.capabilities])

    wrapper = WrapperCapability(M(for_run=lambda: replacement))
    combined = await wrapper.for_run(ctx)
    print(type(combined).__name__, combined.wrapped is replacement)
    wrapper = WrapperCapability(first)
    print((await wrapper.for_run(ctx)) is wrapper)
    wrapper = WrapperCapability(
        M(
            instructions='i',
            model_settings={'seed': 1},
            toolset=one,
            native_tools=[WebSearchTool()],
            wrap_toolset=lambda toolset: Named(toolset, 'A'),
        )
    )
    print(wrapper.get_instructions(), wrapper.get_model_settings(), wrapper.get_toolset() is one)
    print([tool.kind for tool in wrapper.get_native_tools()], wrapper.get_wrapper_toolset('T'), wrapper.get_ordering())
    print(WrapperCapability(outer).get_ordering())
    for wrapper in (
        WrapperCapability(Described()),
        WrapperCapability(Described(), id='own'),
        OwnInit(Described(), 'e'),
    ):
        print(wrapper.id, wrapper.description, wrapper.defer_loading, wrapper.get_description())
    for cls in (
        AbstractCapability,
        WrapperCapability,
        PrefixTools,
        Capability,
        Hooks,
        Toolset,
        Thinking,
        M,
        OwnInit,
    ):
        print(cls.__name__, cls.get_serialization_name())


asyncio.run(main())
