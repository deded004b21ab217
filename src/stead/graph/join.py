"""Joins: where the branches of a fork come together, and the reducers that make one value of theirs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, Union, cast, overload

from typing_extensions import Self, TypeAliasType, TypeVar

from .basenode import BaseNode, End, GraphRunContext
from .exceptions import GraphSetupError
from .id_types import ForkID, ForkStack, JoinID, replace_placeholder_id

__all__ = (
    'ContextReducerFunction',
    'Join',
    'JoinNode',
    'JoinState',
    'PlainReducerFunction',
    'ReduceFirstValue',
    'ReducerContext',
    'ReducerFunction',
    'SupportsSum',
    'reduce_dict_update',
    'reduce_list_append',
    'reduce_list_extend',
    'reduce_null',
    'reduce_sum',
)

StateT = TypeVar('StateT', infer_variance=True)
DepsT = TypeVar('DepsT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)
T = TypeVar('T', infer_variance=True)
K = TypeVar('K', infer_variance=True)
V = TypeVar('V', infer_variance=True)


@dataclass
class JoinState:
    """Hold what a join has of one passing of its fork.

    Args:
        current: The value so far.
        downstream_fork_stack: The forks that the task after the join is in.
        cancelled_sibling_tasks: Whether a reducer has asked to leave it at this.
    """

    current: Any
    downstream_fork_stack: ForkStack
    cancelled_sibling_tasks: bool = False


@dataclass(init=False)
class ReducerContext(Generic[StateT, DepsT]):
    """Hold what a reducer is given beside the two values.

    Args:
        state: The state of the run.
        deps: The dependencies of the run.
        join_state: What the join has so far.
    """

    _state: StateT
    _deps: DepsT
    _join_state: JoinState

    def __init__(self, *, state: StateT, deps: DepsT, join_state: JoinState):
        self._state = state
        self._deps = deps
        self._join_state = join_state

    @property
    def state(self) -> StateT:
        """Return the state of the run."""
        return self._state

    @property
    def deps(self) -> DepsT:
        """Return the dependencies of the run."""
        return self._deps

    def cancel_sibling_tasks(self) -> None:
        """Cancel the tasks of the join's fork that are still running; the join goes on with what it has."""
        self._join_state.cancelled_sibling_tasks = True


PlainReducerFunction = TypeAliasType(
    'PlainReducerFunction', Callable[[OutputT, InputT], OutputT], type_params=(InputT, OutputT)
)
"""A reducer of two values: what there is so far, and what came in."""

ContextReducerFunction = TypeAliasType(
    'ContextReducerFunction',
    Callable[[ReducerContext[StateT, DepsT], OutputT, InputT], OutputT],
    type_params=(StateT, DepsT, InputT, OutputT),
)
"""A reducer that is given a `ReducerContext` before the two values."""

ReducerFunction = TypeAliasType(
    'ReducerFunction',
    Union[ContextReducerFunction[StateT, DepsT, InputT, OutputT], PlainReducerFunction[InputT, OutputT]],
    type_params=(StateT, DepsT, InputT, OutputT),
)
"""What makes one value of what there is so far and what came in."""


def reduce_null(current: None, inputs: Any) -> None:
    """Drop what comes in.

    Args:
        current: None.
        inputs: What came in.
    """


def reduce_list_append(current: list[T], inputs: T) -> list[T]:
    """Append what comes in to a list.

    Args:
        current: The list so far; it is changed.
        inputs: What came in.
    """
    current.append(inputs)
    return current


def reduce_list_extend(current: list[T], inputs: Iterable[T]) -> list[T]:
    """Append the items of what comes in to a list.

    Args:
        current: The list so far; it is changed.
        inputs: What came in.
    """
    current.extend(inputs)
    return current


def reduce_dict_update(current: dict[K, V], inputs: Mapping[K, V]) -> dict[K, V]:
    """Put the items of what comes in into a dict; later ones win.

    Args:
        current: The dict so far; it is changed.
        inputs: What came in.
    """
    current.update(inputs)
    return current


class SupportsSum(Protocol):
    """Be something that can be added to its like."""

    def __add__(self, other: Self, /) -> Self: ...


NumericT = TypeVar('NumericT', bound=SupportsSum, infer_variance=True)


def reduce_sum(current: NumericT, inputs: NumericT) -> NumericT:
    """Add what comes in.

    Args:
        current: The sum so far.
        inputs: What came in.
    """
    return current + inputs


@dataclass
class ReduceFirstValue(Generic[T]):
    """Take the first value that comes in, and cancel the tasks that would give others."""

    def __call__(self, ctx: ReducerContext[object, object], current: T, inputs: T) -> T:
        """Return what came in.

        Args:
            ctx: Cancels the other tasks.
            current: The initial value of the join, which is dropped.
            inputs: What came in.
        """
        ctx.cancel_sibling_tasks()
        return inputs


