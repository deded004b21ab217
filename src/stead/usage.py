"""Token counts of requests, totals of runs, and limits for runs."""

from __future__ import annotations

import math
import warnings
from copy import copy
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import wraps
from operator import attrgetter
from threading import Lock
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import pydantic
from pydantic import AliasChoices, BeforeValidator
from typing_extensions import Never, Self, deprecated

from ._kit import deprecated as old, price_tables
from ._kit.left_out import NO_COUNT, UNREAD, left_out
from ._kit.meant import unknown_keyword
from ._kit.records import DataRecord, ShortRepr
from .exceptions import CostNotFoundWarning, UsageLimitExceeded, UserError

__all__ = ('Cost', 'RequestUsage', 'RunUsage', 'Usage', 'UsageLimits')


def _or_empty(value: Any) -> Any:
    """Replace null, which older histories have in place of missing details."""
    return value or {}


# Older histories have the second name.
_INPUT_TOKENS = AliasChoices('input_tokens', 'request_tokens')
_OUTPUT_TOKENS = AliasChoices('output_tokens', 'response_tokens')
PRICED = False
"""Whether each response has its price, also without a limit for it."""
_Details = Annotated[dict[str, int], BeforeValidator(_or_empty)]
_Usage = TypeVar('_Usage')


@dataclass(repr=False, eq=False, kw_only=True)
class UsageBase(old.CallableRecord, DataRecord):
    """The token counts that requests and runs share."""

    input_tokens: Annotated[int, pydantic.Field(validation_alias=_INPUT_TOKENS)] = 0
    """Tokens of the prompt, cached ones included."""
    cache_write_tokens: int = 0
    """Prompt tokens written to the provider's cache."""
    cache_write_1h_tokens: Annotated[int, left_out(NO_COUNT)] = 0
    """Those of them that the provider keeps for an hour, which costs more."""
    cache_read_tokens: int = 0
    """Prompt tokens read from the provider's cache."""
    output_tokens: Annotated[int, pydantic.Field(validation_alias=_OUTPUT_TOKENS)] = 0
    """Tokens that the model generated, hidden reasoning included."""
    unmeasured_requests: Annotated[int, left_out([0])] = 0
    """Requests of which the provider did not say what they used."""
    output_reasoning_tokens: Annotated[int, left_out(NO_COUNT)] = 0
    """Generated tokens that were reasoning."""
    input_audio_tokens: int = 0
    """Prompt tokens that were audio."""
    cache_audio_read_tokens: int = 0
    """Audio tokens read from the provider's cache."""
    output_audio_tokens: int = 0
    """Generated tokens that were audio."""
    audio_seconds: Annotated[float, left_out(NO_COUNT)] = 0
    """Seconds of audio, for models that are paid by time."""
    details: _Details = field(default_factory=cast('type[dict[str, int]]', dict))
    """Counts that only some providers report, such as `reasoning_tokens`."""
    cost: Annotated[Decimal | None, left_out()] = None
    """The cost in US dollars: as the provider reports it, or by the prices of the package genai-prices if there is a
    `cost_limit`. `None` if it is not known; in a sum, requests whose cost is not known count nothing."""

    @property
    @deprecated('`request_tokens` is deprecated, use `input_tokens` instead')
    def request_tokens(self) -> int:
        """Return `input_tokens` under its old name."""
        return self.input_tokens

    @property
    @deprecated('`response_tokens` is deprecated, use `output_tokens` instead')
    def response_tokens(self) -> int:
        """Return `output_tokens` under its old name."""
        return self.output_tokens

    @property
    def total_tokens(self) -> int:
        """Return the sum of input and output tokens; the other counts are parts of these."""
        return self.input_tokens + self.output_tokens

    @property
    def cache_hit_ratio(self) -> float:
        """Return the share of the prompt tokens that was read from the provider's cache, from 0 to 1."""
        return self.cache_read_tokens / self.input_tokens if self.input_tokens else 0.0

    @property
    def cache_missed_tokens(self) -> int:
        """Return how many of the prompt tokens were not read from the provider's cache."""
        return max(self.input_tokens - self.cache_read_tokens, 0)

    def has_values(self) -> bool:
        """Return whether any count is not zero, those in `details` included."""
        return bool(
            self.input_tokens
            or self.output_tokens
            or has_rare_counts(self)
            or self.cost
            or (self.details and any(self.details.values()))
        ) or (
            type(self) is not RequestUsage  # `vars` makes a dict that stays
            and any(value for name, value in self.__getstate__().items() if name not in _NO_VALUES)
        )

    def opentelemetry_attributes(self) -> dict[str, int]:
        """Return the counts as span attributes of the GenAI conventions.

        Counts with an attribute of their own are not repeated among the details, by any name. Zeros are left out, except
        for those that a provider reports as details.
        """
        attributes: dict[str, int] = {}
        if count := self.input_tokens:
            attributes['gen_ai.usage.input_tokens'] = count
        if count := self.output_tokens:
            attributes['gen_ai.usage.output_tokens'] = count
        if count := self.cache_write_tokens:
            attributes['gen_ai.usage.cache_creation.input_tokens'] = count
        if count := self.cache_read_tokens:
            attributes['gen_ai.usage.cache_read.input_tokens'] = count
        for name, count in self.details.items():
            if count is not None and name not in _WITH_ATTRIBUTES:  # providers report such counts
                attributes[f'gen_ai.usage.details.{name}'] = count
        counts = _audio_counts_of(self)
        if any(counts):  # which is rare, and a look at all of them at once takes half of the time
            for name in _AUDIO_DETAILS:
                attributes.pop(f'gen_ai.usage.details.{name}', None)
            attributes |= {f'gen_ai.usage.details.{name}': count for name, count in zip(_AUDIO_COUNTS, counts) if count}
        return attributes

    def __copy__(self) -> Self:
        duplicate = object.__new__(type(self))
        duplicate.__dict__.update(self.__dict__)
        duplicate.details = self.details.copy()
        return duplicate

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __repr__(self) -> str:
        shown = ((f.name, getattr(self, f.name)) for f in fields(self))
        return f'{type(self).__qualname__}({", ".join(f"{name}={value!r}" for name, value in shown if value)})'


