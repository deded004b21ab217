"""What needs an approval waits for one from the step on in which it is listed so, wherever the list is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic_core import SchemaValidator, core_schema

from stead import Agent, DeferredToolRequests, RunContext
from stead.messages import ModelMessage, ModelResponse, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import ToolDefinition
from stead.toolsets import AbstractToolset, CombinedToolset, ToolsetTool, WrapperToolset


class Keeps(AbstractToolset[Any]):
    """Lists its tools in a dict that it keeps, and changes while a run is under way."""

    def __init__(self) -> None:
        self.tools: dict[str, ToolsetTool[Any]] = {}
        self.ran: list[str] = []
        self.put('read')

    @property
    def id(self) -> str:
        return 'keeps'

    def put(self, name: str, kind: Literal['function', 'unapproved'] = 'function') -> None:
        definition = ToolDefinition(name=name, parameters_json_schema={'type': 'object', 'properties': {}}, kind=kind)
        validator = SchemaValidator(core_schema.dict_schema())
        self.tools[name] = ToolsetTool(toolset=self, tool_def=definition, max_retries=1, args_validator=validator)

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return self.tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> str:
        self.ran.append(name)
        self.put('read', 'unapproved')
        self.put('more')
        return 'done'


@pytest.mark.parametrize(
    'around',
    [
        lambda toolset: toolset,
        lambda toolset: CombinedToolset([toolset]),
        lambda toolset: toolset.filtered(lambda ctx, definition: True),
        lambda toolset: toolset.renamed({}),
        lambda toolset: toolset.with_metadata(kept=True),
        lambda toolset: toolset.approval_required(lambda ctx, definition, args: False),
        lambda toolset: WrapperToolset(toolset),
    ],
    ids=['alone', 'combined', 'filtered', 'renamed', 'metadata', 'approval', 'wrapped'],
)
def test_a_tool_that_needs_an_approval_from_now_on_waits_for_one(around: Callable[[Any], AbstractToolset[Any]]) -> None:
    listed: list[list[str]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        listed.append([definition.name for definition in info.function_tools])
        return ModelResponse(parts=[ToolCallPart('read', {}, f'c{len(listed)}')])

    keeps = Keeps()
    agent = Agent(FunctionModel(answer), output_type=[str, DeferredToolRequests], toolsets=[around(keeps)])
    output = agent.run_sync('go').output
    assert isinstance(output, DeferredToolRequests)
    assert [call.tool_call_id for call in output.approvals] == ['c2']
    assert keeps.ran == ['read']
    assert listed == [['read'], ['read', 'more']]
