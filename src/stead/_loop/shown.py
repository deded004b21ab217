"""Request parameters as hooks see them, and may change them in place: copies, beside what they were copied from.

A model keeps what it has adapted and encoded, and knows by the object that nothing has changed. So once a hook has changed
something, the model gets another copy. The hook may still hold the one before it, and change that later on, for example when
it has seen the response: what it changes there is carried over.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import Any, cast

from .._contracts.model import CHANGEABLE, ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from .._kit.plain_copies import have_changed, own_copies, own_copy
from ..native_tools import AbstractNativeTool

_TOOLS = ('function_tools', 'output_tools')
_FIELDS = (
    *_TOOLS,
    'native_tools',
    'instruction_parts',
    'output_mode',
    'output_object',
    'prompted_output_template',
    'allow_text_output',
    'allow_image_output',
    'thinking',
)
_fields = attrgetter(*_FIELDS)


class ShownParameters:
    """Request parameters that hooks see, and may change, and what their definitions were copied from."""

    def __init__(
        self,
        parameters: ModelRequestParameters,
        definitions: list[tuple[ToolDefinition, ToolDefinition]],
        records: list[Any],
        states: list[dict[str, Any]],
        earlier: tuple[ShownParameters, ...] = (),
    ) -> None:
        """Build a record.

        Args:
            parameters: What hooks see.
            definitions: Each definition of the step, and the copy of it that hooks see.
            records: All that hooks see in the parameters, and may change: definitions, instructions, and so on.
            states: The fields of each of these as they were before any hook.
            earlier: What hooks have seen before, in the same step.
        """
        self.parameters = parameters
        self.definitions = definitions
        self._records = records
        # Each request compares these as a whole, in few calls.
        self._before = states
        self._now: list[dict[str, Any]] = [vars(each) for each in records]
        self._unchanged = _kept_fields(parameters)
        self._earlier = earlier
        self.changes = len(earlier)
        """How many times hooks have changed something in this step."""

    @classmethod
    def of(cls, parameters: ModelRequestParameters) -> ShownParameters:
        """Return parameters with lists, definitions and instructions of their own."""
        shown = own_copies(parameters, *CHANGEABLE)
        definitions = [pair for name in _TOOLS for pair in zip(getattr(parameters, name), getattr(shown, name))]
        copied: list[tuple[Any, Any]] = [
            *definitions,
            *zip(parameters.instruction_parts or (), shown.instruction_parts or ()),
            *([] if shown.output_object is None else [(parameters.output_object, shown.output_object)]),
        ]
        native = shown.native_tools
        return cls(
            shown,
            definitions,
            [*(now for _, now in copied), *native],
            [*(vars(before) for before, _ in copied), *(vars(each).copy() for each in native)],
        )

    def is_changed(self) -> bool:
        """Return whether hooks have changed something since these parameters were built."""
        try:
            if not self._earlier and _fields(self.parameters) == self._unchanged and self._before == self._now:
                return False
        except Exception:  # metadata that cannot be compared, such as arrays
            pass
        return any(each._differs() for each in (self, *self._earlier))

    def has_shown(self, parameters: ModelRequestParameters) -> bool:
        """Return whether these are the parameters that hooks see, or have seen before."""
        return parameters is self.parameters or any(parameters is each.parameters for each in self._earlier)

    def detached(self) -> ShownParameters:
        """Return parameters with all changes, as another object, and so with what was changed: models know the old ones."""
        for each in self._earlier:
            each._carry_over(self)
        copies = {
            id(record): own_copy(record)
            for record, before, now in zip(self._records, self._before, self._now)
            if have_changed(before, now) and not isinstance(record, AbstractNativeTool)
        }
        changes = {name: _mapped(value, copies) for name, value in zip(_FIELDS, _fields(self.parameters))}
        own = ShownParameters(
            replace(self.parameters, **changes),
            [(before, copies.get(id(now), now)) for before, now in self.definitions],
            [copies.get(id(record), record) for record in self._records],
            [now.copy() for now in self._now],
            (*self._earlier, self),
        )
        self._take_as_unchanged()
        return own

    def _differs(self) -> bool:
        return any(map(have_changed, self._before, self._now)) or any(
            map(_unlike, self._unchanged, _fields(self.parameters))
        )

    def _carry_over(self, latest: ShownParameters) -> None:
        """Make the changes of what hooks have seen before in what they see now."""
        if not self._differs():
            return
        for before, now, record in zip(self._before, self._now, latest._records):
            if have_changed(before, now):
                changes = {name: value for name, value in now.items() if before.get(name, _fields) is not value}
                cast('dict[str, Any]', vars(record)).update(changes)
        same = {id(mine): theirs for mine, theirs in zip(self._records, latest._records)}
        for name, before, now in zip(_FIELDS, self._unchanged, _fields(self.parameters)):
            if _unlike(before, now):
                setattr(latest.parameters, name, _mapped(now, same))
        self._take_as_unchanged()

    def _take_as_unchanged(self) -> None:
        self._before = [now.copy() for now in self._now]
        self._unchanged = _kept_fields(self.parameters)


def differ(before: ToolDefinition, now: ToolDefinition) -> bool:
    """Return whether a definition is not any more what it was copied from."""
    return have_changed(vars(before), vars(now))


def _unlike(before: object, now: object) -> bool:
    """Return whether two values are not equal; what cannot be compared is not."""
    try:
        return bool(before != now)
    except Exception:
        return True


def _kept_fields(parameters: ModelRequestParameters) -> tuple[object, ...]:
    """Return the fields as they are now, also when what lists hold changes."""
    return tuple(_mapped(value, {}) for value in _fields(parameters))


def _mapped(value: Any, objects: dict[int, Any]) -> Any:
    """Return a field with other objects in place of some, by their id; a list as a new one."""
    if isinstance(value, list):
        return [objects.get(id(each), each) for each in value]  # type: ignore[reportUnknownVariableType]
    return objects.get(id(value), value)