def has_rare_counts(usage: UsageBase) -> bool:
    """Return whether one of the counts is not zero that most requests have none of; a step asks once, since it takes long."""
    return any(_rare_counts_of(usage))


def add_tokens(total: UsageBase, used: UsageBase, has_rare: bool) -> None:
    """Add counts to a total, in place; `has_rare` is what `has_rare_counts(used)` returns."""
    total.input_tokens += used.input_tokens
    total.output_tokens += used.output_tokens
    total.unmeasured_requests += used.unmeasured_requests
    if has_rare:
        for name in _RARE_COUNTS:
            setattr(total, name, getattr(total, name) + getattr(used, name))
    if used.cost is not None:
        total.cost = used.cost if total.cost is None else total.cost + used.cost
    if used.details:
        details = total.details
        for name, count in used.details.items():
            if count is not None:  # providers report such counts
                details[name] = details.get(name, 0) + count


_NO_VALUES = ('details', 'unmeasured_requests', UNREAD)
_AUDIO_COUNTS = ('input_audio_tokens', 'cache_audio_read_tokens', 'output_audio_tokens')
_AUDIO_DETAILS = ('audio_tokens', 'audio_prompt_tokens', 'audio_cache_tokens', 'audio_candidates_tokens')  # the same
_audio_counts_of = attrgetter(*_AUDIO_COUNTS)
_RARE_COUNTS = (
    'cache_write_tokens',
    'cache_read_tokens',
    *_AUDIO_COUNTS,
    'cache_write_1h_tokens',
    'output_reasoning_tokens',
    'audio_seconds',
)
"""Counts that most requests have none of."""
_rare_counts_of = attrgetter(*_RARE_COUNTS)
_COUNTS = ('input_tokens', 'output_tokens', 'unmeasured_requests', *_RARE_COUNTS)
_WITH_ATTRIBUTES = frozenset(
    {
        *('input_tokens', 'output_tokens', 'cache_write_tokens', 'cache_read_tokens', *_AUDIO_COUNTS),
        *('cache_creation_input_tokens', 'cache_read_input_tokens', 'cached_content_tokens'),
    }
)
"""Names of details that are counts with a span attribute of their own; the last three are Anthropic's and Google's."""


