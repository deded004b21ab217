"""Native tools with few settings: code execution, memory, file search, MCP servers, tool search, advisors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Union

from typing_extensions import TypeAlias, TypedDict

from .. import messages as all_messages  # a name of it is looked up when a schema is made
from .._kit.keywords import hinted
from .._kit.left_out import left_out
from ._base import AbstractNativeTool


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class CodeExecutionTool(AbstractNativeTool):
    """A tool that runs code."""

    kind: str = 'code_execution'
    files: Annotated[Union[Sequence[all_messages.UploadedFile], None], left_out()] = None
    """Uploaded files that the code can read, with OpenAI's Responses API and Anthropic; those of other providers are left out."""

    def files_at(self, provider_name: str) -> list[str]:
        """Return the ids of the files that were uploaded to a provider."""
        return [file.file_id for file in self.files or () if file.provider_name == provider_name]


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class MemoryTool(AbstractNativeTool):
    """A tool that stores memories across conversations."""

    kind: str = 'memory'


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class MCPServerTool(AbstractNativeTool):
    """A tool that gives access to an MCP server."""

    kind: str = 'mcp_server'
    id: str
    """The name of the server in the request."""
    url: str
    """The URL of the server, or of a connector of the provider."""
    authorization_token: str | None = None
    """The token with which the provider authenticates to the server."""
    description: str | None = None
    """A description of the server."""
    allowed_tools: list[str] | None = None
    """The only tools that may be used."""
    headers: dict[str, str] | None = None
    """HTTP headers to send to the server."""

    @property
    def unique_id(self) -> str:
        """The id of the server in a request."""
        return f'{self.kind}:{self.id}'

    @property
    def label(self) -> str:
        """The display name of the server."""
        return f'MCP: {self.id}'


class XaiFileSearchToolSettings(TypedDict, total=False):
    """Settings of `FileSearchTool` for xAI."""

    instructions: str
    """How to search."""
    retrieval_mode: Literal['hybrid', 'semantic', 'keyword']
    """Whether to search by meaning, by words, or by both."""


class FileSearchProviderSettings(TypedDict, total=False):
    """Settings of `FileSearchTool` by vendor; other vendors ignore them."""

    xai: XaiFileSearchToolSettings
    """For xAI."""


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class FileSearchTool(AbstractNativeTool):
    """A tool that searches files uploaded to the provider."""

    kind: str = 'file_search'
    file_store_ids: Sequence[str]
    """The ids of the stores to search."""
    max_num_results: Annotated[Union[int, None], left_out()] = None
    """The maximum number of results; for OpenAI and xAI."""
    instructions: Annotated[Union[str, None], left_out()] = None
    """How to search; for xAI."""
    retrieval_mode: Annotated[Union[Literal['hybrid', 'semantic', 'keyword'], None], left_out()] = None
    """Whether to search by meaning, by words, or by both; for xAI."""
    provider_settings: Annotated[Union[FileSearchProviderSettings, None], left_out()] = None
    """Settings of single vendors."""

    _vendors_of = {'instructions': 'xai', 'retrieval_mode': 'xai'}


AdvisorModelName: TypeAlias = Union[
    Literal[
        'claude-fable-5-2',
        'claude-opus-5-5',
        'claude-sonnet-5-5',
        'claude-haiku-5-5',
        'claude-opus-4-8',
        'claude-sonnet-4-6',
    ],
    str,
]
"""A model that advises."""
MIN_ADVICE = 1024


class AnthropicAdvisorToolSettings(TypedDict, total=False):
    """Settings of `AdvisorTool` for Anthropic."""

    caching: Literal['5m', '1h']
    """How long the conversation is cached for the advisor."""


class OpenRouterAdvisorToolSettings(TypedDict, total=False):
    """Settings of `AdvisorTool` for OpenRouter."""

    forward_transcript: bool
    """Whether the advisor is sent the conversation."""


class AdvisorProviderSettings(TypedDict, total=False):
    """Settings of `AdvisorTool` by vendor; other vendors ignore them."""

    anthropic: AnthropicAdvisorToolSettings
    """For Anthropic."""
    openrouter: OpenRouterAdvisorToolSettings
    """For OpenRouter."""


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class AdvisorTool(AbstractNativeTool):
    """A tool with which the model asks another model of its vendor for advice."""

    kind: str = 'advisor'
    model: AdvisorModelName
    """The model that advises."""
    max_uses: int | None = None
    """The maximum number of questions in a request; Anthropic only."""
    max_tokens: int | None = None
    """The maximum number of tokens of the advice; at least 1,024."""
    caching: Literal['5m', '1h'] | None = None
    """How long the conversation is cached for the advisor; Anthropic only."""
    provider_settings: AdvisorProviderSettings | None = None
    """Settings of single vendors."""

    _vendors_of = {'caching': 'anthropic'}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_tokens is not None and self.max_tokens < MIN_ADVICE:
            raise ValueError(
                f'`AdvisorTool(max_tokens={self.max_tokens})` is too few: advice has at least {MIN_ADVICE}.'
            )


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class ToolSearchTool(AbstractNativeTool):
    """A tool that searches the deferred tools of the request. Runs add it if there are any."""

    kind: str = 'tool_search'
    strategy: Literal['bm25', 'regex', 'custom'] | None = None
    """The search strategy: `None` for the default of the provider, `'custom'` for the `search_tools` function."""
