"""What requests to OpenRouter add to chat completions. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...exceptions import UserError
from ...messages import BinaryContent, CachePoint, FileUrl, ModelResponse, ThinkingPart, VideoUrl
from ...native_tools import AbstractNativeTool, AdvisorTool, OpenRouterWebSearchToolSettings, WebSearchTool
from ...providers.openrouter import OpenRouterModelProfile
from .._chat_completions.request import ChatEncoder
from .._media import DownloadFormat
from ._response import ENCRYPTED, SUMMARY, TEXT

# Settings that are fields of the body.
_FIELDS = {
    'openrouter_models': 'models',
    'openrouter_provider': 'provider',
    'openrouter_preset': 'preset',
    'openrouter_transforms': 'transforms',
    'openrouter_reasoning': 'reasoning',
    'openrouter_usage': 'usage',
}
SEARCH_IS_A_TOOL = False
"""Whether a search of the web is sent among the tools, with all its settings, even if it has none of OpenRouter's own."""
_EFFORTS = {True: 'medium', 'minimal': 'low', 'low': 'low', 'medium': 'medium', 'high': 'high', 'xhigh': 'high'}


def with_body(settings: Any, params: ModelRequestParameters) -> Any:
    """Return settings with those of OpenRouter moved to the extra fields of the body."""
    kept: JsonObject = {key: value for key, value in settings.items() if key not in _FIELDS}
    body: JsonObject = {**as_dict(kept.get('extra_body'))}
    body.update({name: settings[key] for key, name in _FIELDS.items() if settings.get(key)})
    if params.thinking is not None and settings.get('openrouter_reasoning') is None:
        thinks = params.thinking is not False
        body['reasoning'] = {'effort': _EFFORTS[params.thinking], 'enabled': True} if thinks else {'effort': 'none'}
    for tool in params.native_tools:
        if isinstance(tool, WebSearchTool) and not _is_sent_as_tool(tool):
            body['plugins'] = [*as_list(body.get('plugins')), {'id': 'web'}]
            body['web_search_options'] = {'search_context_size': tool.search_context_size}
    return {**kept, 'extra_body': body} if body else kept


def encode_native_tools(params: ModelRequestParameters) -> list[JsonObject]:
    """Return the native tools that are sent among the tools."""
    return [_native_tool(tool) for tool in params.native_tools if _is_sent_as_tool(tool)]


def _is_sent_as_tool(tool: AbstractNativeTool) -> bool:
    # The older form, a plugin, has the size of the context alone.
    return not isinstance(tool, WebSearchTool) or SEARCH_IS_A_TOOL or 'openrouter' in (tool.provider_settings or {})


def _native_tool(tool: AbstractNativeTool) -> JsonObject:
    named: JsonObject
    if isinstance(tool, WebSearchTool):
        named = {
            'search_context_size': tool.search_context_size,
            'allowed_domains': tool.allowed_domains,
            'excluded_domains': tool.blocked_domains,
            'max_uses': tool.max_uses,
            'user_location': tool.user_location and {'type': 'approximate', **tool.user_location},
            **{name: tool.setting_for('openrouter', name) for name in OpenRouterWebSearchToolSettings.__annotations__},
        }
    elif isinstance(tool, AdvisorTool):
        named = {
            'model': tool.model,
            'forward_transcript': tool.setting_for('openrouter', 'forward_transcript') or False,
            'max_completion_tokens': tool.max_tokens,
        }
    else:
        raise UserError(f'OpenRouter does not support the native tool {type(tool).__name__}.')
    parameters = {name: value for name, value in named.items() if value is not None}
    return {'type': f'openrouter:{tool.kind}', 'parameters': parameters}


@dataclass
class OpenRouterEncoder(ChatEncoder):
    """Encoder of messages in the dialect of OpenRouter, with its reasoning, videos and cache points."""

    def _response(self, message: ModelResponse) -> JsonObject | None:
        own = [part for part in message.parts if isinstance(part, ThinkingPart) and part.provider_name == self.system]
        if not own:
            return super()._response(message)
        details = [detail for part in own if (detail := _detail(part)) is not None]
        # All other parts are encoded as elsewhere.
        rest = ModelResponse(parts=[part for part in message.parts if not any(part is each for each in own)])
        response = super()._response(rest)
        if details:
            response = {**(response or {'role': 'assistant', 'content': None}), 'reasoning_details': details}
        return response

    def user_content(self, content: str | Sequence[Any]) -> Any:
        """Return the content of a user prompt.

        Raises:
            UserError: It has something that the model does not take, or a cache point with nothing before it.
        """
        if isinstance(content, str):
            return content
        blocks: list[JsonObject] = []
        profile = OpenRouterModelProfile.from_profile(self.profile)
        for item in content:
            if isinstance(item, CachePoint):
                if profile.openrouter_supports_cache_control:
                    if not blocks:
                        raise UserError(
                            'A `CachePoint` caches what is before it, but this one is the first of its user prompt. '
                            'Put it after some content.'
                        )
                    blocks[-1]['cache_control'] = cache_control(item.ttl, profile)
            elif (block := self._item(item)) is not None:
                blocks.append(block)
        return blocks or ''

    def _item(self, item: Any) -> JsonObject | None:
        if isinstance(item, VideoUrl):
            download = self.downloads.get(id(item))
            return _video(item.url if download is None else download['data'])
        if isinstance(item, BinaryContent) and item.is_video:
            return _video(item.data_uri)
        return super()._item(item)

    def download_format(self, item: FileUrl) -> DownloadFormat | None:
        """Return the format that a link is downloaded in; `None` sends the link."""
        if isinstance(item, VideoUrl):
            return ('base64_uri', 'extension') if item.force_download else None
        return super().download_format(item)