def _few_counts(kind: type[_Usage]) -> type[_Usage]:
    """Make a class of usages whose rare counts are those of the class until one is passed: two are made in each step."""
    full: Any = kind.__init__

    @wraps(full)
    def init(self: Any, *, input_tokens: int = 0, output_tokens: int = 0, **others: Any) -> None:
        if others:
            full(self, input_tokens=input_tokens, output_tokens=output_tokens, **others)
        else:
            self.input_tokens = input_tokens
            self.output_tokens = output_tokens
            self.details = {}

    kind.__init__ = init
    return kind


@_few_counts
@dataclass(repr=False, eq=False, kw_only=True)
class RequestUsage(UsageBase):
    """The token counts of one request to a model."""

    @property
    def requests(self) -> int:
        """Return 1, so that a request can be added to a run."""
        return 1

    def incr(self, incr_usage: RequestUsage | RunUsage) -> None:
        """Add another usage to this one, in place.

        Args:
            incr_usage: The usage to add; keys of its `details` are added one by one.
        """
        add_tokens(self, incr_usage, has_rare_counts(incr_usage))

    def __add__(self, other: RequestUsage | RunUsage) -> RequestUsage:
        """Return the sum as a new usage; useful for a response that took several requests."""
        total = copy(self)
        total.incr(other)
        return total

    @classmethod
    def extract(
        cls,
        data: Any,
        *,
        provider: str,
        provider_url: str,
        provider_fallback: str,
        api_flavor: str = 'default',
        details: dict[str, Any] | None = None,
    ) -> RequestUsage:
        """Extract the usage from a raw response of a provider, with the tables of the `genai-prices` package.

        Args:
            data: The parsed response of the provider, with model name and usage.
            provider: The provider's id, such as `openai`.
            provider_url: The base URL of the request; it identifies providers behind compatible APIs.
            provider_fallback: The id to try if neither of these is known.
            api_flavor: The API of the provider that was used, such as `chat` or `responses`.
            details: The `details` of the usage.

        Returns:
            The usage; with only `details` if the tables cannot read `data`.

        Raises:
            UserError: `genai-prices` is not installed.
        """
        counts = price_tables.counts_in(data, provider, provider_url, provider_fallback, api_flavor)
        names = (f.name for f in fields(cls) if f.name not in ('details', 'cost'))
        found: Any = {name: getattr(counts, name, None) or 0 for name in names}
        return cls(**found, details=details or {})


def countable(usage: RequestUsage, has_rare: bool | None = None) -> RequestUsage:
    """Return the usage that a model reports without negative counts, which would lower what a run has used so far."""
    if has_rare is None:
        has_rare = has_rare_counts(usage)
    if (
        usage.input_tokens >= 0
        and usage.output_tokens >= 0
        and usage.unmeasured_requests >= 0
        and not (has_rare and any(not getattr(usage, name) >= 0 for name in _RARE_COUNTS))
        and (usage.cost is None or (math.isfinite(usage.cost) and usage.cost >= 0))
        and not (usage.details and any(count is not None and count < 0 for count in usage.details.values()))
    ):
        return usage
    usage = copy(usage)
    for name in _COUNTS:
        count = getattr(usage, name)
        setattr(usage, name, count if count >= 0 else 0)  # not a number is less than nothing, too
    if usage.cost is not None and not (math.isfinite(usage.cost) and usage.cost >= 0):
        usage.cost = None
    usage.details = {name: max(count, 0) for name, count in usage.details.items() if count is not None}
    return usage


