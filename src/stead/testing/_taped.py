"""What can be read from a cassette, and how a run in a journal becomes one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import from_json

from .._kit.ids import canonical_json
from .._kit.json_types import JsonObject
from .._kit.shown_json import shown_json
from ..journal import Journal, RunFilter
from ..messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    is_retry,
    retry_text,
)
from ._tape import Sent, Take, Tape, ToolTake, call_ids_of, cleaned, conversations, sent_of


def _steps(tape: Tape) -> Iterator[list[Take]]:
    """Yield the requests of each conversation that no other one continues."""
    continued = {take.base for take in tape.takes}
    for take in tape.takes:
        if take.number not in continued:
            steps = [take]
            while (before := tape.numbered.get(steps[0].base or 0)) is not None:
                steps = [before, *steps]
            yield steps


def conversations_of(tape: Tape) -> list[list[ModelMessage]]:
    """Return the conversations of a tape, each up to its last response."""
    found: list[list[ModelMessage]] = []
    for steps in _steps(tape):
        data: list[JsonObject] = []
        for step in steps:
            ids = call_ids_of(step.response)
            labels = {call_id: f'call {step.calls - len(ids) + at}' for at, call_id in enumerate(ids, 1)}
            parts = [
                {**part, 'tool_call_id': labels[part['tool_call_id']]} if 'tool_call_id' in part else part
                for part in step.response['parts']
            ]
            data += [*step.new, {**step.response, 'parts': parts}]
        found.append([*ModelMessagesTypeAdapter.validate_python(data)])
    return found


def begun_with(tape: Tape) -> list[int]:
    """Return how many messages the first recorded request of each conversation had: more than one if a history came with it."""
    return [len(steps[0].new) for steps in _steps(tape)]


def doubles_of(tape: Tape) -> set[int]:
    """Return the numbers of requests that are there twice, with the same response."""
    seen: set[str] = set()
    found: set[int] = set()
    for take in tape.takes:
        parts = [
            {name: value for name, value in part.items() if name != 'tool_call_id'} for part in take.response['parts']
        ]
        key = take.key + canonical_json(parts)
        if key in seen:
            found.add(take.number)
        seen.add(key)
    return found


def script_of(tape: Tape) -> str:
    """Return Python code of `ScriptedModel`s that answer as the models did."""
    blocks = ['from stead.testing import ScriptedModel, call, say, think\n']
    several = sum(1 for _ in _steps(tape)) > 1
    for number, messages in enumerate(conversations_of(tape), 1):
        name = f'model_{number}' if several else 'model'
        responses = [message for message in messages if isinstance(message, ModelResponse)]
        lines = ''.join(f'        {_written(response)},\n' for response in responses)
        blocks.append(f'{name} = ScriptedModel(\n    [\n{lines}    ]\n)\n')
    return '\n'.join(blocks)


def _written(response: ModelResponse) -> str:
    found: list[str] = []
    for part in response.parts:
        if isinstance(part, TextPart):
            found.append(f'say({part.content!r})')
        elif isinstance(part, ThinkingPart):
            found.append(f'think({part.content!r})')
        elif isinstance(part, ToolCallPart):
            args = part.args_as_dict()
            plain = all(name.isidentifier() for name in args)
            arguments = (
                [f'{name}={value!r}' for name, value in args.items()] if plain else [f'**{args!r}'] if args else []
            )
            found.append(f'call({", ".join([repr(part.tool_name), *arguments])})')
    return ' & '.join(found) or "say('')"


async def tape_run(tape: Tape, journal: Journal[Any], run_id: str) -> None:
    """Add a run of a journal to a tape, and the runs inside of it."""
    state = await journal.state(run_id)
    records = await journal.records(run_id)
    sent: list[Sent] = []
    seen: JsonObject = {}
    for record in records:
        if record.kind == 'sent':  # what is as in the request before is left out of a record
            seen.update(record.data())
            sent.append(_sent_of(seen, tape))
    own = [
        at
        for at, message in enumerate(state.messages)
        if at >= state.new_message_index and isinstance(message, ModelResponse)
    ]
    compared = conversations(tape.scrub)
    for number, at in enumerate(own):
        response = state.messages[at]
        assert isinstance(response, ModelResponse), 'only responses were chosen'
        before = compared.of(state.messages[:at])
        tape.add(before, sent[number] if len(sent) == len(own) else None, response)
        for call in response.tool_calls:
            tape.tools += _answers_of(call, state.messages[at + 1 :], tape)
    for inner in await journal.find(RunFilter(parent_id=run_id, limit=1_000)):
        await tape_run(tape, journal, inner.run_id)


def _sent_of(request: JsonObject, tape: Tape) -> Sent:
    data = {
        name: request[name.replace(' ', '_')]
        for name in ('native tools', 'instructions', 'output', 'tools', 'settings')
    }
    return sent_of(cleaned({**data, 'order of tools': [*data['tools']]}, tape.scrub))


def _answers_of(call: ToolCallPart, messages: Sequence[ModelMessage], tape: Tape) -> Iterator[ToolTake]:
    try:
        args = call.args_as_dict()
    except ValueError:  # what a model wrote
        return
    for part in (part for message in messages[:1] for part in message.parts):
        if getattr(part, 'tool_call_id', None) != call.tool_call_id:
            continue
        take = ToolTake(call.tool_name, args, 'returned', None)
        if is_retry(part):
            yield replace(take, outcome='retried', value=cleaned(retry_text(part), tape.scrub))
        elif isinstance(part, ToolReturnPart):
            yield replace(take, value=cleaned(from_json(shown_json(part.content)), tape.scrub))
