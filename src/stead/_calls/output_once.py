"""Output functions that are called once in a run: like tools, they may do something, and what they made is recorded.

The output validators that follow are part of it. They see what the function returned in the process that called it, and their
result is what a later process gets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_core import to_jsonable_python
from typing_extensions import TypeAlias

from .._contracts.facts import OutputReturned, OutputStarting, RunFact
from .._contracts.run_context import RunContext
from ..exceptions import ApprovalRequired, UserError
from ..messages import ToolCallPart
from ..output import OutputProcessor, OutputSchema

Announce: TypeAlias = Callable[[RunContext[Any], RunFact], Awaitable[None]]


async def called_once(
    make: Callable[[], Awaitable[Any]],
    value: object,
    processor: OutputProcessor[object],
    schema: OutputSchema[object],
    ctx: RunContext[object],
    announce: Announce,
    call: ToolCallPart | None,
) -> Any:
    """Return what an output function and the validators make, or have made in an earlier process.

    Args:
        make: Calls them.
        value: What the function is called with.
        processor: The processor that calls it.
        schema: The outputs of the run.
        ctx: The context that the function sees.
        announce: Announces what happens to those who record it.
        call: The call of the output tool; `None` for text.

    Raises:
        ApprovalRequired: An earlier process called it, and it is not known whether it returned.
        UserError: The same, and no call could wait for a person.
    """
    if call is None:
        args = {'text': value} if isinstance(value, str) else {'value': to_jsonable_python(value, fallback=repr)}
        call = ToolCallPart(processor.function_name or 'output', args, tool_call_id=f'output-{ctx.run_step}')
        ctx.call_key = f'{ctx.run_id}/{call.tool_call_id}'
    starting = OutputStarting(call, processor.effect)
    try:
        await announce(ctx, starting)
    except ApprovalRequired as error:
        if ctx.tool_call_id is not None or error.metadata is None:
            raise
        raise UserError(
            f'{error.metadata.get("message")} The output is text, so no call waits for an answer. Look at what output function '
            f'{call.tool_name!r} did; then fork the run, which asks the model again, or begin another one. As the function of an '
            'output tool (`ToolOutput`), it would be asked about.'
        ) from error
    if starting.returned is not None:
        return schema.recorded(starting.returned.data, str(ctx.run_id))
    output = await make()
    await announce(ctx, OutputReturned(call, output))
    return output
