"""The names of spans, and the span of a model request; programs import them from private modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from typing_extensions import Self

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from ..messages import ModelResponse
from ..models.instrumented import InstrumentationSettings

_EARLY = (
    'agent run',
    'agent_name',
    'running tool',
    'tool_arguments',
    'tool_response',
    'running output function',
)
_CONVENTIONAL = (
    'invoke_agent',
    'gen_ai.agent.name',
    'execute_tool',
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.call.result',
    'execute_tool',
)
"""The names since version 3, of the semantic conventions."""


@dataclass(frozen=True)
class InstrumentationNames:
    """The names of spans and attributes in a version of the instrumentation."""

    agent_run_span_name: str
    """The name of the span of a run; conventional ones add the name of the agent."""
    agent_name_attr: str
    """The attribute for the name of the agent."""
    tool_span_name: str
    """The name of the span of a tool call; conventional ones add the name of the tool."""
    tool_arguments_attr: str
    """The attribute for the arguments of a call."""
    tool_result_attr: str
    """The attribute for the result of a call."""
    output_tool_span_name: str
    """The name of the span of an output function; conventional ones add its name."""
    tool_deferral_name_attr: ClassVar[str] = 'pydantic_ai.tool.deferral.name'
    """The attribute for the reason of a waiting call."""
    tool_deferral_metadata_attr: ClassVar[str] = 'pydantic_ai.tool.deferral.metadata'
    """The attribute for the metadata of a waiting call."""

    @classmethod
    def for_version(cls, version: int) -> Self:
        """Return the names of a version."""
        return cls(*(_EARLY if version < 3 else _CONVENTIONAL))

    def get_agent_run_span_name(self, agent_name: str) -> str:
        """Return the name of the span of a run."""
        return self._full(self.agent_run_span_name, agent_name)

    def get_tool_span_name(self, tool_name: str) -> str:
        """Return the name of the span of a tool call."""
        return self._full(self.tool_span_name, tool_name)

    def get_output_tool_span_name(self, tool_name: str) -> str:
        """Return the name of the span of an output function."""
        return self._full(self.output_tool_span_name, tool_name)

    def _full(self, name: str, of: str) -> str:
        return name if name in _EARLY else f'{name} {of}'


@contextmanager
def open_model_request_span(
    settings: InstrumentationSettings, request_context: ModelRequestContext
) -> Iterator[tuple[Callable[[ModelResponse], None], ModelRequestContext]]:
    """Open the span of a model request; yield a function that records the response, and the request as the model prepares it.

    Args:
        settings: Where spans go, and what they contain.
        request_context: The request.
    """
    model = request_context.model
    model_settings, parameters = model.prepare_request(
        request_context.model_settings, request_context.model_request_parameters
    )
    prepared = replace(request_context, model_settings=model_settings, model_request_parameters=parameters)
    with settings.open_request(settings, model, model_settings, parameters) as span:
        yield partial(span.finish, prepared.messages), prepared


def model_request_parameters_attributes(model_request_parameters: ModelRequestParameters) -> dict[str, str]:
    """Return the attributes of the parameters of a request."""
    attributes = InstrumentationSettings().parameter_attributes(model_request_parameters)
    return {'model_request_parameters': attributes['model_request_parameters']}


__all__ = ('InstrumentationNames', 'model_request_parameters_attributes', 'open_model_request_span')
