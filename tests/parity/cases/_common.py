"""What the cases share: scripted models, and ways to print what was observed, one fact a line."""

import json

from pydantic import BaseModel
from pydantic_ai import capture_run_messages
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, ToolCallPart
from pydantic_ai.models.function import FunctionModel

HIDDEN = ('timestamp', 'usage', 'run_id', 'conversation_id', 'model_name')


def fact(name, value):
    """Print one fact as a line of JSON."""
    print(json.dumps({name: value}, default=repr))


def dump(messages):
    """Print messages, each as a line of its own and a line for every part."""
    for message in ModelMessagesTypeAdapter.dump_python(list(messages), mode='json'):
        head = {
            key: value
            for key, value in message.items()
            if key not in ('parts', 'metadata', *HIDDEN) and value not in (None, 'complete', 'interrupted')
        }
        print('  ', json.dumps(head), message.get('run_id') is not None)
        for part in message['parts']:
            print(
                '     ',
                json.dumps({key: value for key, value in part.items() if value is not None and key != 'timestamp'}),
            )


def error_text(error):
    """The words of errors for developers are our own; those of others are part of the interface."""
    own_words = (UserError, TypeError, KeyError, ValueError, AssertionError, LookupError)
    return type(error).__name__ if isinstance(error, own_words) else f'{type(error).__name__}: {error}'


def run(title, agent, *args, **kwargs):
    """Run an agent, and print its output or error, its usage and its messages."""
    print('==', title)
    result = None
    with capture_run_messages() as messages:
        try:
            result = agent.run_sync(*args, **kwargs)
            print('  output', repr(result.output), result.usage)
        except Exception as error:
            print('  error', error_text(error), '| cause', type(error.__cause__).__name__)
    dump(messages)
    return result


def fails(title, agent, *args, **kwargs):
    """Run an agent that fails, and print the error; what is kept of such a run is our own, where it is more."""
    print('==', title)
    try:
        agent.run_sync(*args, **kwargs)
    except Exception as error:
        print('  error', error_text(error), '| cause', type(error.__cause__).__name__)


def script(*responses, seen=None):
    """A model that gives one response after the other, and the last one forever."""

    def answer(messages, info):
        if seen is not None:
            seen.append((list(messages), info))
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        response = responses[min(turn, len(responses) - 1)]
        return response if isinstance(response, ModelResponse) else ModelResponse(parts=response)

    return FunctionModel(answer)


def call(name, args, call_id=None):
    """A call of a tool, with an id of its own."""
    return ToolCallPart(name, args, tool_call_id=call_id or f'id_{name}')


# The names of these two, and the docstring, are in what schemas and errors print.
class M(BaseModel):
    """An M."""

    n: int


class N(BaseModel):
    k: str


def attempt(function):
    """The value of a function, or the type of its error."""
    try:
        return function()
    except Exception as error:
        return type(error).__name__
