"""`Instrumentation`: OpenTelemetry spans of runs, model requests, tool calls and output functions.

OpenTelemetry is imported when the settings are built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import field, fields
from functools import lru_cache
from typing import Any, Literal

from pydantic import ValidationError
from typing_extensions import TypedDict, Unpack

from .._contracts.capability import (
    AbstractCapability,
    CapabilityOrdering,
    RawToolArgs,
    ValidatedToolArgs,
    WrapModelRequestHandler,
    WrapOutputProcessHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
)
from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.output import OutputContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.keywords import dataclass
from .._kit.left_out import NO_ENTRIES
from ..exceptions import ModelRetry
from ..messages import ModelMessage, ModelResponse, ToolCallPart
from ..models._base import instructions_of
from ..models._telemetry import (
    SpanNames,
    compact_json,
    event_data,
    running_agent,
    schema_of,
    span_names,
    text_of,
)
from ..models.instrumented import InstrumentationSettings
from ..tools import DeferredToolRequests
from ..usage import RunUsage, used_since
from ._ids import id_of_level

AGGREGATED = 'gen_ai.aggregated_usage.'
_OF_CALL = ('gen_ai.tool.name', 'gen_ai.tool.call.id')


@lru_cache(64)
def _call_schema(names: SpanNames, include_content: bool, identifiers: tuple[str, ...]) -> str:
    content = (names.arguments, names.result) if include_content else ()
    return schema_of((*((name, 'object') for name in content), *((name, '') for name in identifiers)), compact=True)


@lru_cache(256)
def _of_tool(version: int, include_content: bool, tool: str) -> tuple[SpanNames, str, dict[str, str]]:
    """Return the names for the spans of a tool, the name of a span, and the attributes that all of them have."""
    names = span_names(version)
    constant = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'logfire.msg': f'running tool: {tool}',
        'logfire.json_schema': _call_schema(names, include_content, _OF_CALL),
    }
    return names, names.of_tool(tool), constant


@contextmanager
def _baggage(attributes: Mapping[str, str]) -> Iterator[None]:
    """Put attributes into OpenTelemetry's baggage. Spans of the program can take them from there during a run."""
    from opentelemetry import baggage, context

    inside = context.get_current()
    for name, value in attributes.items():
        inside = baggage.set_baggage(name, value, inside)
    token = context.attach(inside)
    try:
        yield
    finally:
        context.detach(token)


