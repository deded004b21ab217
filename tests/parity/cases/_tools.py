"""What the cases on tools share: ways to print a tool, and the outcome of making or validating one.

Which error a refused function raises is not printed: here it is always one that says what to do about it."""

import functools
import json

from pydantic import ValidationError
from pydantic_ai import Tool


def show(label, value):
    """Print a label and a value as a line of JSON."""
    print(json.dumps([label, value], default=repr))


def tool(label, function, **options):
    """Print what the model is sent about a function, and how it is called; or that it is refused."""
    try:
        built = Tool(function, **options)
    except Exception:
        show(label, '! refused')
        return None
    schema = built.function_schema
    show(label, built.tool_def.parameters_json_schema)
    facts = {
        'name': built.name,
        'description': built.description,
        'returns': schema.return_schema,
        'takes_ctx': built.takes_ctx,
        'is_async': schema.is_async,
        'single': schema.single_arg_name,
    }
    print('    ', json.dumps({name: value for name, value in facts.items() if value}, default=repr))
    return built


def faults(error):
    """The errors of a validation, without links."""
    return [
        {'type': one['type'], 'loc': one['loc'], 'msg': one['msg'], 'input': repr(one['input'])[:60]}
        for one in error.errors(include_url=False, include_context=False)
    ]


def validate(label, built, payload, **options):
    """Print what arguments are made of a payload: JSON, if it is a string."""
    validator = built.function_schema.validator
    try:
        if isinstance(payload, (str, bytes)):
            value = validator.validate_json(payload, **options)
        else:
            value = validator.validate_python(payload, **options)
        show(label, repr(value))
    except ValidationError as error:
        show(label, [error.title, *faults(error)])
    except Exception as error:
        show(label, f'! {type(error).__name__}')


def decorator(function):
    """Wrap a function, and keep its name and signature."""

    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner
