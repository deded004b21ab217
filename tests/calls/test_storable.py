"""A result that cannot be stored or sent fails its call, and not the run or the history."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, ToolReturn
from stead.journal import Journal
from stead.messages import ImageUrl, ModelResponse, TextContent, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import FunctionModel


def shooting(value: Any, **options: Any) -> Agent[None, str]:
    def model(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else ToolCallPart('shoot', {}, 'c1')])

    agent: Agent[None, str] = Agent(FunctionModel(model), **options)

    @agent.tool_plain
    def shoot() -> Any:
        return value

    return agent


@pytest.mark.parametrize('recorded', [False, True])
@pytest.mark.parametrize('how', ['return', 'content', 'metadata'])
def test_a_result_that_cannot_be_stored_fails_its_call_only(how: str, recorded: bool) -> None:
    value: Any = {
        'return': [ImageUrl('https://example.com/cat', media_type='image/png', vendor_metadata={'x': object()})],
        'content': ToolReturn('ok', content=['look', TextContent('x', metadata=object())]),
        'metadata': ToolReturn('ok', metadata={'x': object()}),
    }[how]
    result = shooting(value, capabilities=[Journal()] if recorded else []).run_sync('go')
    assert result.output == 'done'
    (answer,) = result.all_messages()[2].parts
    assert isinstance(answer, ToolReturnPart)
    if how == 'metadata' and not recorded:  # only the program sees it
        assert answer.metadata == value.metadata
        return
    assert answer.outcome == 'failed'
    assert 'ran, but' in str(answer.content)
    assert result.all_messages_json()


@pytest.mark.parametrize(
    'value',
    [
        ImageUrl('https://example.com/cat.png'),
        ImageUrl('https://example.com/cat'),  # which does not tell its media type
        ToolReturn('ok', content=['look', ImageUrl('https://example.com/cat')]),
        ToolReturn('ok', metadata={'x': [1, None]}),
    ],
)
def test_what_can_be_stored_is_left_as_it_is(value: Any) -> None:
    result = shooting(value, capabilities=[Journal()]).run_sync('go')
    answer = result.all_messages()[2].parts[0]
    assert isinstance(answer, ToolReturnPart)
    assert answer.outcome == 'success'
    assert result.all_messages_json()
