"""From a spec to the arguments of an agent, the options of a run, and overrides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from typing_extensions import TypeAlias

from .._contracts.call_policy import AgentRetries
from .._contracts.capability import AbstractCapability, CapabilityType
from .._contracts.run_context import RunContext
from .._kit.deprecated import warn_deprecated
from .._kit.json_types import JsonObject
from .._kit.problems import Problem, value_problems
from ..capabilities._registry import CapabilitySpecError, build_capability, capability_types, using_capability_types
from ..exceptions import UserError
from ..output import StructuredDict
from ..settings import ModelSettings
from ..template import TemplateStr
from .source import Origin
from .spec import AgentSpec, read_spec

Arguments: TypeAlias = dict[str, Any]
"""Keyword arguments or options by name; what receives them has their types."""


def agent_arguments(
    data: object, origin: Origin, custom: Sequence[CapabilityType], options: Mapping[str, Any], where: str
) -> Arguments:
    """Return the arguments of `Agent` that result from a spec and from the options that override it.

    Args:
        data: An `AgentSpec`, or data that is to be one.
        origin: Where the data comes from, for error messages.
        custom: Capabilities that the spec may name in addition to those of stead.
        options: Arguments of `Agent` that take precedence.
        where: The public function, for error messages.

    Raises:
        SpecError: The spec is not valid.
        UserError: There is no model.
    """
    spec = read_spec(data, origin)
    values = _resolve(spec, origin, custom, options.get('deps_type'))
    arguments = {name: value for name, value in options.items() if value is not None or name == 'output_type'}
    if arguments.get('model') is None:
        if spec.model is None:
            raise UserError(f'There is no model. Add `model` to the spec, or pass it to {where}.')
        arguments['model'] = spec.model
    for name, value in (('name', spec.name), ('tool_timeout', spec.tool_timeout), ('end_strategy', spec.end_strategy)):
        if value is not None:
            arguments.setdefault(name, value)
    if spec.description is not None:
        arguments.setdefault('description', values.description)
    arguments['instructions'] = [*values.instructions, options.get('instructions')]
    arguments['model_settings'] = merged(spec.model_settings, options.get('model_settings'))
    arguments['metadata'] = spec.metadata if options.get('metadata') is None else options['metadata']
    arguments['retries'] = _retries(spec, options.get('retries'))
    arguments['capabilities'] = [*values.capabilities, *(options.get('capabilities') or ())]
    if values.output_type is not None and 'output_type' not in options:
        arguments['output_type'] = values.output_type
    if spec.instrument is not None and 'instrument' not in options:
        arguments['instrument'] = spec.instrument
    return {name: value for name, value in arguments.items() if value is not None or name == 'output_type'}


@dataclass
class _SpecValues:
    """The objects that the values of a spec stand for."""

    description: TemplateStr[Any] | str | None = None
    instructions: list[TemplateStr[Any] | str] = field(default_factory=lambda: [])
    capabilities: list[AbstractCapability[Any]] = field(default_factory=lambda: [])
    output_type: type[JsonObject] | None = None
    """The type for `output_schema`."""


def _resolve(
    spec: AgentSpec, origin: Origin, custom: Sequence[CapabilityType], deps_type: type[object] | None
) -> _SpecValues:
    """Return the objects that the values of a spec stand for.

    Raises:
        SpecError: Some of the values are not valid; the message lists all of them.
    """
    values = _SpecValues()
    problems = _resolve_texts(spec, deps_type, values)
    if spec.model_settings is not None:
        wrong_settings = value_problems(ModelSettings, spec.model_settings)
        problems += [Problem(('model_settings', *problem.path), problem.message) for problem in wrong_settings]
    if spec.output_schema is not None:
        try:
            values.output_type = StructuredDict(spec.output_schema)
        except UserError as error:
            problems.append(Problem(('output_schema',), str(error)))
    with using_capability_types(capability_types(custom)):
        for index, entry in enumerate(spec.capabilities):
            try:
                values.capabilities.append(build_capability(entry.name, entry.args, entry.kwargs))
            except CapabilitySpecError as error:
                problems += error.under('capabilities', index).problems
                cause = error.__cause__
                # An exception in the constructor of a capability has to stay in the traceback, and only one can.
                if cause is not None and not isinstance(cause, CapabilitySpecError):
                    raise origin.error(problems) from cause
    if problems:
        raise origin.error(problems)
    return values


def _resolve_texts(spec: AgentSpec, deps_type: type[object] | None, values: _SpecValues) -> list[Problem]:
    """Set the texts among the values, and return what is wrong with those that are templates.

    Reading a spec checks the syntax of templates; which fields the dependencies have is known only here.
    """
    problems: list[Problem] = []

    def checked(text: TemplateStr[Any] | str, *path: str | int) -> TemplateStr[Any] | str:
        if isinstance(text, TemplateStr) and (spec.deps_schema is not None or deps_type is not None):
            try:
                return TemplateStr[Any](str(text), deps_type=deps_type, deps_schema=spec.deps_schema)
            except UserError as error:
                problems.append(Problem(path, str(error)))
        return text

    if spec.description is not None:
        values.description = checked(spec.description, 'description')
    if isinstance(spec.instructions, list):
        values.instructions = [checked(text, 'instructions', index) for index, text in enumerate(spec.instructions)]
    elif spec.instructions is not None:
        values.instructions = [checked(spec.instructions, 'instructions')]
    return problems


def merged(spec: JsonObject | None, override: Any) -> Any:
    """Return settings or metadata merged over those of a spec; if they come from a function, so does the result.

    Args:
        spec: The values in the spec.
        override: A dictionary, a function of the run context that returns one, or `None`.
    """
    if not spec:
        return override
    if not callable(override):
        values: JsonObject = override or {}
        return {**spec, **values}

    def evaluated(ctx: RunContext[object]) -> JsonObject:
        return {**spec, **cast('Callable[[RunContext[object]], JsonObject]', override)(ctx)}

    return evaluated


def _retries(spec: AgentSpec, override: int | AgentRetries | None) -> int | AgentRetries | None:
    """Return the retries of a spec, also those under old names, with those that override them."""
    own = spec.retries
    if own is None:
        own = AgentRetries()
        if spec.tool_retries is not None:
            warn_deprecated('`tool_retries` in a spec is an old name; use `retries: {tools: ...}`.', stacklevel=5)
            own['tools'] = spec.tool_retries
        if spec.output_retries is not None:
            warn_deprecated('`output_retries` in a spec is an old name; use `retries: {output: ...}`.', stacklevel=5)
            own['output'] = spec.output_retries
    if override is None:
        return own or None
    if isinstance(override, int):
        return override
    counts: AgentRetries = {'tools': own, 'output': own} if isinstance(own, int) else own
    return {**counts, **override}


# Specs of runs and of overrides

# What only the construction of an agent can use.
_ONLY_AGENTS = ('description', 'deps_schema', 'output_schema', 'tool_timeout', 'instrument')


def _for_run(data: object, where: str) -> tuple[AgentSpec, _SpecValues, int | None]:
    """Return the spec of a run, the objects it stands for, and the output retries; warn about keys without effect."""
    origin = Origin(f'The spec of {where}')
    spec = read_spec(data, origin)
    ignored = [name for name in _ONLY_AGENTS if getattr(spec, name) is not None]
    if spec.end_strategy != 'early':
        ignored.append('end_strategy')
    retries = _retries(spec, None)
    if isinstance(retries, int) or 'tools' in (retries or {}):
        ignored.append('retries.tools')
    for name in ignored:
        warnings.warn(f'`{name}` in the spec of {where} has no effect: it is for building agents.', stacklevel=4)
    output = retries if isinstance(retries, int) or retries is None else retries.get('output')
    return spec, _resolve(spec, origin, (), None), output


def with_spec(options: Mapping[str, Any]) -> Any:  # the same `RunOptions`
    """Return the options of a run with its spec applied; the options themselves take precedence.

    Raises:
        SpecError: The spec is not valid.
    """
    spec, values, output = _for_run(options['spec'], 'a run')
    changed = {name: value for name, value in options.items() if name != 'spec'}
    changed['instructions'] = [options.get('instructions'), *values.instructions]
    changed['model_settings'] = merged(spec.model_settings, options.get('model_settings'))
    changed['capabilities'] = [*values.capabilities, *(options.get('capabilities') or ())]
    changed['metadata'] = merged(spec.metadata, options.get('metadata'))
    if options.get('model') is None:
        changed['model'] = spec.model
    if options.get('retries') is None and output is not None:
        changed['retries'] = {'output': output}
    return changed


def override_from_spec(data: object) -> Arguments:
    """Return the overrides that a spec stands for.

    Raises:
        SpecError: The spec is not valid.
    """
    spec, values, output = _for_run(data, 'an override')
    overrides: Arguments = {
        'name': spec.name,
        'model': spec.model,
        'instructions': values.instructions or None,
        'metadata': spec.metadata,
        'model_settings': merged(spec.model_settings, None),
        'retries': None if output is None else {'output': output},
        'capabilities': values.capabilities or None,
    }
    return {name: value for name, value in overrides.items() if value is not None}
