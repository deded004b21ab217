"""What agents are built from: their own tools, and instructions, toolsets and capabilities in the forms that programs pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, cast

from typing_extensions import Self

from .. import capabilities as all_capabilities, toolsets as all_toolsets
from .._contracts.capability import AbstractCapability, CapabilityOrdering, overrides
from .._contracts.hooks import AnyAgent
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._kit.records import DataRecord
from .._loop.prompts import SystemPromptRunner
from ..capabilities import AgentCapability, DynamicCapability
from ..capabilities._ordering import ordering_of, sort_capabilities
from ..exceptions import UserError
from ..toolsets import AgentToolset, FunctionToolset


class AgentFunctionToolset(FunctionToolset[AgentDepsT]):
    """The toolset of the tools that are registered with an agent itself."""

    @property
    def id(self) -> str:
        """The id of the toolset."""
        return '<agent>'

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return 'the agent'


TEXTS_ARE_BLOCKS = False
"""Whether texts of instructions are blocks of their own, as in 2.x, where those of the agent are one; otherwise all are one."""


@dataclass(repr=False, eq=False)
class Instructions(DataRecord, Generic[AgentDepsT]):
    """Instructions, split into literal texts and functions."""

    literals: list[str] = field(default_factory=lambda: [])
    """The texts."""
    runners: list[SystemPromptRunner[AgentDepsT]] = field(default_factory=lambda: [])
    """The functions."""

    @classmethod
    def of(cls, source: object) -> Self:
        """Return instructions for text, a function, a sequence of these, or `None`.

        Raises:
            UserError: The source, or something in it, is of another type.
        """
        instructions = cls()
        instructions.add(source)
        return instructions

    def add(self, source: object) -> None:
        """Add text, a function, a sequence of these, or `None`.

        Raises:
            UserError: The source, or something in it, is of another type.
        """
        if source is None:
            return
        if isinstance(source, str):
            self.literals.append(source)
        elif callable(source):
            # Synchronous functions run in a worker thread; templates offer a coroutine function that needs none.
            self.runners.append(SystemPromptRunner(getattr(source, 'as_instructions', source)))
        elif isinstance(source, Sequence):
            for item in cast('Sequence[object]', source):
                self.add(item)
        else:
            raise UserError(
                f'Instructions must be text, a function that returns text, or a sequence of these, '
                f'not {type(source).__name__}: {source!r}.'
            )

    def __iter__(self) -> Iterator[str | Callable[..., object]]:
        """Yield the texts and then the functions, the form in which packages that extend agents read instructions."""
        yield from self.literals
        yield from (runner.function for runner in self.runners)

    def __add__(self, other: Instructions[AgentDepsT]) -> Instructions[AgentDepsT]:
        return Instructions([*self.literals, *other.literals], [*self.runners, *other.runners])


def static_blocks(sources: Sequence[tuple[object, Instructions[Any]]]) -> list[str]:
    """Return the texts of instructions as the blocks that models receive.

    Args:
        sources: The instructions, and the part of the agent that they come from.
    """
    if not TEXTS_ARE_BLOCKS:
        text = '\n'.join(text for _, instructions in sources for text in instructions.literals).strip()
        return [text] if text else []
    blocks: list[str] = []
    for source, instructions in sources:
        texts = [text for literal in instructions.literals if (text := literal.strip())]
        blocks += ['\n\n'.join(texts)] if texts and source == 'agent' else texts
    return blocks


def normalize_instructions(source: Any) -> list[str | Callable[..., object]]:
    """Return instructions in any of their forms as a list of texts and functions."""
    if source is None:
        return []
    if isinstance(source, str) or callable(source):
        return [source]
    return list(source)


def leaves(capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> list[AbstractCapability[AgentDepsT]]:
    """Return the leaves of capabilities, in the order of the chain.

    Raises:
        UserError: A required capability is missing, or the constraints on the order contradict each other.
    """
    if not capabilities:
        return []
    flat: list[AbstractCapability[AgentDepsT]] = []
    all_capabilities.CombinedCapability(list(capabilities)).visit_leaves(flat.append)
    return sort_capabilities(one_of_each(flat))  # also a single one: it may require others


def one_of_each(capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> list[AbstractCapability[AgentDepsT]]:
    """Return capabilities with one in the place of the last of those that have the same class, and the id of that class."""
    from ..capabilities._ids import common_id

    keys = [(type(one), name) if (name := common_id(one)) is not None else None for one in capabilities]
    known = [key for key in keys if key is not None]
    if len(known) == len(set(known)):
        return list(capabilities)
    groups: dict[object, list[AbstractCapability[AgentDepsT]]] = {}
    for index, (key, capability) in enumerate(zip(keys, capabilities)):
        group = groups.pop(key, []) if key is not None else []
        groups[index if key is None else key] = [*group, capability]
    return [group[0] if len(group) == 1 else type(group[0]).combine(group) for group in groups.values()]


def of_run(sources: Sequence[AgentCapability[AgentDepsT]], agent: AnyAgent) -> list[AbstractCapability[AgentDepsT]]:
    """Return the leaves of the capabilities that were passed to a run, as they are for its agent.

    Raises:
        UserError: The parts of a capability ask for both ends of the chain.
    """
    flat: list[AbstractCapability[AgentDepsT]] = []
    for capability in as_capabilities(sources):
        if not isinstance(capability, all_capabilities.CombinedCapability):
            ordering_of(capability)  # raises; only its leaves are seen from here on
        getattr(capability, 'visit_leaves', capability.apply)(flat.append)
    return bound(one_of_each(flat), agent)


def bound(
    capabilities: Sequence[AbstractCapability[AgentDepsT]], agent: AnyAgent
) -> list[AbstractCapability[AgentDepsT]]:
    """Return what capabilities are for an agent, those that ask to be inside of all others asked last."""
    of_agent = list(capabilities)
    if any(overrides(capability, 'for_agent') for capability in capabilities):
        positions = [(capability.get_ordering() or CapabilityOrdering()).position for capability in capabilities]
        for index in sorted(range(len(positions)), key=lambda index: positions[index] == 'innermost'):
            of_agent[index] = capabilities[index].for_agent(agent)
    return of_agent


def chooses_model(capabilities: Sequence[AbstractCapability[Any]]) -> bool:
    """Return whether one of the capabilities may choose the model of a run, or know it by its name."""
    return any(overrides(one, 'get_model') or overrides(one, 'resolve_model_id') for one in capabilities)


def with_those_of_run(
    capabilities: Sequence[AbstractCapability[AgentDepsT]], passed: Sequence[AbstractCapability[AgentDepsT]]
) -> list[AbstractCapability[AgentDepsT]]:
    """Return the capabilities of an agent and of a run, which replace those of the same class and id."""
    named = {(type(one), one.id) for one in passed if one.id is not None}
    return [*(one for one in capabilities if not named or (type(one), one.id) not in named), *passed]


def as_toolset(source: AgentToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
    """Return a toolset as it is, and one for a function that returns a toolset.

    Raises:
        UserError: The source is neither.
    """
    if isinstance(source, AbstractToolset):
        return source  # type: ignore[reportUnknownVariableType]
    if callable(source):
        return all_toolsets.DynamicToolset(source)
    raise UserError(
        f'A toolset must be an `AbstractToolset` or a function of the run context that returns one, '
        f'not {type(source).__name__}: {source!r}. Pass plain functions as `tools`.'
    )


def as_capabilities(sources: Sequence[AgentCapability[AgentDepsT]]) -> list[AbstractCapability[AgentDepsT]]:
    """Return capabilities as they are, and one for each function that returns a capability.

    Raises:
        UserError: A source is neither.
    """
    capabilities: list[AbstractCapability[AgentDepsT]] = []
    for source in sources:
        if isinstance(source, AbstractCapability):
            capabilities.append(source)  # type: ignore[reportUnknownArgumentType]
        elif callable(source) and not isinstance(source, type):
            capabilities.append(DynamicCapability(capability_func=source))
        else:
            hint = ' Did you forget to call it?' if isinstance(source, type) else ''
            raise UserError(
                f'A capability must be an `AbstractCapability` or a function of the run context that returns one, '
                f'not {source!r}.{hint}'
            )
    return capabilities
