"""Small functions that extension packages import from private modules, and that stead itself does not use."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from typing_extensions import get_type_hints, is_typeddict

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from .._deferral.history import LoadedAndDiscovered
from .._kit.deprecated import callable_datetime, warn_caller
from .._kit.sdk_types import HttpxResponse
from .._kit.ssrf import FetchError, fetch
from .._loop.prompts import SystemPromptRunner
from ..exceptions import UserError
from ..messages import ModelMessage, TextPart, ThinkingPart
from ..models import KnownModelName

_datetimes = TypeAdapter(datetime)


def is_model_like(type_: Any) -> bool:
    """Return whether a type is a record of fields: a pydantic model, a dataclass, a `TypedDict`, or marked as one."""
    kind: Any = type_
    if not isinstance(type_, type) or get_args(type_):
        return False
    return (
        issubclass(kind, BaseModel)
        or is_dataclass(kind)
        or is_typeddict(kind)
        or bool(getattr(kind, '__is_model_like__', False))
    )


async def await_maybe(value: Any) -> Any:
    """Return a value, or its result if it can be awaited."""
    return await value if inspect.isawaitable(value) else value


def number_to_datetime(x: float) -> datetime:
    """Return the time, in UTC, of a Unix timestamp in seconds, or in milliseconds if it is too large for seconds."""
    return _datetimes.validate_python(x)


def get_function_type_hints(func: Any) -> dict[str, Any]:
    """Return the types of the parameters and the return value of a callable, by name.

    Raises:
        NameError: An annotation names something that does not exist.
    """
    while isinstance(func, functools.partial):
        func = func.func
    try:
        return get_type_hints(func, include_extras=True)
    except (AttributeError, TypeError):  # built-in functions have none
        return {}


def get_first_param_type(callable_obj: Any) -> Any | None:
    """Return the type of the first parameter of a callable, or `None` if it has none or its type is not known."""
    try:
        parameters = list(inspect.signature(callable_obj).parameters)
        plain = inspect.isroutine(callable_obj) or isinstance(callable_obj, functools.partial)
        hints = get_function_type_hints(callable_obj if plain else callable_obj.__call__)
    except (NameError, TypeError, ValueError):
        return None
    return hints.get(parameters[0]) if parameters else None


def takes_run_context(callable_obj: Callable[..., Any]) -> bool:
    """Return whether the first parameter of a callable is annotated as the run context."""
    first = get_first_param_type(callable_obj)
    return (get_origin(first) or first) is RunContext


def get_union_args(tp: Any) -> tuple[Any, ...]:
    """Return the members of a union, annotated or not; an empty tuple for other types."""
    if get_origin(tp) is Annotated:
        tp = get_args(tp)[0]
    return get_args(tp) if get_origin(tp) in (Union, UnionType) else ()


def validate_empty_kwargs(_kwargs: dict[str, Any]) -> None:
    """Refuse unused keyword arguments.

    Raises:
        UserError: There are any; the message names them.
    """
    if _kwargs:
        raise UserError(f'Unknown keyword arguments: {", ".join(f"`{name}`" for name in _kwargs)}')


def install_deprecated_kwarg_alias(cls: type[Any], *, old: str, new: str, owner_name: str | None = None) -> None:
    """Let the constructor of a class take an argument by its old name too, with a `DeprecationWarning`.

    Args:
        cls: The class, which is changed.
        old: The old name.
        new: The name that the constructor has.
        owner_name: The name of the class in the warning; by default its own.
    """
    construct: Callable[..., None] = cls.__init__

    @functools.wraps(construct)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        if old in kwargs:
            warn_caller(f'`{owner_name or cls.__name__}({old}=...)` is deprecated, use `{new}=` instead.')
            kwargs[new] = kwargs.pop(old)
        construct(self, *args, **kwargs)

    cls.__init__ = init


def split_content_into_text_and_thinking(content: str, thinking_tags: tuple[str, str]) -> list[ThinkingPart | TextPart]:
    """Return the parts of a text with thinking between tags; empty text is left out."""
    opens, closes = thinking_tags
    parts: list[ThinkingPart | TextPart] = []
    while content:
        text, found, rest = content.partition(opens)
        if text:
            parts.append(TextPart(content=text))
        if not found:
            break
        thinking, closed, content = rest.partition(closes)
        if not closed:  # never closed, so it was text
            parts.append(TextPart(content=rest))
            break
        parts.append(ThinkingPart(content=thinking))
    return parts


def is_text_like_media_type(media_type: str) -> bool:
    """Return whether content of a media type can be read as text."""
    return (
        media_type.startswith('text/')
        or media_type
        in (
            'application/json',
            'application/xml',
            'application/xhtml+xml',
            'application/x-yaml',
            'application/yaml',
        )
        or media_type.endswith(('+json', '+xml'))
    )


@functools.cache
def known_model_names() -> tuple[str, ...]:
    """Return the names of models that are known to type checkers."""
    return tuple(sorted(name for name in get_args(KnownModelName.__value__) if name != 'test'))


def collect_leaves(cap: AbstractCapability[Any]) -> list[AbstractCapability[Any]]:
    """Return a capability, or its members at any depth."""
    found: list[AbstractCapability[Any]] = []
    cap.apply(found.append)
    return found


def has_capability_type(
    capabilities: Sequence[AbstractCapability[Any]], cap_type: type[AbstractCapability[Any]]
) -> bool:
    """Return whether one of the capabilities, or a member of them, is an instance of a class."""
    return any(isinstance(leaf, cap_type) for capability in capabilities for leaf in collect_leaves(capability))


def parse_loaded_capabilities(messages: Sequence[ModelMessage]) -> set[str]:
    """Return the ids of the deferred capabilities that were loaded in a history."""
    read = LoadedAndDiscovered(set(), set())
    read.catch_up(messages)
    return read.loaded


def infer_obj_name(obj: Any, *, depth: int) -> str | None:
    """Return the name of the variable that holds an object in a calling frame, or `None`.

    Args:
        obj: The object.
        depth: How many frames up to look; 1 is the caller.
    """
    frame = inspect.currentframe()
    for _ in range(depth):
        frame = frame.f_back if frame is not None else None
    if frame is None:
        return None
    return next(
        (name for names in (frame.f_locals, frame.f_globals) for name, held in names.items() if held is obj), None
    )


def sanitize_tool_name(name: str) -> str:
    """Return a name with `_` in place of all characters other than letters, digits, `_` and `-`."""
    return ''.join(char if char.isascii() and (char.isalnum() or char in '_-') else '_' for char in name)


def get_traceparent(span: Any) -> str | None:
    """Return the W3C `traceparent` of a span, or `None` if it is not recorded."""
    context = span.get_span_context()
    if not context.is_valid:
        return None
    return f'00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}'


def get_agent_run_baggage_attributes() -> dict[str, Any]:
    """Return the attributes of the running agent in OpenTelemetry's baggage; an empty dict outside of a run with spans."""
    from opentelemetry import baggage

    names = ('gen_ai.agent.name', 'gen_ai.agent.call.id', 'gen_ai.conversation.id')
    return {name: value for name, value in baggage.get_all().items() if name in names}


