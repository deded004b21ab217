"""What the cases about provider-adaptive capabilities share: what such a capability comes to, as plain facts."""

import asyncio
import dataclasses
import json
import warnings

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())


def mine(a: int) -> str:
    """Mine."""
    return str(a)


def settings(tool):
    """The settings of a native tool that are not its defaults."""
    if not dataclasses.is_dataclass(tool):
        return 'function' if callable(tool) else tool
    changed = {
        field.name: str(getattr(tool, field.name))
        for field in dataclasses.fields(tool)
        if getattr(tool, field.name) != field.default
    }
    return [type(tool).__name__, changed]


def local(value):
    """The local stand-in of a capability, by name or by type."""
    if isinstance(value, Tool):
        return ['Tool', value.name]
    return value if value is None or isinstance(value, bool) else type(value).__name__


def facts(capability, tools=True):
    """What a capability comes to: its native tools, its local stand-in and its toolset."""
    toolset = capability.get_toolset()
    described = {
        'native': settings(capability.native),
        'native tools': [settings(tool) for tool in capability.get_native_tools()],
        'local': local(capability.local),
        'id': capability.id,
        'toolset': toolset is not None,
    }
    if tools and toolset is not None:
        listed = asyncio.run(toolset.get_tools(ctx))
        described['tools'] = [[name, tool.tool_def.unless_native] for name, tool in listed.items()]
    return described


def show(label, make, tools=True):
    """Print what a capability comes to, or the type of the error; and of the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            outcome = facts(make(), tools)
        except Exception as error:
            outcome = type(error).__name__
    print(json.dumps([label, outcome, [warning.category.__name__ for warning in caught]]))


def model_with(*natives):
    """A model that has these native tools, and a list of what it was offered."""
    offered = []

    def answer(messages, info):
        parameters = info.model_request_parameters
        offered.append(
            {
                'native': [settings(tool) for tool in parameters.native_tools],
                'function': [[tool.name, tool.unless_native] for tool in parameters.function_tools],
            }
        )
        return ModelResponse(parts=[TextPart('done')])

    return FunctionModel(answer, profile=ModelProfile(supported_native_tools=frozenset(natives))), offered


def run(label, capability, *natives):
    """Print what a model with these native tools is offered."""
    model, offered = model_with(*natives)
    try:
        Agent(model, capabilities=[capability]).run_sync('go')
        print(json.dumps([label, offered]))
    except Exception as error:
        print(json.dumps([label, type(error).__name__]))
