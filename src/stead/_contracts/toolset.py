"""`AbstractToolset` and `ToolsetTool`: the interface of all sources of tools."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Union

from typing_extensions import Self, TypeAlias

from .. import toolsets
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from .call_policy import CallPolicy, Effect, Reconcile
from .run_context import AgentDepsT, RunContext
from .tool_definition import SchemaValidatorProt, ToolDefinition

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

    from ..messages import InstructionPart


@dataclass(repr=False, eq=False, kw_only=True)
class ToolsetTool(DataRecord, Generic[AgentDepsT]):
    """A tool as its toolset returns it: the definition, and the validators of its arguments."""

    plain_copies: ClassVar[bool] = True
    """Whether a changed copy may be built from `__dict__` alone, which is fast but skips `__init__` and `__post_init__`.

    It only counts in the class that sets it: a subclass may have an `__init__` that must run.
    """
    toolset: AbstractToolset[AgentDepsT]
    """The toolset to call the tool through."""
    tool_def: ToolDefinition
    """The definition that is passed to the model."""
    max_retries: int
    """Retries allowed before the run fails."""
    args_validator: SchemaValidator | SchemaValidatorProt
    """Validates the arguments that the model sends."""
    args_validator_func: Callable[..., object] | None = None
    """Called with the run context and the validated arguments before the tool is executed."""
    policy: CallPolicy | None = None
    """Limits on calls, and how exceptions are handled; `None` if no option is set."""


class AbstractToolset(ABC, Generic[AgentDepsT]):
    """A collection of tools: it returns their definitions and validators, and calls them."""

    _last_listing: tuple[Any, toolsets.Listing[Any]] | None = None
    """What the last listing was made from, and the listing.

    Runs share the toolset, also in several threads. So it is one tuple, replaced as a whole; a run compares what the listing
    was made from with what it has itself, and never returns one that it did not compare or make.
    """

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        # What a class says of its tools describes the `get_tools` beside it, and not one that overrides that.
        for name in ('tool_listing', 'tools_version'):
            home = next(base for base in cls.__mro__ if name in vars(base) or 'get_tools' in vars(base))
            if name not in vars(home):
                setattr(cls, name, vars(AbstractToolset)[name])

    @property
    @abstractmethod
    def id(self) -> str | None:
        """An id that is unique among the toolsets of an agent, or `None`."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__} {self.id!r}' if self.id else type(self).__name__

    @property
    def tool_name_conflict_hint(self) -> str:
        """The remedy for a tool with the same name as one of another toolset, as part of an error message."""
        return 'Rename the tool or wrap the toolset in a `PrefixedToolset` to avoid name conflicts.'

    @property
    def tools_version(self) -> Hashable | None:
        """A value that changes whenever the result of `get_tools` would; `None` if that must be called in every step.

        Runs reuse the tools as long as this value is the same, so a toolset whose tools do not depend on the run context
        costs nothing after the first step. Wrappers need none: they say with `depends_on` what they add.
        """
        return None

    @property
    def has_instructions(self) -> bool:
        """Whether `get_instructions` may return instructions; the run skips toolsets without them."""
        return type(self).get_instructions is not AbstractToolset.get_instructions

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset to use for one run, before it is entered. Override for state per run."""
        return self

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset to use for one step. A toolset that returns another one must enter and exit it."""
        return self

    async def __aenter__(self) -> Self:
        """Enter the toolset, for example to open connections."""
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        """Exit the toolset, for example to close connections."""
        return None

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return instructions on how to use the tools; a plain `str` counts as dynamic."""
        return None

    @abstractmethod
    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools that are available in this step, by name."""
        raise NotImplementedError

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> toolsets.Listing[AgentDepsT]:
        """Return the tools of the step as a value: the same object as long as `tools_version` and the retries of the run are.

        Without a version, each call returns another one.
        """
        return await toolsets.Listing.of(self, ctx)

    @abstractmethod
    async def call_tool(
        self, name: str, tool_args: JsonObject, ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call a tool.

        Args:
            name: The name of the tool.
            tool_args: The validated arguments.
            ctx: The run context of the call.
            tool: The tool, from the result of `get_tools`.

        Returns:
            The result of the tool.

        Raises:
            ModelRetry: The model must try again.
            CallDeferred: The result comes from outside of the run.
            ApprovalRequired: The call must be approved first.
        """
        raise NotImplementedError

    async def get_tool_for_tool_def(
        self, tool_def: ToolDefinition, ctx: RunContext[AgentDepsT]
    ) -> ToolsetTool[AgentDepsT]:
        """Return the tool of a definition that this toolset has listed, also in another process.

        Args:
            tool_def: The definition.
            ctx: The run context of the step.

        Raises:
            KeyError: The toolset has no tool of this name in this step.
        """
        return (await self.get_tools(ctx))[tool_def.name]

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on every leaf toolset, that is, on those that have tools of their own."""
        visitor(self)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return this toolset with every leaf replaced by the toolset that the visitor returns for it."""
        return visitor(self)

    def filtered(
        self, filter_func: Callable[[RunContext[AgentDepsT], ToolDefinition], bool | Awaitable[bool]]
    ) -> toolsets.FilteredToolset[AgentDepsT]:
        """Return a toolset with only the tools for which the function, sync or async, returns true."""
        return toolsets.FilteredToolset(self, filter_func)

    def prefixed(self, prefix: str) -> toolsets.PrefixedToolset[AgentDepsT]:
        """Return a toolset whose tool names start with `prefix` and an underscore."""
        return toolsets.PrefixedToolset(self, prefix)

    def prepared(
        self,
        prepare_func: Callable[
            [RunContext[AgentDepsT], list[ToolDefinition]],
            list[ToolDefinition] | None | Awaitable[list[ToolDefinition] | None],
        ],
    ) -> toolsets.PreparedToolset[AgentDepsT]:
        """Return a toolset whose definitions a `ToolsPrepareFunc` changes or filters in every step."""
        return toolsets.PreparedToolset(self, prepare_func)

    def renamed(self, name_map: dict[str, str]) -> toolsets.RenamedToolset[AgentDepsT]:
        """Return a toolset with tools renamed by a map of new names to original names."""
        return toolsets.RenamedToolset(self, name_map)

    def approval_required(
        self,
        approval_required_func: Callable[
            [RunContext[AgentDepsT], ToolDefinition, JsonObject], bool | Awaitable[bool]
        ] = (lambda ctx, tool_def, tool_args: True),
    ) -> toolsets.ApprovalRequiredToolset[AgentDepsT]:
        """Return a toolset whose calls need approval if the function, sync or async, returns true for them."""
        return toolsets.ApprovalRequiredToolset(self, approval_required_func)

    def defer_loading(self, tool_names: Sequence[str] | None = None) -> toolsets.DeferredLoadingToolset[AgentDepsT]:
        """Return a toolset that hides the named tools (all, if `None`) until tool search discovers them."""
        return toolsets.DeferredLoadingToolset(
            self, tool_names=frozenset(tool_names) if tool_names is not None else None
        )

    def include_return_schemas(self) -> toolsets.IncludeReturnSchemasToolset[AgentDepsT]:
        """Return a toolset whose tools send their return schemas to the model."""
        return toolsets.IncludeReturnSchemasToolset(self)

    def with_metadata(self, **metadata: object) -> toolsets.SetMetadataToolset[AgentDepsT]:
        """Return a toolset that adds this metadata to that of its tools."""
        return toolsets.SetMetadataToolset(self, metadata)

    def with_effect(self, effect: Effect, *, reconcile: Reconcile | None = None) -> toolsets.EffectToolset[AgentDepsT]:
        """Return a toolset that says what its tools do to the world, where they do not say so themselves."""
        return toolsets.EffectToolset(self, effect, reconcile)


ToolsetFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT]],
    Union[AbstractToolset[AgentDepsT], None, Awaitable[Union[AbstractToolset[AgentDepsT], None]]],
]
"""A function of the run context, sync or async, that returns a toolset or `None`."""
AgentToolset: TypeAlias = Union[AbstractToolset[AgentDepsT], ToolsetFunc[AgentDepsT]]
"""A toolset, or a function of the run context that returns one."""
