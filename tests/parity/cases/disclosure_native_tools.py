"""Native tools of a deferred capability are sent from the request after its loading."""

from _disclosure import load, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.native_tools import CodeExecutionTool, WebSearchTool

run(
    Agent(
        model(load('web')),
        capabilities=[
            NativeTool(WebSearchTool(), id='web', description='Search.', defer_loading=True),
            NativeTool(CodeExecutionTool()),
        ],
    )
)
run(Agent(model(load('web')), capabilities=[NativeTool(lambda ctx: WebSearchTool(), id='web', defer_loading=True)]))
