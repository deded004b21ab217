"""The records of a run: what it is started with never changes, a step is made once, one module changes its state."""

from __future__ import annotations

import ast
import dataclasses
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead._contracts.run_state import RunState
from stead.graph import End
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel
from stead.models.test import TestModel

from .source import nodes

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def places(kind: type[ast.AST]) -> Iterator[tuple[str, Any]]:
    for name, node in nodes():
        if isinstance(node, kind):
            yield name, node


def is_deps(node: ast.AST) -> bool:
    """Whether an expression is called `deps`, like `deps`, `ctx.deps` or `self.run.ctx.deps`."""
    return getattr(node, 'id', getattr(node, 'attr', None)) == 'deps'


def test_nothing_assigns_to_what_a_run_was_started_with() -> None:
    assigned = [
        f'{name}:{node.lineno}'
        for name, node in places(ast.Attribute)
        if isinstance(node.ctx, (ast.Store, ast.Del)) and is_deps(node.value)
    ]
    around = [
        f'{name}:{node.lineno}'
        for name, node in places(ast.Call)
        if ast.unparse(node.func).endswith(('setattr', '__setattr__')) and node.args and is_deps(node.args[0])
    ]
    assert not assigned + around


async def test_what_a_run_was_started_with_is_there_while_it_runs() -> None:
    agent = Agent(TestModel(), deps_type=str)
    async with agent.iter('go', deps='x') as run:
        deps: Any = run.ctx.deps
        assert (deps.user_deps, deps.prompt, deps.agent) == ('x', 'go', agent)


RUN_STATE = {item.name for item in dataclasses.fields(RunState)}
SHARED = {'message_history', 'usage', 'pending_messages'}
"""Fields of the state that runs change in place, since contexts share them."""
IN_PLACE = {'append', 'clear', 'extend', 'incr', 'insert', 'pop', 'remove', 'reverse', 'sort'}
ROOMS_OF_STATES = (
    '_calls/',
    '_contracts/',
    '_loop/',
    '_streams/',
    'agent/',
    'durable_exec/',
    'journal/',
    'result.py',
    'run.py',
)
WRITERS = {
    '_calls/execute.py': (4, 'a call counts in the usage that contexts share, which may be that of several runs'),
    '_contracts/run_context.py': (1, 'tools and hooks enqueue messages'),
    'journal/_recorder.py': (3, 'calls that an earlier process counted'),
    'run.py': (1, 'programs that drive a run enqueue messages'),
}
"""Where the state of a run is changed outside of `_loop/state.py`, how often, and why; these numbers may only shrink."""


def states_in(name: str) -> tuple[str, ...]:
    """Return what the names of states end with in a module."""
    return ('state', 'known', 'run') if name == 'journal/_fold.py' else ('state', 'known')


def names_of_shared(function: ast.AST) -> set[str]:
    """Return the names that a function has for what runs change in place."""
    pairs = [
        pair
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        for pair in (
            zip(target.elts, node.value.elts)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            else [(target, node.value)]
        )
    ]
    return {name.id for name, value in pairs if isinstance(name, ast.Name) and getattr(value, 'attr', None) in SHARED}


def changes_of_state(function: ast.AST, states: tuple[str, ...]) -> Iterator[ast.AST]:
    """Yield the places in a function that change the state of a run, or what its contexts share with it."""
    names = names_of_shared(function)

    def is_shared(node: ast.AST) -> bool:
        return getattr(node, 'attr', None) in SHARED or getattr(node, 'id', None) in names

    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            of_state = node.attr in RUN_STATE and ast.unparse(node.value).endswith(states)
            if of_state or is_shared(node.value):
                yield node
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if is_shared(node.value):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in IN_PLACE and is_shared(node.func.value):
                yield node
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == 'setattr':
            if ast.unparse(node.args[0]).endswith(states):
                yield node


