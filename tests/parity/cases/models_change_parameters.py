"""Models of a program's own that change the parameters of a request, in place or on their way to what is sent."""

from dataclasses import replace

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.tools import ToolDefinition

requests = []


def answer(messages, info):
    requests.append([(tool.name, tool.description) for tool in info.function_tools])
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    return ModelResponse([ToolCallPart('water')] if turn < 3 else [TextPart('end')])


class Counting:
    number = 0

    def count(self):
        self.number += 1
        return self.number


class Adds(Counting, WrapperModel):
    async def request(self, messages, model_settings, model_request_parameters):
        model_request_parameters.function_tools.append(ToolDefinition(name=f'sweep_{self.count()}'))
        return await super().request(messages, model_settings, model_request_parameters)


class Describes(Counting, WrapperModel):
    async def request(self, messages, model_settings, model_request_parameters):
        number = self.count()
        for tool in model_request_parameters.function_tools:
            tool.description = f'Request {number}.'
        return await super().request(messages, model_settings, model_request_parameters)


class Customizes(Counting, FunctionModel):
    def customize_request_parameters(self, model_request_parameters):
        number = self.count()
        parameters = super().customize_request_parameters(model_request_parameters)
        tools = [replace(tool, description=f'Request {number}.') for tool in parameters.function_tools]
        return replace(parameters, function_tools=tools)


class Prepares(Counting, FunctionModel):
    def prepare_request(self, model_settings, model_request_parameters):
        number = self.count()
        settings, parameters = super().prepare_request(model_settings, model_request_parameters)
        tools = [replace(tool, description=f'Request {number}.') for tool in parameters.function_tools]
        return settings, replace(parameters, function_tools=tools)


for model in (
    Adds(FunctionModel(answer)),
    Describes(FunctionModel(answer)),
    FallbackModel(Describes(FunctionModel(answer)), FunctionModel(answer)),
    Customizes(answer),
    Prepares(answer),
):
    agent = Agent(model)

    @agent.tool_plain
    def water() -> str:
        """Water the ferns."""
        return 'wet'

    print(f'{type(model).__name__}:')
    for _ in range(2):
        requests.clear()
        agent.run_sync('Go')
        print('  ', *requests)


class Guards(WrapperModel):
    async def request(self, messages, model_settings, model_request_parameters):
        if len(messages) > 1:
            model_request_parameters.function_tools[0].kind = 'unapproved'
        return await super().request(messages, model_settings, model_request_parameters)


guarded = Agent(Guards(FunctionModel(answer)), output_type=[str, DeferredToolRequests])
watered = []


@guarded.tool_plain(name='water')
def water_once() -> str:
    """Water the ferns."""
    watered.append(True)
    return 'wet'


print('Guards:')
for _ in range(2):
    watered.clear()
    output = guarded.run_sync('Go').output
    print('  ', type(output).__name__, len(watered))
