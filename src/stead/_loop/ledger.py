"""`Ledger`: reserves in the budgets of a run what a request may use at most, and counts what it has used.

A request is estimated when its step begins, before anything is recorded of it: then the run may still make it its last one, and
the model is told so. Hooks may change the request afterwards, or send it again; so it is estimated again when it is handed to the
model.

How much is that at most? The prompt: what the provider counted of the last request and its response, and a token for two bytes
of what was added since. The response: `max_tokens`, which is set to what the budgets still have where it is not, so that no
model writes more than was reserved. The price: the highest that the tables have for tokens of that kind. A model that falls
back to others may use what each of them may use.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple

from typing_extensions import Self

from .._contracts.model import ModelRequestContext, ModelRequestParameters, sent
from .._kit.around import BUDGETS_AROUND, REQUESTS_AROUND, reading
from .._kit.ids import uuid7_str
from .._kit.price_tables import NANO, rates_of
from .._show.costs import note_cost
from .._streams.exchange import Connection
from ..budgets import Budget, BudgetOfRun
from ..budgets.account import KINDS, NOTHING, AccountState, Amounts, add
from ..exceptions import BudgetExceeded, UserError
from ..messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextContent,
    ToolReturnPart,
    UserPromptPart,
)
from ..models import Model, StreamedResponse
from ..usage import RunUsage
from .state import RunGraphContext, RunStep

PER_PART, PER_FILE, PER_REQUEST = 8, 3_000, 100
"""Tokens of roles and names, of a file or image, and of what a provider adds to a request."""
MOST_WRITTEN, LEAST_WRITTEN = 16_384, 256
"""The tokens of a response without `max_tokens`: what is reserved if there is enough, and what there has to be at least."""
FOR_SHORT_ANSWERS = 500
"""Tokens of a last request in addition to the one before: what it says, and short answers in place of results of tools."""
LAST_REQUEST = (
    'The budget of this run is used up, and no tools are left. Answer now, with what you know; say what is missing.'
)
_MOST_ASKED = 10
"""How often a function may say that a request is to be tried again."""
LEFT_OUT = 'Left out: the budget of this run is used up.'
NO_CALLS_LEFT = 'Not executed: the budget of tool calls of this run is used up.'


TRACING = 'opentelemetry.trace'
ONCE = Amounts(requests=1)
"""A request of which only the number is limited."""


class Worst(NamedTuple):
    """What a request may use at most."""

    prompt: int
    written: int
    is_set: bool
    """Whether the request itself says how much the model may write."""
    models: Sequence[Model]


ONE_REQUEST = Worst(0, 0, True, ())


class Ledger(BudgetOfRun):
    """The budgets of a run, and what it has reserved in them."""

    def __init__(self, budgets: tuple[Budget, ...], run_id: str) -> None:
        self.budgets: tuple[Budget, ...] = budgets
        self.run_id: str = run_id
        self.has_usd: bool = any(budget.limits[0] is not None for budget in budgets)
        self.has_calls: bool = any(budget.limits[3] is not None for budget in budgets)
        self.is_bounded: bool = any(budget.limits[0] is not None or budget.limits[1] is not None for budget in budgets)
        self._used: list[int] = [*NOTHING]
        """What was counted since the run began, or continued, in this process."""
        self._warned: set[int] = set()
        self._id = uuid7_str()
        self._reserved = NOTHING
        self._estimated: Sequence[ModelMessage] = ()
        self._number = 0
        """The messages that the reservation was made for, and how many they are."""
        self._written: int | None = None
        """The `max_tokens` that was set because there was none."""
        self._model: Model | None = None
        self._models: Sequence[Model] = ()
        """The last model, and those that its requests may be sent to."""
        self._exceeded: BudgetExceeded | None = None
        """Why the next request is the last."""
        self._is_last = False
        self._calls = 0
        self._begun_calls: set[str] = set()
        """The reservations of calls that are not counted yet."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        for budget in self.budgets:
            await budget.change(give_back=(self._id, f'{self._id}/last', *self._begun_calls))
            budget.note_counted(self.run_id, self._used)

    @property
    def no_calls_left(self) -> str:
        """The answer to a call that may not begin."""
        return NO_CALLS_LEFT

    # Requests

    def holds(self, budget: Budget) -> bool:
        """Return whether a request of the run is under way that has something reserved in a budget."""
        return self._reserved != NOTHING and budget in self.budgets

    async def begin_request(self, ctx: RunGraphContext, step: RunStep, request: ModelRequest) -> None:
        """Reserve a request that was put together, or make it the last one.

        Raises:
            BudgetExceeded: It does not fit, and the run is to end, or has had its last request.
            UserError: The price of the model is not known.
        """
        if self._is_last and self._exceeded is not None:
            raise self._exceeded
        for budget in self.budgets:
            if budget.warn_at is not None and budget.share_used() >= budget.warn_at:
                self._warn(budget, request)
        prepared = step.request
        worst = await self._worst(prepared, ctx)
        self._estimated = ()
        if self._exceeded is None:
            self._estimated, self._number = prepared.messages, len(prepared.messages)
            if self._reserve_at_once(worst, keep=True):
                return
            refused, asked, decision = await self._reserve(worst, keep=True), 0, 'continue'
            while refused is not None and decision == 'continue' and asked < _MOST_ASKED:
                decision, asked = await _decided(step, *refused), asked + 1
                if decision == 'continue':
                    refused = await self._reserve(worst, keep=True)
            if refused is None:
                return
            self._estimated, self._exceeded = (), refused[1]
            if decision != 'finish':
                raise self._exceeded
        self._is_last = True
        await self._make_last(ctx, step, request)

    async def _make_last(self, ctx: RunGraphContext, step: RunStep, request: ModelRequest) -> None:
        """Let a request be the last one: without tools, and short enough for what was put aside."""
        request.parts = [*request.parts, UserPromptPart(LAST_REQUEST)]
        prepared = step.request
        prepared.model_request_parameters = replace(
            prepared.model_request_parameters, function_tools=[], native_tools=[]
        )
        tools = step.tools.own_tools()
        for name in [name for name, tool in tools.items() if tool.tool_def.kind != 'output']:
            del tools[name]
        if prepared.model_settings and 'tool_choice' in prepared.model_settings:
            prepared.model_settings['tool_choice'] = 'auto'
        self._written = None
        if await self._reserve(await self._worst(prepared, ctx), keep=False, spends_kept=True) is None:
            return
        short: list[Any] = [
            replace(part, content=LEFT_OUT) if isinstance(part, ToolReturnPart) else part for part in request.parts
        ]
        prepared.messages[-1 - ctx.state.following] = replace(request, parts=short)
        refused = await self._reserve(await self._worst(prepared, ctx), keep=False, spends_kept=True)
        if refused is not None:
            raise refused[1]

    def _warn(self, budget: Budget, request: ModelRequest) -> None:
        """Tell the model once that a budget is nearly used up."""
        if id(budget) not in self._warned:
            self._warned.add(id(budget))
            text = f'{budget.share_used():.0%} of the budget is used; {budget.left} are left. Come to an end soon.'
            request.parts = [*request.parts, UserPromptPart(text)]

    async def paid_request(self, prepared: ModelRequestContext, ctx: RunGraphContext, work: Any) -> ModelResponse:
        """Make a request within what is reserved for it, and count what it has used."""
        await self._confirm(prepared, ctx)
        try:
            with reading(self):
                response = await work(prepared)
        except BaseException:
            await self._settle(None, prepared)
            raise
        await self._settle(response, prepared)
        return response

    @asynccontextmanager
    async def paid_stream(
        self, prepared: ModelRequestContext, ctx: RunGraphContext, connect: Any
    ) -> AsyncGenerator[StreamedResponse, None]:
        """Open a stream within what is reserved for it, and count what it has used when it is left."""
        await self._confirm(prepared, ctx)
        stream = None
        try:
            connection: Connection = connect(prepared)
            async with connection as stream:
                yield stream
        finally:
            await self._settle(None if stream is None else stream.get(), prepared)

    async def paid_beside(self, prepared: ModelRequestContext) -> ModelResponse:
        """Send a request of a capability, in addition to that of the step, and count what it has used.

        Raises:
            BudgetExceeded: It does not fit.
            UserError: The price of the model is not known.
        """
        beside = Ledger(self.budgets, self.run_id)
        beside._used = self._used
        with reading(self):
            worst = await beside._worst(prepared, None)
            refused = await beside._reserve(worst, keep=False)
        if refused is not None:
            raise refused[1]
        beside._bound(prepared)
        try:
            with reading(beside):
                response = await sent(prepared)
        except BaseException:
            await beside._settle(None, prepared)
            raise
        await beside._settle(response, prepared)
        return response

    async def _confirm(self, prepared: ModelRequestContext, ctx: RunGraphContext) -> None:
        """Bound a request as it is handed to the model. If hooks have changed it, or send it again, it is reserved first."""
        if not self._is_as_estimated(prepared, ctx):
            worst = await self._worst(prepared, ctx)
            if self._written is not None and not worst.is_set:
                worst = worst._replace(written=self._written)
            if self._amounts(worst) != self._reserved:
                self._written = None
                refused = await self._reserve(worst, keep=not self._is_last, spends_kept=self._is_last)
                if refused is not None:
                    raise refused[1]
        self._bound(prepared)

    def _bound(self, prepared: ModelRequestContext) -> None:
        """Let the model write no more than was reserved."""
        if self._written is not None:
            prepared.model_settings = {**(prepared.model_settings or {}), 'max_tokens': self._written}

    def _is_as_estimated(self, prepared: ModelRequestContext, ctx: RunGraphContext) -> bool:
        """Return whether a request is what was reserved for: no hook has had it, nothing was added, and it is sent once."""
        estimated, self._estimated = self._estimated, ()
        if estimated is not prepared.messages or self._number != len(estimated):
            return False
        chain = ctx.state.step.tools.chain
        return not (chain.model_request or chain.prepare_model_request)

    async def _settle(self, response: ModelResponse | None, prepared: ModelRequestContext) -> None:
        """Count a request that was made, and give back the rest of what was reserved; all of it if there is no response."""
        reserved, self._reserved = self._reserved, NOTHING
        if response is None:
            for budget in self.budgets:
                await budget.change(give_back=(self._id,))
            return
        # What was not measured is what it may have been.
        tokens = response.usage.total_tokens
        tokens, usd = (tokens if tokens > 0 else reserved.tokens), 0
        if self.has_usd:
            note_cost(response)
            usage = response.usage
            if usage.cost is not None:
                usd = max(-int(-usage.cost * NANO // 1), 0)
            elif usage.total_tokens <= 0:
                usd = reserved.usd
            else:
                worst = Worst(usage.input_tokens, usage.output_tokens, True, [prepared.model])
                usd = self._usd(worst, strict=False)
        await self._count(self._id, Amounts(usd, tokens, 1))
        if TRACING in sys.modules:
            _show_left(self)

    async def _count(self, reservation: str, used: Amounts) -> None:
        for budget in self.budgets:
            if not budget.count_at_once(reservation, used):
                await budget.change(used=((reservation, used),))
        add(self._used, used)

    # What a request may use

    async def _worst(self, prepared: ModelRequestContext, ctx: RunGraphContext | None) -> Worst:
        if not self.is_bounded:
            return ONE_REQUEST
        settings = prepared.model_settings or {}
        most = settings.get('max_tokens', (prepared.model.settings or {}).get('max_tokens'))
        if ctx is not None and ctx.deps.usage_limits.count_tokens_before_request:
            counted = await prepared.model.count_tokens(
                prepared.messages, prepared.model_settings or None, prepared.model_request_parameters
            )
            prompt = counted.input_tokens
        else:
            prompt = prompt_tokens(prepared.messages, prepared.model_request_parameters, prepared.model, self.run_id)
        if prepared.model is not self._model:
            self._model, self._models = prepared.model, _members(prepared.model)
        if isinstance(most, int):
            return Worst(prompt, most, True, self._models)
        return Worst(prompt, MOST_WRITTEN, False, self._models)

    def _amounts(self, worst: Worst) -> Amounts:
        if not self.is_bounded:
            return ONCE
        return Amounts(self._usd(worst) if self.has_usd else 0, (worst.prompt + worst.written) * len(worst.models), 1)

    def _usd(self, worst: Worst, *, strict: bool = True) -> int:
        total = 0.0
        for model in worst.models:
            provider = None if model.system in ('function', 'test') else model.system
            rates = rates_of(model.model_name, provider, model.base_url, worst.prompt)
            if rates is not None:
                total += rates.request + worst.prompt * rates.input + worst.written * rates.output
            elif strict and any(one.limits[0] is not None and one.unknown_prices == 'refuse' for one in self.budgets):
                raise UserError(
                    f'The price of the model {model.model_name!r} is not known, so a budget in US dollars cannot hold. '
                    'Prices come from the package genai-prices: `pip install --upgrade "stead[prices]"`. '
                    "`Budget(unknown_prices='allow')` counts such requests as free; `Budget(tokens=...)` needs no prices."
                )
        return int(total) + (total > 0)

    async def _reserve(
        self, worst: Worst, *, keep: bool, spends_kept: bool = False
    ) -> tuple[Budget, BudgetExceeded] | None:
        """Reserve a request, and the last one after it; a response without a bound gets one that fits.

        Args:
            worst: What the request may use.
            keep: Whether means for a last request are put aside, in budgets that may end with one.
            spends_kept: Whether the request is the last one, and has what was put aside for it.

        Returns:
            The budget in which it does not fit, and the error that says so; `None` if it was reserved.
        """
        tries = 0
        while True:
            if not spends_kept and self._reserve_at_once(worst, keep=keep):
                return None
            amounts = self._amounts(worst)
            failed = await self._try(worst, amounts, keep, spends_kept)
            if failed is None:
                self._reserved, self._written = amounts, None if worst.is_set else worst.written
                return None
            budget, found = failed
            if not worst.is_set and worst.written // 2 >= LEAST_WRITTEN:
                worst = worst._replace(written=worst.written // 2)
                continue
            if found is None or not found.may_wait or any(one.holds(budget) for one in REQUESTS_AROUND.get()):
                return budget, self._error(budget, found, worst)
            await budget.wait(tries)
            tries += 1

    def _reserve_at_once(self, worst: Worst, *, keep: bool) -> bool:
        """Reserve a request in all budgets if that takes no more than a look at each; if not, what was reserved is replaced."""
        amounts = self._amounts(worst) if self.is_bounded else ONCE
        for budget in self.budgets:
            if (keep and budget.on_limit != 'raise') or not budget.reserve_at_once(self._id, amounts):
                return False
        self._reserved, self._written = amounts, None if worst.is_set else worst.written
        return True

    async def _try(
        self, worst: Worst, amounts: Amounts, keep: bool, spends_kept: bool
    ) -> tuple[Budget, AccountState | None] | None:
        """Reserve a request in all budgets, or in none; return the budget without room for it, and its balance."""
        last = f'{self._id}/last'
        for budget in self.budgets:
            found = None
            if not budget.time_is_up() or spends_kept:
                reserve = [(self._id, amounts, False)]
                if keep and budget.may_finish:
                    after = worst._replace(prompt=worst.prompt + 2 * worst.written + FOR_SHORT_ANSWERS)
                    reserve.append((last, self._amounts(after), True))
                found = await budget.change(give_back=(last,) if spends_kept else (), reserve=reserve)
            if found is None or found.exceeded is not None:
                for other in self.budgets:
                    await other.change(give_back=(self._id,))
                self._reserved = NOTHING
                return budget, found
        return None

    def _error(self, budget: Budget, found: AccountState | None, worst: Worst) -> BudgetExceeded:
        what = f'budget {budget.name!r}' if budget.name else 'budget'
        if found is None or found.exceeded is None:
            text, limit = f'The {what} is used up: {budget.seconds:g} seconds have passed.', 'seconds'
        else:
            limit = KINDS[found.exceeded]
            needs = {
                'usd': f'it may cost up to ${self._amounts(worst).usd / NANO:.4f}',
                'tokens': f'it may use up to {self._amounts(worst).tokens:,} tokens',
            }.get(limit, 'it is one more')
            text = (
                f'The next request would exceed the {what} of {budget.limit_text(found.exceeded)}: {needs}, '
                f'and {budget.left} are left.'
            )
        return BudgetExceeded(text, limit, budget.name)

    # Calls

    async def begin_call(self) -> bool:
        """Count a tool call that begins, and return whether it may; if not, the next request is the last one.

        Raises:
            BudgetExceeded: It may not, and the run is to end.
        """
        call, self._calls = Amounts(tool_calls=1), self._calls + 1
        reservation = f'{self._id}/call/{self._calls}'  # others may begin at the same time
        self._begun_calls.add(reservation)
        for number, budget in enumerate(self.budgets):
            if budget.reserve_at_once(reservation, call):
                continue
            if (await budget.change(reserve=((reservation, call, False),))).exceeded is None:
                continue
            for earlier in self.budgets[:number]:
                await earlier.change(give_back=(reservation,))
            self._begun_calls.discard(reservation)
            name = f' {budget.name!r}' if budget.name else ''
            text = f'The next tool call would exceed the budget{name} of {budget.limit_text(3)}.'
            self._exceeded = BudgetExceeded(text, 'tool_calls', budget.name)
            if budget.on_limit == 'raise':
                raise self._exceeded
            return False
        await self._count(reservation, call)
        self._begun_calls.discard(reservation)
        return True


async def _decided(step: RunStep, budget: Budget, exceeded: BudgetExceeded) -> str:
    on_limit: Any = budget.on_limit
    if callable(on_limit):
        found: Any = on_limit(step.context, exceeded)
        on_limit = await found if inspect.isawaitable(found) else found
        if on_limit not in ('raise', 'finish', 'continue'):
            raise UserError(
                f"`on_limit` of a `Budget` returns 'raise', 'finish' or 'continue', and returned {on_limit!r:.100}."
            )
    return str(on_limit)


async def ledger_of(
    passed: Budget | None, of_agent: Budget | None, run_id: str, before: RunUsage | None
) -> Ledger | None:
    """Return the ledger of a run; `None` if nothing limits it.

    Args:
        passed: The budget that was passed to the run.
        of_agent: That of its agent.
        run_id: The run.
        before: What it used in an earlier process, if it continues.
    """
    budgets: list[Budget] = [one.for_run() for one in dict.fromkeys(BUDGETS_AROUND.get())]
    for budget in (of_agent, passed):
        if budget is not None and not any(budget is one for one in budgets):
            budgets.append(budget.for_run())
    if not budgets:
        return None
    if before is not None:
        used = Amounts(int((before.cost or 0) * NANO), before.total_tokens, before.requests, before.tool_calls)
        for budget in budgets:
            await budget.take_over(run_id, used)
    return Ledger(tuple(budgets), run_id)


def prompt_tokens(
    messages: Sequence[ModelMessage], parameters: ModelRequestParameters, model: Model, run_id: str
) -> int:
    """Return how many tokens the prompt of a request has at most."""
    total = PER_REQUEST
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            usage, name = message.usage, message.model_name or ''
            if message.run_id == run_id and usage.input_tokens and name.startswith(model.model_name):
                return total + usage.input_tokens + max(usage.output_tokens, sum(map(_part, message.parts)))
        total += sum(map(_part, message.parts))
    for tool in (*parameters.function_tools, *parameters.output_tools):
        total += PER_PART + _text(f'{tool.name}{tool.description}{tool.parameters_json_schema}')
    instructions = next((one.instructions for one in reversed(messages) if isinstance(one, ModelRequest)), None)
    return total + _text(instructions or '')


def _text(text: str) -> int:
    return (len(text) + 1) // 2 if text.isascii() else len(text.encode(errors='replace'))


def _part(part: Any) -> int:
    if isinstance(part, BaseToolReturnPart):
        return PER_PART + _text(part.model_response_str()) + PER_FILE * len(part.files)
    if isinstance(part, BaseToolCallPart):
        return PER_PART + _text(part.tool_name) + _text(part.args_as_json_str())
    if isinstance(part, RetryPromptPart):
        return PER_PART + _text(part.model_response())
    content: Any = getattr(part, 'content', '')
    items: list[Any] = (
        [*content] if isinstance(content, (list, tuple)) else [content if isinstance(content, str) else part]
    )
    return PER_PART + sum(
        _text(item if isinstance(item, str) else item.content) if isinstance(item, (str, TextContent)) else PER_FILE
        for item in items
    )


def _members(model: Model) -> Sequence[Model]:
    """Return the models that a request may be sent to."""
    members: Any = getattr(model, 'models', None)
    if members:
        return [one for member in members for one in _members(member)]
    wrapped: Any = getattr(model, 'wrapped', None)
    return [model] if wrapped is None else _members(wrapped)


def _show_left(budgets: BudgetOfRun) -> None:
    """Show what is left in the span of the request, if there is one."""
    if not (span := sys.modules[TRACING].get_current_span()).is_recording():
        return
    left = vars(budgets.left)
    span.set_attributes(
        {f'stead.budget.left.{name}': float(value) for name, value in left.items() if value is not None}
    )
