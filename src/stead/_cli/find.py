"""Find the agent that a command is about."""

from __future__ import annotations

import importlib
import os
import sys

from ..agent import Agent
from ..exceptions import UserError


def find_agent(place: str) -> Agent[object, object]:
    """Return an agent by its place.

    Args:
        place: `module:variable`, for example `shop.support:agent`. Modules are looked for in the working directory, too.

    Raises:
        UserError: There is no agent at that place.
    """
    module_name, colon, variable = place.partition(':')
    if not (module_name and colon and variable):
        raise UserError(f'{place!r} is no place of an agent; give it as `module:variable`, for example `shop:agent`.')
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise UserError(
            f'There is no module {error.name!r}: it was looked for on the path and in {os.getcwd()}.'
        ) from error
    found: object = module
    for name in variable.split('.'):
        found = getattr(found, name, None)
    if not isinstance(found, Agent):
        agents = sorted(name for name, value in vars(module).items() if isinstance(value, Agent))
        known = f'It has these agents: {", ".join(agents)}.' if agents else 'It has no agent at its top level.'
        raise UserError(f'{variable!r} of module {module_name!r} is no agent but {type(found).__name__}. {known}')
    return found  # type: ignore[reportUnknownVariableType]