def test_one_module_changes_the_state_of_a_run() -> None:
    changes: dict[str, set[int]] = {}
    for name, node in places(ast.FunctionDef):
        if name.startswith(ROOMS_OF_STATES) and name != '_loop/state.py':
            changes.setdefault(name, set()).update(one.lineno for one in changes_of_state(node, states_in(name)))  # type: ignore[attr-defined]
    for name, node in places(ast.AsyncFunctionDef):
        if name.startswith(ROOMS_OF_STATES):
            changes.setdefault(name, set()).update(one.lineno for one in changes_of_state(node, states_in(name)))  # type: ignore[attr-defined]
    found = {name: sorted(lines) for name, lines in changes.items() if lines}
    assert {name: len(lines) for name, lines in found.items()} == {name: most for name, (most, _) in WRITERS.items()}, (
        found
    )


def test_contexts_of_runs_are_made_in_one_place() -> None:
    modules = [name for name, node in places(ast.Call) if ast.unparse(node.func) in ('RunContext', 'RunContext[Any]')]
    # The agent makes one for its system prompts outside of a run.
    assert modules == ['agent/_agent.py', 'agent/_scope.py']


def test_one_loop_drives_runs_and_one_method_runs_nodes() -> None:
    rooms = ('_loop/', 'agent/', 'run.py', 'result.py')
    loops = [
        f'{name}: while {ast.unparse(node.test)}'
        for name, node in places(ast.While)
        if name.startswith(rooms) and 'End)' in ast.unparse(node.test)
    ]
    assert len(loops) == 1, loops
    assert loops[0].startswith('run.py')
    runs = [
        ast.unparse(node)
        for name, node in places(ast.Call)
        if name == 'run.py' and 'node.run' in ast.unparse(node.func)
    ]
    assert sorted(runs) == ['node.run(self._ctx)', 'node.run_shown(self._ctx, sink)']


def test_waiting_inside_of_hooks_is_left_to_helpers() -> None:
    """`_kit/held.py` and `_kit/shared.py` do it, and have tests of their own under cancellation."""
    rooms = ('_calls/', '_loop/', '_streams/', 'agent/', 'capabilities/', 'toolsets/', 'mcp/', 'run.py', 'result.py')
    waiting = [
        f'{name}:{node.lineno} {ast.unparse(node.func)}'
        for name, node in places(ast.Call)
        if name.startswith(rooms) and ast.unparse(node.func).endswith(('Future', 'create_future', 'shield'))
    ]
    assert not waiting


def calls_once(messages: list[ModelMessage], info: Any) -> ModelResponse:
    part = TextPart('done') if len(messages) > 2 else ToolCallPart('look', {}, tool_call_id='c')
    return ModelResponse(parts=[part])


async def test_each_request_has_a_step_of_its_own_and_its_calls_share_it() -> None:
    agent = Agent(FunctionModel(calls_once))
    managers: list[Any] = []

    @agent.tool
    def look(ctx: RunContext[None]) -> str:
        managers.append((ctx.run_step, ctx.tool_manager, sorted(ctx.tools)))
        return 'seen'

    steps: list[Any] = []
    async with agent.iter('go') as run:
        node: Any = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
            steps.append(run.ctx.state.step)
    before, first, called, second, ended = steps
    assert before.tools.tools is None
    assert first is called
    assert second is ended
    assert len({id(step) for step in steps}) == 3
    assert managers == [(1, first.tools, ['look'])]
    assert [step.context.run_step for step in (before, first, second)] == [0, 1, 2]
    assert [len(step.request.messages) for step in (first, second)] == [1, 3]
    assert called.answers is None, 'the second step took them into the history'


