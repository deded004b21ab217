"""System prompts that are put back into histories without them."""

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import ReinjectSystemPrompt
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel


async def main():
    model = TestModel(custom_output_text='hello world')
    agent = Agent(model, system_prompt='SYS', capabilities=[ReinjectSystemPrompt()])

    @agent.system_prompt
    def dyn(ctx: RunContext) -> str:
        return f'dyn {ctx.prompt}'

    @agent.system_prompt(dynamic=True)
    def dyn2(ctx: RunContext) -> str:
        return f'dyn2 {ctx.prompt}'

    def show(messages):
        for message in messages:
            print(
                '   ',
                message.kind,
                [(part.part_kind, part.content, getattr(part, 'dynamic_ref', None)) for part in message.parts],
            )

    plain_history = [ModelRequest(parts=[UserPromptPart('Hi')]), ModelResponse(parts=[TextPart('yo')])]
    for replace_existing in (False, True):
        for history in (
            plain_history,
            [
                ModelRequest(parts=[SystemPromptPart('OLD'), UserPromptPart('Hi')]),
                ModelResponse(parts=[TextPart('yo')]),
                ModelRequest(parts=[SystemPromptPart('MID'), UserPromptPart('q')]),
                ModelResponse(parts=[TextPart('yo')]),
            ],
            [ModelResponse(parts=[TextPart('first')])],
            [],
            None,
        ):
            other = Agent(
                model, system_prompt='SYS', capabilities=[ReinjectSystemPrompt(replace_existing=replace_existing)]
            )
            other.system_prompt(dyn)
            other.system_prompt(dynamic=True)(dyn2)
            result = await other.run('next', message_history=history)
            print('reinject', replace_existing, len(history or []))
            show(result.all_messages())
            print('   new', len(result.new_messages()))
            if history:
                print('   input kept', [[part.part_kind for part in message.parts] for message in history])
    with_instructions = Agent(model, instructions='INS', capabilities=[ReinjectSystemPrompt(replace_existing=True)])
    result = await with_instructions.run(
        'next',
        message_history=[
            ModelRequest(parts=[SystemPromptPart('OLD'), UserPromptPart('Hi')]),
            ModelResponse(parts=[TextPart('yo')]),
        ],
    )
    print('no sys')
    show(result.all_messages())
    result = await with_instructions.run(
        'next', message_history=[ModelRequest(parts=[SystemPromptPart('OLD')]), ModelResponse(parts=[TextPart('yo')])]
    )
    print('only sys')
    show(result.all_messages())


asyncio.run(main())
