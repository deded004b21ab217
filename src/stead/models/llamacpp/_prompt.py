"""Messages as a prompt. No I/O.

Earlier responses are written in the format that the grammar enforces, so that worked examples in a history teach it. Base
models read questions and answers; models with a chat template read a conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import as_dict
from ..._kit.short import one_line
from ..._kit.well_formed import well_formed
from ...exceptions import UserError
from ...messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from .._base import instructions_of
from ._reader import ANSWER, ARGUMENTS, TOOL
from ._response_format import ResponseFormat

# The engine reads control tokens wherever they stand in a prompt, so content must not hold any: with `<|im_end|>` in a result, a
# page that a tool has fetched could end its own turn, and start one of the system. These are those of the common families,
# since base models have no template that names theirs.
_COMMON = (
    r'<\|[^|<>\n]{1,60}\|>',  # ChatML, Llama 3, Phi, Command R
    r'<\uff5c[^<>\n]{1,60}\uff5c>',  # DeepSeek
    r'</?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|start_of_image|end_of_image|image_soft_token)>',
    r'<<?/?SYS>>?',
    r'\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|IMG_BREAK|IMG_END|THINK)\]',
)
_IN_TEMPLATES = re.compile(r'</?[A-Za-z_\uff5c|][^<>\s{}"\'%]{0,60}>|\[/?[A-Z_]{3,40}\]')


@lru_cache(maxsize=32)
def control_tokens(template: str | None) -> re.Pattern[str]:
    """Return a pattern of the control tokens in texts.

    Args:
        template: The template of conversations, whose own markup counts too; `None` for a base model.
    """
    own = sorted(set(_IN_TEMPLATES.findall(template or '')), key=len, reverse=True)
    return re.compile('|'.join([*_COMMON, *map(re.escape, own)]))


def without_control_tokens(text: str, tokens: re.Pattern[str]) -> str:
    """Return a text in which no control token is read: a space follows the first character of each.

    Nothing is taken out, since what stood around it could become another token.
    """
    return tokens.sub(lambda found: f'{found[0][0]} {found[0][1:]}', text) if '<' in text or '[' in text else text


QUESTION, RESULT, REPLY = 'Question:', 'Result:', 'Answer:'
STOPS = [f'\n{QUESTION}', f'\n{RESULT}', f'\n{REPLY}']
"""Where a base model would continue with the next turns itself."""
INDENT = '  '
_LINE_BREAKS = re.compile('\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]')
_MARKERS = re.compile(f'(?:^|{_LINE_BREAKS.pattern})(?={QUESTION}|{RESULT}|{REPLY})')
"""Where a line of the system prompt begins like a turn."""


@dataclass
class ConversationTurn:
    """One turn of a conversation."""

    role: Literal['user', 'result', 'assistant']
    """The side whose turn it is; results are those of tools."""
    text: str


def conversation_turns(
    messages: Sequence[ModelMessage], response_format: ResponseFormat, model_name: str
) -> list[ConversationTurn]:
    """Return a conversation without its system prompts.

    Raises:
        UserError: It has a file, which local models cannot read.
    """
    turns: list[ConversationTurn] = []
    for message in messages:
        turns += (
            _response(message, response_format) if isinstance(message, ModelResponse) else _request(message, model_name)
        )
    return turns


def _request(message: ModelRequest, model_name: str) -> Iterable[ConversationTurn]:
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            yield ConversationTurn('user', _text(part.content, model_name))
        elif isinstance(part, ToolReturnPart):
            if part.files:
                raise _no_files(part.files[0], f'what the tool {part.tool_name!r} returned', model_name)
            yield ConversationTurn('result', part.model_response_str())
        elif isinstance(part, RetryPromptPart):
            yield ConversationTurn('user' if part.tool_name is None else 'result', part.model_response())


def _text(content: str | Sequence[Any], model_name: str) -> str:
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for item in content:
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, TextContent):
            texts.append(item.content)
        elif not isinstance(item, CachePoint):
            raise _no_files(item, 'a user prompt', model_name)
    return '\n'.join(texts)


def _no_files(item: Any, where: str, model_name: str) -> UserError:
    return UserError(
        f'There is a {type(item).__name__} in {where}, but the local model {model_name!r} reads text only. '
        'Leave it out, send its text, or use another model.'
    )


def _response(message: ModelResponse, response_format: ResponseFormat) -> Iterable[ConversationTurn]:
    text = '\n\n'.join(part.content for part in message.parts if isinstance(part, TextPart) and part.content)
    calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
    if text:
        yield ConversationTurn(
            'assistant', text if response_format.schema is None else answer_text(text, response_format)
        )
    if calls:
        written = [call_text(part.tool_name, part.args_as_dict()) for part in calls]
        yield ConversationTurn('assistant', written[0] if len(written) == 1 else f'[{", ".join(written)}]')


def call_text(name: str, arguments: dict[str, Any]) -> str:
    """Return a call as a model writes it."""
    return f'{TOOL}{_json(name)}{ARGUMENTS}{_json(arguments)}}}'


def answer_text(text: str, response_format: ResponseFormat) -> str:
    """Return an answer as a model writes it."""
    value: Any = text
    if not response_format.text:
        try:
            value = json.loads(text)
        except ValueError:
            value = text
    return f'{ANSWER}{_json(value)}}}'


def system_of(messages: Sequence[ModelMessage], params: ModelRequestParameters, response_format: ResponseFormat) -> str:
    """Return all that comes before the conversation: system prompts, instructions, tools, and the format of responses."""
    prompts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, SystemPromptPart)
    ]
    if instructions := instructions_of(messages, params):
        prompts.append(instructions)
    if response_format.tools:
        prompts.append('\n'.join(['Tools:', *map(describe, response_format.tools)]))
    if response_format.schema is not None:
        ways: list[str] = []
        if response_format.tools:
            ways.append(f'{TOOL}"..."{ARGUMENTS}{{...}}}} to call a tool')
        if response_format.answers:
            ways.append(f'{ANSWER}"..."}} to answer' if response_format.text else f'{ANSWER}{{...}}}} to answer')
        prompts.append(f'Write JSON: {", or ".join(ways)}.')
    return '\n\n'.join(prompts)


def describe(tool: ToolDefinition) -> str:
    """Return a line about a tool: its name, its arguments with their types, and what it does."""
    root = tool.parameters_json_schema
    required = root.get('required', ())
    arguments: list[str] = []
    for name, schema in as_dict(root.get('properties')).items():
        about = type_name(schema, root)
        if note := as_dict(schema).get('description'):
            about += f' ({one_line(str(note))})'
        arguments.append(f'{one_line(name)}{"" if name in required else "?"}: {about}')
    line = f'- {one_line(tool.name)}({", ".join(arguments)})'
    return f'{line}: {one_line(tool.description)}' if tool.description else line


def type_name(schema: Any, root: dict[str, Any], depth: int = 0) -> str:
    """Return a short name for what a schema describes."""
    if not isinstance(schema, dict) or depth > 4:
        return 'any'
    node: dict[str, Any] = schema  # type: ignore[reportUnknownVariableType]
    if '$ref' in node:
        name = str(node['$ref']).rpartition('/')[2]
        target: Any = as_dict(root.get('$defs')).get(name)
        return type_name(target, root, depth + 1) if target is not None else name
    if 'const' in node:
        return _json(node['const'])
    if 'enum' in node:
        return '|'.join(map(_json, node['enum'][:20]))
    for key in ('anyOf', 'oneOf'):
        if key in node:
            return '|'.join(dict.fromkeys(type_name(option, root, depth + 1) for option in node[key]))
    kind = node.get('type')
    if kind == 'array':
        return f'[{type_name(node.get("items"), root, depth + 1)}]'
    if kind == 'object' and node.get('properties'):
        inner = (f'{name}: {type_name(value, root, depth + 1)}' for name, value in node['properties'].items())
        return f'{{{", ".join(inner)}}}'
    if isinstance(kind, list):
        return '|'.join(map(str, kind))  # type: ignore[reportUnknownArgumentType]
    return str(node.get('format') or kind or 'any')


# Without any example, a base model never answers, but calls tools forever. No request has the tool of this one.
EXAMPLE = f"""{QUESTION} What is the capital of Norway?
{REPLY} {TOOL}"look_up"{ARGUMENTS}{{"topic": "Norway"}}}}
{RESULT} Norway: a country in Europe, capital Oslo
{REPLY} {ANSWER}"The capital of Norway is Oslo."}}"""

# A base model that is only asked continues with text of the web. It reads how questions are answered, unless there is a system
# prompt, which says it better.
OPENING = f"""This is a list of questions, each with a short and correct answer.

