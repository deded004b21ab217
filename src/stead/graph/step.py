"""Steps of builder graphs: functions that run with the state, the dependencies and an input."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Union, cast, get_origin, overload

from typing_extensions import TypeVar

from .basenode import BaseNode, End, GraphRunContext
from .exceptions import GraphSetupError
from .id_types import NodeID

__all__ = 'AnyStepFunction', 'NodeStep', 'Step', 'StepContext', 'StepFunction', 'StepNode', 'StreamFunction'

StateT = TypeVar('StateT', infer_variance=True)
DepsT = TypeVar('DepsT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)


@dataclass(init=False)
class StepContext(Generic[StateT, DepsT, InputT]):
    """The state, dependencies and inputs that a step runs with.

    Args:
        state: The state of the run, shared by all its steps.
        deps: The dependencies of the run.
        inputs: The output of the node before.
    """

    _state: StateT
    _deps: DepsT
    _inputs: InputT

    def __init__(self, *, state: StateT, deps: DepsT, inputs: InputT):
        self._state = state
        self._deps = deps
        self._inputs = inputs

    @property
    def state(self) -> StateT:
        """Return the state of the run."""
        return self._state

    @property
    def deps(self) -> DepsT:
        """Return the dependencies of the run."""
        return self._deps

    @property
    def inputs(self) -> InputT:
        """Return the output of the node before."""
        return self._inputs


class StepFunction(Protocol[StateT, DepsT, InputT, OutputT]):
    """An async function that takes a `StepContext` and returns the output of its step."""

    def __call__(self, ctx: StepContext[StateT, DepsT, InputT]) -> Awaitable[OutputT]:
        """Run the step."""
        ...


class StreamFunction(Protocol[StateT, DepsT, InputT, OutputT]):
    """An async generator function that takes a `StepContext` and yields the items of its step."""

    def __call__(self, ctx: StepContext[StateT, DepsT, InputT]) -> AsyncIterator[OutputT]:
        """Run the step."""
        ...


AnyStepFunction = StepFunction[Any, Any, Any, Any]


@dataclass(init=False)
class Step(Generic[StateT, DepsT, InputT, OutputT]):
    """A node of a graph that runs a function.

    Args:
        id: The id of the node.
        call: The function.
        label: The name of the node in diagrams; by default its id.
    """

    id: NodeID
    _call: StepFunction[StateT, DepsT, InputT, OutputT]
    label: str | None

    def __init__(self, *, id: NodeID, call: StepFunction[StateT, DepsT, InputT, OutputT], label: str | None = None):
        self.id = id
        self._call = call
        self.label = label

    def __hash__(self) -> int:
        # Annotations that name steps are members of unions, which Python hashes.
        return hash(self.id)

    @property
    def call(self) -> StepFunction[StateT, DepsT, InputT, OutputT]:
        """Return the function."""
        return self._call

    @overload
    def as_node(self, inputs: None = None) -> StepNode[StateT, DepsT]: ...
    @overload
    def as_node(self, inputs: InputT) -> StepNode[StateT, DepsT]: ...
    def as_node(self, inputs: InputT | None = None) -> StepNode[StateT, DepsT]:
        """Return the step as a node, for a `BaseNode` to return.

        Annotate the `run` method with `Annotated[StepNode[...], my_step]`.

        Args:
            inputs: The inputs of the step.
        """
        return StepNode(self, inputs)


AnyStep = Step[Any, Any, Any, Any]


@dataclass
class StepNode(BaseNode[StateT, DepsT, Any]):
    """A step with its inputs, which a `BaseNode` returns to continue with that step."""

    step: Step[StateT, DepsT, Any, Any]
    """The step."""
    inputs: Any
    """Its inputs."""

    async def run(self, ctx: GraphRunContext[StateT, DepsT]) -> BaseNode[StateT, DepsT, Any] | End[Any]:
        """Refuse to run.

        Raises:
            NotImplementedError: Always: only a graph made by a `GraphBuilder` knows what follows the step.
        """
        raise NotImplementedError(
            f'The step {self.step.id!r} cannot run as a node by itself. Return `step.as_node(...)` from a node of a '
            'graph made by a `GraphBuilder`.'
        )


class NodeStep(Step[StateT, DepsT, Any, Union[BaseNode[StateT, DepsT, Any], End[Any]]]):
    """A node of a builder graph that runs a `BaseNode`; its input is the instance.

    Args:
        node_type: The class.
        id: The id of the node; by default that of the class.
        label: The name of the node in diagrams; by default its id.

    Raises:
        GraphSetupError: `node_type` is not a subclass of `BaseNode`.
    """

    node_type: type[BaseNode[StateT, DepsT, Any]]

    def __init__(
        self, node_type: type[BaseNode[StateT, DepsT, Any]], *, id: NodeID | None = None, label: str | None = None
    ):
        cls = cast('type[BaseNode[StateT, DepsT, Any]]', get_origin(node_type) or node_type)
        if not (isinstance(cls, type) and issubclass(cls, BaseNode)):
            raise GraphSetupError(
                f'{node_type!r} cannot be a node of a graph: it is neither a step, join, decision or end node, nor a '
                'subclass of `BaseNode`. Make a step of a function with `@builder.step`.'
            )
        self.node_type = cls
        super().__init__(id=id or NodeID(cls.get_node_id()), call=self._call_node, label=label)

    async def _call_node(self, ctx: StepContext[StateT, DepsT, Any]) -> BaseNode[StateT, DepsT, Any] | End[Any]:
        node: BaseNode[StateT, DepsT, Any] = ctx.inputs
        if not isinstance(node, cast('type[Any]', self.node_type)):
            raise ValueError(
                f'The node {self.id!r} received {node!r}, which is not a {self.node_type.__name__}. The input of a '
                'node class has to be an instance of it.'
            )
        return await node.run(GraphRunContext(state=ctx.state, deps=ctx.deps))
