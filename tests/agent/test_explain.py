"""`Agent.explain`: what would be sent, and who decided about it."""

from __future__ import annotations

import asyncio
from typing import Any

from stead import Agent, DeferredToolRequests, ModelSettings, RunContext
from stead.capabilities import AbstractCapability, Capability, CapabilityOrdering, Hooks
from stead.models.function import FunctionModel
from stead.toolsets import FunctionToolset


def look(order: str) -> str:
    """Look up an order."""
    return order


def refund(order: str) -> str:
    """Refund an order."""
    return order


class Outer(AbstractCapability[Any]):
    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position='outermost')

    def get_instructions(self) -> str:
        return 'Be brief.'

    def get_model_settings(self) -> ModelSettings:
        return ModelSettings(temperature=0.2, max_tokens=5)

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        raise AssertionError('hooks of requests are not called by an explanation')

    async def before_run(self, ctx: RunContext[Any]) -> None:
        raise AssertionError('hooks of runs are not called by an explanation')


class Collects(AbstractCapability[Any]):
    def __init__(self) -> None:
        self.seen: list[str] = []


def test_the_order_of_capabilities_and_their_hooks() -> None:
    hooks = Hooks[Any](before_model_request=lambda ctx, request_context: request_context)
    found = Agent('test', capabilities=[hooks, Outer()]).explain()
    assert [note.name for note in found.capabilities] == ['Outer', 'Hooks']
    assert found.capabilities[0].reasons == ['Outer is outermost']
    assert found.hooks['before_model_request'] == ['Outer', 'Hooks']
    assert 'after_run' not in found.hooks


def test_tools_say_who_renamed_and_hid_them() -> None:
    shop = FunctionToolset[Any]([look, refund], id='shop')
    visible = shop.renamed({'see': 'look'}).filtered(lambda ctx, definition: definition.name != 'refund').prefixed('a')
    found = Agent('test', toolsets=[visible]).explain()
    tools = {note.name: note for note in found.tools}
    assert tools['a_see'].source == "FunctionToolset 'shop'"
    assert tools['a_see'].changes == ["renamed from 'look' by RenamedToolset", "renamed from 'see' by PrefixedToolset"]
    assert (tools['refund'].status, tools['refund'].changes) == ('hidden', ['hidden by FilteredToolset'])
    assert found.parameters is not None
    assert [tool.name for tool in found.parameters.function_tools] == ['a_see']


def test_instructions_and_settings_say_where_they_come_from() -> None:
    agent = Agent('test', instructions='Help.', model_settings={'temperature': 1, 'seed': 3}, capabilities=[Outer()])

    @agent.instructions
    def today() -> str:
        return 'It is Monday.'

    found = agent.explain('hi', instructions='Hurry.', model_settings={'top_p': 0.5})
    assert [(note.source, note.value) for note in found.instructions] == [
        ('agent', 'Help.'),
        ('Outer', 'Be brief.'),
        ('run or override', 'Hurry.'),
        ('agent, today()', 'It is Monday.'),
    ]
    sent = 'Help.\nBe brief.\nHurry.\n\nIt is Monday.'
    assert found.parameters is not None and found.parameters.instruction_parts is not None
    assert '\n\n'.join(part.content for part in found.parameters.instruction_parts) == sent
    assert {note.name: (note.value, note.source) for note in found.settings} == {
        'temperature': (0.2, 'Outer'),
        'seed': (3, 'agent'),
        'max_tokens': (5, 'Outer'),
        'top_p': (0.5, 'run'),
    }


def test_the_list_of_capabilities_to_load_is_called_that() -> None:
    shop = Capability[Any](id='shop', description='Buying things.', instructions='Be kind.', defer_loading=True)
    sources = {note.source: note.value for note in Agent('test', capabilities=[shop]).explain().instructions}
    (source,) = sources
    assert source.startswith('the list of capabilities to load') and 'shop: Buying things.' in sources[source]


def test_what_is_probably_not_meant() -> None:
    agent = Agent('test', capabilities=[Collects()])
    agent.tool_plain(requires_approval=True)(refund)
    agent.tool_plain(defer_loading=True)(look)
    found = agent.explain()
    text = '\n'.join(found.warnings)
    assert 'Collects has state that all runs share: seen' in text
    assert 'Calls of refund wait for a result' in text
    with_place = Agent('test', output_type=[str, DeferredToolRequests])
    with_place.tool_plain(requires_approval=True)(refund)
    assert with_place.explain().warnings == []


def test_a_clash_of_names_is_a_warning() -> None:
    found = Agent('test', tools=[look], toolsets=[FunctionToolset[Any]([look], id='shop')]).explain()
    assert any("'look'" in warning and 'shop' in warning for warning in found.warnings)
    assert found.parameters is None


def test_nothing_is_sent_and_no_model_is_needed() -> None:
    def fail(messages: Any, info: Any) -> Any:
        raise AssertionError('the model is not asked')

    assert Agent(FunctionModel(fail), tools=[look]).explain('hi').messages[0].parts[0].content == 'hi'  # type: ignore[union-attr]
    assert 'TestModel' in str(Agent(tools=[look]).explain())


def test_it_works_inside_of_a_running_loop_and_prints_a_report() -> None:
    async def main() -> str:
        return str(Agent('test', instructions='Help.', tools=[look]).explain())

    report = asyncio.run(main())
    assert report.splitlines()[0].startswith('model')
    assert 'tools         look from the agent' in report
    assert 'instructions  [agent] Help.' in report