async def test_calls_that_history_leaves_open_are_run_at_the_step_before_the_first_request() -> None:
    agent: Agent[None, Any] = Agent(FunctionModel(calls_once), output_type=[str, DeferredToolRequests])
    seen: list[Any] = []

    @agent.tool(requires_approval=True)
    def look(ctx: RunContext[None]) -> str:
        seen.append((ctx.run_step, ctx.tools.keys(), ctx.tool_call_approved))
        return 'seen'

    first = await agent.run('go')
    results = DeferredToolResults(approvals={'c': True})
    async with agent.iter(message_history=first.all_messages(), deferred_tool_results=results) as run:
        node: Any = await run.next(run.next_node)
        step = run.ctx.state.step
        node = await run.next(node)
        assert run.ctx.state.step is step
        assert [part.content for part in step.answers.parts] == ['seen']
        assert step.answers not in run.all_messages()
        await run.next(node)
        assert node.request in run.all_messages()
    assert seen == [(0, {'look'}, True)]


async def test_results_do_not_keep_the_dependencies_of_their_run() -> None:
    class Deps:
        pass

    async def one_run() -> tuple[Any, weakref.ref[Deps]]:
        deps = Deps()
        agent = Agent(TestModel(custom_output_text='hi'), deps_type=Deps)

        @agent.tool
        async def look(ctx: RunContext[Deps]) -> str:
            return type(ctx.deps).__name__

        return await agent.run('go', deps=deps), weakref.ref(deps)

    result, deps = await one_run()
    gc.collect()
    assert deps() is None
    assert result.output == 'hi'
    assert len(result.all_messages()) == 4


RUN_FACTS = {
    'messages': {'messages', 'message_history'},
    'usage': {'usage'},
    'run id': {'run_id'},
    'conversation': {'conversation_id'},
    'step': {'run_step', 'step'},
    'new messages': {'new_message_index'},
    'metadata': {'metadata'},
    'output retries': {'output_retries_used', 'output_retries'},
    'pending messages': {'pending_messages', 'pending'},
    'retries': {'retries'},
    'call counts': {'call_counts'},
    'prompt': {'prompt'},
}
"""Twelve facts of a run, and the names of fields that hold them."""
HOLDERS = {
    'Conversation': 'mirrored: what programs pass from run to run',
    'AboutRun': 'mirrored: an error shows the run that it ended; it and its record, which is pickled, inherit these',
    'ModelResponse': 'mirrored, and stored with histories: a message names its run',
    'ModelSelectionContext': 'mirrored: what a function that chooses a model sees, at one moment',
    'OptionsBesideDeps': 'mirrored: the options of a run, before there is a state',
    'RequestReady': 'a public fact (`stead.journal`), which has data and does not point to the state',
    'RunBegan': 'a public fact (`stead.journal`), which has data and does not point to the state',
    'RunContext': 'mirrored: what tools and hooks see of the state, at one moment',
    'RunSoFar': 'the state as JSON: workflows that are under way have it as their arguments',
    'RunState': 'the state',
}
"""The classes that declare four or more of the facts; this list may only shrink.

Of what is not the state itself or a fact, six mirror classes whose fields are public, and one is what stored workflows hold.
"""


def declared_by(node: ast.ClassDef) -> set[str]:
    return {one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}


def fields_of(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """Return the fields that a class declares or sets, without those that a base class has declared."""
    inherited = set[str]()
    bases = [ast.unparse(base) for base in node.bases]
    while bases:
        if (base := classes.get(bases.pop())) is not None:
            inherited |= declared_by(base)
            bases += [ast.unparse(one) for one in base.bases]
    names = declared_by(node)
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == '__init__':
            names |= {
                one.attr
                for one in ast.walk(method)
                if isinstance(one, ast.Attribute)
                and isinstance(one.ctx, ast.Store)
                and ast.unparse(one.value) == 'self'
            }
    return names - inherited


def test_few_classes_hold_the_facts_of_a_run() -> None:
    classes = {node.name: node for _, node in places(ast.ClassDef)}
    holders = {
        node.name
        for _, node in places(ast.ClassDef)
        if sum(bool(fields_of(node, classes) & names) for names in RUN_FACTS.values()) > 3
    }
    assert holders == HOLDERS.keys()
