"""`NoProgress` notices a model that makes the same calls again and again, and gets the same results."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, cast

from .._contracts.capability import AbstractCapability, ValidatedToolArgs, WrapToolExecuteHandler
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.keywords import dataclass
from ..exceptions import AgentRunError, UserError
from ..messages import BaseToolReturnPart, ModelMessage, ModelResponse, RetryPromptPart, ToolCallPart, ToolReturn
from ._context.shortening import check_counts
from ._context.sizes import result_text

NOT_AGAIN = 'stead_not_again'
"""The key in the metadata of a result that says that a call was not made again."""
_ACTIONS = ('warn', 'nudge', 'hide_tool', 'stop')


class NoProgressWarning(UserWarning):
    """A model makes the same calls again and again, and gets the same results."""


class NoProgressError(AgentRunError):
    """A model made the same calls again and again, and `NoProgress(action='stop')` ended the run."""


class _AnsweredCall(NamedTuple):
    """A call that was made, and a digest of its result."""

    tool_name: str
    args: bytes
    result: bytes


@dataclass
class NoProgress(AbstractCapability[AnyDepsT]):
    """Notice calls that are made again and again with the same result, and rounds of calls that repeat.

    Tools that wait for something are left alone: `@agent.tool(effect='read', poll=True)`.
    """

    same: int = 3
    """How many times a call, or a round of calls, is made with the same results before something is done."""
    cycle: int = 4
    """The most calls of a round that is recognized; two calls that alternate are a round of two."""
    action: Literal['warn', 'nudge', 'hide_tool', 'stop'] = 'nudge'
    """What is done: only a `NoProgressWarning`; the next such call is not made, and the model reads why; the same, and its tools
    are hidden for the rest of the run; or a `NoProgressError` ends the run."""

    def __post_init__(self) -> None:
        if self.action not in _ACTIONS:
            raise UserError(f'`action` of `NoProgress` is one of {_ACTIONS}, not {self.action!r}.')
        check_counts('NoProgress', 2, same=self.same)
        check_counts('NoProgress', cycle=self.cycle)
        self._hidden: set[str] = set()
        self._warned = False
        self._begin()

    def _begin(self) -> None:
        self._seen, self._calls = 0, list[_AnsweredCall]()
        self._open: dict[str, ToolCallPart] = {}
        self._results: dict[tuple[str, bytes], bytes] = {}

    async def for_run(self, ctx: RunContext[AnyDepsT]) -> NoProgress[AnyDepsT]:
        """Return the capability of one run, which knows its calls."""
        own = copy(self)
        own.__post_init__()
        return own

    async def before_model_request(
        self, ctx: RunContext[AnyDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """End the run if its calls repeat and that is to end it.

        Raises:
            NoProgressError: They do.
        """
        if (round_ := self._repeated(ctx)) and self.action in ('warn', 'stop'):
            text = f'The model makes no progress: {_in_words(round_, self.same)}.'
            if self.action == 'stop':
                raise NoProgressError(f'{text} `NoProgress(action="nudge")` tells it so instead.')
            if not self._warned:
                self._warned = True
                warnings.warn(text, NoProgressWarning, stacklevel=2)
        return request_context

    async def prepare_tools(self, ctx: RunContext[AnyDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Hide the tools of calls that repeat, if they are to be hidden."""
        if self.action == 'hide_tool':
            self._hidden.update(one.tool_name for one in self._repeated(ctx))
        return [one for one in tool_defs if one.name not in self._hidden] if self._hidden else tool_defs

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Make the call, unless it is one of those that repeat: then the model reads that it is not made again."""
        if self.action in ('nudge', 'hide_tool') and (round_ := self._repeated(ctx)):
            own = _args_of(call)
            if any(one.tool_name == call.tool_name and one.args == own for one in round_):
                text = f'This call was not made again: {_in_words(round_, self.same)}. Do something else, or answer.'
                return ToolReturn(text, metadata={NOT_AGAIN: True})
        return await handler(args)

    def _repeated(self, ctx: RunContext[AnyDepsT]) -> Sequence[_AnsweredCall]:
        """Return the round of calls that the run makes again and again; nothing if it does not."""
        messages = ctx.messages
        if len(messages) < self._seen:  # a hook has left some out
            self._begin()
        self._calls += self._answered_in(messages[self._seen :], ctx.run_id)
        self._seen = len(messages)
        calls = self._calls
        for length in range(1, self.cycle + 1):
            if len(calls) < length * self.same:
                break
            round_ = calls[-length:]
            tail = calls[-length * self.same :]
            if all(one == tail[n % length] for n, one in enumerate(tail)) and not any(
                _polls(ctx, one) for one in round_
            ):
                return round_
        return ()

    def _answered_in(self, messages: Sequence[ModelMessage], run_id: str | None) -> Iterator[_AnsweredCall]:
        for message in messages:
            if message.run_id != run_id:
                continue
            if isinstance(message, ModelResponse):
                self._open = {part.tool_call_id: part for part in message.parts if isinstance(part, ToolCallPart)}
                continue
            for part in message.parts:
                if not isinstance(part, (BaseToolReturnPart, RetryPromptPart)):
                    continue
                if (call := self._open.pop(part.tool_call_id, None)) is None:
                    continue
                key = call.tool_name, _args_of(call)
                if isinstance(part, RetryPromptPart):
                    self._results[key] = _digest(part.model_response())
                elif not _is_not_again(part.metadata):
                    self._results[key] = _digest(result_text(part))
                yield _AnsweredCall(*key, self._results.get(key, b''))


def _is_not_again(metadata: object) -> bool:
    return isinstance(metadata, Mapping) and NOT_AGAIN in cast('Mapping[str, object]', metadata)


def _polls(ctx: RunContext[Any], call: _AnsweredCall) -> bool:
    tools: Mapping[str, Any] = getattr(ctx.tool_manager, 'tools', None) or {}
    tool = tools.get(call.tool_name)
    return tool is not None and tool.policy is not None and bool(tool.policy.poll)


def _args_of(call: ToolCallPart) -> bytes:
    try:
        return _digest(json.dumps(call.args_as_dict(), sort_keys=True, ensure_ascii=False))
    except (ValueError, RecursionError, TypeError):
        return _digest(str(call.args))


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors='replace'), digest_size=8).digest()


def _in_words(round_: Sequence[_AnsweredCall], same: int) -> str:
    names = ' and '.join(f'`{name}`' for name in dict.fromkeys(one.tool_name for one in round_))
    return f'{same} times in a row, {names} returned the same for the same arguments'
