"""`Faults`: faults of models and tools, for an agent without changes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import (
    AbstractCapability,
    CapabilityOrdering,
    WrapModelRequestHandler,
    WrapToolExecuteHandler,
)
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import (
    ModelConnectionError,
    ModelHTTPError,
    ModelOverloadedError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
    UserError,
)
from ..messages import ModelResponse, ToolCallPart

ModelFault: TypeAlias = Callable[[ModelRequestContext, WrapModelRequestHandler, random.Random], Any]
"""Does something in place of a request to a model, or to its response; returns the response, or raises."""
ToolFault: TypeAlias = Callable[[WrapToolExecuteHandler, dict[str, Any], random.Random], Any]
"""Does something in place of a tool, or to its result; returns the result, or raises."""
_CATEGORIES: dict[int, Any] = {429: ModelRateLimitError, 503: ModelOverloadedError, 529: ModelOverloadedError}
_LONGEST_WAIT = 3_600.0


def timeout(seconds: float = 0.0) -> ModelFault:
    """Return a fault: after some seconds, the connection times out."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        await asyncio.sleep(min(seconds, _LONGEST_WAIT))
        raise ModelTimeoutError(request.model.model_name, 'The request timed out (a fault of the test).')

    return fault


def connection_lost() -> ModelFault:
    """Return a fault: the provider cannot be reached."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        raise ModelConnectionError(request.model.model_name, 'The connection was lost (a fault of the test).')

    return fault


def status(code: int, *, body: object = None, retry_after: float | None = None) -> ModelFault:
    """Return a fault: the provider answers with an HTTP status, as an error of the class that goes with it."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        category = _CATEGORIES.get(code, ModelServerError if code >= 500 else None)
        raise ModelHTTPError.for_category(
            category, status_code=code, model_name=request.model.model_name, body=body, retry_after=retry_after
        )

    return fault


def empty() -> ModelFault:
    """Return a fault: the model is asked, and its response has no parts."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        return replace(await handler(request), parts=[])

    return fault


def malformed_args() -> ModelFault:
    """Return a fault: the arguments of the calls in a response are JSON that is cut off."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        response = await handler(request)
        parts = [
            replace(part, args=_cut(part, rng)) if isinstance(part, ToolCallPart) else part for part in response.parts
        ]
        return replace(response, parts=parts)

    return fault


def _cut(call: ToolCallPart, rng: random.Random) -> str:
    text = call.args_as_json_str()
    return text[: rng.randint(1, max(len(text) - 1, 1))]


def truncated() -> ModelFault:
    """Return a fault: the response reaches its token limit after half of its text."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        response = await handler(request)
        parts = [
            replace(part, content=part.content[: len(part.content) // 2]) if part.part_kind == 'text' else part
            for part in response.parts
        ]
        return replace(response, parts=parts, finish_reason='length')

    return fault


def fine() -> ModelFault:
    """Return no fault: the request in this place goes through."""

    async def fault(
        request: ModelRequestContext, handler: WrapModelRequestHandler, rng: random.Random
    ) -> ModelResponse:
        return await handler(request)

    return fault


def raises(error: BaseException | type[BaseException]) -> ToolFault:
    """Return a fault: a tool raises an error, and is not run."""

    async def fault(handler: WrapToolExecuteHandler, args: dict[str, Any], rng: random.Random) -> Any:
        raise error

    return fault


def slow(seconds: float) -> ToolFault:
    """Return a fault: a tool takes some seconds longer."""

    async def fault(handler: WrapToolExecuteHandler, args: dict[str, Any], rng: random.Random) -> Any:
        await asyncio.sleep(min(seconds, _LONGEST_WAIT))
        return await handler(args)

    return fault


def garbage() -> ToolFault:
    """Return a fault: a tool returns text that means nothing."""

    async def fault(handler: WrapToolExecuteHandler, args: dict[str, Any], rng: random.Random) -> Any:
        return ''.join(chr(rng.choice((rng.randint(33, 126), rng.randint(0x370, 0x3FF), 10))) for _ in range(80))

    return fault


def returns(value: object) -> ToolFault:
    """Return a fault: a tool returns this value, and is not run."""

    async def fault(handler: WrapToolExecuteHandler, args: dict[str, Any], rng: random.Random) -> Any:
        return value

    return fault


def works() -> ToolFault:
    """Return no fault: the call in this place goes through."""

    async def fault(handler: WrapToolExecuteHandler, args: dict[str, Any], rng: random.Random) -> Any:
        return await handler(args)

    return fault


class Faults(AbstractCapability[Any]):
    """Let requests and tools of a run fail, in the order of lists; after those, everything works.

    It is a capability, so any agent can have it for a run: `agent.run(..., capabilities=[faults(...)])`. It stands nearest to the
    model and to the tools, so that all other capabilities see what they would see if it happened.
    """

    def __init__(
        self,
        *,
        model: Sequence[ModelFault] = (),
        tools: Mapping[str, Union[ToolFault, Sequence[ToolFault]]] | None = None,
        seed: int = 0,
    ) -> None:
        """Choose what goes wrong.

        Args:
            model: What happens to the requests, one after the other.
            tools: What happens to the calls of tools, by their names.
            seed: Decides what is random in it.

        Raises:
            UserError: Something in the lists is not a fault.
        """
        super().__init__()
        self._model = [*model]
        self._tools: dict[str, list[ToolFault]] = {}
        for name, one in (tools or {}).items():
            self._tools[name] = [one] if callable(one) else [*one] if isinstance(one, Sequence) else [cast(Any, one)]
        for one in (*self._model, *(fault for faults in self._tools.values() for fault in faults)):
            if not callable(one):
                raise UserError(f'`faults` takes faults such as `timeout()` and `raises(...)`, not {one!r}.')
        self.seed = seed
        self._begin()

    def _begin(self) -> None:
        self._requests = iter(self._model)
        self._calls = {name: iter(faults) for name, faults in self._tools.items()}
        self._random = random.Random(self.seed)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold faults."""
        return None

    async def for_run(self, ctx: RunContext[Any]) -> Faults:
        """Return the faults of one run, from the first on."""
        own = copy(self)
        own._begin()
        return own

    def get_ordering(self) -> CapabilityOrdering:
        """Return the place nearest to the model."""
        return CapabilityOrdering(position='innermost')

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Let the request fail in the next way."""
        fault = next(self._requests, None)
        return await (handler(request_context) if fault is None else fault(request_context, handler, self._random))

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Let the call fail in the next way of its tool."""
        fault = next(self._calls.get(tool_def.name, iter(())), None)
        return await (handler(args) if fault is None else fault(handler, args, self._random))


def faults(
    *,
    model: Sequence[ModelFault] = (),
    tools: Mapping[str, Union[ToolFault, Sequence[ToolFault]]] | None = None,
    seed: int = 0,
) -> Faults:
    """Return a capability that lets requests and tools of a run fail; see `Faults`."""
    return Faults(model=model, tools=tools, seed=seed)
