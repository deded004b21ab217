"""Answers to unions in every mode: the right member, another, one with a discriminator, functions among them."""

import json
from typing import Annotated, Literal, Union

from _common import fact
from _output import NATIVE, PROMPTED, understood
from pydantic import BaseModel, Field
from pydantic_ai import ModelRetry, NativeOutput, PromptedOutput, RunContext


class Cat(BaseModel):
    kind: Literal['cat'] = 'cat'
    lives: int


class Dog(BaseModel):
    kind: Literal['dog'] = 'dog'
    tricks: list[str]


Pet = Annotated[Union[Cat, Dog], Field(discriminator='kind')]


class Home(BaseModel):
    pets: list[Pet]


async def adopt(ctx: RunContext, cat: Cat) -> str:
    return f'adopted {cat.lives} {ctx.tool_name}'


def train(tricks: list[str]) -> list[str]:
    if not tricks:
        raise ModelRetry('tricks, please')
    return sorted(tricks)


CAT, DOG, NEITHER = {'lives': 9}, {'tricks': ['sit']}, {'kind': 'cow'}
FORMS = {
    'models': [Cat, Dog],
    'union': Union[Cat, Dog],
    'functions': [adopt, train],
    'mixed': [adopt, Dog, int],
    'with a list': [list[Cat], Dog],
    'numbers': [int, bool, str],
}
KINDS = {
    'models': ('Cat', 'Dog'),
    'union': ('Cat', 'Dog'),
    'functions': ('Cat', 'train'),
    'mixed': ('Cat', 'Dog', 'int'),
    'with a list': ('list', 'Dog'),
    'numbers': ('int', 'bool', 'str'),
}
for name, form in FORMS.items():
    for args in (CAT, DOG, NEITHER, {'response': 3}, {'response': [CAT]}, {}, {'tricks': []}, {**CAT, **DOG}):
        for tool in ('', 'adopt', *KINDS[name]):
            tool = f'final_result_{tool}'.rstrip('_')
            fact(f'{name}: {tool} {args}', understood(form, (tool, args)))
        for kind in KINDS[name]:
            text = json.dumps({'result': {'kind': kind, 'data': args}})
            fact(f'{name}: native {text}', understood(NativeOutput(form), text, NATIVE))
            fact(f'{name}: prompted {text}', understood(PromptedOutput(form), text, PROMPTED))
for form in (Pet, list[Pet], Home):
    for answer in (
        {'response': {'kind': 'cat', **CAT}},
        {'response': [{'kind': 'dog', **DOG}]},
        {'pets': [{'kind': 'cat', **CAT}]},
        {'kind': 'cow'},
        {'response': {'kind': 'cow'}},
    ):
        fact(f'{form} {answer}'.replace('__main__.', ''), understood(form, ('final_result', answer)))
        fact(
            f'{form} {answer} prompted'.replace('__main__.', ''),
            understood(PromptedOutput(form), json.dumps(answer), PROMPTED),
        )
