"""Records of what MCP servers offer: capabilities, resources, prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Union

from pydantic import Field
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from .._kit.records import ShortRepr
from ..messages import BinaryContent, TextContent
from ._wire import SdkObject, field

PromptRole: TypeAlias = Literal['user', 'assistant']
"""The role of a message of a prompt."""


@dataclass(repr=False, kw_only=True)
class ResourceAnnotations(ShortRepr):
    """Hints about a resource."""

    audience: list[PromptRole] | None = None
    """The roles it is meant for."""
    priority: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """How important it is, from 0 to 1."""
    last_modified: str | None = None
    """When it was last changed, in ISO 8601 format."""

    @classmethod
    def from_mcp_sdk(cls, mcp_annotations: SdkObject) -> ResourceAnnotations:
        """Convert the counterpart in the `mcp` package."""
        return cls(
            audience=mcp_annotations.audience,
            priority=mcp_annotations.priority,
            last_modified=field(mcp_annotations, 'last_modified'),
        )


@dataclass(repr=False, kw_only=True)
class Icon(ShortRepr):
    """An icon."""

    src: str
    """Its URL."""
    mime_type: str | None = None
    """Its media type."""
    sizes: list[str] | None = None
    """Its sizes, such as `'48x48'`."""


@dataclass(repr=False, kw_only=True)
class BaseResource(ShortRepr):
    """The fields that resources and resource templates share."""

    name: str
    """The name."""
    title: str | None = None
    """The name to display."""
    description: str | None = None
    """A description."""
    mime_type: str | None = None
    """The media type of its content."""
    annotations: ResourceAnnotations | None = None
    """Hints about it."""
    icons: list[Icon] | None = None
    """Its icons."""
    metadata: JsonObject | None = None
    """Metadata from the server."""


@dataclass(repr=False, kw_only=True)
class Resource(BaseResource):
    """A resource that clients of a server can read."""

    uri: str
    """The URI."""
    size: int | None = None
    """Its size in bytes."""

    @classmethod
    def from_mcp_sdk(cls, mcp_resource: SdkObject) -> Resource:
        """Convert the counterpart in the `mcp` package."""
        return cls(**_described(mcp_resource), uri=str(mcp_resource.uri), size=mcp_resource.size)


@dataclass(repr=False, kw_only=True)
class ResourceTemplate(BaseResource):
    """A template for the URIs of resources."""

    uri_template: str
    """The URI template."""

    @classmethod
    def from_mcp_sdk(cls, mcp_template: SdkObject) -> ResourceTemplate:
        """Convert the counterpart in the `mcp` package."""
        return cls(**_described(mcp_template), uri_template=field(mcp_template, 'uri_template'))


@dataclass(repr=False, kw_only=True)
class ServerCapabilities(ShortRepr):
    """The capabilities of a server."""

    experimental: list[str] | None = None
    """The names of experimental capabilities."""
    logging: bool = False
    """Whether it sends logs."""
    prompts: bool = False
    """Whether it has prompts."""
    prompts_list_changed: bool = False
    """Whether it reports changes to them."""
    resources: bool = False
    """Whether it has resources."""
    resources_list_changed: bool = False
    """Whether it reports changes to them."""
    tools: bool = False
    """Whether it has tools."""
    tools_list_changed: bool = False
    """Whether it reports changes to them."""
    completions: bool = False
    """Whether it completes arguments."""

    @classmethod
    def from_mcp_sdk(cls, mcp_capabilities: SdkObject) -> ServerCapabilities:
        """Convert the counterpart in the `mcp` package."""

        def changes(part: SdkObject) -> bool:
            return bool(part is not None and field(part, 'list_changed'))

        has = mcp_capabilities
        return cls(
            experimental=list(has.experimental) if has.experimental else None,
            logging=has.logging is not None,
            prompts=has.prompts is not None,
            prompts_list_changed=changes(has.prompts),
            resources=has.resources is not None,
            resources_list_changed=changes(has.resources),
            tools=has.tools is not None,
            tools_list_changed=changes(has.tools),
            completions=has.completions is not None,
        )


@dataclass(repr=False, kw_only=True)
class PromptArgument(ShortRepr):
    """An argument of a prompt."""

    name: str
    """The name."""
    title: str | None = None
    """The name to display."""
    description: str | None = None
    """A description."""
    required: bool | None = None
    """Whether it is required."""


@dataclass(repr=False, kw_only=True)
class Prompt(ShortRepr):
    """A prompt that a server offers."""

    name: str
    """The name."""
    title: str | None = None
    """The name to display."""
    description: str | None = None
    """Its purpose."""
    arguments: list[PromptArgument] | None = None
    """Its arguments."""
    icons: list[Icon] | None = None
    """Its icons."""
    metadata: JsonObject | None = None
    """Metadata from the server."""

    @classmethod
    def from_mcp_sdk(cls, mcp_prompt: SdkObject) -> Prompt:
        """Convert the counterpart in the `mcp` package."""
        arguments = mcp_prompt.arguments
        return cls(
            name=mcp_prompt.name,
            title=field(mcp_prompt, 'title'),
            description=mcp_prompt.description,
            arguments=None
            if arguments is None
            else [
                PromptArgument(
                    name=one.name, title=field(one, 'title'), description=one.description, required=one.required
                )
                for one in arguments
            ],
            icons=_icons(mcp_prompt),
            metadata=mcp_prompt.meta,
        )


@dataclass(repr=False, kw_only=True)
class ResourceLink(ShortRepr):
    """A link to a resource."""

    uri: str
    """The URI."""
    name: str
    """The name."""
    title: str | None = None
    """The name to display."""
    description: str | None = None
    """A description."""
    mime_type: str | None = None
    """The media type of its content."""
    size: int | None = None
    """Its size in bytes."""
    annotations: ResourceAnnotations | None = None
    """Hints about it."""
    icons: list[Icon] | None = None
    """Its icons."""
    metadata: JsonObject | None = None
    """Metadata from the server."""
    type: Literal['resource_link'] = 'resource_link'
    """The kind of content."""

    @classmethod
    def from_mcp_sdk(cls, mcp_resource_link: SdkObject) -> ResourceLink:
        """Convert the counterpart in the `mcp` package."""
        link = mcp_resource_link
        return cls(**_described(link), uri=str(link.uri), size=link.size)


@dataclass(repr=False, kw_only=True)
class EmbeddedResource(ShortRepr):
    """A resource with its content."""

    uri: str
    """The URI."""
    content: str | BinaryContent
    """The content."""
    type: Literal['resource'] = 'resource'
    """The kind of content."""
    mime_type: str | None = None
    """The media type of its content."""
    annotations: ResourceAnnotations | None = None
    """Hints about it."""
    metadata: JsonObject | None = None
    """Metadata of the content block."""
    resource_metadata: JsonObject | None = None
    """Metadata of the resource."""

    @classmethod
    def from_mcp_sdk(cls, part: SdkObject, content: str | BinaryContent) -> EmbeddedResource:
        """Convert the counterpart in the `mcp` package, with its content."""
        return cls(
            uri=str(part.resource.uri),
            content=content,
            mime_type=field(part.resource, 'mime_type'),
            annotations=_annotations(part),
            metadata=part.meta,
            resource_metadata=part.resource.meta,
        )


ContentBlock: TypeAlias = Union[TextContent, BinaryContent, ResourceLink, EmbeddedResource]
"""The content of a message of a prompt."""


@dataclass(repr=False, kw_only=True)
class PromptMessage(ShortRepr):
    """A message of a prompt."""

    role: PromptRole
    """The role."""
    content: ContentBlock
    """The content."""


@dataclass(repr=False, kw_only=True)
class PromptResult(ShortRepr):
    """A prompt with its arguments filled in."""

    messages: list[PromptMessage]
    """The messages."""
    description: str | None = None
    """Its purpose."""
    metadata: JsonObject | None = None
    """Metadata from the server."""


def _annotations(message: SdkObject) -> ResourceAnnotations | None:
    return ResourceAnnotations.from_mcp_sdk(message.annotations) if message.annotations is not None else None


def _icons(message: SdkObject) -> list[Icon] | None:
    icons = field(message, 'icons')
    if icons is None:
        return None
    return [Icon(src=icon.src, mime_type=field(icon, 'mime_type'), sizes=icon.sizes) for icon in icons]


def _described(message: SdkObject) -> JsonObject:
    return {
        'name': message.name,
        'title': field(message, 'title'),
        'description': message.description,
        'mime_type': field(message, 'mime_type'),
        'annotations': _annotations(message),
        'icons': _icons(message),
        'metadata': message.meta,
    }
