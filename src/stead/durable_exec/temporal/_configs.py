"""How the activities of an agent are started, and what is wrong with that when the agent is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

from pydantic.errors import PydanticUserError
from temporalio.common import RetryPolicy
from temporalio.workflow import ActivityConfig

from ..._kit.meant import unknown_name
from ...exceptions import UserError
from ...toolsets import FunctionToolset
from .._engine import AnyToolset, DurableStep

READS = RetryPolicy(maximum_interval=timedelta(seconds=30), maximum_attempts=10)
"""How many times what may be done twice is tried by default."""
ONCE = RetryPolicy(maximum_attempts=1)
"""How many times what must not be done twice is tried."""


class PayloadTooLarge(UserError):
    """A step has arguments, or an outcome, that are larger than the server accepts."""

    __module__ = 'stead.durable_exec.temporal'  # where it is imported from, as a traceback shows it


@dataclass
class ActivityConfigs:
    """How the activities of an agent are started."""

    base: ActivityConfig
    """Of all of them."""
    model: ActivityConfig
    """Of requests."""
    toolsets: Mapping[str, ActivityConfig]
    """Of toolsets, by id."""
    tools: Mapping[str, Mapping[str, ActivityConfig | Literal[False]]]
    """Of tools, by the id of their toolset and by name; `False` for those that are called in the workflow."""

    def of(self, step: DurableStep) -> ActivityConfig:
        """Return how the activity of a step is started; what the caller has set counts more than what follows from the effect."""
        config: ActivityConfig = {**self.base}
        if step.toolset is None:
            config.update(self.model if step.kind != 'event_stream_handler' else {})
        else:
            config.update(self.toolsets.get(step.toolset, {}))
            if step.kind == 'call_tool':
                config.update(self.tools.get(step.toolset, {}).get(step.title) or {})
        config.setdefault('retry_policy', ONCE if step.effect == 'write' else READS)
        if (policy := config.get('retry_policy')) is not None:
            wrong = [UserError.__name__, PydanticUserError.__name__, PayloadTooLarge.__name__]
            known = policy.non_retryable_error_types or ()
            config['retry_policy'] = replace(policy, non_retryable_error_types=[*known, *wrong])
        config.setdefault('summary', f'{step.kind}: {step.title}'[:200])
        return config

    def check(self, leaves: Mapping[str, AnyToolset]) -> None:
        """Check that what the configurations name exists, and that their values can be used in a workflow.

        Args:
            leaves: The toolsets by id.

        Raises:
            UserError: Something is wrong; the message names the argument.
        """
        _check_config('activity_config', self.base)
        _check_config('model_activity_config', self.model)
        for key, config in self.toolsets.items():
            _check_key('toolset_activity_config', key, leaves)
            _check_config(f'toolset_activity_config[{key!r}]', config)
        for key, tools in self.tools.items():
            _check_key('tool_activity_config', key, leaves)
            for name, options in tools.items():
                where = f'tool_activity_config[{key!r}][{name!r}]'
                _check_tool(where, leaves[key], name, options)
                if options is not False:
                    _check_config(where, options)


def _check_key(argument: str, key: str, leaves: Mapping[str, AnyToolset]) -> None:
    if key not in leaves:
        raise UserError(f'`{argument}` has the toolset {key!r}, and there are {sorted(leaves)}.')


def _check_tool(where: str, leaf: AnyToolset, name: str, config: ActivityConfig | Literal[False]) -> None:
    tools: dict[str, Any] | None = leaf.tools if isinstance(leaf, FunctionToolset) else None
    if tools is not None and name not in tools:
        raise UserError(f'`{where}`: {unknown_name(name, tools, "tool")} Add tools to the agent before you wrap it.')
    if config is False and (tools is None or not tools[name].function_schema.is_async):
        raise UserError(
            f'`{where}` is `False`, but {name!r} is not an async function of a `FunctionToolset`. What may wait or use threads '
            'has to be an activity.'
        )


def _check_config(where: str, config: ActivityConfig) -> None:
    for name, value in config.items():
        if name not in ActivityConfig.__annotations__:
            raise UserError(f'`{where}`: {unknown_name(name, ActivityConfig.__annotations__, "option of an activity")}')
        if callable(value):
            raise UserError(f'`{where}[{name!r}]` is a function, and workflows need a plain value.')
        if name.endswith('_timeout') and not isinstance(value, (timedelta, type(None))):
            raise UserError(f'`{where}[{name!r}]` is a `timedelta`, as `timedelta(seconds=30)`, and not {value!r}.')
