"""The deferred capabilities of a run: their catalog, and the instructions that the model reads when it loads one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from .._kit.short import one_line
from ..exceptions import ModelRetry
from ..messages import InstructionPart, LoadCapabilityReturnContent
from .toolsets import ToolsetsOf

_CATALOG = 'The following capabilities are deferred and can be loaded using the `load_capability` tool:'
TextSource: TypeAlias = Callable[[RunContext[Any]], Awaitable[Union[str, None]]]
"""A coroutine function that returns a text for a step."""


@dataclass
class DeferredCapabilities:
    """The deferred capabilities of a run."""

    texts_of: Callable[[Any], list[str | TextSource]]
    """A function that splits instructions or a description into texts and functions that return texts."""
    by_id: dict[str, AbstractCapability[Any]] = field(default_factory=lambda: {})
    """The capabilities by id."""

    def catalog(self) -> TextSource:
        """Return a function that returns the list of all deferred capabilities for the instructions of a step."""
        entries: list[str | tuple[str, TextSource]] = []
        for name, capability in self.by_id.items():
            for source in self.texts_of(capability.get_description()) or ('',):
                entries.append(_entry(name, source) if isinstance(source, str) else (name, source))
        if all(isinstance(entry, str) for entry in entries):
            text = '\n'.join((_CATALOG, *cast('list[str]', entries)))

            async def deferred_capabilities(ctx: RunContext[Any]) -> str:
                return text

            return deferred_capabilities

        async def described_capabilities(ctx: RunContext[Any]) -> str:
            lines = [
                entry if isinstance(entry, str) else _entry(entry[0], await entry[1](ctx) or '') for entry in entries
            ]
            return '\n'.join((_CATALOG, *lines))

        return described_capabilities

    async def load(self, name: str, ctx: RunContext[Any]) -> LoadCapabilityReturnContent:
        """Load a capability, and return its instructions.

        Args:
            name: The id of the capability.
            ctx: The context of the call.

        Raises:
            ModelRetry: There is no such capability, or it is already available.
        """
        if name in ctx.available_capability_ids and name in ctx.capabilities:
            raise ModelRetry(
                f'Capability {name!r} is already available. Use its existing instructions and tools; do not call '
                '`load_capability` for it again.'
            )
        if name not in self.by_id:
            known = ', '.join(repr(other) for other in self.by_id if other not in ctx.loaded_capability_ids)
            hint = f' Capabilities that can be loaded: {known}.' if known else ''
            raise ModelRetry(f'No capability found with id {name!r}.{hint}')
        sources = self.texts_of(self.by_id[name].get_instructions())
        texts = [source if isinstance(source, str) else await source(ctx) for source in sources]
        texts += await self._toolset_texts(name, ctx)
        text = '\n\n'.join(stripped for text in texts if text and (stripped := text.strip()))
        ctx.loaded_capability_ids.add(name)
        return LoadCapabilityReturnContent(instructions=text) if text else LoadCapabilityReturnContent()

    async def _toolset_texts(self, name: str, ctx: RunContext[Any]) -> list[str | None]:
        if ctx.tool_manager is None:
            return []
        search = ToolsetsOf(name)
        ctx.tool_manager.toolset.apply(search)
        texts: list[str | None] = []
        for toolset in search.toolsets:
            instructions = await toolset.get_instructions(ctx)
            for item in [instructions] if isinstance(instructions, (str, InstructionPart)) else instructions or ():
                texts.append(item.content if isinstance(item, InstructionPart) else item)
        return texts


def _entry(name: str, text: str) -> str:
    # One line each: with line breaks, a description could forge entries and headings.
    name, text = one_line(name), one_line(text)
    return f'- {name}: {text}' if text else f'- {name}'
