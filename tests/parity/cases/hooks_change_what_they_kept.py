"""Hooks that change in place what they got earlier: before the handler, before the request, or from the call of a tool."""

from dataclasses import replace

from pydantic_ai import Agent, DeferredToolRequests, FunctionToolset, Tool
from pydantic_ai.capabilities import AbstractCapability, Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset

watered = []


def water() -> str:
    """Water the ferns."""
    watered.append(True)
    return 'wet'


class Kept(AbstractCapability):
    """Changes a definition before the request, and the same object when the response is there."""

    async def before_model_request(self, ctx, request_context):
        self.definition = request_context.model_request_parameters.function_tools[0]
        self.definition.description = f'Step {ctx.run_step}.'
        return request_context

    async def after_model_request(self, ctx, *, request_context, response):
        self.definition.kind = 'unapproved'
        return response


class Around(AbstractCapability):
    async def wrap_model_request(self, ctx, *, request_context, handler):
        definition = request_context.model_request_parameters.function_tools[0]
        definition.description = 'Changed.'
        response = await handler(request_context)
        definition.kind = 'unapproved'
        return response


class Twice(AbstractCapability):
    """Asks twice, each time with another description, through the list that it got first."""

    async def wrap_model_request(self, ctx, *, request_context, handler):
        parameters = request_context.model_request_parameters
        tools = parameters.function_tools
        tools[0].description = 'One.'
        await handler(request_context)
        tools[0].description = 'Two.'
        tools.append(ToolDefinition(name='sweep'))
        parameters.allow_text_output = False
        return await handler(request_context)


class Restored(AbstractCapability):
    async def wrap_model_request(self, ctx, *, request_context, handler):
        definition = request_context.model_request_parameters.function_tools[0]
        before, definition.description = definition.description, 'For this request.'
        try:
            return await handler(request_context)
        finally:
            definition.description = before


class Seen(AbstractCapability):
    """Prints the description that is known when a tool is called."""

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        print('    called as:', tool_def.description)
        return args


class Instructions(AbstractCapability):
    async def before_model_request(self, ctx, request_context):
        for part in request_context.model_request_parameters.instruction_parts:
            part.content += ' Soon!'
        return request_context


def at_a_call(point, kind):
    """Return a capability that changes the definition in place that a hook around a call gets."""

    async def hook(self, ctx, *, call, tool_def, args, result=None):
        if switch:
            tool_def.kind = kind
            tool_def.description = 'From a hook.'
        return result if point == 'after_tool_execute' else args

    return type('AtACall', (AbstractCapability,), {point: hook})()


def run(*capabilities, tools=(water,), toolsets=(), change=None, runs=2):
    requests = []

    def model(messages, info):
        if change is not None:
            change(info)
        shown = [(tool.name, tool.description, tool.kind) for tool in info.function_tools]
        requests.append((shown, info.allow_text_output, info.instructions))
        done = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse([ToolCallPart('water')] if done < 2 else [TextPart('Done.')])

    agent = Agent(
        FunctionModel(model),
        tools=tools,
        toolsets=toolsets,
        capabilities=capabilities,
        output_type=[str, DeferredToolRequests],
        instructions='You keep a plant shop.',
    )
    for _ in range(runs):
        requests.clear()
        watered.clear()
        output = agent.run_sync('Go').output
        print('  ', 'waits' if isinstance(output, DeferredToolRequests) else output, len(watered), 'watered')
        for request in requests:
            print('    ', *request)
    return agent


for capability in (Kept(), Around(), Twice(), Instructions()):
    print(type(capability).__name__)
    run(capability)
print('Restored')
run(Restored(), Seen(), runs=1)

for point in ('before_tool_validate', 'after_tool_validate', 'before_tool_execute', 'after_tool_execute'):
    for kind, tool in (('unapproved', Tool(water)), ('function', Tool(water, requires_approval=True))):
        print(point, kind)
        switch = True
        capability = at_a_call(point, kind)
        run(capability, tools=[tool])
        switch = False
        run(capability, tools=[tool], runs=1)


def needs_none(ctx, definition, args):
    definition.kind = 'unapproved'
    return False


print('approval_required')
run(tools=[], toolsets=[FunctionToolset([water]).approval_required(needs_none)])


def described(info):
    info.function_tools[0].description += '!'
    info.model_request_parameters.allow_text_output = False


print('the function of a model')
run(change=described)
print('the function of a model removes the tools')
run(change=lambda info: info.function_tools.clear())


class ByStep(Tool):
    async def prepare_tool_def(self, ctx):
        definition = await super().prepare_tool_def(ctx)
        return replace(definition, kind='unapproved' if ctx.run_step > 1 else 'function')


class ByState(Tool):
    @property
    def tool_def(self):
        return replace(super().tool_def, kind='unapproved' if watered else 'function')


for kind in (ByStep, ByState):
    print(kind.__name__)
    run(tools=[kind(water)])
tool = Tool(water, requires_approval=True)
tool.tool_def.kind = 'function'
print('the definition of a tool')
run(tools=[tool], runs=1)


class OwnDefinition(ToolDefinition):
    """One whose constructor takes other arguments."""

    def __init__(self, shop):
        super().__init__(name='water', description=shop)


class Shop(AbstractToolset):
    id = 'shop'

    async def get_tools(self, ctx):
        tools = await FunctionToolset([water]).get_tools(ctx)
        return {'water': replace(tools['water'], tool_def=OwnDefinition('Fern shop.'))}

    async def call_tool(self, name, tool_args, ctx, tool):
        return water()


hooks = Hooks()


@hooks.on.before_model_request
async def described_by_a_hook(ctx, request_context):
    request_context.model_request_parameters.function_tools[0].description += ' Open.'
    return request_context


print('a definition of another class')
run(hooks, tools=[], toolsets=[Shop()])
