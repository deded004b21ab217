"""`PromptCache` lets providers cache the prompt, and says what keeps them from reading it from there."""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import field
from typing import Literal, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering, WrapModelRequestHandler
from .._contracts.facts import HookActed, RequestSent, RunFact
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.keywords import dataclass
from ..exceptions import AgentRunError, UserError
from ..messages import ModelResponse
from ..settings import ModelSettings
from ..usage import RequestUsage
from ._context.prefix import CacheBust, PromptPiece, PromptPieces, parting
from ._context.shortening import FOLDED, check_counts

OnCacheBust: TypeAlias = Union[Literal['warn', 'raise'], Callable[[CacheBust], Union[None, Awaitable[None]]]]
"""What happens before a request that cannot be read from a cache: a warning, an error, or a function of the `CacheBust`."""
_MOST_CONVERSATIONS = 200
_MOST_CAUSES = 1_000
_LEAST = 1_024
"""Tokens below which providers cache nothing, so that nothing is lost."""


class CacheBustWarning(UserWarning):
    """A request does not continue the one before it, so that its provider reads again what it had cached."""


class CacheBustError(AgentRunError):
    """A request does not continue the one before it, and `PromptCache(on_cache_bust='raise')` does not let it be sent."""

    def __init__(self, bust: CacheBust) -> None:
        super().__init__(str(bust))
        self.bust = bust


@dataclass
class PromptCache(AbstractCapability[AnyDepsT]):
    """Let the provider cache the prompt, and explain a request that does not continue the one before it, before it is paid for.

    Explaining compares what each hook makes of a request, which takes time at each step: leave it to development and tests with
    `on_cache_bust=None`, or see what it costs with your agent.
    """

    on_cache_bust: OnCacheBust | None = 'warn'
    """A warning (once a cause), an error, a function of the `CacheBust`, or `None` for no comparison."""
    retention: Literal['5m', '30m', '1h', '12h'] | None = field(default=None, kw_only=True)
    """How long the provider keeps the prompt; by default as it does."""
    least_tokens: int = field(default=_LEAST, kw_only=True)
    """The tokens that must be read again for a bust to be reported; providers cache no shorter prompts."""

    def __post_init__(self) -> None:
        if not (self.on_cache_bust in ('warn', 'raise', None) or callable(self.on_cache_bust)):
            raise UserError(
                f"`on_cache_bust` is 'warn', 'raise', a function of the `CacheBust`, or `None`, not {self.on_cache_bust!r}."
            )
        check_counts('PromptCache', 0, least_tokens=self.least_tokens)
        self.watches_changes: bool = self.on_cache_bust is not None
        self._conversations: OrderedDict[str, list[PromptPiece]] = OrderedDict()
        self._reported: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        self._begin()

    def _begin(self) -> None:
        self._pieces = PromptPieces()
        self._acted: list[HookActed] = []
        self._sending: ModelRequestContext | None = None

    def get_model_settings(self) -> ModelSettings:
        """Return settings that let the provider cache the prompt."""
        return cast(ModelSettings, {'cache': self.retention or True})

    def get_ordering(self) -> CapabilityOrdering:
        """Return the place nearest to the model: it sees what is sent."""
        return CapabilityOrdering(position='innermost')

    async def for_run(self, ctx: RunContext[AnyDepsT]) -> PromptCache[AnyDepsT]:
        """Return the capability of one run; all of them know the conversations and the causes that were reported."""
        own = copy(self)
        own._begin()
        return own

    async def wrap_model_request(
        self, ctx: RunContext[AnyDepsT], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Keep the request as it is sent, for the comparison."""
        self._sending = request_context
        return await handler(request_context)

    async def record(self, ctx: RunContext[AnyDepsT], *, fact: RunFact) -> None:
        """Compare a request with the one before it in its conversation, before it is sent.

        Raises:
            CacheBustError: It does not continue that one, and that is to be an error.
        """
        if isinstance(fact, HookActed):
            if fact.did == 'changed' and len(self._acted) < 100:
                self._acted.append(fact)
        elif isinstance(fact, RequestSent) and (request := self._sending) is not None:
            self._sending = None
            pieces = self._pieces.of(request, fact.instructions_from)
            acted, self._acted = self._acted, []
            conversation = str(ctx.conversation_id)
            before = self._conversations.pop(conversation, None)
            self._conversations[conversation] = pieces
            if len(self._conversations) > _MOST_CONVERSATIONS:
                self._conversations.popitem(last=False)
            if before is not None and not (request.response_metadata or {}).get(FOLDED):
                await self._compare(request, before, pieces, fact, acted)

    async def _compare(
        self,
        request: ModelRequestContext,
        before: Sequence[PromptPiece],
        pieces: Sequence[PromptPiece],
        fact: RequestSent,
        acted: Sequence[HookActed],
    ) -> None:
        if (found := parting(before, pieces)) is None:
            return
        tokens = (found.bytes - found.byte) // 4
        if tokens < self.least_tokens:
            return
        by = _changed_by(found.kind, found.name, fact, acted)
        cost = _cost(request, tokens)
        bust = CacheBust(
            fact.step, found.kind, found.name, by, found.change, found.advice, found.byte, found.bytes, tokens, cost
        )
        if self.on_cache_bust == 'raise':
            raise CacheBustError(bust)
        cause = (bust.kind, bust.name, bust.by)
        if cause in self._reported:
            return
        self._reported[cause] = None
        if len(self._reported) > _MOST_CAUSES:
            self._reported.popitem(last=False)
        if callable(self.on_cache_bust):
            if inspect.isawaitable(waiting := self.on_cache_bust(bust)):
                await waiting
        else:
            warnings.warn(str(bust), CacheBustWarning, stacklevel=2)


_WHAT = {
    'tool': 'tools',
    'native tool': 'native tools',
    'message': 'messages',
    'system prompt': 'messages',
    'setting': 'settings',
}


def _changed_by(kind: str, name: str, fact: RequestSent, acted: Sequence[HookActed]) -> str:
    """Return the part of the agent that changed a piece of a request, as far as that is known."""
    what = _WHAT.get(kind, kind)
    hooks = [f'{one.capability} ({one.hook})' for one in acted if any(change.what == what for change in one.changes)]
    if hooks:
        return hooks[-1]
    if kind == 'setting':
        return fact.settings_from.get(name, '')
    return name if kind == 'instructions' else ''


def _cost(request: ModelRequestContext, tokens: int) -> float | None:
    """Return what it costs more to read tokens than to read them from the cache, in US dollars, if the price is known."""
    prices: list[float] = []
    for cached in (0, tokens):
        response = ModelResponse(
            [],
            usage=RequestUsage(input_tokens=tokens, cache_read_tokens=cached),
            model_name=request.model.model_name,
            provider_name=request.model.system,
        )
        try:
            prices.append(float(response.cost().total_price))
        except (ImportError, LookupError):
            return None
    return prices[0] - prices[1]
