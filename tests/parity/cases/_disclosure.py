"""What the cases on deferred capabilities and tool search share: models that play a script, and ways to print a run."""

import dataclasses
import json

from pydantic_ai import Tool
from pydantic_ai.capabilities import Capability
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile

LOCAL = {'profile': ModelProfile(supported_native_tools=frozenset())}
"""A model without native tools; that of functions has all of them."""


def show(label, value=''):
    """Print a label and a value as a line of JSON."""
    print(json.dumps([label, value], default=repr))


def definition(tool):
    """The fields of a definition that are set."""
    facts = dataclasses.asdict(tool)
    del facts['metadata']  # marks of the framework's own
    return {name: value for name, value in facts.items() if value not in (None, False) or name == 'name'}


def names(tools):
    """Names of tools, those that are sent as deferred ones with a star."""
    return [tool.name + '*' * tool.defer_loading for tool in tools]


def part(item):
    """A part of a message in one line."""
    kind = type(item).__name__
    if hasattr(item, 'args'):
        return [kind, item.tool_name, item.args, item.tool_call_id, item.tool_kind]
    if hasattr(item, 'tool_name'):
        return [kind, item.tool_name, item.content, item.tool_call_id, getattr(item, 'tool_kind', None)]
    return [kind, item.content]


def messages(result, label='messages'):
    """Print the messages of a run, one a line."""
    show(label)
    for message in result.all_messages():
        print('   ', message.kind, json.dumps([part(item) for item in message.parts], default=repr))


def model(*script, wire='names', **options):
    """A model that answers with lists of parts, and prints what it receives."""
    steps = iter(script)

    def reply(history, info):
        sent = info.model_request_parameters
        if wire == 'names':
            show(
                'sent',
                [
                    names(info.function_tools),
                    [[tool.kind, getattr(tool, 'strategy', None)] for tool in sent.native_tools],
                ],
            )
        elif wire == 'instructions':
            show('sent', [[item.content, item.dynamic] for item in sent.instruction_parts or ()])
        elif wire == 'definitions':
            for tool in info.function_tools:
                show('sent', definition(tool))
        elif wire == 'settings':
            show('sent', dict(info.model_settings or {}))
        elif wire == 'last':
            show('sent', [part(item) for item in history[-1].parts])
        return ModelResponse(parts=next(steps, [TextPart('done')]))

    return FunctionModel(reply, **options)


def function(name, text=None, **options):
    def call(x: int) -> int:
        return x

    call.__name__ = name
    call.__doc__ = text or f'Does {name}.'
    return Tool(call, **options)


def capability(name, *tools, **options):
    """A deferred capability with tools of these names."""
    options = {'description': f'About {name}.', 'instructions': f'How to {name}.', 'defer_loading': True, **options}
    return Capability(id=name, tools=[function(tool) for tool in tools], **options)


def call(name, call_id=None, /, **arguments):
    return ToolCallPart(name, arguments, tool_call_id=call_id or f'{name}_id')


def load(*ids):
    """Calls that load capabilities."""
    return [ToolCallPart('load_capability', {'id': name}, tool_call_id=f'load_{name}') for name in ids]


def search(*queries, call_id='search'):
    """A call that searches for tools."""
    return [ToolCallPart('search_tools', {'queries': list(queries)}, tool_call_id=call_id)]


def history(*steps):
    """Messages: text is a prompt, a list of parts a response, a tuple of parts a request."""
    messages = []
    for step in steps:
        if isinstance(step, str):
            messages.append(ModelRequest(parts=[UserPromptPart(step)]))
        elif isinstance(step, list):
            messages.append(ModelResponse(parts=step))
        else:
            messages.append(ModelRequest(parts=list(step)))
    return messages


def attempt(label, act):
    """Print what came of something, or which error."""
    try:
        value = act()
    except Exception as error:
        show(label, f'! {type(error).__name__}')
    else:
        show(label, value)


def run(agent, prompt='go', **options):
    """Run an agent, and print its messages, or the type of its error."""
    try:
        result = agent.run_sync(prompt, **options)
    except Exception as error:
        show('failed', type(error).__name__)
        return None
    messages(result)
    return result
