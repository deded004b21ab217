"""Request parameters as hooks see them, and may change them in place: copies, beside what they were copied from."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from operator import attrgetter

from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from .._kit.plain_copies import changed, have_changed

_TOOLS = ('function_tools', 'output_tools')
_fields = attrgetter(
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


class ShownParameters:
    """Request parameters that hooks see, and may change, and what their definitions were copied from."""

    def __init__(
        self,
        parameters: ModelRequestParameters,
        definitions: list[tuple[ToolDefinition, ToolDefinition]],
        unchanged: tuple[object, ...],
    ) -> None:
        """Build a record.

        Args:
            parameters: What hooks see.
            definitions: Each definition, and its copy.
            unchanged: The fields as they were before any hook.
        """
        self.parameters = parameters
        self.definitions = definitions
        self._unchanged = unchanged
        # Each request compares these as a whole, in few calls.
        self._before, self._now = [vars(before) for before, _ in definitions], [vars(now) for _, now in definitions]

    @classmethod
    def of(cls, parameters: ModelRequestParameters) -> ShownParameters:
        """Return parameters with lists and definitions of their own."""
        definitions = [(each, changed(each)) for name in _TOOLS for each in getattr(parameters, name)]
        copies = [copied for _, copied in definitions]
        functions, parts = len(parameters.function_tools), parameters.instruction_parts
        shown = replace(
            parameters,
            function_tools=copies[:functions],
            output_tools=copies[functions:],
            native_tools=[*parameters.native_tools],
            instruction_parts=None if parts is None else [*parts],
            output_object=copy(parameters.output_object),
        )
        return cls(shown, definitions, tuple(map(copy, _fields(shown))))

    def is_changed(self) -> bool:
        """Return whether hooks have changed what they see."""
        if _fields(self.parameters) != self._unchanged:
            return True
        return self._before != self._now and any(differ(*pair) for pair in self.definitions)

    def detached(self) -> ShownParameters:
        """Return the same parameters as another object, and so with definitions that were changed: models know the old ones."""
        new = {id(now): changed(now) for before, now in self.definitions if differ(before, now)}
        tools = {name: [new.get(id(each), each) for each in getattr(self.parameters, name)] for name in _TOOLS}
        definitions = [(before, new.get(id(now), now)) for before, now in self.definitions]
        return ShownParameters(replace(self.parameters, **tools), definitions, self._unchanged)


def differ(before: ToolDefinition, now: ToolDefinition) -> bool:
    """Return whether a definition is not any more what it was copied from."""
    return have_changed(vars(before), vars(now))
