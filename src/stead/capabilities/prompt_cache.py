"""`PromptCache` lets providers cache the prompt, and says what keeps them from reading it from there."""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import field
from typing import Literal, Union, cast, get_args

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability, CapabilityOrdering, WrapModelRequestHandler
from .._contracts.facts import HookActed, RequestSent, RunFact
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.keywords import dataclass
from .._show.prefixes import FOLDED, PromptPiece, PromptPieces, changed_by, cost_to_read_again, parting
from ..exceptions import AgentRunError, UserError
from ..messages import ModelResponse
from ..settings import ModelSettings
from ._context.shortening import check_counts


@dataclass(frozen=True)
class CacheBust:
    """A request that does not continue the one before it, so that its provider reads from there on what it had in its cache."""

    step: int
    """The step of the request."""
    kind: str
    """What changed: `'model'`, `'setting'`, `'tool'`, `'native tool'`, `'instructions'`, `'system prompt'` or `'message'`."""
    name: str
    """Which one changed."""
    by: str
    """The capability, function or tool that changed it, as far as that is known; empty otherwise."""
    change: str
    """How it changed."""
    advice: str
    """What to do about it."""
    byte: int
    """The byte of the request, as JSON, at which it parts from the one before."""
    bytes: int
    """The bytes that both had until then and after."""
    tokens: int
    """About how many tokens are read again that were in the cache."""
    cost: float | None
    """What that costs more, in US dollars; `None` if the price is not known."""

    def __str__(self) -> str:
        by = f' of {self.by}' if self.by and self.by not in self.name else ''
        cost = f', which costs ${self.cost:.4f} more' if self.cost else ''
        return (
            f'The request of step {self.step} does not continue the one before: {self.kind} {self.name!r}{by} {self.change}. '
            f'From byte {self.byte} of {self.bytes} on, about {self.tokens} tokens are read again{cost}. {self.advice}'
        )


OnCacheBust: TypeAlias = Union[Literal['warn', 'raise'], Callable[[CacheBust], Union[None, Awaitable[None]]]]
"""What happens before a request that cannot be read from a cache: a warning, an error, or a function of the `CacheBust`."""
Retention: TypeAlias = Literal['5m', '30m', '1h', '12h']
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
    retention: Retention | None = field(default=None, kw_only=True)
    """How long the provider keeps the prompt; by default as it does."""
    least_tokens: int = field(default=_LEAST, kw_only=True)
    """The tokens that must be read again for a bust to be reported; providers cache no shorter prompts."""

    def __post_init__(self) -> None:
        if not (self.on_cache_bust in ('warn', 'raise', None) or callable(self.on_cache_bust)):
            raise UserError(
                f"`on_cache_bust` is 'warn', 'raise', a function of the `CacheBust`, or `None`, not {self.on_cache_bust!r}."
            )
        if self.retention not in (None, *get_args(Retention)):
            raise UserError(
                f'`retention` of `PromptCache` is one of {", ".join(map(repr, get_args(Retention)))} or `None`, not '
                f'{self.retention!r}.'
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
        if (found := parting(before, pieces)) is None or found.tokens < self.least_tokens:
            return
        hooks = [(one.capability, one.hook, [change.what for change in one.changes]) for one in acted]
        by = changed_by(found, fact.settings_from, hooks)
        cost = cost_to_read_again(request.model.model_name, request.model.system, found.tokens)
        change = found.change, found.advice, found.byte, found.bytes, found.tokens
        bust = CacheBust(fact.step, found.kind, found.name, by, *change, cost)
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
