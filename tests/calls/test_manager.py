"""`ToolManager` by itself: a call from its validation to its result."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from stead import FunctionToolset, ModelRetry, RunContext, Tool
from stead.capabilities import Hooks
from stead.exceptions import ApprovalRequired, CallDeferred, ToolRetryError, UnexpectedModelBehavior, UserError
from stead.tool_manager import ToolManager

from .kit import call, context, managing, wait


def add(a: int, b: int = 1) -> int:
    return a + b


async def picky(ctx: RunContext[Any], a: int = 0) -> str:
    raise ModelRetry(f'attempt {ctx.retry} of {ctx.max_retries}')


def asks(ctx: RunContext[Any]) -> Any:
    if not ctx.tool_call_approved:
        raise ApprovalRequired({'why': 'big'})
    return ctx.tool_call_metadata


def elsewhere() -> None:
    raise CallDeferred({'job': 1})


def test_before_its_first_step_a_manager_says_what_to_do() -> None:
    manager = ToolManager[Any](FunctionToolset([add]))
    for use in (lambda: manager.tool_defs, lambda: manager.get_tool_def('add')):
        with pytest.raises(
            ValueError, match=r'belongs to no run step yet\. Use the one that `await manager.for_run_step'
        ):
            use()
    with pytest.raises(ValueError, match='belongs to no run step yet'):
        wait(manager.handle_call(call('add', {'a': 1})))


def test_a_call_is_validated_and_executed() -> None:
    async def main() -> None:
        manager = await managing(add)
        validated = await manager.validate_tool_call(call('add', {'a': '5'}))
        assert (validated.args_valid, validated.validated_args, validated.validation_error) == (
            True,
            {'a': 5, 'b': 1},
            None,
        )
        assert (validated.ctx.tool_name, validated.ctx.tool_call_id) == ('add', 'id_add')
        assert await manager.execute_tool_call(validated) == 6
        assert await manager.handle_call(call('add', '{"a": 2, "b": 3}')) == 5
        assert manager.ctx is not None and manager.ctx.usage.tool_calls == 2
        assert manager.failed_tools == set()

    wait(main())


@pytest.mark.parametrize(
    ('name', 'args', 'error', 'content'),
    [
        ('add', {'a': 'x'}, ValidationError, None),
        ('add', '{"a": ', ValidationError, None),
        ('picky', {}, ModelRetry, 'attempt 0 of 1'),
        ('nobody', {}, ModelRetry, "Unknown tool name: 'nobody'. Available tools: 'add', 'picky'"),
    ],
)
def test_what_the_model_did_wrong_is_wrapped_for_it_or_raised_as_it_is(
    name: str, args: Any, error: Any, content: Any
) -> None:
    async def main() -> None:
        manager = await managing(add, picky)
        with pytest.raises(ToolRetryError) as wrapped:
            await manager.handle_call(call(name, args))
        part = wrapped.value.tool_retry
        assert (part.tool_name, part.tool_call_id) == (name, f'id_{name}')
        assert content is None or part.content == content
        assert manager.failed_tools == {name}
        with pytest.raises(error):
            await (await managing(add, picky)).handle_call(call(name, args), wrap_validation_errors=False)

    wait(main())


def test_approvals_and_deferrals_pass_through() -> None:
    async def main() -> None:
        manager = await managing(asks, elsewhere)
        with pytest.raises(ApprovalRequired) as approval:
            await manager.handle_call(call('asks'))
        assert approval.value.metadata == {'why': 'big'}
        assert await manager.handle_call(call('asks'), approved=True, metadata={'by': 'me'}) == {'by': 'me'}
        with pytest.raises(CallDeferred):
            await manager.handle_call(call('elsewhere'))
        assert manager.failed_tools == set(), 'a call that waits has not failed'

    wait(main())


def test_retries_are_counted_from_step_to_step() -> None:
    async def main() -> None:
        manager = await managing(Tool(picky, max_retries=2))
        texts: list[Any] = []
        for step in range(2, 5):
            try:
                await manager.handle_call(call('picky'))
            except ToolRetryError as error:
                texts.append(error.tool_retry.content)
            except UnexpectedModelBehavior as error:
                texts.append(str(error))
            manager = await manager.for_run_step(context(run_step=step))
        assert texts == ['attempt 0 of 2', 'attempt 1 of 2', "Tool 'picky' exceeded max retries count of 2"]

    wait(main())


def test_a_step_without_a_failure_starts_the_count_again() -> None:
    async def main() -> list[dict[str, int]]:
        manager = await managing(picky, add)
        counts: list[dict[str, int]] = []
        for step, args in enumerate(['picky', 'add', 'picky'], 2):
            try:
                await manager.handle_call(call(args, {'a': 1}))
            except ToolRetryError:
                pass
            manager = await manager.for_run_step(context(run_step=step))
            assert manager.ctx is not None
            counts.append(manager.ctx.retries)
        return counts

    assert wait(main()) == [{'picky': 1}, {}, {'picky': 1}]


def test_the_same_step_keeps_its_manager() -> None:
    async def main() -> None:
        manager = await managing(add)
        assert manager.ctx is not None
        assert await manager.for_run_step(manager.ctx) is manager
        assert await manager.for_run_step(context(run_step=2)) is not manager

    wait(main())


def test_limits_come_from_the_context_and_those_of_unknown_names_from_the_manager() -> None:
    async def main() -> None:
        manager = await managing(add, ctx=context(max_retries=3), default_max_retries=0)
        assert manager.tools is not None and manager.tools['add'].max_retries == 3
        with pytest.raises(UnexpectedModelBehavior, match="'nobody' exceeded max retries count of 0"):
            await manager.validate_tool_call(call('nobody'))

    wait(main())


def test_hooks_of_the_root_capability_see_every_call() -> None:
    seen: list[Any] = []

    async def before(ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any) -> Any:
        seen.append((call.tool_call_id, args))
        return {**args, 'b': 10}

    async def main() -> Any:
        manager = await managing(add, root_capability=Hooks(before_tool_execute=before))
        return await manager.handle_call(call('add', {'a': 1}))

    assert wait(main()) == 11
    assert seen == [('id_add', {'a': 1, 'b': 1})]


def test_modes_are_chosen_by_context_and_by_sequential_tools() -> None:
    async def main() -> None:
        manager = await managing(add, Tool(picky, sequential=True))
        mode = manager.get_parallel_execution_mode
        one, other = [call('add')], [call('add'), call('picky')]
        assert (mode(one), mode(other), mode([]), mode([call('nobody')])) == (
            'parallel',
            'sequential',
            'parallel',
            'parallel',
        )
        with ToolManager.parallel_execution_mode('parallel_ordered_events'):
            assert (mode(one), mode(other)) == ('parallel_ordered_events', 'sequential')
            with ToolManager.sequential_tool_calls():
                assert mode(one) == 'sequential'
            assert mode(one) == 'parallel_ordered_events'
        assert mode(one) == 'parallel'

    wait(main())


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UserError, match=r"no parallel execution mode 'paralel'; there are \('parallel', 'sequential'"):
        with ToolManager.parallel_execution_mode('paralel'):  # type: ignore[arg-type]
            pass
