"""Joins, where the branches of a fork come together, and the reducers that combine their values."""

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
    """The state of a join for one passing of its fork."""

    current: Any
    """The value so far."""
    downstream_fork_stack: ForkStack
    """The forks that the task after the join is in."""
    cancelled_sibling_tasks: bool = False
    """Whether a reducer has cancelled the remaining tasks."""


@dataclass(init=False)
class ReducerContext(Generic[StateT, DepsT]):
    """The context that a reducer may take in addition to the two values.

    Args:
        state: The state of the run.
        deps: The dependencies of the run.
        join_state: The state of the join.
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
        """Cancel the tasks of the join's fork that are still running; the join continues with its value so far."""
        self._join_state.cancelled_sibling_tasks = True


PlainReducerFunction = TypeAliasType(
    'PlainReducerFunction', Callable[[OutputT, InputT], OutputT], type_params=(InputT, OutputT)
)
"""A reducer of two values: the one so far, and the one that arrives."""

ContextReducerFunction = TypeAliasType(
    'ContextReducerFunction',
    Callable[[ReducerContext[StateT, DepsT], OutputT, InputT], OutputT],
    type_params=(StateT, DepsT, InputT, OutputT),
)
"""A reducer that takes a `ReducerContext` before the two values."""

ReducerFunction = TypeAliasType(
    'ReducerFunction',
    Union[ContextReducerFunction[StateT, DepsT, InputT, OutputT], PlainReducerFunction[InputT, OutputT]],
    type_params=(StateT, DepsT, InputT, OutputT),
)
"""A function that combines the value so far with the one that arrives."""


def reduce_null(current: None, inputs: Any) -> None:
    """Discard the value.

    Args:
        current: None.
        inputs: The value that arrives.
    """


def reduce_list_append(current: list[T], inputs: T) -> list[T]:
    """Append the value to a list.

    Args:
        current: The list so far; it is changed.
        inputs: The value that arrives.
    """
    current.append(inputs)
    return current


def reduce_list_extend(current: list[T], inputs: Iterable[T]) -> list[T]:
    """Append the items of the value to a list.

    Args:
        current: The list so far; it is changed.
        inputs: The value that arrives.
    """
    current.extend(inputs)
    return current


def reduce_dict_update(current: dict[K, V], inputs: Mapping[K, V]) -> dict[K, V]:
    """Add the items of the value to a dict; later ones win.

    Args:
        current: The dict so far; it is changed.
        inputs: The value that arrives.
    """
    current.update(inputs)
    return current


class SupportsSum(Protocol):
    """A value that can be added to another of its type."""

    def __add__(self, other: Self, /) -> Self: ...


NumericT = TypeVar('NumericT', bound=SupportsSum, infer_variance=True)


def reduce_sum(current: NumericT, inputs: NumericT) -> NumericT:
    """Add the value to the sum.

    Args:
        current: The sum so far.
        inputs: The value that arrives.
    """
    return current + inputs


@dataclass
class ReduceFirstValue(Generic[T]):
    """A reducer that takes the first value that arrives, and cancels the tasks that would bring others."""

    def __call__(self, ctx: ReducerContext[object, object], current: T, inputs: T) -> T:
        """Return the value that arrives.

        Args:
            ctx: Cancels the other tasks.
            current: The initial value of the join, which is discarded.
            inputs: The value that arrives.
        """
        ctx.cancel_sibling_tasks()
        return inputs


NEEDS_INITIAL: tuple[Callable[..., object], ...] = (
    reduce_list_append,
    reduce_list_extend,
    reduce_dict_update,
    reduce_sum,
)
"""The reducers that need an initial value."""


@dataclass(init=False)
class Join(Generic[StateT, DepsT, InputT, OutputT]):
    """A node that waits for the branches of a fork, and combines their values into one.

    Args:
        id: The id of the node.
        reducer: Combines the value so far with the one that arrives; called for each value, in the order of
            arrival.
        initial_factory: A function that returns the initial value.
        parent_fork_id: The fork whose branches to wait for; by default it is inferred.
        preferred_parent_fork: The fork to take if several lie on every way to the join.

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
        """Return the function that returns the initial value."""
        return self._initial_factory

    def reduce(self, ctx: ReducerContext[StateT, DepsT], current: OutputT, inputs: InputT) -> OutputT:
        """Call the reducer, with the context if it takes one.

        Args:
            ctx: The context.
            current: The value so far.
            inputs: The value that arrives.
        """
        reducer = cast('Callable[..., OutputT]', self._reducer)
        return reducer(ctx, current, inputs) if self._takes_context else reducer(current, inputs)

    @overload
    def as_node(self, inputs: None = None) -> JoinNode[StateT, DepsT]: ...
    @overload
    def as_node(self, inputs: InputT) -> JoinNode[StateT, DepsT]: ...
    def as_node(self, inputs: InputT | None = None) -> JoinNode[StateT, DepsT]:
        """Return the join as a node, for a `BaseNode` to return.

        Annotate the `run` method with `Annotated[JoinNode[...], my_join]`.

        Args:
            inputs: The input of the join.
        """
        return JoinNode(self, inputs)


AnyJoin = Join[Any, Any, Any, Any]


@dataclass
class JoinNode(BaseNode[StateT, DepsT, Any]):
    """A join with its input, which a `BaseNode` returns to continue with that join."""

    join: Join[StateT, DepsT, Any, Any]
    """The join."""
    inputs: Any
    """Its input."""

    async def run(self, ctx: GraphRunContext[StateT, DepsT]) -> BaseNode[StateT, DepsT, Any] | End[Any]:
        """Refuse to run.

        Raises:
            NotImplementedError: Always: only a graph made by a `GraphBuilder` knows what follows the join.
        """
        raise NotImplementedError(
            f'The join {replace_placeholder_id(self.join.id)!r} cannot run as a node by itself. Return '
            '`join.as_node(...)` from a node of a graph made by a `GraphBuilder`.'
        )


def _takes_context(reducer: object) -> bool:
    """Return whether a reducer takes a context before the two values, judging by its parameters."""
    if not callable(reducer):
        raise GraphSetupError(
            f'{reducer!r} cannot be a reducer: it is not callable. Pass a function of the value so far and the one '
            'that arrives.'
        )
    if inspect.iscoroutinefunction(reducer) or inspect.iscoroutinefunction(getattr(reducer, '__call__', None)):  # noqa: B004
        raise GraphSetupError(
            f'The reducer {reducer!r} is async; joins call reducers between tasks, so it has to be a plain '
            'function. Await in a step before or after the join.'
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
            f'The reducer {reducer!r} takes {taken} values. It has to take the value so far and the one that arrives, '
            'and may take a `ReducerContext` before these.'
        )
    return taken != 2
