"""What the cases about streams in each mode share: structured answers, cut in pieces, as each mode gives them."""

from pydantic import BaseModel
from pydantic_ai import NativeOutput, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.models.function import DeltaToolCall
from typing_extensions import TypedDict


class Row(TypedDict, total=False):
    n: int
    words: list[str]


class Whole(BaseModel):
    n: int
    words: list[str]


def upper(text: str) -> str:
    return text.upper()


def count(row: Row) -> int:
    return len(row.get('words', []))


GOOD, BAD = '{"n": 12, "words": ["ab", "cd"]}', '{"n": "x", "words": []}'


def cut(text, size=9):
    """Text in pieces of a size."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def tool(text, name='final_result', index=0, call_id='o', size=9):
    """A call of an output tool as deltas."""
    return [
        {index: DeltaToolCall(name=name, tool_call_id=call_id)},
        *({index: DeltaToolCall(json_args=piece)} for piece in cut(text, size)),
    ]


def member(text, kind):
    """The JSON of one member of a union."""
    return f'{{"result": {{"kind": "{kind}", "data": {text}}}}}'


MODES = {
    'tool': (Whole, tool),
    'typed dict': (Row, tool),
    'named': (ToolOutput(Row, name='row'), lambda text: tool(text, 'row')),
    'native': (NativeOutput(Row), cut),
    'prompted': (PromptedOutput(Whole), cut),
    'function': (count, tool),
    'prompted function': (PromptedOutput(count), cut),
    'union': ([Row, int], lambda text: tool(text, 'final_result_Row')),
    'native union': (NativeOutput([Row, int]), lambda text: cut(member(text, 'Row'))),
    'text function': (TextOutput(upper), cut),
    'or text': ([Row, str], cut),
}


async def outputs(result, **options):
    """The outputs that a result streams, whole and in part."""
    return [repr(out) async for out in result.stream_output(debounce_by=None, **options)]
