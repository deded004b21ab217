"""Hooks that change the parameters of a request in place: the change is for that request, and for the calls of its response."""

from dataclasses import replace

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, FunctionToolset, PromptedOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import InstructionPart, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition

watered = []


class Plan(BaseModel):
    """What to do."""

    room: int = 1


def water() -> str:
    """Water the ferns."""
    watered.append(True)
    return 'wet'


def approval(step, parameters):
    if step == 2:
        parameters.function_tools[0].kind = 'unapproved'


def approval_from_the_first(step, parameters):
    if step == 1:
        parameters.function_tools[0].kind = 'unapproved'


def approval_of_a_copy(step, parameters):
    parameters.function_tools[0] = replace(parameters.function_tools[0], kind='unapproved')


def external(step, parameters):
    if step == 2:
        parameters.function_tools[0].kind = 'external'


def described(step, parameters):
    parameters.function_tools[0].description = f'Water them, in step {step}.'


def described_more(step, parameters):
    parameters.function_tools[0].description += ' More!'


def one_more(step, parameters):
    parameters.function_tools.append(ToolDefinition(name=f'sweep_{step}'))


def none(step, parameters):
    if step == 2:
        parameters.function_tools.clear()


def another_list(step, parameters):
    if step == 2:
        parameters.function_tools = []


def instructed(step, parameters):
    parameters.instruction_parts.append(InstructionPart(content=f'This is step {step}.'))


def no_text(step, parameters):
    parameters.allow_text_output = step != 2


def output_described(step, parameters):
    if parameters.output_object is not None:
        parameters.output_object.description = f'What to do after step {step}.'


class Before(AbstractCapability):
    def __init__(self, change):
        self.change = change

    async def before_model_request(self, ctx, request_context):
        self.change(ctx.run_step, request_context.model_request_parameters)
        return request_context


class Around(AbstractCapability):
    def __init__(self, change):
        self.change = change

    async def wrap_model_request(self, ctx, *, request_context, handler):
        self.change(ctx.run_step, request_context.model_request_parameters)
        return await handler(request_context)


class After(AbstractCapability):
    def __init__(self, change):
        self.change = change

    async def after_model_request(self, ctx, *, request_context, response):
        self.change(ctx.run_step, request_context.model_request_parameters)
        return response


def parameters_of(info):
    parameters = info.model_request_parameters
    tools = [(tool.name, tool.description, tool.kind) for tool in parameters.function_tools]
    output = parameters.output_object and parameters.output_object.description
    return tools, info.instructions and info.instructions[:40], parameters.allow_text_output, output


def run(capability, output_type):
    requests = []

    def model(messages, info):
        requests.append(parameters_of(info))
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse([ToolCallPart('water')] if turn < 3 else [TextPart('{"room": 2}')])

    agent = Agent(
        FunctionModel(model),
        toolsets=[FunctionToolset([water])],
        capabilities=[capability],
        output_type=output_type,
        instructions='You keep a plant shop.',
    )
    for go in ('first', 'second'):
        requests.clear()
        watered.clear()
        output = agent.run_sync('Go').output
        if isinstance(output, DeferredToolRequests):
            output = f'{len(output.approvals)} to approve, {len(output.calls)} external'
        print(f'  {go} run: {output}, watered {len(watered)} times')
        for request in requests:
            print('   ', *request)


for change in (
    approval,
    approval_from_the_first,
    approval_of_a_copy,
    external,
    described,
    described_more,
    one_more,
    none,
    another_list,
    instructed,
    no_text,
    output_described,
):
    # After the response there is no output left to describe, and such a change must not reach the next run.
    for kind in (Before, Around) if change is output_described else (Before, Around, After):
        print(f'{change.__name__}, {kind.__name__}:')
        run(kind(change), PromptedOutput(Plan) if change is output_described else [str, DeferredToolRequests])
