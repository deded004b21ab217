"""What the model is asked for when it answers with thinking or text that the output type does not take."""

from typing import Optional

from _common import M, attempt, fact, script
from pydantic_ai import Agent, BinaryImage, NativeOutput, PromptedOutput, ToolOutput, capture_run_messages
from pydantic_ai.messages import RetryPromptPart, TextPart, ThinkingPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile

PROFILE = ModelProfile(supports_json_schema_output=True, supports_image_output=True)


def tool():
    return 1


TYPES = {
    'str': str,
    'tool': ToolOutput(M),
    'both': [str, ToolOutput(M)],
    'model': M,
    'native': NativeOutput(M),
    'prompted': PromptedOutput(M),
    'image': BinaryImage,
    'image_str': [str, BinaryImage],
    'optional': Optional[str],
}
for tools in ((), (tool,)):
    for name, output_type in TYPES.items():
        for parts in ([ThinkingPart('x')], [TextPart('hey')]):
            agent = Agent(FunctionModel(script(parts).function, profile=PROFILE), output_type=output_type, tools=tools)
            with capture_run_messages() as messages:
                result = attempt(lambda: agent.run_sync('q').output)
            prompts = [
                part.content for message in messages for part in message.parts if isinstance(part, RetryPromptPart)
            ]
            fact(f'{name} {len(tools)} {type(parts[0]).__name__}', [result, len(messages), prompts[:1]])
