"""Constructors of the records in `stead.native_tools`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _base_AbstractNativeTool():
    def __init__(self, *, kind=..., optional=...):
        self.kind = kind
        self.optional = optional

    return __init__


def _media_ImageGenerationTool():
    def __init__(self, *, kind=..., optional=..., action=..., background=..., input_fidelity=..., moderation=...,
            model=..., output_compression=..., output_format=..., partial_images=..., quality=..., size=...,
            aspect_ratio=...):
        self.kind = kind
        self.optional = optional
        self.action = action
        self.background = background
        self.input_fidelity = input_fidelity
        self.moderation = moderation
        self.model = model
        self.output_compression = output_compression
        self.output_format = output_format
        self.partial_images = partial_images
        self.quality = quality
        self.size = size
        self.aspect_ratio = aspect_ratio

    return __init__


def _plain_CodeExecutionTool():
    def __init__(self, *, kind=..., optional=...):
        self.kind = kind
        self.optional = optional

    return __init__


def _plain_FileSearchTool():
    def __init__(self, *, kind=..., optional=..., file_store_ids):
        self.kind = kind
        self.optional = optional
        self.file_store_ids = file_store_ids

    return __init__


def _plain_MCPServerTool():
    def __init__(self, *, kind=..., optional=..., id, url, authorization_token=..., description=..., allowed_tools=...,
            headers=...):
        self.kind = kind
        self.optional = optional
        self.id = id
        self.url = url
        self.authorization_token = authorization_token
        self.description = description
        self.allowed_tools = allowed_tools
        self.headers = headers

    return __init__


def _plain_MemoryTool():
    def __init__(self, *, kind=..., optional=...):
        self.kind = kind
        self.optional = optional

    return __init__


def _plain_ToolSearchTool():
    def __init__(self, *, kind=..., optional=..., strategy=...):
        self.kind = kind
        self.optional = optional
        self.strategy = strategy

    return __init__


def _web_UrlContextTool():
    def __init__(self, *, kind=..., optional=..., max_uses=..., allowed_domains=..., blocked_domains=...,
            enable_citations=..., max_content_tokens=...):
        self.kind = kind
        self.optional = optional
        self.max_uses = max_uses
        self.allowed_domains = allowed_domains
        self.blocked_domains = blocked_domains
        self.enable_citations = enable_citations
        self.max_content_tokens = max_content_tokens
        self.__post_init__()

    return __init__


def _web_WebFetchTool():
    def __init__(self, *, kind=..., optional=..., max_uses=..., allowed_domains=..., blocked_domains=...,
            enable_citations=..., max_content_tokens=...):
        self.kind = kind
        self.optional = optional
        self.max_uses = max_uses
        self.allowed_domains = allowed_domains
        self.blocked_domains = blocked_domains
        self.enable_citations = enable_citations
        self.max_content_tokens = max_content_tokens

    return __init__


def _web_WebSearchTool():
    def __init__(self, *, kind=..., optional=..., search_context_size=..., user_location=..., blocked_domains=...,
            allowed_domains=..., max_uses=...):
        self.kind = kind
        self.optional = optional
        self.search_context_size = search_context_size
        self.user_location = user_location
        self.blocked_domains = blocked_domains
        self.allowed_domains = allowed_domains
        self.max_uses = max_uses

    return __init__


def _web_XSearchTool():
    def __init__(self, *, kind=..., optional=..., allowed_x_handles=..., excluded_x_handles=..., from_date=...,
            to_date=..., enable_image_understanding=..., enable_video_understanding=..., include_output=...):
        self.kind = kind
        self.optional = optional
        self.allowed_x_handles = allowed_x_handles
        self.excluded_x_handles = excluded_x_handles
        self.from_date = from_date
        self.to_date = to_date
        self.enable_image_understanding = enable_image_understanding
        self.enable_video_understanding = enable_video_understanding
        self.include_output = include_output
        self.__post_init__()

    return __init__
