"""AG-UI for servers: errors stay in the log. Needs the extra `ag-ui`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from ag_ui.core import BaseEvent

from ...output import OutputDataT
from ..ag_ui import AGUIAdapter, AGUIEventStream
from ..ag_ui._version import declared_version
from ._chat import logged


class DiscreetAGUIStream(AGUIEventStream[Any, OutputDataT]):
    """A stream whose errors stay in the log."""

    async def on_error(self, error: Exception) -> AsyncIterator[BaseEvent]:
        """Yield that the answer failed, with the number that is in the log."""
        async for event in super().on_error(logged(error)):
            yield event


@dataclass
class DiscreetAGUIAdapter(AGUIAdapter[Any, OutputDataT]):
    """The adapter of servers. It speaks the version that the interface names."""

    def build_event_stream(self) -> DiscreetAGUIStream[OutputDataT]:
        """Return a new event stream for the request."""
        version = declared_version(self.run_input) or self.ag_ui_version
        return DiscreetAGUIStream(self.run_input, accept=self.accept, ag_ui_version=version)
