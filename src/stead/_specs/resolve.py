"""From a spec to the arguments of an agent, to the options of a run, and to overrides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, cast

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from .._kit.deprecated import warn_deprecated
from .._kit.problems import Problem, value_problems
from .._kit.records import is_list
from ..exceptions import UserError
from ..settings import ModelSettings

SpecLike = Any
"""An `AgentSpec`, or a dictionary with its keys."""


def agent_arguments(
    data: SpecLike, origin: Any, custom: Sequence[type[AbstractCapability[Any]]], options: dict[str, Any], where: str
) -> dict[str, Any]:
    """Return the arguments of `Agent` that a spec and what goes over it come to.

    Raises:
        SpecError: The spec is not valid.
        UserError: There is no model.
    """
    from .spec import read_spec

    spec = read_spec(data, origin)
    parts = _built(spec, origin, custom, options.get('deps_type'))
    arguments = {name: value for name, value in options.items() if value is not None or name == 'output_type'}
    if arguments.get('model') is None:
        if spec.model is None:
            raise UserError(f'There is no model. Add `model` to the spec, or pass it to {where}.')
        arguments['model'] = spec.model
    for name, value in (('name', spec.name), ('tool_timeout', spec.tool_timeout), ('end_strategy', spec.end_strategy)):
        if value is not None:
            arguments.setdefault(name, value)
    if spec.description is not None:
        arguments.setdefault('description', parts['description'])
    arguments['instructions'] = [*parts['instructions'], options.get('instructions')]
    arguments['model_settings'] = merged(spec.model_settings, options.get('model_settings'))
    arguments['metadata'] = spec.metadata if options.get('metadata') is None else options['metadata']
    arguments['retries'] = _retries(spec, options.get('retries'))
    arguments['capabilities'] = [*parts['capabilities'], *(options.get('capabilities') or ())]
    if spec.output_schema is not None and 'output_type' not in options:
        arguments['output_type'] = parts['output_type']
    if spec.instrument is not None and 'instrument' not in options:
        arguments['instrument'] = spec.instrument
    return {name: value for name, value in arguments.items() if value is not None or name == 'output_type'}


def _built(
    spec: Any, origin: Any, custom: Sequence[type[AbstractCapability[Any]]], deps_type: type[Any] | None
) -> dict[str, Any]:
    """Return what the values of a spec stand for: templates, capabilities, the type of the output.

    Raises:
        SpecError: Some of them are not valid.
    """
    from ..capabilities._registry import CapabilitySpecError, build_capability, capability_types, using_capability_types
    from ..output import StructuredDict
    from .template import TemplateStr

    problems: list[Problem] = []

    def checked(text: Any, *path: str | int) -> Any:
        if isinstance(text, TemplateStr) and (spec.deps_schema is not None or deps_type is not None):
            try:
                return TemplateStr[Any](str(text), deps_type=deps_type, deps_schema=spec.deps_schema)  # type: ignore[reportUnknownArgumentType]
            except UserError as error:
                problems.append(Problem(path, str(error)))
        return text  # type: ignore[reportUnknownVariableType]

    several = is_list(spec.instructions)
    texts: list[Any] = spec.instructions if is_list(spec.instructions) else [spec.instructions]
    parts: dict[str, Any] = {
        'description': checked(spec.description, 'description'),
        'instructions': [
            checked(text, 'instructions', *((index,) if several else ()))
            for index, text in enumerate(texts)
            if text is not None
        ],
        'capabilities': [],
    }
    if spec.model_settings is not None:
        found = value_problems(ModelSettings, spec.model_settings)
        problems += [Problem(('model_settings', *problem.path), problem.message) for problem in found]
    if spec.output_schema is not None:
        try:
            parts['output_type'] = StructuredDict(spec.output_schema)
        except UserError as error:
            problems.append(Problem(('output_schema',), str(error)))
    with using_capability_types(capability_types(custom)):
        for index, entry in enumerate(spec.capabilities):
            try:
                parts['capabilities'].append(build_capability(entry.name, entry.args, entry.kwargs))
            except CapabilitySpecError as error:
                problems += error.under('capabilities', index).problems
                cause = error.__cause__
                if cause is not None and not isinstance(cause, CapabilitySpecError):
                    raise origin.error(problems) from cause
    if problems:
        raise origin.error(problems)
    return parts


def merged(spec: dict[str, Any] | None, over: Any) -> Any:
    """Return settings or metadata over those of a spec; a function stays one."""
    if not spec:
        return over
    if not callable(over):
        own: dict[str, Any] = over or {}
        return {**spec, **own}

    def evaluated(ctx: RunContext[Any]) -> Any:
        return {**spec, **cast('Callable[[RunContext[Any]], Any]', over)(ctx)}

    return evaluated


def _retries(spec: Any, over: Any) -> Any:
    """Return the retries of a spec, with those that go over them, and those under old names."""
    own: Any = spec.retries
    if own is None:
        own = {}
        for name, old in (('tools', 'tool_retries'), ('output', 'output_retries')):
            if (value := getattr(spec, old)) is not None:
                warn_deprecated(f'`{old}` in a spec is an old name; use `retries: {{{name}: ...}}`.', stacklevel=5)
                own[name] = value
    if over is None or isinstance(over, int):
        return (own or None) if over is None else over
    return {**({'tools': own, 'output': own} if isinstance(own, int) else own), **over}


# Specs of runs and of overrides

# What only the building of an agent can use.
_ONLY_AGENTS = ('description', 'deps_schema', 'output_schema', 'tool_timeout', 'instrument')


def _for_run(data: SpecLike, where: str) -> tuple[Any, dict[str, Any], int | None]:
    """Return the spec of a run, what its values stand for, and the retries of the output; warn about the rest."""
    from .source import Origin
    from .spec import read_spec

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
    return spec, _built(spec, origin, (), None), output


def with_spec(options: Any) -> Any:
    """Return the options of a run with its spec applied: what the run says itself goes over it.

    Raises:
        SpecError: The spec is not valid.
    """
    spec, parts, output = _for_run(options['spec'], 'a run')
    changed = {name: value for name, value in options.items() if name != 'spec'}
    changed['instructions'] = [options.get('instructions'), *parts['instructions']]
    changed['model_settings'] = merged(spec.model_settings, options.get('model_settings'))
    changed['capabilities'] = [*parts['capabilities'], *(options.get('capabilities') or ())]
    changed['metadata'] = merged(spec.metadata, options.get('metadata'))
    if options.get('model') is None:
        changed['model'] = spec.model
    if options.get('retries') is None and output is not None:
        changed['retries'] = {'output': output}
    return changed


def override_from_spec(data: SpecLike) -> dict[str, Any]:
    """Return the overrides that a spec stands for.

    Raises:
        SpecError: The spec is not valid.
    """
    spec, parts, output = _for_run(data, 'an override')
    values: dict[str, Any] = {
        'name': spec.name,
        'model': spec.model,
        'instructions': parts['instructions'] or None,
        'metadata': spec.metadata,
        'model_settings': merged(spec.model_settings, None),
        'retries': None if output is None else {'output': output},
        'capabilities': parts['capabilities'] or None,
    }
    return {name: value for name, value in values.items() if value is not None}
