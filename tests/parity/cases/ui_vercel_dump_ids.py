"""The ids that the AI SDK's messages have when a history is dumped."""

from datetime import datetime, timezone

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.ui.vercel_ai import VercelAIAdapter

AT = datetime(2026, 1, 1, tzinfo=timezone.utc)
LATER = datetime(2026, 1, 2, tzinfo=timezone.utc)


def history(first, second, at=AT, later=LATER):
    return [
        ModelRequest(
            [SystemPromptPart('be', timestamp=at), UserPromptPart('hi', timestamp=at)], run_id=first, timestamp=at
        ),
        ModelResponse([ToolCallPart('f', {}, 'c1')], run_id=first, timestamp=at),
        ModelRequest([ToolReturnPart('f', 'x', 'c1', timestamp=at)], run_id=first, timestamp=at),
        ModelResponse([TextPart('hello')], run_id=first, timestamp=later),
        ModelRequest([UserPromptPart('more', timestamp=later)], run_id=second, timestamp=later),
        ModelResponse([TextPart('there')], run_id=second, timestamp=later),
    ]


def show(title, messages):
    one, other = ([m.id for m in VercelAIAdapter.dump_messages(messages)] for _ in range(2))
    print(title, one == other, one)


show('two runs', history('r1', 'r2'))
show('one run', history('r1', 'r1'))
show('no runs', history(None, None))
show('one without', history(None, 'r2'))
show('other times', history(None, None, LATER, AT))
show('one message', [ModelRequest([UserPromptPart('hi', timestamp=AT)], timestamp=AT)])
show('another text', [ModelRequest([UserPromptPart('ho', timestamp=AT)], timestamp=AT)])
show('provider id', [ModelResponse([TextPart('x')], timestamp=AT, provider_response_id='resp_1')])
show('provider id, run', [ModelResponse([TextPart('x')], timestamp=AT, provider_response_id='resp_1', run_id='r')])
show('without a time', [ModelRequest([UserPromptPart('hi', timestamp=AT)], timestamp=None)])
