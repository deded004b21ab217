"""Native tools: settings of single vendors, which are in `provider_settings` or in fields of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import TypeAdapter

from stead import UserError
from stead.models import ModelRequestParameters
from stead.models.xai._options import encode_tools
from stead.native_tools import (
    AbstractNativeTool,
    AdvisorTool,
    FileSearchTool,
    ImageGenerationTool,
    WebFetchTool,
    WebSearchTool,
)
from stead.profiles.grok import GrokModelProfile

ADAPTER: TypeAdapter[AbstractNativeTool] = TypeAdapter(AbstractNativeTool)


@pytest.mark.parametrize(
    'make',
    [
        lambda: WebFetchTool(max_content_tokens=9, provider_settings={'anthropic': {'max_content_tokens': 7}}),
        lambda: WebFetchTool(enable_citations=True, provider_settings={'anthropic': {'enable_citations': False}}),
        lambda: ImageGenerationTool(quality='high', provider_settings={'openai': {'quality': 'low'}}),
        lambda: AdvisorTool(model='m', caching='5m', provider_settings={'anthropic': {'caching': '1h'}}),
        lambda: FileSearchTool(
            file_store_ids=['a'], instructions='x', provider_settings={'xai': {'instructions': 'y'}}
        ),
    ],
)
def test_a_setting_that_is_in_two_places_with_two_values_is_an_error(make: Callable[[], AbstractNativeTool]) -> None:
    with pytest.raises(UserError, match='contradicts .* Leave out'):
        make()


def test_a_setting_that_is_in_two_places_with_one_value_is_that_value() -> None:
    tool = WebFetchTool(max_content_tokens=7, provider_settings={'anthropic': {'max_content_tokens': 7}})
    assert tool.setting_for('anthropic', 'max_content_tokens') == 7
    assert (
        ImageGenerationTool(provider_settings={'openai': {'quality': 'low'}}).setting_for('openai', 'quality') == 'low'
    )


def test_tools_without_new_settings_are_shown_and_written_as_before() -> None:
    tool = WebSearchTool(max_uses=2)
    assert 'provider_settings' not in repr(tool)
    assert set(ADAPTER.dump_python(tool)) == {
        'kind',
        'optional',
        'search_context_size',
        'user_location',
        'blocked_domains',
        'allowed_domains',
        'max_uses',
    }


@pytest.mark.parametrize(
    'tool',
    [
        WebSearchTool(external_web_access=False, provider_settings={'openrouter': {'engine': 'exa', 'max_results': 2}}),
        WebFetchTool(provider_settings={'anthropic': {'use_cache': False}}),
        FileSearchTool(file_store_ids=['a'], max_num_results=3, retrieval_mode='keyword'),
        AdvisorTool(model='m', max_tokens=2048, provider_settings={'anthropic': {'caching': '1h'}}),
    ],
    ids=lambda tool: type(tool).__name__,
)
def test_tools_come_back_from_json(tool: AbstractNativeTool) -> None:
    assert ADAPTER.validate_json(ADAPTER.dump_json(tool)) == tool


def test_an_advisor_writes_enough_to_be_of_use() -> None:
    with pytest.raises(ValueError, match='at least 1024'):
        AdvisorTool(model='m', max_tokens=1023)


@pytest.mark.parametrize(
    'tool',
    [
        FileSearchTool(file_store_ids=['a'], max_num_results=3, instructions='i', retrieval_mode='hybrid'),
        FileSearchTool(
            file_store_ids=['a'],
            max_num_results=3,
            provider_settings={'xai': {'instructions': 'i', 'retrieval_mode': 'hybrid'}},
        ),
    ],
)
def test_xai_is_sent_how_to_search_files(tool: FileSearchTool) -> None:
    fields = encode_tools({}, ModelRequestParameters(native_tools=[tool]), GrokModelProfile())
    search = {'collection_ids': ['a'], 'limit': 3, 'instructions': 'i', 'hybrid_retrieval': {}}
    assert fields['tools'] == [{'collections_search': search}]
