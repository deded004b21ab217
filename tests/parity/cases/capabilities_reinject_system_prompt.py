"""System prompts that are put back into histories without them."""

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import ReinjectSystemPrompt
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel


async def main():
    m = TestModel(custom_output_text='hello world')
    ag = Agent(m, system_prompt='SYS', capabilities=[ReinjectSystemPrompt()])

    @ag.system_prompt
    def dyn(ctx: RunContext) -> str:
        return f'dyn {ctx.prompt}'

    @ag.system_prompt(dynamic=True)
    def dyn2(ctx: RunContext) -> str:
        return f'dyn2 {ctx.prompt}'

    def show(ms):
        for x in ms:
            print('   ', x.kind, [(p.part_kind, p.content, getattr(p, 'dynamic_ref', None)) for p in x.parts])

    hist = [ModelRequest(parts=[UserPromptPart('Hi')]), ModelResponse(parts=[TextPart('yo')])]
    for rep in (False, True):
        for h in (
            hist,
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
            ag2 = Agent(m, system_prompt='SYS', capabilities=[ReinjectSystemPrompt(replace_existing=rep)])
            ag2.system_prompt(dyn)
            ag2.system_prompt(dynamic=True)(dyn2)
            r = await ag2.run('next', message_history=h)
            print('reinject', rep, len(h or []))
            show(r.all_messages())
            print('   new', len(r.new_messages()))
            if h:
                print('   input kept', [[p.part_kind for p in x.parts] for x in h])
    ag3 = Agent(m, instructions='INS', capabilities=[ReinjectSystemPrompt(replace_existing=True)])
    r = await ag3.run(
        'next',
        message_history=[
            ModelRequest(parts=[SystemPromptPart('OLD'), UserPromptPart('Hi')]),
            ModelResponse(parts=[TextPart('yo')]),
        ],
    )
    print('no sys')
    show(r.all_messages())
    r = await ag3.run(
        'next', message_history=[ModelRequest(parts=[SystemPromptPart('OLD')]), ModelResponse(parts=[TextPart('yo')])]
    )
    print('only sys')
    show(r.all_messages())


asyncio.run(main())
