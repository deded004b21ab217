"""Whether the runs of an agent are traced: the settings of the agent, of all agents, and of the model. And the log of all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TextIO

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from ..models import Model
from . import _tracing as tracing


class Instrumentable:
    """The part of `Agent` that decides whether runs are traced."""

    _instrument: tracing.InstrumentationSettings | bool | None = None
    _instrument_default: ClassVar[tracing.InstrumentationSettings | bool] = False
    _tracing: tuple[tracing.InstrumentationSettings | Literal[True], AbstractCapability[Any]] | None = None
    """The last settings that a run was traced with, and the capability for them."""

    @property
    def instrument(self) -> tracing.InstrumentationSettings | bool | None:
        """How runs are traced: settings, `True` for the defaults, `False` for not at all, `None` as `instrument_all` says."""
        return self._instrument

    @instrument.setter
    def instrument(self, value: tracing.InstrumentationSettings | bool | None) -> None:
        self._instrument = value

    @staticmethod
    def instrument_all(instrument: tracing.InstrumentationSettings | bool = True) -> None:
        """Set how runs are traced of all agents whose own `instrument` is `None`.

        Args:
            instrument: Settings, `True` for the defaults, or `False` for not at all.
        """
        Instrumentable._instrument_default = instrument

    def _traced(self, model: Model) -> tuple[Model, AbstractCapability[Any] | None]:
        """Return the model without its own tracing, and the capability that traces the run instead, or `None`."""
        # In `vars` rather than as an attribute: wrappers pass attributes on, and only an `InstrumentedModel` is unwrapped.
        instrument: tracing.InstrumentationSettings | bool | None = None
        if hasattr(model, '__dict__'):
            instrument = vars(model).get('instrumentation_settings')
        if instrument is not None:
            model = vars(model)['wrapped']
        else:
            instrument = self._instrument_default if self._instrument is None else self._instrument
        if not instrument:
            return model, None
        # The same capability as long as the settings are the same, so that the plan can be kept.
        if self._tracing is None or self._tracing[0] is not instrument:
            from ..capabilities import Instrumentation

            settings = tracing.InstrumentationSettings() if instrument is True else instrument
            self._tracing = instrument, Instrumentation[Any](settings)
        return model, self._tracing[1]


class Logged:
    """The part of `Agent` that knows whether runs are logged."""

    _log: ClassVar[AbstractCapability[Any] | None] = None
    """The capability that logs the runs of all agents, or `None` for no log."""


def log(on: bool = True, *, content: bool = True, file: TextIO | None = None) -> None:
    """Log what the runs of all agents do from now on; so does `STEAD_LOG=1` in the environment.

    Args:
        on: Whether runs are logged; `False` ends the log.
        content: Whether prompts, texts, arguments, results and errors are written, rather than only names, counts and seconds.
        file: Where the lines are written; by default to the standard error.
    """
    if on:
        from ..capabilities import Log

        Logged._log = Log[Any](content=content, file=file)
    else:
        Logged._log = None


if os.environ.get('STEAD_LOG', '').strip().lower() not in ('', '0', 'false', 'no', 'off'):
    log()


def tracing_settings(capabilities: Sequence[AbstractCapability[Any]]) -> tracing.InstrumentationSettings | None:
    """Return the settings of the first capability that traces runs, or `None` if there is none."""
    for capability in capabilities:
        settings = getattr(capability, 'instrumentation_settings', None)
        if settings is not None:
            return settings
    return None


def trace_run(capabilities: Sequence[AbstractCapability[Any]], ctx: RunContext[Any]) -> bool:
    """Set how the run is traced in its context, and return whether it is."""
    settings = tracing_settings(capabilities)
    if settings is None:
        return False
    ctx.tracer = settings.tracer
    ctx.trace_include_content = settings.include_content
    ctx.instrumentation_version = settings.version
    return True


def current_traceparent() -> str | None:
    """Return the current span in the form of the W3C header `traceparent`, or `None` if none is recorded."""
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return f'00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}'