@dataclass(repr=False, eq=False, kw_only=True)
class RunUsage(UsageBase):
    """The totals of a run, or of several that share one `RunUsage`."""

    requests: int = 0
    """Requests made to models."""
    tool_calls: int = 0
    """Tool calls that were executed and succeeded."""
    # What runs that share the usage have reserved. They are not fields, and copies do not have them: they belong to the runs.
    requests_under_way = 0
    calls_under_way = 0

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__
        if 'requests_under_way' in state or 'calls_under_way' in state:
            return {name: value for name, value in state.items() if name not in _UNDER_WAY}
        return state

    def __copy__(self) -> Self:
        duplicate = super().__copy__()
        for name in _UNDER_WAY:
            duplicate.__dict__.pop(name, None)
        return duplicate

    def incr(self, incr_usage: RunUsage | RequestUsage) -> None:
        """Add a run or a request to this run, in place. A request only adds tokens, since the run counts `requests` itself.

        Args:
            incr_usage: The usage to add; keys of its `details` are added one by one.
        """
        if isinstance(incr_usage, RunUsage):
            self.requests += incr_usage.requests
            self.tool_calls += incr_usage.tool_calls
        add_tokens(self, incr_usage, has_rare_counts(incr_usage))

    def __add__(self, other: RunUsage | RequestUsage) -> RunUsage:
        """Return the sum as a new usage."""
        total = copy(self)
        total.incr(other)
        return total


_UNDER_WAY = ('requests_under_way', 'calls_under_way')
RESERVING = Lock()
"""Held while a limit is checked and what is about to be used is reserved: runs in several threads may share a usage."""


def used_since(before: RunUsage, now: RunUsage) -> RunUsage:
    """Return what was added to a usage since a copy was made of it."""
    return less(now, before) if before.has_values() else now


def less(now: RunUsage, before: RunUsage) -> RunUsage:
    """Return a usage without another one that is part of it."""
    used = copy(now)
    for name in (*_COUNTS, 'requests', 'tool_calls'):
        setattr(used, name, getattr(now, name) - getattr(before, name))
    if now.cost is not None:
        used.cost = now.cost - (before.cost or 0)
    used.details = {name: count - before.details.get(name, 0) for name, count in now.details.items()}
    return used


@dataclass(repr=False, eq=False, kw_only=True)
@deprecated('`Usage` is deprecated, use `RunUsage` instead')
class Usage(RunUsage):
    """`RunUsage` under its old name."""


_LIMITS = (
    'cost_limit',
    'request_limit',
    'tool_calls_limit',
    'input_tokens_limit',
    'output_tokens_limit',
    'total_tokens_limit',
    'count_tokens_before_request',
    'tool_calls_per_response_limit',
    'per_request_input_tokens_limit',
)
"""The attributes of `UsageLimits`; `vars` would make a dict that stays with the object."""


