"""`TestModel`: a model that calls all tools with generated data, to test agents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

import pydantic_core

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.ids import now_utc
from .._kit.json_data import MOST_DATA, DataGenerator, NoData
from .._kit.well_formed import well_formed_data
from ..exceptions import UserError
from ..messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    is_retry,
)
from ..native_tools import SUPPORTED_NATIVE_TOOLS, AbstractNativeTool, ToolSearchTool
from ..profiles import ModelProfileSpec
from ..settings import ModelSettings
from ..usage import RequestUsage
from ._base import Model
from ._estimate import Estimator, estimate_usage, response_tokens
from ._streaming.streamed import StreamedResponse


@dataclass(init=False)
class TestModel(Model):
    """A model that calls each tool once, with data generated from its schema, and then responds with the results."""

    __test__ = False  # else pytest would collect it, because of its name

    max_data_size: ClassVar[int] = MOST_DATA
    """The most characters of generated arguments, where an item or a property counts for twenty. Set it on the class or an
    instance for tools whose schemas ask for more."""

    call_tools: list[str] | Literal['all'] = 'all'
    """The names of the tools to call, or `'all'`."""
    custom_output_text: str | None = None
    """The text to respond with."""
    custom_output_args: Any | None = None
    """The arguments to call an output tool with."""
    seed: int = 0
    """The seed of the generated data."""
    last_model_request_parameters: ModelRequestParameters | None = field(default=None, init=False)
    """The prepared parameters of the last request."""
    _model_name: str = field(default='test', repr=False)
    _system: str = field(default='test', repr=False)

    def __init__(
        self,
        *,
        call_tools: list[str] | Literal['all'] = 'all',
        custom_output_text: str | None = None,
        custom_output_args: Any | None = None,
        seed: int = 0,
        model_name: str = 'test',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            call_tools: The names of the tools to call, or `'all'`.
            custom_output_text: The text to respond with; by default the results of the tools, as JSON.
            custom_output_args: The arguments to call an output tool with; by default generated from its schema.
            seed: The seed of the generated data.
            model_name: The name of the model.
            profile: What the model can do.
            settings: Settings for all requests.
        """
        super().__init__(settings=settings, profile=profile)
        self.call_tools = call_tools
        self.custom_output_text = custom_output_text
        self.custom_output_args = custom_output_args
        self.seed = seed
        self.last_model_request_parameters = None
        self._model_name = model_name
        self._system = 'test'
        self._estimator = Estimator()

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """The provider."""
        return self._system

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools, so that requests with them reach the model, which rejects them with a helpful error.

        The tool search is not among them, so that the local search replaces it.
        """
        return SUPPORTED_NATIVE_TOOLS - {ToolSearchTool}

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Respond to a request; see `Model.request`.

        Raises:
            UserError: A tool to call does not exist, no data can be generated for a schema, the output type does not fit the
                custom output, or the request has native tools.
        """
        params = self._prepared_parameters(model_settings, model_request_parameters)
        response = self._answer(messages, params)
        response.usage = self._estimator.usage(messages, response.parts)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream the response to a request; arguments and errors as `request`."""
        params = self._prepared_parameters(model_settings, model_request_parameters)
        yield TestStreamedResponse(
            model_request_parameters=params,
            _model_name=self._model_name,
            _structured_response=self._answer(messages, params),
            _messages=messages,
            _provider_name=self._system,
        )

    def gen_tool_args(self, tool_def: ToolDefinition) -> Any:
        """Return arguments for a tool, generated from its schema.

        Raises:
            UserError: No data can be generated for the schema.
        """
        try:
            return DataGenerator(tool_def.parameters_json_schema, self.seed, self.max_data_size).generate()
        except NoData as error:
            raise UserError(
                f'`TestModel` cannot generate arguments for the tool {tool_def.name!r}: {error}. '
                'Fix the schema, leave the tool out with `call_tools`, or use a `FunctionModel`.'
            ) from None

    def _prepared_parameters(
        self, settings: ModelSettings | None, params: ModelRequestParameters
    ) -> ModelRequestParameters:
        _, params = self.prepare_request(settings, params)
        self.last_model_request_parameters = params
        if params.native_tools:
            names = [type(tool).__name__ for tool in params.native_tools]
            raise UserError(
                f'`TestModel` cannot simulate native tools, but the request has {names}. Use a `FunctionModel`, whose '
                'function can respond as a provider with these tools would, or an agent without them.'
            )
        return params

    def _may_call(self, name: str) -> bool:
        return self.call_tools == 'all' or name in self.call_tools

    def _calls(self, params: ModelRequestParameters) -> list[ToolDefinition]:
        if self.call_tools == 'all':
            return params.function_tools
        tools = {tool.name: tool for tool in params.function_tools}
        if unknown := [name for name in self.call_tools if name not in tools]:
            raise UserError(
                f'`TestModel(call_tools=...)` names {unknown}, but the tools of the request are {sorted(tools)}.'
            )
        return [tools[name] for name in self.call_tools]

    def _answer(self, messages: list[ModelMessage], params: ModelRequestParameters) -> ModelResponse:
        use_tool = self._output_tool(params)
        if not any(isinstance(message, ModelResponse) for message in messages):
            if calls := self._calls(params):
                return self._respond(*(self._call(tool) for tool in calls))
        last = messages[-1] if messages else None
        if isinstance(last, ModelRequest):
            retries = [part for part in last.parts if is_retry(part)]
            if retries:
                return self._retry(retries, params)
        if use_tool is not None:
            return self._respond(self._output_call(use_tool))
        if self.custom_output_text is not None:
            return self._respond(TextPart(self.custom_output_text))
        return self._respond(TextPart(_summary(messages)))

    def _output_tool(self, params: ModelRequestParameters) -> ToolDefinition | None:
        """Return the output tool to call, or `None` to respond with text."""
        if self.custom_output_text is not None:
            if not params.allow_text_output:
                raise UserError(
                    '`TestModel(custom_output_text=...)` is set, but the output type does not allow text. '
                    'Use `custom_output_args`.'
                )
            return None
        if self.custom_output_args is not None:
            if not params.output_tools:
                raise UserError(
                    '`TestModel(custom_output_args=...)` is set, but the output type has no output tool. '
                    'Use `custom_output_text`.'
                )
            return params.output_tools[self.seed % len(params.output_tools)]
        if params.allow_text_output or not params.output_tools:
            return None
        return params.output_tools[self.seed % len(params.output_tools)]

    def _output_call(self, tool: ToolDefinition) -> ToolCallPart:
        args = self.custom_output_args
        if args is None:
            return self._call(tool)
        if tool.outer_typed_dict_key is not None:
            args = {tool.outer_typed_dict_key: args}
        plain: Any = pydantic_core.to_jsonable_python(args)
        return ToolCallPart(tool.name, plain, tool_call_id=f'pyd_ai_tool_call_id__{tool.name}')

    def _call(self, tool: ToolDefinition) -> ToolCallPart:
        return ToolCallPart(tool.name, self.gen_tool_args(tool), tool_call_id=f'pyd_ai_tool_call_id__{tool.name}')

    def _retry(self, retries: list[RetryPromptPart | ToolReturnPart], params: ModelRequestParameters) -> ModelResponse:
        names = {part.tool_name for part in retries}
        outputs = [tool for tool in params.output_tools if tool.name in names]
        if outputs:
            return self._respond(*(self._output_call(tool) for tool in outputs))
        tools = [tool for tool in params.function_tools if tool.name in names and self._may_call(tool.name)]
        return self._respond(*(ToolCallPart(tool.name, self.gen_tool_args(tool)) for tool in tools))

    def _respond(self, *parts: ModelResponsePart) -> ModelResponse:
        return ModelResponse(parts=list(parts), model_name=self._model_name)


_PLAIN = frozenset({str, int, bool, type(None)})
"""The types of results that are their own JSON data."""


def _summary(messages: list[ModelMessage]) -> str:
    """Return the results of the tools by name, as JSON text."""
    returned: dict[str, ToolReturnPart] = {}
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    returned[part.tool_name] = part
    if not returned:
        return 'success (no tool calls)'
    if all(
        type(part.content) in _PLAIN for part in returned.values()
    ):  # the adapter of all messages takes long to make
        return pydantic_core.to_json(well_formed_data({name: part.content for name, part in returned.items()})).decode()
    from ..messages import ModelMessagesTypeAdapter

    try:
        dumped: Any = ModelMessagesTypeAdapter.dump_python([ModelRequest(parts=list(returned.values()))], mode='json')
    except ValueError:
        for part in returned.values():
            part.model_response_str()  # raises an error that names the tool
        raise
    contents = {part['tool_name']: part['content'] for part in dumped[0]['parts']}
    return pydantic_core.to_json(well_formed_data(contents)).decode()


def _pieces(text: str) -> list[str]:
    """Return the words of a text, each with the space after it, or the halves of a single word."""
    *words, last = text.split(' ')
    if words or len(text) < 2:
        return [*(f'{word} ' for word in words), last]
    return [text[: len(text) // 2], text[len(text) // 2 :]]


@dataclass
class TestStreamedResponse(StreamedResponse):
    """The streamed response of a `TestModel`."""

    __test__ = False

    _model_name: str = ''
    _structured_response: ModelResponse = field(default_factory=lambda: ModelResponse(parts=[]))
    _messages: InitVar[list[ModelMessage]] = None  # type: ignore[assignment]
    _provider_name: str = 'test'
    _provider_url: str | None = None
    _timestamp: datetime = field(default_factory=now_utc, init=False)

    def __post_init__(self, _messages: list[ModelMessage]) -> None:  # type: ignore[override]
        super().__post_init__()
        self._usage = estimate_usage(_messages or [])

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        manager = self._parts_manager
        for index, part in enumerate(self._structured_response.parts):
            if isinstance(part, TextPart):
                for event in manager.handle_text_delta(vendor_part_id=index, content=''):
                    yield event
                for word in _pieces(part.content):
                    self._usage += RequestUsage(output_tokens=response_tokens([TextPart(word)]))
                    for event in manager.handle_text_delta(vendor_part_id=index, content=word):
                        yield event
            elif isinstance(part, ToolCallPart):
                yield manager.handle_tool_call_part(
                    vendor_part_id=index, tool_name=part.tool_name, args=part.args, tool_call_id=part.tool_call_id
                )
            else:
                yield manager.handle_part(vendor_part_id=index, part=part)

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def provider_name(self) -> str:
        """The provider."""
        return self._provider_name

    @property
    def provider_url(self) -> str | None:
        """The URL, which is `None`."""
        return self._provider_url

    @property
    def timestamp(self) -> datetime:
        """When the response was created."""
        return self._timestamp
