"""`DurableModel`: a model. Its requests are steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from .._contracts.model import ModelRequestParameters
from ..exceptions import UserError
from ..messages import ModelMessage, ModelResponse
from ..models import Model, StreamedResponse, infer_model_profile, parse_model_id
from ..models.wrapper import CompletedStreamedResponse, WrapperModel
from ..profiles import ModelProfile
from ..settings import ModelSettings
from ..usage import RequestUsage
from . import _steps as steps
from ._engine import AnyContext, DurableStep, StepEngine


class NamedModel(Model):
    """A model that is known by its name only, where it cannot be reached; steps find or build it where they are run."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        provider, self._model_name = parse_model_id(name)
        self._system = provider or ''

    @property
    def model_name(self) -> str:
        """The name without the provider."""
        return self._model_name

    @property
    def system(self) -> str:
        """The provider."""
        return self._system

    @property
    def profile(self) -> ModelProfile:  # type: ignore[reportIncompatibleVariableOverride]
        """What the model can do, as far as its name says."""
        return infer_model_profile(self.name)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Raise `UserError`: requests are sent in steps."""
        raise UserError(f'The model {self.name!r} can only be used in a step of a run.')


@dataclass(init=False)
class DurableModel(WrapperModel):
    """A model whose requests are steps of an engine."""

    def __init__(
        self,
        wrapped: Model,
        engine: StepEngine,
        ctx: AnyContext | None = None,
        handler: Any = None,
        key_of: Callable[[Model], str] = lambda model: '',
    ) -> None:
        super().__init__(wrapped)
        self._engine = engine
        self._key_of = key_of
        self._key = key_of(wrapped)
        """What the model is known by where steps are run."""
        self._ctx = ctx
        self._handler = handler

    def beside(self, model: Model) -> DurableModel:
        """Return a model that a capability asks beside that of the run, whose requests are steps, too.

        Raises:
            UserError: It is not known where steps are run.
        """
        return DurableModel(model, self._engine, self._ctx, key_of=self._key_of)

    def _step(
        self,
        kind: Any,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        params: ModelRequestParameters,
        work: Any,
    ) -> DurableStep:
        step = DurableStep(kind, self._ctx, self.wrapped.model_name, work, handler=self._handler)
        if self._engine.elsewhere:
            step.messages = [steps.message_json(message) for message in messages]
            step.data = {
                'model': steps.json_values.dump_json(self._key),
                'settings': self._settings_json(settings),
                'parameters': steps.parameters_json(params),
            }
        return step

    def _settings_json(self, settings: ModelSettings | None) -> bytes:
        try:
            return steps.json_values.dump_json(settings)
        except ValueError as error:
            raise UserError(
                f'The model settings have no JSON form, so that {self._engine.title} cannot send them: {error}. Use plain '
                'numbers, text, lists and dicts.'
            ) from error

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send the request in a step; outside of the engine, as it is."""
        args = messages, model_settings, model_request_parameters
        if not self._engine.is_active():
            return await self.wrapped.request(*args)
        step = self._step('model_request', *args, lambda: steps.request(self.wrapped, *args))
        return steps.response_from(await self._engine.run(step))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: AnyContext | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Send the request in a step, which shows the events to the handler of the run; yield the whole response."""
        args = messages, model_settings, model_request_parameters
        if not self._engine.is_active():
            async with self.wrapped.request_stream(*args, run_context) as stream:
                yield stream
            return
        ctx, handler = self._ctx or run_context, self._handler
        step = self._step(
            'model_request_stream', *args, lambda: steps.request_stream(self.wrapped, *args, ctx, handler)
        )
        response = steps.response_from(await self._engine.run(step))
        yield CompletedStreamedResponse(model_request_parameters, response)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Count tokens in a step; outside of the engine, as it is."""
        args = messages, model_settings, model_request_parameters
        if not self._engine.is_active():
            return await self.wrapped.count_tokens(*args)
        step = self._step('count_tokens', *args, lambda: steps.count_tokens(self.wrapped, *args))
        return steps.kept(steps.request_usage, await self._engine.run(step), 'the usage of a request')
