"""Ask stead's documentation: `python -m examples.ask_docs "how do I limit the calls of a tool?"`.

It runs offline with the extra "local": one small model in this process gives the vectors, and the same one answers. The index
is kept in a file. `--model` and `--embeddings` take other models.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from stead import Agent, Embedder, ModelRetry
from stead.exceptions import AgentRunError, ModelAPIError, UserError

from .index import Index, Passage

DOCS = Path(__file__).parent.parent.parent / 'docs'
QUESTIONS = ('How do I limit the calls of a tool?', 'Where are the weights of local models kept?')
INSTRUCTIONS = (
    'Answer the question from the numbered sentences only, in one or two sentences of your own. Name the numbers.'
)


class Answer(BaseModel):
    """An answer, and its quotes."""

    answer: str
    quotes: list[int]


def sentences_of(passages: list[Passage]) -> list[tuple[Passage, str]]:
    """Return the sentences of passages, each with its passage."""
    return [
        (passage, sentence)
        for passage in passages
        for sentence in re.split(r'(?<=[.!?:]) +(?=[A-Z`*\[])', passage.text)
    ]


async def answer(model: str, question: str, found: list[Passage]) -> tuple[str, list[tuple[Passage, str]]]:
    """Return an answer and its quotes. The model names sentences by number, so that every quote stands in the pages."""
    sentences = sentences_of(found)
    number = Annotated[int, Field(ge=1, le=len(sentences))]
    quotes: Any = Annotated[list[number], Field(min_length=1, max_length=3)]  # type checkers know no such expression
    output: Any = create_model('Answer', __base__=Answer, quotes=(quotes, ...))
    agent: Agent[None, Answer] = Agent(model, output_type=output, instructions=INSTRUCTIONS, retries=2)

    @agent.output_validator
    def says_something(result: Answer) -> Answer:
        if not result.answer.strip():
            raise ModelRetry('The answer is empty.')
        return result

    listed = '\n'.join(f'{index}. {sentence}' for index, (_, sentence) in enumerate(sentences, 1))
    result = (await agent.run(f'{listed}\n\nQuestion: {question}')).output
    return result.answer.strip(), [sentences[index - 1] for index in dict.fromkeys(result.quotes)]


async def main(options: argparse.Namespace) -> int:
    with closing(Index(options.index, Embedder(options.embeddings))) as index:
        await ask(index, options)
    return 0


async def ask(index: Index, options: argparse.Namespace) -> None:
    """Ask each question, and print the answer."""
    count = index.bring_up_to_date(Path(options.docs))
    print(f'{count} passages of {options.docs} are in {options.index}.', file=sys.stderr)
    for question in options.questions or QUESTIONS:
        print(f'\n? {question}')
        found = await index.find(question)
        if not found:
            print('  There is nothing to read.')
            continue
        try:
            text, quotes = await answer(options.model, question, found)
        except (AgentRunError, ModelAPIError) as error:
            print(f'  (no answer: {error})', file=sys.stderr)
            text, quotes = 'See:', [(passage, passage.text) for passage in found]
        print(f'  {text}')
        for passage, sentence in quotes:
            print(f'  > {sentence}\n    {passage.page}: {passage.title}')


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m examples.ask_docs', description='Ask the documentation.')
    parser.add_argument('questions', nargs='*', help='questions; without any, two examples')
    parser.add_argument('--model', default='local:', help='the model that answers')
    parser.add_argument('--embeddings', default='local:', help='the embedding model')
    parser.add_argument('--docs', default=str(DOCS), help='the folder of Markdown files')
    parser.add_argument('--index', default='.ask-docs.sqlite', help='the file of the index')
    return parser.parse_args()


if __name__ == '__main__':
    try:
        sys.exit(asyncio.run(main(parse())))
    except (UserError, ValueError, ImportError) as error:
        sys.exit(f'ask_docs: {error}')
