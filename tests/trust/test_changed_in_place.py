"""Whatever code that sees definitions changes in them in place, a tool that needs approval does not run without one.

Hooks, filters, functions of toolsets, tools and models get at definitions in many ways. Here, random ones take the approval away
from each that they get, or got before, in random agents that are run in all ways, three times each. `make trust` plays 3,000
agents; without `STEAD_TRUST_FULL=1`, some are played.
"""

from __future__ import annotations

import asyncio
import os
import random
import warnings
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from typing import Any

from stead import Agent, FunctionToolset, RunContext, Tool
from stead.capabilities import AbstractCapability
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models import ModelRequestParameters
from stead.models.fallback import FallbackModel
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.models.wrapper import WrapperModel
from stead.tools import DeferredToolRequests, ToolDefinition

from .agents import WAYS, ended

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
COUNT = 3000 if FULL else 60
FIRST = random.SystemRandom().randrange(10**9) if FULL and not os.environ.get('CI') else 1
MOST_CALLS = 4


class Play:
    """One random agent, and the code around it that changes what it gets."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kept: list[ToolDefinition] = []
        self.ran: list[str] = []
        self.names = {'wipe': 'wipe', 'read': 'read'}

    def happens(self, share: float) -> bool:
        return self.random.random() < share

    def change(self, definitions: Iterable[ToolDefinition]) -> None:
        """Take the approval away from definitions, and from some that were seen before."""
        for definition in [*definitions, *self.kept[-20:]]:
            if self.happens(0.6):
                definition.kind = 'function'
                definition.description = str(self.random.random())
                if self.happens(0.3):
                    definition.metadata = {'a': 1}
            if self.happens(0.3):
                self.kept.append(definition)

    def change_request(self, parameters: ModelRequestParameters) -> None:
        self.change(parameters.function_tools)
        if self.happens(0.2):
            parameters.function_tools.reverse()
        if self.happens(0.2):
            parameters.function_tools[:] = [replace(each, kind='function') for each in parameters.function_tools]
        if self.happens(0.1):
            parameters.allow_text_output = self.happens(0.5)

    def agent(self) -> Agent[None, Any]:
        return Agent(
            self.model(),
            toolsets=[self.toolset()],
            capabilities=[self.capability() for _ in range(self.random.randint(0, 3))],
            output_type=[str, DeferredToolRequests],
        )

    def toolset(self) -> Any:
        def wipe(p: str) -> None:
            self.ran.append('wipe')

        def read(ctx: RunContext[None], p: str) -> None:
            self.ran.append('read')
            assert ctx.tool_manager is not None
            if self.happens(0.3):
                self.change(ctx.tools.values())
            if self.happens(0.3):
                self.change(ctx.tool_manager.tool_defs)

        def filtered(ctx: RunContext[None], definition: ToolDefinition) -> bool:
            self.change([definition])
            return True

        def prepared(ctx: RunContext[None], definitions: list[ToolDefinition]) -> list[ToolDefinition]:
            self.change(definitions)
            return definitions

        def needs_none(ctx: RunContext[None], definition: ToolDefinition, args: dict[str, Any]) -> bool:
            self.change([definition])
            return False

        inner: FunctionToolset[None] = FunctionToolset([Tool(wipe, requires_approval=True), read])
        toolset: Any = inner
        for _ in range(self.random.randint(0, 3)):
            names = {name: f'a_{shown}' for name, shown in self.names.items()}
            renamed = {names[name]: shown for name, shown in self.names.items()}
            kind = self.random.choice(
                ['prefixed', 'renamed', 'filtered', 'prepared', 'with_metadata', 'approval_required']
            )
            if kind in ('prefixed', 'renamed'):
                self.names = names
            toolset = {
                'prefixed': lambda: toolset.prefixed('a'),
                'renamed': lambda: toolset.renamed(renamed),
                'filtered': lambda: toolset.filtered(filtered),
                'prepared': lambda: toolset.prepared(prepared),
                'with_metadata': lambda: toolset.with_metadata(x=1),
                'approval_required': lambda: toolset.approval_required(needs_none),
            }[kind]()
        return toolset

    def capability(self) -> AbstractCapability[None]:
        async def before_model_request(self_: Any, ctx: RunContext[None], request_context: Any) -> Any:
            self.change_request(request_context.model_request_parameters)
            return request_context

        async def wrap_model_request(self_: Any, ctx: RunContext[None], *, request_context: Any, handler: Any) -> Any:
            first = request_context.model_request_parameters
            self.change_request(first)
            response = await handler(request_context)
            self.change_request(first)
            self.change_request(request_context.model_request_parameters)
            if self.happens(0.2):
                response = await handler(request_context)
                self.change_request(first)
            return response

        async def after_model_request(
            self_: Any, ctx: RunContext[None], *, request_context: Any, response: ModelResponse
        ) -> ModelResponse:
            self.change_request(request_context.model_request_parameters)
            self.change(ctx.tools.values())
            return response

        async def around_a_call(
            self_: Any, ctx: RunContext[None], *, call: object, tool_def: ToolDefinition, args: Any, result: Any = None
        ) -> Any:
            self.change([tool_def])
            return args

        async def prepare_tools(self_: Any, ctx: RunContext[None], tool_defs: list[ToolDefinition]) -> Any:
            self.change(tool_defs)
            return tool_defs

        hooks: dict[str, Any] = {
            'before_model_request': before_model_request,
            'wrap_model_request': wrap_model_request,
            'after_model_request': after_model_request,
            'before_tool_validate': around_a_call,
            'after_tool_validate': around_a_call,
            'before_tool_execute': around_a_call,
            'prepare_tools': prepare_tools,
        }
        return type(
            'Changes', (AbstractCapability,), {name: hook for name, hook in hooks.items() if self.happens(0.5)}
        )()

    def calls(self, messages: list[ModelMessage]) -> list[ToolCallPart]:
        done = sum(isinstance(message, ModelResponse) for message in messages)
        drawn = self.random.choices(['wipe', 'read'], k=self.random.randint(1, 3)) if done < MOST_CALLS else []
        return [ToolCallPart(self.names[name], {'p': '/'}, f'c{done}_{index}') for index, name in enumerate(drawn)]

    def model(self) -> Any:
        play = self

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.change_request(info.model_request_parameters)
            self.change(info.function_tools)
            return ModelResponse(self.calls(messages) or [TextPart('done')])

        async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            self.change(info.function_tools)
            calls = self.calls(messages)
            if not calls:
                yield 'done'
            for index, call in enumerate(calls):
                yield {index: DeltaToolCall(call.tool_name, '{"p": "/"}', tool_call_id=call.tool_call_id)}

        class Changing(FunctionModel):
            async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
                play.change_request(model_request_parameters)
                response = await super().request(messages, model_settings, model_request_parameters)
                play.change_request(model_request_parameters)
                return response

        class Around(WrapperModel):
            async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
                play.change_request(model_request_parameters)
                return await super().request(messages, model_settings, model_request_parameters)

        plain, changing = FunctionModel(answer, stream_function=stream), Changing(answer, stream_function=stream)
        return self.random.choice([plain, changing, Around(plain), FallbackModel(changing, plain)])


async def played(seed: int) -> tuple[int, list[str]]:
    """Return how many runs of an agent waited for an approval, and the tools that ran."""
    play, waited = Play(seed), 0
    agent = play.agent()
    for _ in range(3):  # what is changed in one run must not reach the next ones either
        output, _ = await ended(agent, play.random.choice(WAYS))
        waited += isinstance(output, DeferredToolRequests)
    return waited, play.ran


def test_nothing_that_is_changed_in_place_takes_an_approval_away() -> None:
    async def play_all() -> tuple[int, int]:
        waited = read = 0
        for seed in range(FIRST, FIRST + COUNT):
            waiting, ran = await played(seed)
            assert 'wipe' not in ran, f'the agent of the seed {seed} ran a tool without an approval'
            waited, read = waited + waiting, read + len(ran)
        return waited, read

    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # such as that a stream ended before calls that it had
        waited, read = asyncio.run(play_all())
    assert waited > 2 * COUNT
    assert read > COUNT
