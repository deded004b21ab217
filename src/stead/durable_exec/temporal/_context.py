"""`TemporalRunContext`: the run context in an activity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import to_json

from ..._contracts.run_context import RunContext, RunContextAgentDepsT
from ...exceptions import UserError
from ...usage import RunUsage
from ...workspaces import Workspace
from .._engine import AnyContext, JsonData

_SENT = (
    'run_id',
    'metadata',
    'retries',
    'tool_call_id',
    'tool_name',
    'tool_call_approved',
    'tool_call_metadata',
    'retry',
    'max_retries',
    'run_step',
    'partial_output',
    'usage',
    'loaded_capability_ids',
    'discovered_tool_names',
    'capability_loaded',
)
_ABSENT = ('model', 'messages', 'tracer', 'validation_context', 'capabilities', 'pending_messages')


class TemporalRunContext(RunContext[RunContextAgentDepsT]):
    """The run context in an activity: it has what was sent there.

    Subclass it, and override the two class methods, to send more. Pass the class to `TemporalAgent(run_context_type=...)`.
    """

    def __init__(self, deps: RunContextAgentDepsT, **values: Any) -> None:
        """Build a context of dependencies and the values that were sent."""
        defaults = {
            one.name: one.default_factory() if callable(one.default_factory) else one.default
            for one in fields(RunContext)
            if one.name not in ('deps', 'usage', *_ABSENT)
        }
        self.report_progress: Callable[[object], None] | None = None
        self.call_key: str | None = None
        self.workspace_of_run: Workspace | None = None
        for name in ('call_key', 'workspace_of_run', 'report_progress'):
            defaults.pop(name, None)
        self.__dict__.update({**defaults, **values, 'deps': deps})

    @property
    def workspace(self) -> Workspace:
        """Raise `UserError`: a workspace is not sent to activities."""
        raise UserError(
            '`ctx.workspace` is not sent to activities, which may run on another machine. Make one in the tool, as in '
            '`Workspace(LocalWorkspaceBackend(path))`.'
        )

    def __getattribute__(self, name: str) -> Any:
        try:
            return super().__getattribute__(name)
        except AttributeError:
            if name.startswith('_') or name not in RunContext.__dataclass_fields__:
                raise
        raise UserError(
            f'`{name}` of the run context is not known in an activity, because it was not sent there. Subclass '
            f'`TemporalRunContext`, add {name!r} to what `serialize_run_context` returns, and pass the class to '
            '`TemporalAgent(run_context_type=...)`.'
        )

    @classmethod
    def serialize_run_context(cls, ctx: AnyContext) -> JsonData:
        """Return what is sent of a context, as a dict whose values have a JSON form."""
        return {name: getattr(ctx, name) for name in _SENT}

    @classmethod
    def deserialize_run_context(cls, ctx: JsonData, deps: Any) -> TemporalRunContext[Any]:
        """Return the context of what was sent and of the dependencies."""
        return cls(deps=deps, **ctx)


_usage = TypeAdapter(RunUsage)


def context_json(kind: type[TemporalRunContext[Any]], ctx: AnyContext) -> bytes:
    """Return what is sent of a context as JSON, without what is as it is by default."""
    sent = kind.serialize_run_context(ctx)
    sent = {name: value for name, value in sent.items() if value or name not in _SENT}
    if isinstance(sent.get('usage'), RunUsage):
        sent['usage'] = _usage.dump_python(sent['usage'], mode='json', exclude_defaults=True)
    if ctx.conversation_id is not None:
        sent.setdefault('conversation_id', ctx.conversation_id)
    if ctx.call_key is not None:
        sent['call_key'] = ctx.call_key
    try:
        return to_json(sent)
    except ValueError as error:
        raise UserError(
            f'`{kind.__name__}.serialize_run_context` returned a value without a JSON form: {error}. Metadata of runs and '
            'calls is sent with it, too: use text, numbers, lists and dicts.'
        ) from error


def context_of(kind: type[TemporalRunContext[Any]], sent: JsonData, deps: Any) -> TemporalRunContext[Any]:
    call_key = sent.pop('call_key', None)
    defaults: JsonData = dict.fromkeys(_SENT)
    defaults.update(retries={}, retry=0, max_retries=0, run_step=0, partial_output=False, tool_call_approved=False)
    values: JsonData = {**defaults, **sent, 'usage': _usage.validate_python(sent.get('usage') or {})}
    for name in ('loaded_capability_ids', 'discovered_tool_names'):
        values[name] = set(values[name] or ())
    conversation = values.pop('conversation_id', None)
    context = kind.deserialize_run_context(values, deps)
    context.__dict__.setdefault('conversation_id', None)
    context.conversation_id = context.conversation_id or conversation
    context.call_key = call_key
    return context
