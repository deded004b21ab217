"""What the AI SDK is sent of calls that failed, from a stored history: the text, as the tool raised it."""

from _programs import out
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.ui.ag_ui import AGUIAdapter
from pydantic_ai.ui.vercel_ai import VercelAIAdapter

for outcome in ('success', 'failed', 'denied'):
    for content in ('text', {'a': [1]}):
        answer = ToolReturnPart('t', content, 'c', outcome=outcome)
        history = [ModelResponse(parts=[ToolCallPart('t', {}, 'c')]), ModelRequest(parts=[answer])]
        for message in VercelAIAdapter.dump_messages(history):
            for part in message.parts:
                fields = part.model_dump()
                out(outcome, fields['state'], fields.get('output'), fields.get('error_text'))
        out(AGUIAdapter.dump_messages(history)[-1].content)
