"""How the runs of all agents are traced and logged, and what is known of the trace of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TextIO

from .._contracts.capability import AbstractCapability
from . import _tracing as tracing


class ForAll:
    """What holds for all agents."""

    instrument: tracing.InstrumentationSettings | bool = False
    """How runs are traced of agents that do not say it themselves."""
    capabilities: tuple[AbstractCapability[Any], ...] = ()
    """What every run has, outside of its own capabilities, such as a log; a run that has one of the same class keeps its own. The
    tuple is replaced, never changed: plans are kept for as long as it is the same."""

    def replace(self, kind: type[AbstractCapability[Any]], capability: AbstractCapability[Any] | None) -> None:
        """Let every run have a capability in place of those of a class, or none."""
        others = [one for one in self.capabilities if not isinstance(one, kind)]
        self.capabilities = (*([] if capability is None else [capability]), *others)


FOR_ALL = ForAll()


def log(on: bool = True, *, content: bool = True, file: TextIO | None = None) -> None:
    """Log what the runs of all agents do from now on; so does `STEAD_LOG=1` in the environment.

    Args:
        on: Whether runs are logged; `False` ends the log.
        content: Whether prompts, texts, arguments, results and errors are written, rather than only names, counts and seconds.
        file: Where the lines are written; by default to the standard error.
    """
    if on or FOR_ALL.capabilities:
        from ..capabilities import Log

        FOR_ALL.replace(Log, Log[Any](content=content, file=file) if on else None)


if os.environ.get('STEAD_LOG', '').strip().lower() not in ('', '0', 'false', 'no', 'off'):
    log()


def tracing_settings(capabilities: Sequence[AbstractCapability[Any]]) -> tracing.InstrumentationSettings | None:
    """Return the settings of the first capability that traces runs, or `None` if there is none."""
    for capability in capabilities:
        settings = getattr(capability, 'instrumentation_settings', None)
        if settings is not None:
            return settings
    return None


def current_traceparent() -> str | None:
    """Return the current span in the form of the W3C header `traceparent`, or `None` if none is recorded."""
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return f'00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}'