@dataclass(repr=False, eq=False, kw_only=True)
class UsageLimits(ShortRepr):
    """Limits at which a run ends with `UsageLimitExceeded`; None means no limit.

    Args:
        request_limit: Requests to models; checked before each one.
        tool_calls_limit: Successful tool calls; checked before each batch of calls, and before a call that a tool makes itself.
        tool_calls_per_response_limit: Tool calls in one response; if it has more, none of them is run.
        input_tokens_limit: Prompt tokens in total; checked after each response.
        per_request_input_tokens_limit: Prompt tokens of one request; checked after each response.
        output_tokens_limit: Generated tokens in total; checked after each response.
        total_tokens_limit: The sum of both; checked after each response.
        count_tokens_before_request: Ask the provider to count the tokens of a prompt first, so that one over the limit is
            never sent. Takes another call for each request; not all providers support it.
        cost_limit: US dollars in total; checked after each response. Needs the package genai-prices (`stead[prices]`), unless
            the provider reports costs. Responses whose cost is not known count nothing, with a `CostNotFoundWarning`.
        request_tokens_limit: The old name of `input_tokens_limit`, used if that is None.
        response_tokens_limit: The old name of `output_tokens_limit`, used if that is None.

    Raises:
        UserError: A limit is not a number.
        TypeError: There is no limit of a name.
    """

    request_limit: int | None = 50
    tool_calls_limit: int | None = None
    input_tokens_limit: int | None = None
    output_tokens_limit: int | None = None
    total_tokens_limit: int | None = None
    count_tokens_before_request: bool = False
    # Not fields: the stored form of limits, and their schema, are those of the mirrored interface.
    cost_limit = cast('Decimal | float | None', None)
    tool_calls_per_response_limit = cast('int | None', 10_000)
    per_request_input_tokens_limit = cast('int | None', None)

    def __init__(
        self,
        *,
        cost_limit: Decimal | float | None = None,
        request_limit: int | None = 50,
        tool_calls_limit: int | None = None,
        input_tokens_limit: int | None = None,
        output_tokens_limit: int | None = None,
        total_tokens_limit: int | None = None,
        count_tokens_before_request: bool = False,
        tool_calls_per_response_limit: int | None = 10_000,
        per_request_input_tokens_limit: int | None = None,
        request_tokens_limit: int | None = None,
        response_tokens_limit: int | None = None,
        **unknown: Never,  # so that the error can say what may have been meant
    ):
        if not old.OLD_NAMES_WORK:
            limits = {'request_tokens_limit': request_tokens_limit, 'response_tokens_limit': response_tokens_limit}
            unknown |= {name: limit for name, limit in limits.items() if limit is not None}  # type: ignore[assignment]
        if unknown:
            raise unknown_keyword('UsageLimits', unknown, _LIMITS)
        self.cost_limit = cost_limit
        self.request_limit = request_limit
        self.tool_calls_limit = tool_calls_limit
        self.input_tokens_limit = request_tokens_limit if input_tokens_limit is None else input_tokens_limit
        self.output_tokens_limit = response_tokens_limit if output_tokens_limit is None else output_tokens_limit
        self.total_tokens_limit = total_tokens_limit
        self.count_tokens_before_request = count_tokens_before_request
        self.tool_calls_per_response_limit = tool_calls_per_response_limit
        self.per_request_input_tokens_limit = per_request_input_tokens_limit
        for name in _LIMITS:
            limit: object = getattr(self, name)
            if limit is not None and (not isinstance(limit, (int, float, Decimal)) or math.isnan(limit)):
                raise UserError(
                    f'`{name}` of `UsageLimits` must be a number, or `None` for no limit, not {limit!r:.100}.'
                )

    @property
    @deprecated('`request_tokens_limit` is deprecated, use `input_tokens_limit` instead')
    def request_tokens_limit(self) -> int | None:
        """Return `input_tokens_limit` under its old name."""
        return self.input_tokens_limit

    @property
    @deprecated('`response_tokens_limit` is deprecated, use `output_tokens_limit` instead')
    def response_tokens_limit(self) -> int | None:
        """Return `output_tokens_limit` under its old name."""
        return self.output_tokens_limit

    def has_token_limits(self) -> bool:
        """Return whether any token limit is set, so that responses have to be checked."""
        return (
            self.input_tokens_limit is not None
            or self.output_tokens_limit is not None
            or self.total_tokens_limit is not None
            or self.per_request_input_tokens_limit is not None
        )

    def check_before_request(self, usage: RunUsage) -> None:
        """Check that one more request may be made.

        Args:
            usage: The usage of the run so far, with the prompt tokens if they were counted first. Requests under way of other
                runs that share it count, too.

        Raises:
            UsageLimitExceeded: The request would exceed the request limit, or a token limit is already exceeded.
        """
        if (limit := self.request_limit) is not None and usage.requests + usage.requests_under_way >= limit:
            raise _exceeded(f'The next request would exceed the request_limit of {limit}', 'request_limit')
        if self.input_tokens_limit is not None:
            _check(self.input_tokens_limit, usage.input_tokens, 'input_tokens', 'The next request would exceed')
        if self.total_tokens_limit is not None:
            _check(self.total_tokens_limit, usage.total_tokens, 'total_tokens', 'The next request would exceed')

    def check_tokens(self, usage: RunUsage) -> None:
        """Check the tokens used so far.

        Args:
            usage: The usage of the run so far, including the last response.

        Raises:
            UsageLimitExceeded: A token limit is exceeded.
        """
        _check(self.input_tokens_limit, usage.input_tokens, 'input_tokens', 'Exceeded')
        _check(self.output_tokens_limit, usage.output_tokens, 'output_tokens', 'Exceeded')
        _check(self.total_tokens_limit, usage.total_tokens, 'total_tokens', 'Exceeded')

    def check_per_request_input_tokens(self, request_input_tokens: int) -> None:
        """Check the prompt tokens of one request.

        Args:
            request_input_tokens: The prompt tokens of the request.

        Raises:
            UsageLimitExceeded: They are more than the limit for one request.
        """
        if (limit := self.per_request_input_tokens_limit) is not None and request_input_tokens > limit:
            name = 'per_request_input_tokens_limit'
            raise _exceeded(f'Exceeded the {name} of {limit} (request_input_tokens={request_input_tokens})', name)

    def check_cost(self, usage: RunUsage, *, warn_if_cost_unavailable: bool = True) -> None:
        """Check what was spent so far.

        Args:
            usage: The usage of the run so far, including the last response.
            warn_if_cost_unavailable: Whether to warn with `CostNotFoundWarning` if no cost is known at all.

        Raises:
            UsageLimitExceeded: The cost is more than the limit.
        """
        if (limit := self.cost_limit) is None:
            return
        if usage.cost is None:
            if warn_if_cost_unavailable:
                warnings.warn(
                    'The `cost_limit` is not checked, because no cost is known of this run. Prices come from the package '
                    'genai-prices: `pip install --upgrade "stead[prices]"`; `stead.prices.update_in_background()` gets new ones.',
                    CostNotFoundWarning,
                    stacklevel=2,
                )
        elif usage.cost > limit:
            raise _exceeded(f'Exceeded the `cost_limit` of {limit} (`usage.cost`={usage.cost!r})', 'cost_limit')

    def check_before_tool_call(self, projected_usage: RunUsage) -> None:
        """Check that the next tool calls may be made.

        Args:
            projected_usage: The usage of the run if they succeed.

        Raises:
            UsageLimitExceeded: They would exceed the tool call limit.
        """
        calls = projected_usage.tool_calls
        if (limit := self.tool_calls_limit) is not None and calls > limit:
            text = f'The next tool call(s) would exceed the tool_calls_limit of {limit} (tool_calls={calls}).'
            raise _exceeded(text, 'tool_calls_limit')

    def check_response(self, tool_calls: int, kept: int | None = None) -> None:
        """Check how many tool calls a response has.

        Args:
            tool_calls: How many it has.
            kept: How many of them the history keeps, if not all.

        Raises:
            UsageLimitExceeded: They are more than the limit for one response.
        """
        if (limit := self.tool_calls_per_response_limit) is not None and tool_calls > limit:
            raise UsageLimitExceeded(
                f'The response has {tool_calls} tool calls, which is over the tool_calls_per_response_limit of {limit}; none '
                f'of them was run{"" if kept is None else f", and the history keeps the first {kept}"}. Set another limit with '
                '`UsageLimits(tool_calls_per_response_limit=...)`.'
            )


class Cost(NamedTuple):
    """The cost of the responses of a run, in US dollars, according to the package genai-prices."""

    total: Decimal
    """The total cost."""
    input: Decimal
    """The cost of the tokens that the models read."""
    output: Decimal
    """The cost of the tokens that the models wrote."""
    saved: Decimal = Decimal(0)
    """What the total would have been more without the caches of providers; what it costs to write them is taken off."""

    def __str__(self) -> str:
        return f'${self.total:.6f}'


def _check(limit: int | None, used: int, name: str, what: str) -> None:
    if limit is not None and used > limit:
        raise _exceeded(f'{what} the {name}_limit of {limit} ({name}={used})', f'{name}_limit')


def _exceeded(text: str, limit: str) -> UsageLimitExceeded:
    from ._kit.tracebacks import add_note

    error = UsageLimitExceeded(text)
    add_note(
        error,
        f'`UsageLimits({limit}=...)`, passed as `usage_limits`, sets another limit. `message_history=error.messages` continues '
        'with the run.',
    )
    return error
