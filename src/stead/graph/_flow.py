"""The tasks of one run of a builder graph: what runs, what follows it, and when a join is complete.

Each task is at one node, and carries the forks it came through. Tasks at other nodes than steps take no time, and are
handled when their turn comes; steps run as asyncio tasks, or in place if there is only one.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, cast

from typing_extensions import TypeVar

from .._kit.aio import cancel_and_drain, cancel_once
from ._host import logfire_span
from ._routes import Route, Routes
from ._wiring import Decision
from .basenode import AnyBaseNode, BaseNode, End
from .exceptions import GraphRuntimeError
from .id_types import ForkStack, ForkStackItem, JoinID, NodeID, NodeRunID, TaskID
from .join import AnyJoin, Join, JoinNode, JoinState, ReducerContext
from .node import AnyFork, EndNode, Fork
from .step import AnyStep, NodeStep, Step, StepContext, StepNode

OutputT = TypeVar('OutputT', infer_variance=True)


@dataclass(init=False)
class EndMarker(Generic[OutputT]):
    """The end of a run.

    Args:
        value: The output of the run.
    """

    _value: OutputT

    def __init__(self, value: OutputT):
        self._value = value

    @property
    def value(self) -> OutputT:
        """Return the output of the run."""
        return self._value


@dataclass
class GraphTaskRequest:
    """A request to run a node."""

    node_id: NodeID
    """The node."""
    inputs: Any
    """Its input."""
    fork_stack: ForkStack = field(repr=False)
    """The forks that it is inside."""


@dataclass
class GraphTask(GraphTaskRequest):
    """A node that is running, or will run, with its inputs."""

    task_id: TaskID = field(repr=False)
    """The id of the task."""

    @staticmethod
    def from_request(request: GraphTaskRequest, get_task_id: Callable[[], TaskID]) -> GraphTask:
        """Return a task for a request; a task is returned as it is.

        Args:
            request: The request.
            get_task_id: A function that returns a new id.
        """
        if isinstance(request, GraphTask):
            return request
        return GraphTask(request.node_id, request.inputs, request.fork_stack, get_task_id())


@dataclass
class _Failure:
    """The error that a step raised."""

    error: BaseException


@dataclass
class _Item:
    """An item of an asynchronous map, whose source waits until it has been processed."""

    value: object
    index: int
    taken: asyncio.Future[None]


_TURN = object()
"""Stands for the output of a task that takes no time, when its turn has come."""
_EXHAUSTED = object()
"""Stands for the output of an asynchronous map that has no more items."""


class _NodeCounts:
    """Counts of the tasks, or unfinished joins, at each node inside each passing of a fork."""

    def __init__(self) -> None:
        self._counts: dict[NodeRunID, dict[NodeID, int]] = {}

    def enter(self, node_id: NodeID, stack: ForkStack) -> None:
        for item in stack:
            counts = self._counts.setdefault(item.node_run_id, {})
            counts[node_id] = counts.get(node_id, 0) + 1

    def leave(self, node_id: NodeID, stack: ForkStack) -> None:
        for item in stack:
            counts = self._counts[item.node_run_id]
            counts[node_id] -= 1
            if not counts[node_id]:
                del counts[node_id]
                if not counts:
                    del self._counts[item.node_run_id]

    def none_at(self, node_ids: frozenset[NodeID], run_id: NodeRunID) -> bool:
        counts = self._counts.get(run_id)
        return not counts or node_ids.isdisjoint(counts)


class Flow:
    """The tasks of a run, and where they go next."""

    def __init__(self, routes: Routes, state: object, deps: object):
        self._routes = routes
        self._state = state
        self._deps = deps
        self._task_count = 0
        self._fork_count = 0
        self.active: dict[TaskID, GraphTask] = {}
        """Every task that is not over, including those that have not been started."""
        self.failed: list[GraphTask] = []
        """The tasks that raised an error since the caller last chose how to continue."""
        self._running: dict[TaskID, asyncio.Task[None]] = {}
        self._tasks_at = _NodeCounts()
        self._joins_at = _NodeCounts()
        self._joins: dict[NodeRunID, dict[JoinID, JoinState]] = {}
        self._growing: dict[TaskID, ForkStackItem] = {}
        """Asynchronous maps that may still have items."""
        self._outputs: deque[tuple[GraphTask, object]] = deque()
        self._results: deque[EndMarker[Any] | Sequence[GraphTask]] = deque()
        self._wakeup: asyncio.Future[None] | None = None

    # Tasks are added and removed.

    def new_task_id(self) -> TaskID:
        self._task_count += 1
        return TaskID(f'task:{self._task_count - 1}')

    def new_run_id(self) -> NodeRunID:
        self._fork_count += 1
        return NodeRunID(f'task:{self._fork_count - 1}')

    def add(self, tasks: Iterable[GraphTask]) -> None:
        for task in tasks:
            if task.task_id not in self.active:
                self.active[task.task_id] = task
                self._tasks_at.enter(task.node_id, task.fork_stack)

    def drop(self, tasks: Iterable[GraphTask]) -> None:
        """Remove tasks without a result; joins no longer wait for them."""
        for stack in [self._remove(task) for task in tasks]:
            self._settle(stack)

    def _remove(self, task: GraphTask) -> ForkStack:
        """Remove a task, and return the forks whose joins may have waited for it."""
        if self.active.pop(task.task_id, None) is None:
            return ()
        self._tasks_at.leave(task.node_id, task.fork_stack)
        if (running := self._running.get(task.task_id)) is not None:
            cancel_once(running)  # and waited for when the run is closed
        growing = self._growing.pop(task.task_id, None)
        return task.fork_stack if growing is None else (*task.fork_stack, growing)

    async def close(self) -> None:
        """Cancel the running steps, and wait until they have ended."""
        running = [*self._running.values()]
        self._running.clear()
        self.active.clear()
        self._outputs.clear()
        if running:
            await cancel_and_drain(*running)

    # Tasks run.

    async def advance(self, tasks: Sequence[GraphTask]) -> EndMarker[Any] | Sequence[GraphTask]:
        """Start tasks, and return what follows the first that has ended: tasks to start next, or the end."""
        if len(tasks) == 1 and len(self.active) == 1 and not self._results:
            await self._run_in_place(tasks[0])
        else:
            for task in tasks:
                self._start(task)
        while not self._results:
            if self._outputs:
                self._take_or_fail(*self._outputs.popleft())
            elif self.active:
                self._wakeup = asyncio.get_running_loop().create_future()
                await self._wakeup
            else:
                self._finish_some_join()
        return self._results.popleft()

    async def _run_in_place(self, task: GraphTask) -> None:
        node = self._routes.nodes[task.node_id]
        if isinstance(node, Step):
            self._take_or_fail(task, await self._outcome(node, task))
        else:
            self._take_or_fail(task, _TURN)

    def _start(self, task: GraphTask) -> None:
        node = self._routes.nodes[task.node_id]
        if isinstance(node, Step):
            self._spawn(task, self._run_step(node, task))
        else:
            # Not at once: these tasks keep their place among steps that finish without waiting.
            asyncio.get_running_loop().call_soon(self._report, task, _TURN)

    def _spawn(self, task: GraphTask, coroutine: Coroutine[object, object, None]) -> None:
        self._running[task.task_id] = asyncio.get_running_loop().create_task(coroutine)

    def _report(self, task: GraphTask, output: object) -> None:
        self._outputs.append((task, output))
        if self._wakeup is not None and not self._wakeup.done():
            self._wakeup.set_result(None)

    async def _run_step(self, step: AnyStep, task: GraphTask) -> None:
        output = await self._outcome(step, task)
        self._running.pop(task.task_id, None)
        self._report(task, output)

    async def _outcome(self, step: AnyStep, task: GraphTask) -> object:
        """Run a step and return its output, or its failure."""
        context = StepContext(state=self._state, deps=self._deps, inputs=task.inputs)
        try:
            with logfire_span(self._routes.instrument, 'run node {node_id}', node_id=step.id, node=step):
                pending: object = step.call(context)
                if not inspect.isawaitable(pending):
                    raise TypeError(
                        f'The step {step.id!r} returned {pending!r}, which is not awaitable. Define its function with '
                        '`async def`, or make it a stream with `@builder.stream` if it yields.'
                    )
                return await pending
        except (StopIteration, StopAsyncIteration) as error:
            # These would end the iteration over the run as if it were complete.
            failure = RuntimeError(f'The step {step.id!r} raised {type(error).__name__}.')
            failure.__cause__ = error
            return _Failure(failure)
        except BaseException as error:
            return _Failure(error)

    async def _run_map(self, task: GraphTask) -> None:
        """Report the items of an asynchronous map, one by one."""
        loop = asyncio.get_running_loop()
        output: object = _EXHAUSTED
        try:
            index = 0
            async for value in cast('AsyncIterable[Any]', task.inputs):
                item = _Item(value, index, loop.create_future())
                self._report(task, item)
                await item.taken
                index += 1
        except BaseException as error:
            output = _Failure(error)
            # An asynchronous generator that is left unfinished would only be closed by the garbage collector.
            if (aclose := getattr(task.inputs, 'aclose', None)) is not None:
                await aclose()
        self._running.pop(task.task_id, None)
        self._report(task, output)

    # Tasks have ended.

    def _take_or_fail(self, task: GraphTask, output: object) -> None:
        """Determine what follows the output of a task, unless the task was removed in the meantime."""
        if task.task_id not in self.active:
            return
        try:
            self._take(task, output)
        except BaseException:
            # It stays active, so that its join waits for what the caller may run instead.
            self.failed.append(task)
            raise

    def _take(self, task: GraphTask, output: object) -> None:
        if isinstance(output, _Failure):
            raise output.error
        node = self._routes.nodes[task.node_id]
        if isinstance(node, Step):
            self._take_from_step(node, task, output)
        elif isinstance(node, Fork):
            self._take_from_fork(node, task, output)
        elif isinstance(node, Join):
            self._reduce(node, task.inputs, task.fork_stack, task)
        elif isinstance(node, Decision):
            self._continue_with(task, self._decide(task))
        elif isinstance(node, EndNode):
            self._end(task, task.inputs)
        else:
            self._continue_with(task, self._follow(task.node_id, task.inputs, task.fork_stack))

    def _continue_with(self, task: GraphTask, following: Sequence[GraphTask]) -> None:
        self.add(following)
        self._remove(task)
        self._results.append(following)
        self._settle(task.fork_stack)

    def _end(self, task: GraphTask, value: object) -> None:
        self._remove(task)
        self._results.append(EndMarker(value))

    def _follow(self, source: NodeID, value: object, stack: ForkStack) -> list[GraphTask]:
        return [self._along(route, value, stack) for route in self._routes.after[source]]

    def _along(self, route: Route, value: object, stack: ForkStack) -> GraphTask:
        for transform in route.transforms:
            value = transform(StepContext(state=self._state, deps=self._deps, inputs=value))
        return GraphTask(route.destination, value, stack, self.new_task_id())

    def _decide(self, task: GraphTask) -> list[GraphTask]:
        for matches, route in self._routes.branches[task.node_id]:
            if matches(task.inputs):
                return [self._along(route, task.inputs, task.fork_stack)]
        raise GraphRuntimeError(
            f'No branch of the decision {task.node_id!r} matches {task.inputs!r}: it has '
            f'{self._routes.described_branches(task.node_id)}. Add a branch, or `builder.match(object)` as the last one.'
        )

    def _take_from_step(self, step: AnyStep, task: GraphTask, output: object) -> None:
        stack = task.fork_stack
        if not isinstance(step, NodeStep):
            self._continue_with(task, self._follow(step.id, output, stack))
        elif isinstance(output, End):
            self._end(task, cast('End[Any]', output).data)
        elif isinstance(output, JoinNode):
            join = cast('JoinNode[Any, Any]', output).join
            self._reduce(self._known(step, join.id, join), output.inputs, stack, task)
        else:
            if isinstance(output, StepNode):
                target = cast('StepNode[Any, Any]', output).step
                node_id, inputs = self._known(step, target.id, target).id, output.inputs
            elif isinstance(output, BaseNode):
                node = cast('AnyBaseNode', output)
                node_id, inputs = self._known(step, NodeID(node.get_node_id()), node).id, node
            else:
                raise GraphRuntimeError(
                    f'The node {step.id!r} returned {output!r}; `run` has to return a node or `End(...)`.'
                )
            self._continue_with(task, [GraphTask(node_id, inputs, stack, self.new_task_id())])

    def _known(self, step: AnyStep, node_id: NodeID, returned: object) -> Any:
        # A join without an id of its own is a copy in the graph, with a readable id.
        node_id = self._routes.aliases.get(node_id, node_id)
        if node_id not in self._routes.nodes:
            raise GraphRuntimeError(
                f'The node {step.id!r} returned {returned!r}, but the graph has no node {node_id!r}. Name it in the return '
                'annotation of `run`, and add `builder.node(...)` for a node class.'
            )
        return self._routes.nodes[node_id]

    def _take_from_fork(self, fork: AnyFork, task: GraphTask, output: object) -> None:
        if isinstance(output, _Item):
            self._take_item(fork, task, output)
            return
        if output is _EXHAUSTED:
            item = self._growing.pop(task.task_id)
            self._end_map(fork, task, item, [])
            return
        item, inputs = ForkStackItem(fork.id, self.new_run_id(), 0), task.inputs
        if not fork.is_map:
            ways = enumerate(self._routes.after[fork.id])
            self._continue_with(
                task, [self._along(way, inputs, self._inside(task, item, index)) for index, way in ways]
            )
        elif isinstance(inputs, AsyncIterable):
            self._growing[task.task_id] = item
            self._spawn(task, self._run_map(task))
        elif isinstance(inputs, Iterable):
            following: list[GraphTask] = []
            for index, value in enumerate(cast('Iterable[Any]', inputs)):
                following += self._follow(fork.id, value, self._inside(task, item, index))
            self._end_map(fork, task, item, following)
        else:
            raise GraphRuntimeError(
                f'The map {fork.id!r} received {inputs!r}, which is not iterable. The input of a map has to be an '
                'iterable or an asynchronous iterable.'
            )

    @staticmethod
    def _inside(task: GraphTask, item: ForkStackItem, index: int) -> ForkStack:
        return *task.fork_stack, ForkStackItem(item.fork_id, item.node_run_id, index)

    def _take_item(self, fork: AnyFork, task: GraphTask, item: _Item) -> None:
        run = self._growing[task.task_id]
        following = self._follow(fork.id, item.value, self._inside(task, run, item.index))
        self._open_join(fork, task, run, empty=False)
        self.add(following)
        self._results.append(following)
        if not item.taken.done():
            item.taken.set_result(None)

    def _end_map(self, fork: AnyFork, task: GraphTask, item: ForkStackItem, following: list[GraphTask]) -> None:
        self._open_join(fork, task, item, empty=not following)
        self.add(following)
        self._remove(task)
        self._results.append(following)
        self._settle((*task.fork_stack, item))

    def _open_join(self, fork: AnyFork, task: GraphTask, item: ForkStackItem, *, empty: bool) -> None:
        """Give the join below a map its initial value, in case nothing ever arrives there."""
        if fork.downstream_join_id is None:
            return
        join = cast('AnyJoin', self._routes.nodes[fork.downstream_join_id])
        stack = (*task.fork_stack, item)
        if (place := self._place_of_parent(join.id, stack)) is not None:
            self._state_of(join, stack, place)
        elif empty:
            self._state_of(join, stack, len(task.fork_stack))

    # Joins.

    def _place_of_parent(self, join_id: JoinID, stack: ForkStack) -> int | None:
        """Return the index, in a stack, of the last passing of the fork of a join."""
        parent = self._routes.parents[join_id]
        return next((place for place in reversed(range(len(stack))) if stack[place].fork_id == parent), None)

    def _state_of(self, join: AnyJoin, stack: ForkStack, place: int) -> JoinState:
        """Return the state of a join for the passing of its fork at an index of a stack."""
        joins = self._joins.setdefault(stack[place].node_run_id, {})
        if join.id not in joins:
            # What follows the join is outside the forks in between, unless another join may wait for one of these.
            kept = stack[: place + 1] if join.id in self._routes.final else stack
            joins[join.id] = JoinState(join.initial_factory(), kept)
            self._joins_at.enter(join.id, kept)
        return joins[join.id]

    def _reduce(self, join: AnyJoin, inputs: object, stack: ForkStack, task: GraphTask) -> None:
        place = self._place_of_parent(join.id, stack)
        if place is None:
            raise GraphRuntimeError(
                f'A task arrived at the join {join.id!r} that did not come through the fork {self._routes.parents[join.id]!r}, '
                'whose branches the join waits for. Choose a fork with `parent_fork_id` that lies on every way to '
                'the join.'
            )
        run_id = stack[place].node_run_id
        state = self._state_of(join, stack, place)
        context = ReducerContext(state=self._state, deps=self._deps, join_state=state)
        state.current = join.reduce(context, state.current, inputs)
        self._remove(task)
        if state.cancelled_sibling_tasks:
            self._finish_at_once(join.id, run_id)
        self._settle(task.fork_stack)

    def _finish_at_once(self, join_id: JoinID, run_id: NodeRunID) -> None:
        """Cancel the tasks that are inside the same passing of a fork, and continue with what a join has."""

        def inside(stack: ForkStack) -> bool:
            return any(item.node_run_id == run_id for item in stack)

        stacks = [self._remove(task) for task in [*self.active.values()] if inside(task.fork_stack)]
        for nested_id, joins in [*self._joins.items()]:
            for nested, state in [*joins.items()]:
                # Their values were on their way to this join, which no longer waits for them.
                if nested in self._routes.before[join_id] and inside(state.downstream_fork_stack):
                    self._close_join(nested, nested_id)
        self._finish(join_id, run_id)
        for stack in stacks:
            self._settle(stack)

    def _settle(self, stack: ForkStack) -> None:
        """Finish the joins that are complete now, of the forks that a task was inside."""
        if not self._joins:
            return
        again = True
        while again:
            again = False
            for item in reversed(stack):
                for join_id in [*self._joins.get(item.node_run_id, ())]:
                    if self._is_complete(join_id, item.node_run_id):
                        self._finish(join_id, item.node_run_id)
                        again = True

    def _is_complete(self, join_id: JoinID, run_id: NodeRunID) -> bool:
        if any(item.node_run_id == run_id for item in self._growing.values()):
            return False
        tasks, joins = self._routes.waited_for[join_id], self._routes.before[join_id]
        return self._tasks_at.none_at(tasks, run_id) and self._joins_at.none_at(joins, run_id)

    def _finish(self, join_id: JoinID, run_id: NodeRunID) -> None:
        state = self._close_join(join_id, run_id)
        following = self._follow(join_id, state.current, state.downstream_fork_stack)
        self.add(following)
        self._results.append(following)

    def _close_join(self, join_id: JoinID, run_id: NodeRunID) -> JoinState:
        state = self._joins[run_id].pop(join_id)
        if not self._joins[run_id]:
            del self._joins[run_id]
        self._joins_at.leave(join_id, state.downstream_fork_stack)
        return state

    def _finish_some_join(self) -> None:
        """Finish a join that waits though no task is left."""
        for run_id, joins in self._joins.items():
            self._finish(next(iter(joins)), run_id)
            return
        raise GraphRuntimeError(
            'The run came to a stop before the end node: no task is left. A map over nothing is the end of its branch, '
            'unless `map(downstream_join_id=...)` names the join that continues with its initial value; so is a node '
            'that nothing follows.'
        )
