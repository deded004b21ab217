"""From a spec to an agent, to the options of a run, and to overrides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from typing_extensions import Self, TypedDict, Unpack

from .._calls.batch import EndStrategy
from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputSpec
from .._contracts.run_context import RunContext
from .._kit.deprecated import warn_deprecated
from .._kit.problems import Problem, value_problems
from .._kit.records import is_list
from ..capabilities import AgentCapability
from ..concurrency import AnyConcurrencyLimit
from ..exceptions import UserError
from ..models import KnownModelName, Model
from ..settings import ModelSettings
from ..tools import Tool, ToolFuncEither
from ..toolsets import AgentToolset
from ._options import AgentInstructions, AgentMetadata, AgentModelSettings, AgentRetries

SpecLike = Any
"""An `AgentSpec`, or a dictionary with its keys."""


class AgentOptions(TypedDict, total=False):
    """What `Agent.from_spec` takes besides the spec: the arguments of `Agent`. They go over those of the spec."""

    model: Model | KnownModelName | str | None
    deps_type: type[Any]
    output_type: OutputSpec[Any]
    instructions: AgentInstructions
    """They follow those of the spec."""
    system_prompt: str | Sequence[str]
    name: str | None
    description: Any
    model_settings: AgentModelSettings[Any] | None
    """They are merged over those of the spec."""
    retries: int | AgentRetries | None
    validation_context: Any
    tools: Sequence[Tool[Any] | ToolFuncEither[Any, ...]]
    toolsets: Sequence[AgentToolset[Any]] | None
    defer_model_check: bool
    end_strategy: EndStrategy | None
    metadata: AgentMetadata[Any] | None
    """It takes the place of that of the spec."""
    tool_timeout: float | None
    max_concurrency: AnyConcurrencyLimit
    capabilities: Sequence[AgentCapability[Any]] | None
    """They follow those of the spec."""
    instrument: Any
    """Now the capability `Instrumentation`."""


class FromSpec:
    """The part of `Agent` that makes agents of specs.

    What has a type for type checkers gets it where the class is named: `Agent[Deps, Output].from_spec(...)`.
    """

    @classmethod
    def from_spec(
        cls,
        spec: SpecLike,
        *,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[AgentOptions],
    ) -> Self:
        """Return the agent that a spec describes. No code runs from a spec, only that of the capabilities it names.

        Args:
            spec: An `AgentSpec`, or a dictionary with its keys.
            custom_capability_types: Capabilities that the spec may name besides those of stead.
            options: Arguments of `Agent`, over those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The spec is not valid; the message says where, and what was expected.
            UserError: There is no model, or an argument is wrong.
            ValueError: `custom_capability_types` has something else in it.
        """
        from ._spec_source import Origin

        given = cast('dict[str, Any]', options)
        return cls(**agent_arguments(spec, Origin(), custom_capability_types, given, '`Agent.from_spec`'))

    @classmethod
    def from_file(
        cls,
        path: Path | str,
        *,
        fmt: Any = None,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[AgentOptions],
    ) -> Self:
        """Return the agent that a file describes.

        Args:
            path: The file, in YAML or JSON.
            fmt: `'yaml'` or `'json'`; by default as the name of the file says.
            custom_capability_types: Capabilities that the spec may name besides those of stead.
            options: Arguments of `Agent`, over those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The file is broken, or its spec is not valid; the message points into it.
            OSError: It cannot be read.
            UserError: There is no model, or an argument is wrong.
            ValueError: The name of the file does not say how it is written.
            ImportError: It is YAML, and PyYAML is not installed.
        """
        from ._spec_source import parse
        from .spec import origin_of

        origin = origin_of(path, fmt)
        given = cast('dict[str, Any]', options)
        return cls(**agent_arguments(parse(origin), origin, custom_capability_types, given, '`Agent.from_file`'))


def agent_arguments(
    data: SpecLike, origin: Any, custom: Sequence[type[AbstractCapability[Any]]], options: dict[str, Any], where: str
) -> dict[str, Any]:
    """Return the arguments of `Agent` that a spec and what goes over it come to.

    Raises:
        SpecError: The spec is not valid.
        UserError: There is no model, or an argument was never one.
    """
    from .spec import read_spec

    if unknown := sorted(options.keys() - AgentOptions.__annotations__.keys()):
        raise UserError(f'{where} has no argument {unknown[0]!r}. It takes those of `Agent`, and those for specs.')
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
    from ._template import TemplateStr

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
    from ._spec_source import Origin
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
    if options.get('spec') is None:
        return options
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


def override_from_spec(data: SpecLike | None) -> dict[str, Any]:
    """Return the overrides that a spec stands for.

    Raises:
        SpecError: The spec is not valid.
    """
    if data is None:
        return {}
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