def _video(url: str) -> JsonObject:
    return {'type': 'video_url', 'video_url': {'url': url}}


def _detail(part: ThinkingPart) -> JsonObject | None:
    """Return reasoning as OpenRouter sent it; `None` if it came from elsewhere."""
    details = as_dict(part.provider_details)
    kind = details.get('type')
    detail = {'type': kind, 'id': part.id, 'format': details.get('format'), 'index': details.get('index')}
    if kind == TEXT:
        return {**detail, 'text': part.content, 'signature': part.signature}
    if kind == SUMMARY:
        return {**detail, 'summary': part.content}
    if kind == ENCRYPTED:
        return {**detail, 'data': part.signature}
    return None


def cache_control(ttl: Any, profile: OpenRouterModelProfile) -> JsonObject:
    """Return a cache point as OpenRouter has it.

    Args:
        ttl: Its time to live; `True` is five minutes.
        profile: Whether the model supports a time to live.
    """
    if not profile.openrouter_supports_cache_ttl:
        return {'type': 'ephemeral'}
    return {'type': 'ephemeral', 'ttl': '5m' if ttl is True else ttl}


def add_cache_points(
    payload: JsonObject, settings: Any, params: ModelRequestParameters, profile: OpenRouterModelProfile, role: str
) -> None:
    """Add the cache points of the settings to a request; if it has too many, remove the oldest.

    Args:
        payload: The request.
        settings: The settings.
        params: The parameters of the request.
        profile: The capabilities of the model.
        role: The role of system prompts.

    Raises:
        UserError: Those of tools and instructions alone are more than the model allows.
    """
    if not profile.openrouter_supports_cache_control:
        return
    reserved = 0  # cache points of tools and instructions, which stay
    messages = payload['messages']
    ttl = settings.get('openrouter_cache_tool_definitions')
    if ttl and profile.openrouter_supports_tool_cache and payload.get('tools'):
        payload['tools'][-1]['cache_control'] = cache_control(ttl, profile)
        reserved += 1
    instructions: Any = None
    if ttl := settings.get('openrouter_cache_instructions'):
        instructions = _last_static(messages, params, profile, role)
        if instructions is not None:
            _mark(instructions, cache_control(ttl, profile))
            reserved += 1
    if (ttl := settings.get('openrouter_cache_messages')) and messages:
        _mark(messages[-1], cache_control(ttl, profile))
    if (most := profile.openrouter_max_cache_points) is not None:
        if reserved > most:
            raise UserError(
                f'The settings ask for {reserved} cache points, for tools and instructions, and the model allows {most}. '
                'Leave out `openrouter_cache_tool_definitions` or `openrouter_cache_instructions`.'
            )
        points = [
            block
            for message in messages
            if message is not instructions
            for block in as_list(message.get('content'))
            if 'cache_control' in block
        ]
        for block in points[: max(len(points) - (most - reserved), 0)]:
            del block['cache_control']


def _last_static(
    messages: list[Any], params: ModelRequestParameters, profile: OpenRouterModelProfile, role: str
) -> Any:
    """Return the last system message before the dynamic ones, if there is one that can be cached."""
    changing = sum(1 for part in params.instruction_parts or () if part.dynamic and part.content)
    if changing and not profile.openrouter_supports_dynamic_instruction_cache:
        return None
    system = [message for message in messages if message['role'] == role]
    if changing:  # they come right after the system prompts that the conversation begins with
        end = next((place for place, message in enumerate(messages) if message['role'] != role), len(messages))
        system = messages[:end]
    return system[-1 - changing] if len(system) > changing else None


def _mark(message: JsonObject, control: JsonObject) -> None:
    """Put a cache point at the end of a message, if it has content and no point there."""
    content = message.get('content')
    if isinstance(content, str) and content:
        message['content'] = [{'type': 'text', 'text': content, 'cache_control': control}]
    elif blocks := as_list(content):
        blocks[-1].setdefault('cache_control', control)
