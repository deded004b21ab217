"""What the cases about output share: print what an output type makes of a request, and of answers."""

import dataclasses
import enum
import json

from _common import attempt, dump, error_text
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile

FIELDS = ('output_mode', 'output_object', 'prompted_output_template', 'allow_text_output', 'allow_image_output')
NATIVE = ModelProfile(default_structured_output_mode='native', supports_json_schema_output=True)
PROMPTED = ModelProfile(default_structured_output_mode='prompted', supports_json_object_output=True)
IMAGES = ModelProfile(supports_image_output=True)


def plain(value):
    """The fields of a record that are set."""
    if value is None:
        return None
    return {
        field.name: getattr(value, field.name)
        for field in dataclasses.fields(value)
        if getattr(value, field.name) is not None
    }


def tool(definition):
    """The fields of an output tool that are set."""
    names = ('name', 'description', 'parameters_json_schema', 'outer_typed_dict_key', 'strict', 'kind')
    return {name: getattr(definition, name) for name in names if getattr(definition, name) is not None}


def facts(parameters):
    """What a request asks for, as plain data."""
    described = {name: getattr(parameters, name) for name in FIELDS}
    described['output_object'] = plain(described['output_object'])
    described['output_tools'] = [tool(definition) for definition in parameters.output_tools]
    return described


def show(title, output_type, profile=None, schema=True, **options):
    """Print what a request asks for, as hooks see it, and what becomes of that on the way to the model."""
    seen = []

    class Look(AbstractCapability):
        async def before_model_request(self, ctx, request_context):
            seen.append(facts(request_context.model_request_parameters))
            return request_context

    def answer(messages, info):
        request = facts(info.model_request_parameters)
        request['info'] = [info.allow_text_output, [tool.name for tool in info.output_tools], info.instructions]
        seen.append(request)
        raise KeyError('seen enough')

    print('==', title)
    try:
        agent = Agent(FunctionModel(answer, profile=profile), output_type=output_type, capabilities=[Look()], **options)
    except Exception as error:
        print('  refused', error_text(error))
        return
    try:
        agent.run_sync('hi')
    except Exception as error:
        if type(error) is not KeyError:
            print('  error', error_text(error))
    for name, request in zip(('hooks', 'model'), seen):
        for key, value in request.items():
            if name == 'hooks' or seen[0].get(key) != value:
                print('  ', name, key, json.dumps(value, default=repr))
    if schema:
        print('   schema', json.dumps(attempt(agent.output_json_schema), default=repr))


def scripted(answers, profile=None):
    """A model that gives these answers: text, (tool name, arguments), or whole responses; the last one forever."""

    def answer(messages, info):
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        reply = answers[min(turn, len(answers) - 1)]
        if isinstance(reply, ModelResponse):
            return reply
        if isinstance(reply, str):
            return ModelResponse(parts=[TextPart(reply)])
        return ModelResponse(parts=[ToolCallPart(reply[0], reply[1], tool_call_id='id')])

    return FunctionModel(answer, profile=profile)


def answered(title, output_type, *answers, profile=None, retries=1, **options):
    """Run an agent, and print its output, and its messages if there were retries."""
    print('==', title)
    try:
        agent = Agent(scripted(answers, profile), output_type=output_type, retries=retries, **options)
        result = agent.run_sync('hi')
    except Exception as error:
        print('  error', error_text(error), '| cause', type(error.__cause__).__name__)
        return
    print('  output', repr(result.output))
    if len(result.all_messages()) > 3:
        dump(result.all_messages())


def understood(output_type, answer, profile=None, **options):
    """What becomes of one answer: the output, or what the model is sent about it."""

    def model(messages, info):
        if len(messages) > 1:
            raise LookupError(json.dumps([part.content for part in messages[-1].parts], default=repr))
        return scripted([answer]).function(messages, info)

    try:
        agent = Agent(FunctionModel(model, profile=profile), output_type=output_type, **options)
        return repr(agent.run_sync('hi').output)
    except LookupError as error:
        return 'told ' + str(error.args[0])
    except Exception as error:
        return error_text(error)


class Cat(BaseModel):
    """A cat."""

    lives: int


class Dog(BaseModel):
    tricks: list[str]


class Nested(BaseModel):
    """With definitions."""

    cat: Cat
    dogs: list[Dog]


class Row(BaseModel):
    """A row."""

    n: int


class Color(enum.Enum):
    RED = 'red'
    BLUE = 'blue'
