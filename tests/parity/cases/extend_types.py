"""Types and aliases that packages subscribe at run time, and what an agent of one's own must define."""

import json

from pydantic_ai import Agent, CallToolsNode, ModelRequestNode, UserPromptNode, capabilities as caps
from pydantic_ai.agent import AbstractAgent, EventStreamHandler, EventStreamProcessor
from pydantic_ai.agent.abstract import AgentInstructions, AgentMetadata, AgentModelSettings, Instructions
from pydantic_ai.models.test import TestModel
from pydantic_ai.result import AgentEventStream

for alias in (
    EventStreamHandler,
    EventStreamProcessor,
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    Instructions,
    caps.CapabilityDescription,
):
    print(len(alias.__parameters__), alias[int].__parameters__ == (), (alias | None) is not None)
for plain in (caps.RawToolArgs, caps.RawOutput, caps.WrapToolValidateHandler, caps.WrapOutputValidateHandler):
    print(type(plain) is not str, (plain | None) is not None)
for cls in (UserPromptNode, ModelRequestNode, CallToolsNode, AgentEventStream):
    parameters = cls.__parameters__
    typed = cls[int, str] if len(parameters) == 2 else cls[str]
    print(cls.__name__, len(parameters), typed.__origin__ is cls)


class Own(AbstractAgent):
    """The least that an agent must be."""

    def __init__(self, agent):
        self.agent = agent

    model = name = description = event_stream_handler = deps_type = None
    toolsets = ()

    @property
    def output_type(self):
        return self.agent.output_type

    def iter(self, *args, **options):
        return self.agent.iter(*args, **options)

    def override(self, **values):
        return self.agent.override(**values)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        return None


own = Own(Agent(TestModel(), output_type=[int, bool]))
print(json.dumps([own.output_json_schema(), own.output_json_schema(str), own.output_json_schema([int, str])]))
print(own.run_sync('go').output)