{QUESTION} Hello
{REPLY} Hello! What would you like to know?

{QUESTION} Who painted the Mona Lisa?
{REPLY} Leonardo da Vinci painted the Mona Lisa.

{QUESTION} What is the capital of Norway?
{REPLY} The capital of Norway is Oslo."""


def as_questions(system: str, turns: Sequence[ConversationTurn], response_format: ResponseFormat) -> str:
    """Return a prompt for a base model: questions and answers, up to where the next answer begins."""
    example = ''
    last = max((place for place, turn in enumerate(turns) if turn.role == 'user'), default=0)
    if (
        response_format.tools
        and response_format.answers
        and response_format.text
        and all(turn.role != 'assistant' for turn in turns[:last])
    ):
        example = f'\n\n{EXAMPLE}'
    opening = OPENING if not system and response_format.schema is None else ''
    system = _MARKERS.sub(_indented, system) + example + opening
    names = {'user': QUESTION, 'result': RESULT, 'assistant': REPLY}
    lines = [f'{names[turn.role]} {_of_one_turn(turn).strip()}' for turn in turns]
    # An empty line before each question sets examples apart.
    text = ''.join(f'\n\n{line}' if line.startswith(QUESTION) else f'\n{line}' for line in [*lines, REPLY])
    return _clean(f'{system}{text}'.lstrip('\n'), None)


def _of_one_turn(turn: ConversationTurn) -> str:
    """Return the text of a turn with lines indented, so that none of them looks like a turn of its own.

    All further lines of results are, since what a tool returns may come from anywhere.
    """
    return (_LINE_BREAKS if turn.role == 'result' else _MARKERS).sub(_indented, turn.text)


def _indented(line_break: re.Match[str]) -> str:
    return f'{line_break[0]}{INDENT}'


def as_chat(system: str, turns: Sequence[ConversationTurn], template: str | None = None) -> list[dict[str, str]]:
    """Return messages for a chat template. Many know two roles only, which take turns, so results are the user's.

    Args:
        system: All that comes before the conversation.
        turns: The conversation.
        template: The chat template, whose control tokens are not read in the texts.
    """
    messages: list[dict[str, str]] = [{'role': 'system', 'content': system}] if system else []
    for turn in turns:
        role = 'assistant' if turn.role == 'assistant' else 'user'
        text = f'{RESULT} {_of_one_turn(turn)}' if turn.role == 'result' else turn.text
        if messages and messages[-1]['role'] == role:
            messages[-1]['content'] += f'\n\n{text}'
        else:
            messages.append({'role': role, 'content': text})
    return [{'role': message['role'], 'content': _clean(message['content'], template)} for message in messages]


def _clean(text: str, template: str | None) -> str:
    """Return a text without halves of surrogate pairs, which the engine rejects, and without control tokens."""
    return without_control_tokens(well_formed(text), control_tokens(template))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
