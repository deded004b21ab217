"""A run that continues a history which ends in a response without an answer, and has no prompt."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, ThinkingPart, UserPromptPart
from pydantic_ai.models.test import TestModel

for retries in (1, 5):
    for tools in (False, True):
        agent = Agent(TestModel(call_tools=[]), retries=retries)
        if tools:
            agent.tool_plain(lambda: 'x', name='t')
        history = [ModelRequest([UserPromptPart('a')]), ModelResponse([ThinkingPart('x')])]
        try:
            result = agent.run_sync(message_history=history)
        except Exception as error:
            print(type(error).__name__, error)
            continue
        print(result.output, [message.kind for message in result.all_messages()])
        print([getattr(part, 'content', None) for message in result.all_messages() for part in message.parts])