def warn_on_prepare_callback_returned_none(prepare_func: Callable[..., object]) -> None:
    """Warn that a function which prepares tools returned `None`."""
    name = getattr(prepare_func, '__name__', repr(prepare_func))
    warn_caller(f'The prepare function {name!r} returned `None`; return `[]` to hide all tools of the step.')


def deprecated_callable_property(message: str) -> Callable[[Callable[[Any], Any]], property]:
    """Return a decorator for properties whose value, a usage or a datetime, can still be called, with a warning.

    Args:
        message: The name of the property in the warning.
    """

    def decorate(function: Callable[[Any], Any]) -> property:
        def get(self: Any) -> Any:
            value = function(self)
            return callable_datetime(value, message) if isinstance(value, datetime) else value

        return property(get, doc=function.__doc__)

    return decorate


def prepare_instructions(instructions: Any) -> list[str | SystemPromptRunner[Any]]:
    """Return instructions in any of their forms as a list of texts, and of functions that can be run."""
    several = isinstance(instructions, Sequence) and not isinstance(instructions, str)
    parts: Sequence[Any] = cast('Sequence[Any]', instructions) if several else [instructions]
    return [part if isinstance(part, str) else SystemPromptRunner(part) for part in parts if part is not None]


async def safe_download(
    url: str,
    allow_local: bool = False,
    max_redirects: int = 10,
    timeout: int = 30,
    headers: dict[str, str] | None = None,
    allowed_domains: list[str] | None = None,
    blocked_domains: list[str] | None = None,
    max_bytes: int | None = None,
) -> HttpxResponse:
    """Return the response for a link, fetched with the checks of `web_fetch_tool`; its body is decoded.

    Raises:
        ValueError: The link, its host or address is not allowed; there are too many redirects, or too many bytes.
        httpx.HTTPError: The request failed, or returned an error status.
    """
    import httpx

    def check_host(host: str) -> None:
        if _is_listed(host, blocked_domains or ()):
            raise FetchError(f'The domain {host!r} is blocked.')
        if allowed_domains is not None and not _is_listed(host, allowed_domains):
            raise FetchError(f'The domain {host!r} is not allowed. Allowed: {allowed_domains}')

    page = await fetch(
        url,
        headers=headers or {},
        timeout=timeout,
        max_bytes=max_bytes,
        allow_local=allow_local,
        max_redirects=max_redirects,
        check_host=check_host,
    )
    about = {'content-type': page.content_type} if page.content_type else {}
    return httpx.Response(200, headers=about, content=page.content, request=httpx.Request('GET', page.url))


def _is_listed(host: str, domains: Sequence[str]) -> bool:
    return host.lower() in {domain.lower().rstrip('.') for domain in domains}


def current_otel_traceparent() -> str | None:
    """Return the W3C `traceparent` of the current span, or `None` if there is none."""
    from opentelemetry import trace

    return get_traceparent(trace.get_current_span())


__all__ = (
    'collect_leaves',
    'current_otel_traceparent',
    'deprecated_callable_property',
    'get_agent_run_baggage_attributes',
    'get_first_param_type',
    'get_function_type_hints',
    'get_traceparent',
    'get_union_args',
    'has_capability_type',
    'infer_obj_name',
    'install_deprecated_kwarg_alias',
    'is_model_like',
    'is_text_like_media_type',
    'known_model_names',
    'number_to_datetime',
    'parse_loaded_capabilities',
    'prepare_instructions',
    'safe_download',
    'sanitize_tool_name',
    'split_content_into_text_and_thinking',
    'takes_run_context',
    'validate_empty_kwargs',
    'warn_on_prepare_callback_returned_none',
)
