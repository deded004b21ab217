"""`AgentSpec`: an agent written down as data, in YAML or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Union

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import to_json
from typing_extensions import Self

from .._contracts.agent_retries import AgentRetries
from .._contracts.capability import AbstractCapability
from .._kit.problems import Problem, problems_of
from .._kit.records import is_dict, is_str_dict
from .source import Format, Origin, SpecError, format_of, load_yaml, parse
from .template import TemplateStr, as_text, source_of

SCHEMA_PATH = './{stem}_schema.json'
"""Where `AgentSpec.to_file` writes the JSON schema, relative to the spec."""
SCHEMA_COMMENT = '# yaml-language-server: $schema='

_Text = Annotated[
    Union[TemplateStr[Any], str], PlainValidator(as_text, json_schema_input_type=str), PlainSerializer(source_of)
]
_Old = Field(default=None, json_schema_extra={'deprecated': True})


class CapabilitySpec(BaseModel):
    """A capability in a spec.

    Written as its name, as `{name: argument}`, as `{name: {keyword: argument, ...}}`, or with its fields spelled out.
    """

    name: str
    """The name of the capability."""
    arguments: Union[None, tuple[Any], dict[str, Any]]
    """No arguments, a single one, or keyword arguments."""

    @model_validator(mode='wrap')
    @classmethod
    def deserialize(cls, value: Any, handler: Any) -> Self:
        """Read any of the forms."""
        if isinstance(value, str):
            return handler({'name': value, 'arguments': None})
        if is_dict(value):
            if len(value) == 1:
                name, arguments = next(iter(value.items()))
                if isinstance(name, str):
                    by_name = is_str_dict(arguments)
                    return handler({'name': name, 'arguments': arguments if by_name else (arguments,)})
            if value.keys() == {'name', 'arguments'}:
                return handler(value)
        elif isinstance(value, cls):
            return handler(value)
        raise ValueError('a capability is written as its name, or as an object with one key, its name')

    @model_serializer(mode='wrap')
    def serialize(self, handler: Any, info: Any) -> Any:
        """Write the fields; with `context={'use_short_form': True}`, the shortest form that says the same."""
        if not (is_dict(info.context) and info.context.get('use_short_form')):
            return handler(self)
        if self.arguments is None:
            return self.name
        if isinstance(self.arguments, dict):
            return {self.name: self.arguments}
        # A single argument that is an object would read as keyword arguments.
        return handler(self) if isinstance(self.arguments[0], dict) else {self.name: self.arguments[0]}

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments."""
        return self.arguments if isinstance(self.arguments, tuple) else ()

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments."""
        return self.arguments if isinstance(self.arguments, dict) else {}


class AgentSpec(BaseModel):
    """An agent written down as data. See `Agent.from_spec` for what becomes of it."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra='forbid', validate_by_name=True, validate_by_alias=True)

    json_schema_path: str | None = Field(default=None, alias='$schema')
    """Where the JSON schema is, for editors."""
    model: str | None = None
    """The name of the model."""
    name: str | None = None
    """The name of the agent."""
    description: _Text | None = None
    """What the agent does; with `{{`, a template."""
    instructions: _Text | list[_Text] | None = None
    """Instructions; those with `{{` are templates over the dependencies."""
    deps_schema: dict[str, Any] | None = None
    """A JSON schema of the dependencies, which templates are checked against."""
    output_schema: dict[str, Any] | None = None
    """A JSON schema of the output."""
    model_settings: dict[str, Any] | None = None
    """Settings for the model."""
    retries: int | AgentRetries | None = None
    """Retries of tools and of the output."""
    tool_retries: int | None = _Old
    """Now `retries: {tools: ...}`."""
    output_retries: int | None = _Old
    """Now `retries: {output: ...}`."""
    end_strategy: Literal['early', 'graceful', 'exhaustive'] = 'early'
    """What happens to the other calls of a response that holds a final result."""
    tool_timeout: float | None = None
    """Seconds that a tool call may take."""
    instrument: bool | None = None
    """Now the capability `Instrumentation`."""
    metadata: dict[str, Any] | None = None
    """Metadata of every run."""
    capabilities: list[CapabilitySpec] = []
    """Capabilities."""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AgentSpec:
        """Return the spec that data describes.

        Raises:
            SpecError: It describes none.
        """
        return read_spec(data, Origin())

    @classmethod
    def from_text(cls, text: str, fmt: Format = 'yaml') -> AgentSpec:
        """Return the spec in a text.

        Args:
            text: The text.
            fmt: How it is written.

        Raises:
            SpecError: The text is broken, or describes no agent.
            ImportError: It is YAML, and PyYAML is not installed.
        """
        origin = Origin(text=text, fmt=fmt)
        return read_spec(parse(origin), origin)

    @classmethod
    def from_file(cls, path: Path | str, fmt: Format | None = None) -> AgentSpec:
        """Return the spec in a file.

        Args:
            path: The file.
            fmt: How it is written; by default as its name says.

        Raises:
            SpecError: The file is broken, or describes no agent.
            OSError: It cannot be read.
            ValueError: Its name does not say how it is written.
            ImportError: It is YAML, and PyYAML is not installed.
        """
        origin = origin_of(path, fmt)
        return read_spec(parse(origin), origin)

    def to_file(
        self,
        path: Path | str,
        fmt: Format | None = None,
        schema_path: Path | str | None = SCHEMA_PATH,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
    ) -> None:
        """Write the spec to a file, and its JSON schema beside it.

        Args:
            path: The file.
            fmt: How to write it; by default as its name says.
            schema_path: Where the schema goes, relative to the spec; `{stem}` is the name of the spec without its
                ending. `None` for no schema.
            custom_capability_types: Capabilities that the schema knows besides those of stead.

        Raises:
            ValueError: The name of the file does not say how to write it.
            ImportError: It is to be YAML, and PyYAML is not installed.
        """
        target = Path(path)
        fmt = format_of(target, fmt)
        reference = None
        if schema_path is not None:
            schema_file = target.parent / str(schema_path).format(stem=target.stem)
            schema = self.model_json_schema_with_capabilities(custom_capability_types)
            text = to_json(schema, indent=2).decode() + '\n'
            if not schema_file.exists() or schema_file.read_text(encoding='utf-8') != text:
                schema_file.write_text(text, encoding='utf-8')
            is_beside = target.parent.resolve() in schema_file.resolve().parents and not Path(schema_path).is_absolute()
            reference = str(schema_file.relative_to(target.parent) if is_beside else schema_path)
        data = self.model_dump(
            mode='json', by_alias=True, exclude_defaults=True, exclude={'json_schema_path'}, context=_SHORT
        )
        if fmt == 'json':
            head = {} if reference is None else {'$schema': reference}
            text = to_json({**head, **data}, indent=2).decode() + '\n'
        else:
            text = '' if reference is None else f'{SCHEMA_COMMENT}{reference}\n'
            text += load_yaml().safe_dump(data, sort_keys=False, allow_unicode=True)
        target.write_text(text, encoding='utf-8')

    @classmethod
    def model_json_schema_with_capabilities(
        cls, custom_capability_types: Sequence[type[AbstractCapability[Any]]] = ()
    ) -> dict[str, Any]:
        """Return the JSON schema of specs for editors, with the arguments of every capability.

        Args:
            custom_capability_types: Capabilities that it knows besides those of stead.

        Raises:
            ValueError: They are not capabilities, or two have one name.
        """
        from .schema import editor_schema

        return editor_schema(cls, custom_capability_types)


_SHORT = {'use_short_form': True}


def origin_of(path: Path | str, fmt: Format | None) -> Origin:
    """Return the text of a file, and what to call it.

    Raises:
        OSError: It cannot be read.
        ValueError: Its name does not say how it is written.
    """
    source = Path(path)
    fmt = format_of(source, fmt)
    return Origin(str(path), source.read_text(encoding='utf-8'), fmt)


def read_spec(data: Any, origin: Origin) -> AgentSpec:
    """Return the spec that data describes.

    Raises:
        SpecError: It describes none; the message points into what it was read from.
    """
    if isinstance(data, AgentSpec):
        return data
    if not isinstance(data, dict):
        raise origin.error([Problem((), f'a spec is an object with keys such as `model`; it is {data!r}')])
    try:
        return AgentSpec.model_validate(data)
    except ValidationError as error:
        known = [field.alias or name for name, field in AgentSpec.model_fields.items()]
        raise origin.error(problems_of(error, data, known)) from None


__all__ = ('AgentSpec', 'CapabilitySpec', 'SpecError')
