"""Native tools of capabilities: values, functions, old names, repeated ones, those of one run."""

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, Hooks, NativeTool, PrefixTools
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import CodeExecutionTool, WebFetchTool, WebSearchTool


class Gives(AbstractCapability):
    def __init__(self, *tools):
        self.tools = tools

    def get_native_tools(self):
        return list(self.tools)


class GivesOld(AbstractCapability):
    def get_builtin_tools(self):
        return [WebFetchTool()]


def show(label, *capabilities, **options):
    requests = []

    def before(ctx, request_context):
        parameters = request_context.model_request_parameters
        requests.append([[tool.kind, getattr(tool, 'search_context_size', None)] for tool in parameters.native_tools])
        parameters.native_tools.clear()
        return request_context

    try:
        agent = Agent(TestModel(), capabilities=[*capabilities, Hooks(before_model_request=before)])
        agent.run_sync('hi', **options)
        print(label, requests)
    except Exception as error:
        print(label, type(error).__name__, requests)


async def later(ctx):
    return WebSearchTool(search_context_size='low')


show('value', Gives(WebSearchTool()))
show('function', Gives(lambda ctx: CodeExecutionTool()))
show('async function', Gives(later))
show('nothing', Gives(lambda ctx: None), Gives())
show('old name', GivesOld())
show('two', Gives(WebSearchTool()), Gives(CodeExecutionTool()))
show('same twice', Gives(WebSearchTool()), Gives(WebSearchTool(search_context_size='high')))
show('ready-made', NativeTool(WebSearchTool()), NativeTool(lambda ctx: CodeExecutionTool()))
show('combined', CombinedCapability([NativeTool(WebSearchTool()), Gives(WebFetchTool())]))
show('prefixed', PrefixTools(NativeTool(WebSearchTool()), prefix='p'))
show('for the run', NativeTool(WebSearchTool()), capabilities=[NativeTool(CodeExecutionTool())])
show(
    'for the run, the same',
    NativeTool(WebSearchTool()),
    capabilities=[NativeTool(WebSearchTool(search_context_size='low'))],
)
show('dynamic', lambda ctx: NativeTool(WebFetchTool()))
