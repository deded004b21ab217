"""Models that make nothing but images cannot run the agent of `ImageGeneration`: when they are refused."""

import asyncio

from _common import attempt, fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import ImageGeneration
from pydantic_ai.common_tools.image_generation import image_generation_tool
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import ImageGenerationTool

for name in [
    'openai-responses:gpt-image-1',
    'openai:gpt-image-1',
    'gpt-image-1',
    'openai-responses:gpt-image-1-mini',
    'openai-responses:gpt-image-1.5',
    'openai-responses:dall-e-3',
    'openai-responses:dall-e-2',
    'gateway/openai-responses:gpt-image-1',
    'azure:gpt-image-1',
    'openai-responses:gpt-5.4',
    'google-gla:gemini-2.5-flash-image',
    'openai-responses:chatgpt-image-latest',
    'openrouter:openai/gpt-image-1',
]:
    fact(
        name,
        [
            attempt(lambda: bool(ImageGeneration(fallback_model=name))),
            attempt(lambda: bool(image_generation_tool(name, ImageGenerationTool()))),
        ],
    )


async def later(ctx):
    return 'openai-responses:gpt-image-1'


for function in (lambda ctx: 'openai-responses:gpt-image-1', later):
    agent = Agent(TestModel(), capabilities=[ImageGeneration(fallback_model=function, native=False)])
    fact('function', attempt(lambda: asyncio.run(agent.run('hi')).output))
