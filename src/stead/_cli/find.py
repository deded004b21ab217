"""Find the agent to use in a command."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from traceback import walk_tb

from ..agent import Agent
from ..exceptions import UserError


def find_agent(place: str) -> Agent[object, object]:
    """Return the agent in a variable of a module.

    Args:
        place: `module:variable`, for example `shop.support:agent`. Modules in the working directory are found too.

    Raises:
        UserError: There is no such agent.
    """
    value = find_object(place, what='an agent')
    if not isinstance(value, Agent):
        module_name, _, variable = place.partition(':')
        items = vars(sys.modules[module_name]).items()
        agents = sorted(name for name, item in items if isinstance(item, Agent))
        known = f'It has these agents: {", ".join(agents)}.' if agents else 'It has no agent at its top level.'
        if value is None:
            raise UserError(f'Module {module_name!r} has no variable {variable!r}. {known}')
        raise UserError(f'{variable!r} of module {module_name!r} is not an agent but {type(value).__name__}. {known}')
    return value  # type: ignore[reportUnknownVariableType]


def find_object(place: str, *, what: str) -> object:
    """Return what is in a variable of a module, `None` if there is no such variable.

    Args:
        place: `module:variable`. Modules in the working directory are found too.
        what: What is looked for, for the message of the error.

    Raises:
        UserError: There is no such module, the place names none, or the module runs an event loop where one is running.
    """
    module_name, colon, variable = place.partition(':')
    if not (module_name and colon and variable):
        raise UserError(f'{place!r} does not name {what}; write `module:variable`, for example `shop:agent`.')
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: object = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise UserError(
            f'There is no module {error.name!r}: it is neither on the path nor in {os.getcwd()}.'
        ) from error
    except RuntimeError as error:
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        program = frames[-1].f_locals.get('main')
        if frames[-1].f_globals.get('__name__') != 'asyncio.runners' or not inspect.iscoroutine(program):
            raise
        program.close()  # or Python warns that it was never awaited
        raise UserError(
            f'Module {module_name!r} runs its program when it is imported: it calls `asyncio.run`. '
            "Put this call below `if __name__ == '__main__':`."
        ) from error
    for name in variable.split('.'):
        value = getattr(value, name, None)
    return value