@dataclass
class _RunTrace:
    """Data for the attributes of the span of a run, collected while the run is in progress."""

    messages: list[ModelMessage] = field(default_factory=lambda: [])
    parameters: ModelRequestParameters | None = None
    new_message_index: int = 0
    instructions: str | None = None
    requests: int = 0
    variable_instructions: bool = False
    usage_before: RunUsage = field(default_factory=RunUsage)
    """What earlier runs have counted in the same usage."""

    def add_request(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> None:
        """Record a request that is about to be sent."""
        instructions = instructions_of(messages, parameters)
        if self.requests and instructions != self.instructions:
            self.variable_instructions = True
        self.requests += 1
        self.messages, self.parameters, self.instructions = messages, parameters, instructions


class InstrumentationOptions(TypedDict, total=False):
    """Settings of the instrumentation in an agent spec; see `InstrumentationSettings`."""

    include_binary_content: bool
    """Whether spans include the bytes of files."""
    include_content: bool
    """Whether spans include the content of messages, tool calls and outputs."""
    version: Literal[1, 2, 3, 4, 5]
    """The version of the data format."""
    event_mode: Literal['attributes', 'logs']
    """Whether events of version 1 are attributes of their span, or log records."""
    use_aggregated_usage_attribute_names: bool
    """Whether the usage of whole runs has attribute names of its own."""


@dataclass
class Instrumentation(AbstractCapability[AnyDepsT]):
    """OpenTelemetry tracing: a span for each run, model request, tool call and call of an output function."""

    leaves_requests_alone = True
    id: str | None = field(default_factory=id_of_level('instrumentation'), kw_only=True)
    settings: InstrumentationSettings = field(default_factory=InstrumentationSettings, kw_only=False)
    """What to record, and the providers to record it with."""
    _traces: dict[str | None, _RunTrace] = field(default_factory=lambda: {}, init=False, repr=False, compare=False)

    @classmethod
    def from_spec(cls, **kwargs: Unpack[InstrumentationOptions]) -> Instrumentation[Any]:
        """Build the capability from the settings in an agent spec.

        Args:
            kwargs: Those arguments of `InstrumentationSettings` that a spec can hold.
        """
        return cls(InstrumentationSettings(**kwargs))

    def get_ordering(self) -> CapabilityOrdering | None:
        """Return an ordering that places all other capabilities inside the spans."""
        return CapabilityOrdering(position='outermost')

    @property
    def instrumentation_settings(self) -> InstrumentationSettings:
        """The settings, under the name that agents look up."""
        return self.settings

    # The run

    async def wrap_run(self, ctx: RunContext[AnyDepsT], *, handler: WrapRunHandler) -> Any:
        """Run the agent in a span."""
        agent = getattr(ctx.agent, 'name', None) or 'agent'
        identity = {
            'gen_ai.agent.name': agent,
            'gen_ai.agent.call.id': ctx.run_id or '',
            'gen_ai.conversation.id': ctx.conversation_id or '',
        }
        attributes = {
            'model_name': ctx.model.model_name,
            'agent_name': agent,
            **identity,
            'gen_ai.operation.name': 'invoke_agent',
            'logfire.msg': f'{agent} run',
        }
        if description := self._description(ctx):
            attributes['gen_ai.agent.description'] = description
        trace = self._traces[ctx.run_id] = _RunTrace(new_message_index=len(ctx.messages), usage_before=copy(ctx.usage))
        name = span_names(self.settings.version).of_run(agent)
        token = running_agent.set(identity)
        try:
            with (
                _baggage(identity),
                self.settings.open_span(self.settings, name, attributes) as span,
            ):
                result: Any = None
                try:
                    result = await handler()
                finally:
                    if span.is_recording():
                        span.set_attributes(self._run_attributes(ctx, trace, result))
                return result
        finally:
            running_agent.reset(token)
            self._traces.pop(ctx.run_id, None)

    def _description(self, ctx: RunContext[AnyDepsT]) -> str | None:
        """Return the description of the agent; without content, one that is a template is not filled in from the `deps`."""
        if not self.settings.include_content:
            return getattr(ctx.agent, 'description', None)
        render = getattr(ctx.agent, 'render_description', None)
        return None if render is None else render(ctx.deps)

    def _run_attributes(self, ctx: RunContext[AnyDepsT], trace: _RunTrace, result: Any) -> dict[str, Any]:
        """Return the final attributes of the span of a run; if it failed, its messages are those last sent to the model."""
        settings = self.settings
        messages, index, metadata = trace.messages, trace.new_message_index, ctx.metadata
        attributes: dict[str, Any] = {}
        if result is not None:
            messages, metadata = result.all_messages(), result.metadata
            index = len(messages) - len(result.new_messages())
            if settings.include_content:
                attributes['final_result'] = text_of(_written(result.output), settings)
        for name, count in used_since(trace.usage_before, ctx.usage).opentelemetry_attributes().items():
            if settings.use_aggregated_usage_attribute_names:
                name = AGGREGATED + name.removeprefix('gen_ai.usage.')
            attributes[name] = count
        described: dict[str, str] = {}
        if settings.version == 1:
            events = settings.messages_to_otel_events(messages, trace.parameters)
            attributes['all_messages_events'] = compact_json([event_data(event) for event in events])
            described['all_messages_events'] = 'array'
        else:
            attributes['pydantic_ai.all_messages'] = settings.all_messages_json(messages)
            described['pydantic_ai.all_messages'] = 'array'
            instructions = settings.system_instructions_attributes(trace.instructions)
            attributes.update(instructions)
            described.update(dict.fromkeys(instructions, 'array'))
            if trace.variable_instructions:
                attributes['pydantic_ai.variable_instructions'] = True
                described['pydantic_ai.variable_instructions'] = ''
            if index:
                attributes['pydantic_ai.new_message_index'] = index
                described['pydantic_ai.new_message_index'] = ''
        if metadata is not None:
            attributes['metadata'] = compact_json(metadata)
            described['metadata'] = 'array'
        described['final_result'] = 'object'
        attributes['logfire.json_schema'] = schema_of((*described.items(),), compact=True)
        return attributes

    # Inside the run

    async def wrap_model_request(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        request_context: ModelRequestContext,
        handler: WrapModelRequestHandler,
    ) -> ModelResponse:
        """Send a request in a span."""
        model, messages = request_context.model, request_context.messages
        settings, parameters = model.prepare_request(
            request_context.model_settings, request_context.model_request_parameters
        )
        if (trace := self._traces.get(ctx.run_id)) is not None:
            trace.add_request(messages, parameters)
        with self.settings.open_request(self.settings, model, settings, parameters) as span:
            response = await handler(request_context)
            span.finish(messages, response)
        return response

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Execute a tool in a span."""
        traced = self.settings
        names, span_name, constant = _of_tool(traced.version, traced.include_content, call.tool_name)
        attributes: dict[str, Any] = {**constant, 'gen_ai.tool.call.id': call.tool_call_id}
        if traced.include_content:
            attributes[names.arguments] = call.args_as_json_str()
        if identity := running_agent.get():
            attributes.update(identity)
        with traced.open_call(traced, span_name, attributes) as span:
            if span.is_recording() and (repairs := call.args_repairs):
                span.set_attribute('stead.arguments.repairs', repairs)
            result = await handler(args)
            if traced.include_content and span.is_recording():
                span.set_attribute(names.result, text_of(result, traced))
        return result

    async def on_tool_validate_error(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        error: ValidationError | ModelRetry,
    ) -> ValidatedToolArgs:
        """Record a call whose arguments are invalid in a span of its own, since its tool is not executed."""

        async def invalid(args: ValidatedToolArgs) -> Any:
            raise error

        return await self.wrap_tool_execute(ctx, call=call, tool_def=tool_def, args={}, handler=invalid)

    async def wrap_output_process(
        self,
        ctx: RunContext[AnyDepsT],
        *,
        output_context: OutputContext,
        output: Any,
        handler: WrapOutputProcessHandler,
    ) -> Any:
        """Run an output function in a span. Outputs without a function have no span."""
        if not output_context.has_function:
            return await handler(output)
        names, call = span_names(self.settings.version), output_context.tool_call
        function = call.tool_name if call is not None else output_context.function_name or 'output_function'
        attributes: dict[str, Any] = {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': function,
            **(running_agent.get() or {}),
            'logfire.msg': f'running output function: {function}',
            'logfire.json_schema': _call_schema(
                names, self.settings.include_content, _OF_CALL if call is not None else _OF_CALL[:1]
            ),
        }
        if call is not None:
            attributes['gen_ai.tool.call.id'] = call.tool_call_id
        if self.settings.include_content:
            attributes[names.arguments] = compact_json(output, self.settings)
        with self.settings.open_call(self.settings, names.of_output(function), attributes) as span:
            result = await handler(output)
            if self.settings.include_content and span.is_recording():
                span.set_attribute(names.result, text_of(result, self.settings))
        return result


def _written(output: object) -> object:
    """Return an output as spans have it: kinds of deferred calls, which 1.x does not have, are left out while there are none."""
    if not isinstance(output, DeferredToolRequests):
        return output
    written = {item.name: getattr(output, item.name) for item in fields(output)}
    if written['_kinds'] in NO_ENTRIES:
        del written['_kinds']
    return written
