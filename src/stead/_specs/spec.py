"""`AgentSpec`: an agent described as data, in YAML or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Union

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PlainSerializer,
    PlainValidator,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import to_json
from typing_extensions import Self

from .._contracts.call_policy import AgentRetries
from .._contracts.capability import CapabilityType
from .._kit.json_types import JsonObject, JsonValue
from .._kit.problems import Problem, problems_of
from .._kit.records import is_dict, is_str_dict
from .._kit.short import short_repr
from ..template import TemplateStr, as_text, source_of
from .source import Format, Origin, SpecError, format_of, load_yaml, parse

SCHEMA_PATH = './{stem}_schema.json'
"""Where `AgentSpec.to_file` writes the JSON schema, relative to the spec."""
SCHEMA_COMMENT = '# yaml-language-server: $schema='
"""Begins the comment by which editors find the JSON schema of a YAML file."""

_Text = Annotated[
    Union[TemplateStr[Any], str], PlainValidator(as_text, json_schema_input_type=str), PlainSerializer(source_of)
]
_DEPRECATED = Field(default=None, json_schema_extra={'deprecated': True})


class NamedSpec(BaseModel):
    """Something that a spec names, such as a capability, with its arguments.

    It can be written as its name, as `{name: argument}`, as `{name: {keyword: argument, ...}}`, or with its fields spelled
    out.
    """

    what: ClassVar[str] = 'an entry'
    """What it is, in messages."""
    name: str
    """The name."""
    arguments: Union[None, tuple[Any], dict[str, Any]]
    """No arguments, a single one, or keyword arguments."""

    @model_validator(mode='wrap')
    @classmethod
    def deserialize(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Validate any of the forms.

        Raises:
            ValueError: The value has none of them.
        """
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
        raise ValueError(f'{cls.what} is written as its name, or as an object with one key, its name')

    @model_serializer(mode='wrap')
    def serialize(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo[object]) -> JsonValue:
        """Return the fields, or with `context={'use_short_form': True}` the shortest form that means the same."""
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


class CapabilitySpec(NamedSpec):
    """A capability in a spec."""

    what: ClassVar[str] = 'a capability'


class AgentSpec(BaseModel):
    """An agent described as data. `Agent.from_spec` builds the agent."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra='forbid', validate_by_name=True, validate_by_alias=True)

    json_schema_path: str | None = Field(default=None, alias='$schema')
    """The path of the JSON schema, for editors."""
    model: str | None = None
    """The name of the model."""
    name: str | None = None
    """The name of the agent."""
    description: _Text | None = None
    """What the agent does; a template if it contains `{{`."""
    instructions: _Text | list[_Text] | None = None
    """Instructions; those that contain `{{` are templates over the dependencies."""
    deps_schema: JsonObject | None = None
    """A JSON schema of the dependencies, which templates are checked against."""
    output_schema: JsonObject | None = None
    """A JSON schema of the output."""
    model_settings: JsonObject | None = None
    """Settings for the model."""
    retries: int | AgentRetries | None = None
    """Retries of tools and of the output."""
    tool_retries: int | None = _DEPRECATED
    """Now `retries: {tools: ...}`."""
    output_retries: int | None = _DEPRECATED
    """Now `retries: {output: ...}`."""
    end_strategy: Literal['early', 'graceful', 'exhaustive'] = 'early'
    """What happens to the other tool calls of a response that contains a final result."""
    tool_timeout: float | None = None
    """Seconds that a tool call may take."""
    instrument: bool | None = None
    """Now the capability `Instrumentation`."""
    metadata: JsonObject | None = None
    """Metadata of every run."""
    capabilities: list[CapabilitySpec] = []
    """The capabilities of the agent."""

    @classmethod
    def from_dict(cls, data: JsonObject) -> AgentSpec:
        """Return the spec that a dictionary describes.

        Raises:
            SpecError: The data is not a valid spec.
        """
        return read_spec(data, Origin())

    @classmethod
    def from_text(cls, text: str, fmt: Format = 'yaml') -> AgentSpec:
        """Return the spec in a text.

        Args:
            text: The text.
            fmt: Its format.

        Raises:
            SpecError: The text is malformed, or is not a valid spec.
            UserError: The format is neither `'yaml'` nor `'json'`.
            ImportError: The format is YAML, and PyYAML is not installed.
        """
        origin = Origin(text=text, fmt=fmt)
        return read_spec(parse(origin), origin)

    @classmethod
    def from_file(cls, path: Path | str, fmt: Format | None = None) -> AgentSpec:
        """Return the spec in a file.

        Args:
            path: The file.
            fmt: Its format; by default that of its suffix.

        Raises:
            SpecError: The file is malformed, or is not a valid spec.
            OSError: The file cannot be read.
            ValueError: There is no `fmt`, and the suffix of the file is unknown.
            ImportError: The format is YAML, and PyYAML is not installed.
        """
        origin = origin_of(path, fmt)
        return read_spec(parse(origin), origin)

    def to_file(
        self,
        path: Path | str,
        fmt: Format | None = None,
        schema_path: Path | str | None = SCHEMA_PATH,
        custom_capability_types: Sequence[CapabilityType] = (),
    ) -> None:
        """Write the spec to a file, and its JSON schema next to it.

        Args:
            path: The file.
            fmt: Its format; by default that of its suffix.
            schema_path: The path of the schema, relative to the spec; `{stem}` is the name of the spec without its
                suffix. `None` for no schema.
            custom_capability_types: Capabilities that the schema contains in addition to those of stead.

        Raises:
            ValueError: There is no `fmt`, and the suffix of the file is unknown; or `custom_capability_types` holds
                something that is not a capability, or two with the same name.
            OSError: A file cannot be written.
            ImportError: The format is YAML, and PyYAML is not installed.
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
    def model_json_schema_with_capabilities(cls, custom_capability_types: Sequence[CapabilityType] = ()) -> JsonObject:
        """Return the JSON schema of specs for editors, with the arguments of every capability.

        Args:
            custom_capability_types: Capabilities that the schema contains in addition to those of stead.

        Raises:
            ValueError: `custom_capability_types` holds something that is not a capability, or two with the same name.
        """
        from .schema import editor_schema

        return editor_schema(cls, custom_capability_types)


_SHORT = {'use_short_form': True}


def origin_of(path: Path | str, fmt: Format | None) -> Origin:
    """Read the text of a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: There is no `fmt`, and the suffix of the file is unknown.
    """
    source = Path(path)
    fmt = format_of(source, fmt)
    return Origin(str(path), source.read_text(encoding='utf-8'), fmt)


def read_spec(data: JsonValue, origin: Origin) -> AgentSpec:
    """Return the spec that data describes; an `AgentSpec` as it is.

    Raises:
        SpecError: The data is not a valid spec; the message points into its source.
    """
    if isinstance(data, AgentSpec):
        return data
    if not isinstance(data, dict):
        raise origin.error(
            [Problem((), f'a spec is an object with keys such as `model`; it is {short_repr(data, 60)}')]
        )
    try:
        return AgentSpec.model_validate(data)
    except ValidationError as error:
        known = [field.alias or name for name, field in AgentSpec.model_fields.items()]
        raise origin.error(problems_of(error, data, known)) from None


__all__ = ('AgentSpec', 'CapabilitySpec', 'SpecError')