NEEDS_INITIAL: tuple[Any, ...] = (reduce_list_append, reduce_list_extend, reduce_dict_update, reduce_sum)
"""The reducers that cannot begin with nothing."""


@dataclass(init=False)
class Join(Generic[StateT, DepsT, InputT, OutputT]):
    """Wait for the branches of a fork and make one value of theirs.

    Args:
        id: The id of the node.
        reducer: Makes one value of what there is so far and what came in; called for each branch, in the order in
            which they arrive.
        initial_factory: Makes what there is at first.
        parent_fork_id: The fork whose branches to wait for; by default one is found.
        preferred_parent_fork: Which one to take of the forks that all ways to the join lead through.

    Raises:
        GraphSetupError: The reducer cannot be called with two values, or is async.
    """

    id: JoinID
    _reducer: ReducerFunction[StateT, DepsT, InputT, OutputT]
    _initial_factory: Callable[[], OutputT]
    parent_fork_id: ForkID | None
    preferred_parent_fork: Literal['closest', 'farthest']

    def __init__(
        self,
        *,
        id: JoinID,
        reducer: ReducerFunction[StateT, DepsT, InputT, OutputT],
        initial_factory: Callable[[], OutputT],
        parent_fork_id: ForkID | None = None,
        preferred_parent_fork: Literal['farthest', 'closest'] = 'farthest',
    ):
        self.id = id
        self._reducer = reducer
        self._takes_context = _takes_context(reducer)
        self._initial_factory = initial_factory
        self.parent_fork_id = parent_fork_id
        self.preferred_parent_fork = preferred_parent_fork

    def __hash__(self) -> int:
        # Annotations that name joins are members of unions, which Python hashes.
        return hash(self.id)

    @property
    def reducer(self) -> ReducerFunction[StateT, DepsT, InputT, OutputT]:
        """Return the reducer."""
        return self._reducer

    @property
    def initial_factory(self) -> Callable[[], OutputT]:
        """Return what makes the initial value."""
        return self._initial_factory

    def reduce(self, ctx: ReducerContext[StateT, DepsT], current: OutputT, inputs: InputT) -> OutputT:
        """Call the reducer, with the context if it takes one.

        Args:
            ctx: The context.
            current: What there is so far.
            inputs: What came in.
        """
        reducer = cast('Callable[..., OutputT]', self._reducer)
        return reducer(ctx, current, inputs) if self._takes_context else reducer(current, inputs)

    @overload
    def as_node(self, inputs: None = None) -> JoinNode[StateT, DepsT]: ...
    @overload
    def as_node(self, inputs: InputT) -> JoinNode[StateT, DepsT]: ...
    def as_node(self, inputs: InputT | None = None) -> JoinNode[StateT, DepsT]:
        """Return the join as what a `BaseNode` can return to go on with it.

        Annotate the `run` method with `Annotated[JoinNode[...], my_join]`.

        Args:
            inputs: What comes into the join.
        """
        return JoinNode(self, inputs)


@dataclass
class JoinNode(BaseNode[StateT, DepsT, Any]):
    """Stand for a join, with what comes into it, where a `BaseNode` returns the next node.

    Args:
        join: The join.
        inputs: What comes into it.
    """

    join: Join[StateT, DepsT, Any, Any]
    inputs: Any

    async def run(self, ctx: GraphRunContext[StateT, DepsT]) -> BaseNode[StateT, DepsT, Any] | End[Any]:
        """Refuse to run.

        Raises:
            NotImplementedError: Always: only a graph made by a `GraphBuilder` knows what follows the join.
        """
        raise NotImplementedError(
            f'The join {replace_placeholder_id(self.join.id)!r} cannot run as a node by itself. Return '
            '`join.as_node(...)` from a node of a graph made by a `GraphBuilder`.'
        )


def _takes_context(reducer: Any) -> bool:
    """Return whether a reducer takes a context before the two values, as its parameters say."""
    if not callable(reducer):
        raise GraphSetupError(
            f'{reducer!r} cannot be a reducer: it cannot be called. Give a function of what there is so far and what '
            'came in.'
        )
    if inspect.iscoroutinefunction(reducer) or inspect.iscoroutinefunction(getattr(reducer, '__call__', None)):  # noqa: B004
        raise GraphSetupError(
            f'The reducer {reducer!r} is async; joins call reducers in between tasks, so it has to be a plain '
            'function. Do what has to be awaited in a step before or after the join.'
        )
    try:
        parameters = inspect.signature(reducer).parameters.values()
    except ValueError:  # functions in C may have no signature; those that reduce, such as `max`, take two values
        return False
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    taken = sum(
        parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters
    )
    needed = sum(
        parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters
    )
    if taken < 2 or needed > 3:
        raise GraphSetupError(
            f'The reducer {reducer!r} takes {taken} values. It has to take what there is so far and what came in, '
            'and may take a `ReducerContext` before these.'
        )
    return taken != 2
