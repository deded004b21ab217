"""`Log`: a line for each thing that a run does, while it does it."""

from __future__ import annotations

import sys
from dataclasses import field
from time import perf_counter
from typing import Any, TextIO

from pydantic import ValidationError

from .._contracts.capability import (
    AbstractCapability,
    CapabilityOrdering,
    RawToolArgs,
    ValidatedToolArgs,
    WrapModelRequestHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
    WrapToolValidateHandler,
)
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.keywords import dataclass
from .._show.causes import cause_in_words
from .._show.nodes import counted, nodes_of, one_line, prompt_text
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolRetryError
from ..messages import DeferredToolRequests, ModelResponse, ToolCallPart

WIDTH = 160
"""How many characters of a text are written."""
_STYLES = {'prompt': 'bold', 'call': 'cyan', 'answer': 'dim', 'error': 'red', 'end': 'green', 'thinking': 'dim italic'}


@dataclass
class Log(AbstractCapability[AnyDepsT]):
    """Writes a line for each request, response, tool call and answer of a run, with the seconds that it took.

    `stead.log()`, or `STEAD_LOG=1` in the environment, gives it to all agents. In a terminal the lines have colours, if the
    package rich is installed. They are for people who watch a program, and their form may change; spans of `Instrumentation`
    are for programs.
    """

    content: bool = True
    """Whether prompts, texts, arguments, results and errors are written; otherwise only names, counts and seconds."""
    file: TextIO | None = field(default=None, repr=False)
    """Where it writes; by default the standard error."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold a file."""
        return None

    def get_ordering(self) -> CapabilityOrdering | None:
        """Return the order: around all others, so that their waiting is counted."""
        return CapabilityOrdering(position='outermost')

    async def wrap_run(self, ctx: RunContext[AnyDepsT], *, handler: WrapRunHandler) -> Any:
        """Write how the run begins and how it ends."""
        started, prompt = perf_counter(), self._text(prompt_text(ctx.prompt)) if ctx.prompt is not None else ''
        self._write(ctx, f'> {prompt}' if prompt else '> begins', 'prompt')
        try:
            result = await handler()
        except BaseException as error:
            self._write(ctx, f'failed after {_seconds(started)} with {self._error(error)}', 'error')
            raise
        usage = result.usage
        used = f'{counted(usage.requests, "request")}, {counted(usage.tool_calls, "tool call")}'
        how = 'waits for answers' if isinstance(result.output, DeferredToolRequests) else 'done'
        self._write(ctx, f'{how} in {_seconds(started)}: {used}, {counted(usage.total_tokens, "token")}', 'end')
        return result

    async def wrap_model_request(
        self, ctx: RunContext[AnyDepsT], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Write what the model answered."""
        started = perf_counter()
        try:
            response = await handler(request_context)
        except BaseException as error:
            self._write(
                ctx, f'{ctx.run_step}. request failed after {_seconds(started)} with {self._error(error)}', 'error'
            )
            raise
        usage = response.usage
        name = one_line(response.model_name or ctx.model.model_name)
        tokens = f'{usage.input_tokens:,} + {counted(usage.output_tokens, "token")}'
        self._write(ctx, f'{ctx.run_step}. {name}, {_seconds(started)}, {tokens}', 'text')
        for node in nodes_of([response]):
            if node.kind == 'call':
                self._write(ctx, f'   {self._text(node.text, node.text.partition("(")[0])}', 'call')
            elif self.content:
                self._write(ctx, f'   {self._text(node.text)}', node.kind)
        return response

    async def wrap_tool_validate(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        handler: WrapToolValidateHandler,
    ) -> ValidatedToolArgs:
        """Write which arguments are not valid."""
        try:
            return await handler(args)
        except (ValidationError, ModelRetry) as error:
            problem = f': {one_line(cause_in_words(error), WIDTH)}' if self.content else ''
            self._write(
                ctx, f'   {one_line(call.tool_name)} was not run, its arguments are not valid{problem}', 'error'
            )
            raise

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Write what the tool returned."""
        started, name = perf_counter(), one_line(call.tool_name)
        try:
            result = await handler(args)
        except (ApprovalRequired, CallDeferred):
            self._write(ctx, f'   {name} waits', 'answer')
            raise
        except (ModelRetry, ToolRetryError) as error:
            problem = f': {one_line(cause_in_words(error), WIDTH)}' if self.content else ''
            self._write(ctx, f'   {name} asked for another try after {_seconds(started)}{problem}', 'error')
            raise
        except BaseException as error:
            self._write(ctx, f'   {name} failed after {_seconds(started)} with {self._error(error)}', 'error')
            raise
        shown = f': {self._text(result)}' if self.content else ''
        self._write(ctx, f'   {name} returned after {_seconds(started)}{shown}', 'answer')
        return result

    def _text(self, value: object, name: str = '') -> str:
        return one_line(value, WIDTH) if self.content else name

    def _error(self, error: BaseException) -> str:
        return f'{type(error).__name__}: {one_line(error, WIDTH)}' if self.content else type(error).__name__

    def _write(self, ctx: RunContext[AnyDepsT], line: str, kind: str) -> None:
        name = one_line((ctx.agent.name if ctx.agent is not None else None) or 'agent', 30)
        file: TextIO | None = sys.stderr if self.file is None else self.file
        if file is None:  # a program without a console
            return
        if file.isatty():
            try:
                from .._show.rich_trees import print_line
            except ImportError:  # the extra "rich" is not installed
                pass
            else:
                print_line(file, name, line, _STYLES.get(kind, ''))
                return
        print(f'{name}  {line}', file=file, flush=True)


def _seconds(started: float) -> str:
    return f'{perf_counter() - started:.2f} s'
