"""What the tests of this room share: a provider that records, and scripted models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stead import InstrumentationSettings
from stead.messages import ModelMessage, ModelResponse, ModelResponsePart
from stead.models.function import AgentInfo, FunctionModel

from ..parity.cases._otel import Recorder


class KeepLogs:
    """An exporter of log records; the SDK's own has changed its name."""

    def __init__(self) -> None:
        self.records: list[Any] = []

    def export(self, batch: Any) -> None:
        self.records.extend(batch)

    def shutdown(self) -> None: ...

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True


def recording(**options: Any) -> tuple[Any, InstrumentationSettings]:
    recorder = Recorder()
    settings = InstrumentationSettings(
        tracer_provider=recorder, meter_provider=recorder, logger_provider=recorder, **options
    )
    return recorder, settings


def script(*responses: Sequence[ModelResponsePart]) -> FunctionModel:
    """A model that gives one response after the other, and the last one forever."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=list(responses[min(step, len(responses) - 1)]))

    return FunctionModel(answer)


def tree(recorder: Any) -> list[tuple[str, str | None]]:
    """The names of all spans, each with that of its parent."""
    return [(span.name, span.parent.name if span.parent else None) for span in recorder.spans]


def named(recorder: Any, name: str) -> list[Any]:
    return [span for span in recorder.spans if span.name == name]
