"""What hooks may change about a model request: messages, settings, parameters, the model itself."""

from dataclasses import replace

from pydantic_ai import Agent, ModelSettings
from pydantic_ai.capabilities import AbstractCapability, Hooks
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

seen = []


def model(name):
    def respond(messages, info):
        seen.append(
            [
                name,
                [[getattr(part, 'content', part.part_kind) for part in message.parts] for message in messages],
                info.model_settings,
                [tool.name for tool in info.function_tools],
                info.instructions,
            ]
        )
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart('step', {}, 'c1')])
        return ModelResponse(parts=[TextPart(f'from {name}')])

    return FunctionModel(respond, model_name=name)


other = model('other')


def capability(**hooks):
    return Hooks(**hooks)


def show(label, *capabilities, **options):
    seen.clear()
    agent = Agent(
        model('own'),
        instructions='be good',
        model_settings=ModelSettings(temperature=0.5),
        capabilities=list(capabilities),
        **options,
    )

    @agent.tool_plain
    def step() -> int:
        return 1

    try:
        result = agent.run_sync('hi')
        print(label, result.output)
        for line in seen:
            print('   ', line)
        print(
            '    history',
            [[getattr(part, 'content', part.part_kind) for part in message.parts] for message in result.all_messages()],
        )
        print(
            '    names',
            [message.model_name for message in result.all_messages() if message.kind == 'response'],
            len(result.new_messages()),
        )
    except Exception as error:
        print(label, type(error).__name__, error)


def swap_model(ctx, request_context):
    request_context.model = other
    return request_context


def swap_settings(ctx, request_context):
    request_context.model_settings = {**request_context.model_settings, 'seed': ctx.run_step}
    return request_context


def hide_tools(ctx, request_context):
    parameters = request_context.model_request_parameters
    request_context.model_request_parameters = replace(parameters, function_tools=[])
    return request_context


def add_message(ctx, request_context):
    request_context.messages.append(ModelRequest(parts=[UserPromptPart(f'added {ctx.run_step}')]))
    return request_context


def replace_messages(ctx, request_context):
    request_context.messages = [ModelRequest(parts=[UserPromptPart('only this')]), *request_context.messages[1:]]
    return request_context


def new_context(ctx, request_context):
    return replace(request_context, model=other, model_settings={'max_tokens': 3})


def after(ctx, *, request_context, response):
    response.parts.append(TextPart(f' after {request_context.model.model_name}'))
    return response


async def wrap(ctx, *, request_context, handler):
    request_context.model_settings = {'top_p': 0.1}
    response = await handler(request_context)
    return replace(response, parts=[*response.parts, TextPart(' wrapped')])


async def twice(ctx, *, request_context, handler):
    await handler(request_context)
    return await handler(request_context)


async def other_handler(ctx, *, request_context, handler):
    return await handler(replace(request_context, model=other))


def settings(ctx):
    return {'seed': ctx.run_step, 'temperature': (ctx.model_settings or {}).get('temperature', 9) + 1}


class Settings(AbstractCapability):
    def __init__(self, layer):
        self.layer = layer

    def get_model_settings(self):
        return self.layer


show('model', capability(before_model_request=swap_model))
show('settings', capability(before_model_request=swap_settings))
show('tools', capability(before_model_request=hide_tools))
show('new context', capability(before_model_request=new_context))
show('replaced messages', capability(before_model_request=replace_messages))
show('after', capability(after_model_request=after))
show('wrap', capability(model_request=wrap), capability(before_model_request=swap_settings))
show('other in wrap', capability(model_request=other_handler))
show(
    'layers',
    Settings({'temperature': 1, 'max_tokens': 7}),
    Settings(settings),
    Settings(lambda ctx: {'top_k': len(ctx.model_settings)}),
)
show(
    'three',
    capability(before_model_request=swap_settings),
    Settings({'top_p': 0.2}),
    capability(before_model_request=swap_model),
)
