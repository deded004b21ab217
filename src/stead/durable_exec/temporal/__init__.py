"""Agents on Temporal: runs inside of workflows, whose requests and tool calls are activities."""

from __future__ import annotations

from typing import NoReturn

from ..._kit.extras import naming_extra
from ..._kit.lazy import lazy_modules
from ...exceptions import UserError

with naming_extra('temporalio', extra='temporal', what='`stead.durable_exec.temporal`'):
    from ._agent import PayloadTooLarge, TemporalAgent, TemporalWrapperToolset
    from ._context import TemporalRunContext
    from ._plugins import AgentPlugin, LogfirePlugin, PydanticAIPlugin, PydanticAIWorkflow


def make_engine(*_: object) -> NoReturn:
    """Raise `UserError`: a capability cannot let Temporal carry out runs."""
    raise UserError(
        "`Durable('temporal')` is not possible, because workers have to know the activities of the agent before a run starts. "
        'Wrap the agent in `TemporalAgent`.'
    )


__all__ = (
    'AgentPlugin',
    'LogfirePlugin',
    'PayloadTooLarge',
    'PydanticAIPlugin',
    'PydanticAIWorkflow',
    'TemporalAgent',
    'TemporalRunContext',
    'TemporalWrapperToolset',
)

lazy_modules(__name__)
