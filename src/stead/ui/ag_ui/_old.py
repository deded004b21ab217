"""Functions that `AGUIAdapter` has replaced; `stead.ag_ui` is their address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from ag_ui.core import BaseEvent, RunAgentInput

from ..._contracts.run_context import AgentDepsT
from ..._kit.sdk_types import StarletteRequest, StarletteResponse
from ...agent import AbstractAgent
from ...output import OutputSpec
from .._event_stream import SSE_CONTENT_TYPE, OnCompleteFunc
from ._adapter import AGUIAdapter
from ._version import DEFAULT_AG_UI_VERSION

_FIELDS = ('manage_system_prompt', 'allowed_file_url_schemes', 'allowed_file_url_force_download')


async def handle_ag_ui_request(
    agent: AbstractAgent[AgentDepsT, Any],
    request: StarletteRequest,
    *,
    ag_ui_version: str = DEFAULT_AG_UI_VERSION,
    preserve_file_data: bool = False,
    output_type: OutputSpec[Any] | None = None,
    on_complete: OnCompleteFunc[BaseEvent] | None = None,
    **options: Any,
) -> StarletteResponse:
    """Answer a request; the old name of `AGUIAdapter.dispatch_request`, with its arguments, result and errors."""
    return await AGUIAdapter[AgentDepsT, Any].dispatch_request(
        request,
        agent=agent,
        ag_ui_version=ag_ui_version,
        preserve_file_data=preserve_file_data,
        output_type=output_type,
        on_complete=on_complete,
        **options,
    )


def run_ag_ui(
    agent: AbstractAgent[AgentDepsT, Any],
    run_input: RunAgentInput,
    accept: str = SSE_CONTENT_TYPE,
    *,
    ag_ui_version: str = DEFAULT_AG_UI_VERSION,
    preserve_file_data: bool = False,
    output_type: OutputSpec[Any] | None = None,
    on_complete: OnCompleteFunc[BaseEvent] | None = None,
    **options: Any,
) -> AsyncIterator[str]:
    """Run an agent, and return the events as they are written; now `AGUIAdapter(...).run_stream()`.

    Args:
        agent: The agent.
        run_input: The request.
        accept: The media type that the interface accepts.
        ag_ui_version: The version of the protocol that the interface speaks.
        preserve_file_data: Whether files make the round trip; see `UIAdapter`.
        output_type: The type of the output instead of the agent's.
        on_complete: Receives the result when the run has succeeded.
        options: Options of the run, see `RunOptions`, and further fields of the adapter.

    Raises:
        UserError: There is no such option.
        ValueError: The messages of the request do not fit together.
    """
    fields = {name: options.pop(name) for name in _FIELDS if name in options}
    adapter = AGUIAdapter(
        agent=agent,
        run_input=run_input,
        accept=accept,
        ag_ui_version=ag_ui_version,
        preserve_file_data=preserve_file_data,
        **fields,
    )
    return adapter.encode_stream(adapter.run_stream(output_type=output_type, on_complete=on_complete, **options))
